"""Rasters: GeoTIFF, PNG, JPEG and all else that GDAL reads, through rasterio."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

import numpy as np

from ..._host import Ndarray
from .base import (About, ArgumentError, FileError, Layout, Part, Sink, Source,
                   is_installed)
from .gdal import copy, listener, rasterio_for, sentence
from .gdal_files import files_of

_PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp"}
_RASTERS = _PICTURES | {".tif", ".tiff", ".vrt", ".img", ".jp2", ".asc", ".bil", ".dem", ".grd",
                        ".hdf", ".nc", ".ntf"}  # GDAL knows more; these need it for certain
_OWN_TAGS = re.compile(r"STATISTICS_|TIFFTAG_(MIN|MAX)SAMPLEVALUE|AREA_OR_POINT$")
_OF_CELLS = re.compile(r"STATISTICS_|(units|scale_factor|add_offset|_FillValue|missing_value|"
                       r"valid_(min|max|range)|actual_range)$")  # what they are is no more true
_PAGE = re.compile(r"^Page \d+ \((\d+)P x (\d+)L ")  # as GDAL describes that of a TIFF
_OF_A_STACK = re.compile(r"\{\"shape\"|ImageJ=|<\?xml|<OME ")  # descriptions of other writers
_THREADS_FAIL_ALOUD = (3, 9)  # GDAL 3.6 gives garbage for what its threads could not decode
_LARGEST_TILE = 1024
_STRIP_BYTES = 1 << 18
_FULL = 1 << 20  # bytes; less may be free where a disk was too full for a strip
_FEW = 16  # rows and columns of a trial


def _refuse_unknown(path: str, does: str, error: Type[FileError]) -> None:
    """Without rasterio: a file of an extension that rasterio may not know either."""
    extension = os.path.splitext(path)[1]
    if extension.lower() in _RASTERS or not extension or is_installed("rasterio"):
        return
    raise error(f"{path}: {extension} is no format that is known here, expected .npy, .zarr, "
                f".ome.tif or .tif; rasterio {does} more: pip install rasterio")


# ---- reading -----------------------------------------------------------------------------------


def reads(path: str) -> bool:
    return True  # GDAL says what it cannot read


class Opened(Source):
    def __init__(self, path: str) -> None:
        if os.path.isdir(path) and not is_installed("rasterio"):
            raise FileError(f"{path} is a folder, and no array of Zarr, expected a file; of "
                            "folders rasterio reads a few: pip install rasterio")
        if os.path.exists(path):  # not a name of GDAL's
            _refuse_unknown(path, "reads", FileError)
        rasterio = rasterio_for(path)
        self._rasterio = rasterio
        self._window = rasterio.windows.Window
        self._path = path
        try:
            self._file = _opened(rasterio, path)
        except Exception as error:
            if os.path.isdir(path):
                raise FileError(f"{path} is a folder, and no array of Zarr, expected a file") \
                    from None
            raise FileError(f"{path} cannot be read: {sentence(error)}") from None
        try:
            self._look(path)
        except BaseException:
            self._file.close()
            raise

    def _look(self, path: str) -> None:
        file = self._file
        if file.count == 0:
            names = "".join(f"\n  {name}" for name in file.subdatasets)
            raise FileError(f"{path} has no image" + (f" of its own, but contains{names}" if names
                                                      else ""))
        images = _images(file)
        if len(images) > 1:
            names = "".join(f"\n  {name}" for name in images)
            raise FileError(f"{path} has several images, expected the name of one:{names}")
        self.lead = () if file.count == 1 else (file.count,)
        self.height, self.width = file.shape
        if len(set(file.dtypes)) > 1:
            raise FileError(f"{path} has bands of several types, {', '.join(file.dtypes)}: "
                            "expected one type")
        try:
            self.dtype = np.dtype(file.dtypes[0])
        except TypeError:  # complex_int16, which NumPy has not
            raise FileError(f"{path} has cells of {file.dtypes[0]}, expected integers or real "
                            "numbers") from None
        self.block = tuple(file.block_shapes[0])
        self.interleaved = file.count > 1 and file.profile.get("interleave") == "pixel"
        self.about = _about(file)
        self.files = files_of(self._rasterio, (path, *file.files))
        self._alpha = [i for i, kind in enumerate(file.colorinterp) if kind.name == "alpha"]
        self._mask_readers = tuple(map(self._mask_reader, range(file.count)))

    def usual_planes(self) -> Tuple[int, ...]:
        return tuple(i for i in range(self.planes) if i not in self._alpha) or (0,)

    def nodata(self, plane: int) -> Optional[float]:
        value: Optional[float] = self._file.nodatavals[plane]
        return value

    def has_mask(self, plane: int) -> bool:
        return self._mask_readers[plane] is not None

    def _mask_reader(self, plane: int) -> Optional[Callable[[int, Part], Ndarray]]:
        """GDAL's own mask of a plane, or its alpha band, of which GDAL says nothing where there is
        a nodata value, too. None: all cells count but those of the nodata value."""
        flags = {flag.name for flag in self._file.mask_flag_enums[plane]}
        is_unknown = "nodata" in flags and self._file.nodatavals[plane] is None  # of 64 bits
        if flags & {"per_dataset", "alpha"} or is_unknown:
            return self._read_mask_of_gdal
        return self._read_alpha if self._alpha and plane not in self._alpha else None

    def read(self, plane: int, part: Part) -> Ndarray:
        return self._read(self._file.read, plane, part)

    def read_mask(self, plane: int, part: Part) -> Ndarray:
        reader = self._mask_readers[plane]
        assert reader is not None
        return reader(plane, part)

    def _read_mask_of_gdal(self, plane: int, part: Part) -> Ndarray:
        return self._read(self._file.read_masks, plane, part)

    def _read_alpha(self, plane: int, part: Part) -> Ndarray:
        counts: Ndarray = self._read(self._file.read, self._alpha[0], part) != 0
        return counts.astype(np.uint8)

    def _read(self, function: Any, plane: int, part: Part) -> Ndarray:
        window = self._window(part.left, part.top, part.shape[1], part.shape[0])
        try:
            with listener.errors(self._rasterio) as errors:
                cells: Ndarray = function(plane + 1, window=window)
        except Exception as error:  # of GDAL: not all have a base in common
            errors = [sentence(error)]
        if errors:
            raise FileError(f"{self._path} cannot be read at row {part.top} of band {plane + 1}: "
                            f"{errors[0]}")
        return cells

    def close(self) -> None:
        self._file.close()


def _images(file: Any) -> List[str]:
    """The names of those that lie beside the first, and its own. A smaller page of a TIFF may be a
    picture of the first, and is none."""
    said = file.tags(ns="SUBDATASETS")
    height, width = file.shape
    found = []
    for number, name in enumerate(file.subdatasets, 1):
        page = _PAGE.search(said.get(f"SUBDATASET_{number}_DESC", ""))
        if page is None or int(page[1]) >= width or int(page[2]) >= height:
            found.append(name)
    return found


def _opened(rasterio: Any, path: str) -> Any:
    """With threads that decode, if it is a TIFF that is compressed: else they cost time."""
    file = rasterio.open(path)
    if file.driver != "GTiff":
        return file
    version = tuple(int(number) for number in rasterio.__gdal_version__.split(".")[:2])
    threads = file.compression is not None and version >= _THREADS_FAIL_ALOUD
    file.close()
    return rasterio.open(path, NUM_THREADS="ALL_CPUS" if threads else "1")


def _about(file: Any) -> About:
    about = About(names=file.descriptions)
    if file.crs:
        about.crs = file.crs.to_wkt()
    if not file.transform.is_identity:
        about.transform = tuple(file.transform)[:6]
        about.cell_size = _cell_size(file)
    about.gcps, crs = tuple(file.gcps[0]), file.gcps[1]
    about.gcps_crs = crs.to_wkt() if crs else None
    about.rpcs = file.rpcs
    about.tags = {key: value for key, value in file.tags().items()}
    about.plane_tags = tuple(file.tags(band) for band in file.indexes)
    return about


def _cell_size(file: Any) -> Optional[Tuple[float, str]]:
    """None where a cell's width is not everywhere the same length."""
    if not file.crs or not file.crs.is_projected:
        return None
    name, metres = file.crs.linear_units_factor
    width = float(np.hypot(file.transform.a, file.transform.d))
    return (width * metres, "m") if metres else (width, name)


# ---- writing -----------------------------------------------------------------------------------


def writes(path: str, layout: Layout) -> bool:
    return True


class Created(Sink):
    """Written as GeoTIFF, unless the driver writes what it is given part by part, too."""

    def __init__(self, path: str, layout: Layout, is_trial: bool = False) -> None:
        name, extension = os.path.basename(path), os.path.splitext(path)[1].lower()
        if layout.driver is None and extension in _PICTURES:
            raise ArgumentError(f"{name}: {extension[1:].upper()} does not hold real numbers: "
                                "expected .tif, .npy or .zarr (--preview makes a picture)")
        if layout.driver is None:
            if not extension:
                raise ArgumentError(f"{name} has no extension that names a format, expected .tif, "
                                    ".npy, .zarr or --driver")
            _refuse_unknown(name, "writes", ArgumentError)
        rasterio = rasterio_for(name)
        self._rasterio, self._layout, self._name = rasterio, layout, name
        self._window = rasterio.windows.Window
        self._driver = layout.driver or _driver_of(rasterio, name)
        self._path, self._whole = path, path
        self._stopped, self._is_trial = False, is_trial
        self.stale = _world_files(name, layout.about.transform is not None)
        if not _is_written_in_parts(rasterio, self._driver, name):  # with what GDAL puts beside it
            self._path = os.path.join(tempfile.mkdtemp(dir=os.path.dirname(path)), "parts.tif")
        if not is_trial and (self._driver != "GTiff" or layout.options):
            self.beside = _try(path, layout, self._driver)
        self._create(rasterio)

    def _create(self, rasterio: Any) -> None:
        layout, options = self._layout, {}
        if self._path != self._whole:
            options = _tiff_options(layout._replace(compress=None), ())
        elif self._driver == "GTiff":
            options = _tiff_options(layout, layout.options)
        else:
            options = _options(self._name, self._driver, layout)
        if layout.has_holes:
            options["nodata"] = np.nan
        try:
            with listener.errors(rasterio) as errors:
                self._file = rasterio.open(
                    self._path, "w", driver="GTiff" if self._path != self._whole else self._driver,
                    width=layout.width, height=layout.height, count=layout.planes,
                    dtype=layout.dtype.name, **options)
            said = [error for error in errors if "creation option" in error]
            if said:
                self._file.close()
                raise ArgumentError(f"{self._name}: {said[0]}")
            with listener.errors(rasterio):  # of what raises, too, or GDAL prints it
                self._tell(rasterio)
        except FileError:
            raise
        except Exception as error:
            raise FileError(f"{self._name} cannot be created: {sentence(error)}") from None
        self.block = tuple(self._file.block_shapes[0])

    def _tell(self, rasterio: Any) -> None:
        """What the source said, where the result is the same."""
        about, file = self._layout.about, self._file
        if about.crs is not None:
            file.crs = _crs(rasterio, about.crs)
        if about.transform is not None:
            file.transform = rasterio.Affine(*about.transform)
        if about.gcps:
            crs = about.gcps_crs
            file.gcps = (list(about.gcps), _crs(rasterio, crs) if crs else rasterio.crs.CRS())
        if about.rpcs is not None:
            file.rpcs = about.rpcs
        tags = {key: value for key, value in about.tags.items()
                if isinstance(value, str) and not _OWN_TAGS.match(key)}
        if "AREA_OR_POINT" in about.tags:
            tags["AREA_OR_POINT"] = about.tags["AREA_OR_POINT"]
        if _OF_A_STACK.match(tags.get("TIFFTAG_IMAGEDESCRIPTION", "")):
            del tags["TIFFTAG_IMAGEDESCRIPTION"]
        file.update_tags(**tags)
        for i, name in enumerate(about.names[:self._layout.planes]):
            if name:
                file.set_band_description(i + 1, name)
        for i, said in enumerate(about.plane_tags[:self._layout.planes]):
            file.update_tags(i + 1, **{key: value for key, value in said.items()
                                       if not _OF_CELLS.match(key)})

    def write(self, plane: int, part: Part, values: Ndarray) -> None:
        window = self._window(part.left, part.top, part.shape[1], part.shape[0])
        self._must(lambda: self._file.write(values, plane + 1, window=window))

    def finish(self) -> None:
        self._must(self._file.close)
        if self._path != self._whole:
            options = _options(self._name, self._driver, self._layout)
            goes_on = None if self._is_trial else lambda: not self._stopped
            self._must(lambda: copy(self._rasterio, self._path, self._whole, self._driver, options,
                                    goes_on))
            shutil.rmtree(os.path.dirname(self._path))

    def stop(self) -> None:
        self._stopped = True

    def _must(self, call: Callable[[], Any]) -> None:
        with listener.errors(self._rasterio) as errors:
            try:
                call()
            except Exception as error:
                errors.insert(0, sentence(error))
        for said in errors:
            if "creation option" in said:
                raise ArgumentError(f"{self._name}: {said}")
        if errors:
            free = shutil.disk_usage(os.path.dirname(self._path)).free  # GDAL says it by a number
            full = f", the disk of its folder has {free} bytes free" if free < _FULL else ""
            raise FileError(f"{self._name} cannot be written{full}: {errors[0]}")

    def drop(self) -> None:
        with suppress(Exception), listener.errors(self._rasterio):
            self._file.close()


def _crs(rasterio: Any, wkt: str) -> Any:
    try:
        return rasterio.crs.CRS.from_wkt(wkt)
    except Exception:
        raise FileError(f"the image has the coordinate system {wkt[:40]!r}, expected WKT that GDAL "
                        "knows") from None


def _try(path: str, layout: Layout, driver: str) -> Tuple[str, ...]:
    """What a driver refuses is refused before anything is computed: it writes a few cells. EXTENT,
    and RES beside it, would make a file as large as the result. The names of what it makes."""
    options = tuple(option for option in layout.options
                    if option[0].upper() not in ("EXTENT", "RES"))
    if driver in ("GTiff", "COG"):  # what fails in other threads GDAL prints
        options = (("NUM_THREADS", "1"), *options)
    few = layout._replace(height=min(layout.height, _FEW), width=min(layout.width, _FEW),
                          options=options)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        trial = os.path.join(folder, os.path.basename(path))
        made = Created(trial, few, is_trial=True)
        try:
            made.write(0, Part(0, few.height, 0, few.width), np.zeros((few.height, few.width),
                                                                      few.dtype))
            made.finish()
        finally:
            made.drop()
        if not os.path.isfile(trial):
            makes = "a folder" if os.path.isdir(trial) else \
                ", ".join(sorted(os.listdir(folder))) or "no file"
            raise ArgumentError(f"{os.path.basename(path)}: the driver {driver} makes {makes}, "
                                "expected one that makes a file of the name it is given, such as "
                                "GTiff or COG")
        return tuple(os.listdir(folder))


def _world_files(name: str, has_place: bool) -> Tuple[str, ...]:
    """Those that GDAL would read of an old file of the name; the last ones, which may be of others,
    where they would be believed."""
    stem, extension = os.path.splitext(name)
    endings = [extension[1:2] + extension[-1:] + "w", extension[1:] + "w"] if extension else []
    if not has_place:
        endings.append("wld")
    return tuple(f"{stem}.{each}" for ending in endings for each in (ending.lower(), ending.upper()))


def _driver_of(rasterio: Any, name: str) -> str:
    try:
        driver: str = rasterio.drivers.driver_from_extension(name)
    except ValueError:
        extension = os.path.splitext(name)[1]
        raise ArgumentError(f"{name}: GDAL writes no format of the extension {extension}, expected "
                            ".tif, .npy, .zarr or --driver") from None
    return driver


def _is_written_in_parts(rasterio: Any, driver: str, name: str) -> bool:
    if rasterio.drivers.is_blacklisted(driver, "w"):
        raise ArgumentError(f"{name}: rasterio does not write {driver}, expected .tif, .npy or "
                            ".zarr")
    with rasterio.Env(), suppress(ValueError):  # no such driver
        if rasterio.io.driver_can_create(driver):
            return True
        if rasterio.io.driver_can_create_copy(driver):
            return False
    raise ArgumentError(f"{name}: GDAL does not write {driver}, expected a driver that it writes, "
                        "such as GTiff or COG")


def _options(name: str, driver: str, layout: Layout) -> Dict[str, Any]:
    options: Dict[str, Any] = dict(layout.options)
    if layout.compress is not None:
        if driver != "COG":
            raise ArgumentError(f"{name}: --compress is of GeoTIFF and COG, expected --co for "
                                f"{driver}")
        options = {"COMPRESS": layout.compress.upper(), **options}
    if driver == "COG":
        side = {key.upper(): value for key, value in layout.options}.get("BLOCKSIZE", "512")
        if not re.fullmatch(r"0*[1-9][0-9]{0,8}", side):  # GDAL would end the process
            raise ArgumentError(f"{name}: BLOCKSIZE is {side}, expected a number such as 512")
        options = {"BIGTIFF": "IF_SAFER", "NUM_THREADS": "ALL_CPUS", **options}
    return options


def _tiff_options(layout: Layout, given: Tuple[Tuple[str, str], ...]) -> Dict[str, Any]:
    """Tiles where the source has some, else strips; for --co."""
    rows, columns = layout.block
    named = {key.upper(): value for key, value in given}
    options: Dict[str, Any] = {"BIGTIFF": "IF_SAFER", "INTERLEAVE": "BAND"}
    if {"TILED", "BLOCKXSIZE", "BLOCKYSIZE"} & set(named):
        pass
    elif rows > 1 and 0 < columns < layout.width and rows % 16 == columns % 16 == 0 \
            and max(rows, columns) <= _LARGEST_TILE:
        options.update(TILED="YES", BLOCKXSIZE=columns, BLOCKYSIZE=rows)
    elif columns < layout.width and columns > 0:  # not whole rows, but no tiles of a TIFF either
        options.update(TILED="YES", BLOCKXSIZE=512, BLOCKYSIZE=512)
    else:
        row = layout.width * layout.dtype.itemsize
        options["BLOCKYSIZE"] = min(layout.height, max(1, _STRIP_BYTES // row))
    if layout.compress not in (None, "none"):
        options.update(COMPRESS=str(layout.compress).upper(), NUM_THREADS="ALL_CPUS", PREDICTOR=3)
        if layout.compress == "zstd":
            options["ZSTD_LEVEL"] = 1
    return {**options, **named}
