"""Stacks of microscopes, through tifffile: OME-TIFF, ImageJ, LSM, other TIFF of many pages."""

from __future__ import annotations

import importlib
import math
import os
import re
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ..._host import Ndarray
from . import flat, ome
from .base import (About, FileError, Layout, Part, Sink, Source, is_installed,
                   refuse_settings)
from .tiff import listener, reading, reason, tifffile_for

_STACKS = (".ome.tif", ".ome.tiff", ".ome.btf", ".lsm", ".stk", ".qptiff", ".scn")
_TIFFS = (".tif", ".tiff")
_IMAGEJ = ("spacing", "unit", "finterval", "fps", "loop")
_IMAGEJ_AXES = "TZCYX"
_OF_ANOTHER = re.compile(r"(thumbnail|label|macro|map|overview)( image)?", re.IGNORECASE)
_GDAL_METADATA = 42112
_OF_RASTERS = (33550, 33922, 34264, 34735, _GDAL_METADATA, 42113)  # GeoTIFF's place, GDAL's nodata


# ---- reading -----------------------------------------------------------------------------------


def reads(path: str) -> bool:
    name = path.lower()
    if name.endswith(_STACKS):
        return True
    if not name.endswith(_TIFFS) or not os.path.isfile(path):
        return False
    if not is_installed("tifffile"):
        if not is_installed("rasterio"):
            raise FileError(f"{path} needs rasterio, or, if it is a stack of a microscope, "
                            "tifffile, which are not installed: pip install rasterio tifffile")
        return _must_be_a_stack(path)
    if not is_installed("rasterio"):
        return True
    tifffile = tifffile_for(path)
    with listener.heard() as damage:
        try:
            with tifffile.TiffFile(path) as file:
                found = _is_stack(file)
        except OSError:
            raise
        except Exception:  # a damaged file fails in many ways
            found = False  # GDAL says what is wrong with it
    if damage:  # GDAL would read the first page, and not miss the others
        raise FileError(f"{path} cannot be read, it is damaged or ends early: {damage[0]}")
    return found


def _is_stack(file: Any) -> bool:
    """Of more planes than bands; GDAL knows the bands of one page, and overviews."""
    if file.is_geotiff or _GDAL_METADATA in file.pages[0].tags:
        return False
    if ome.says_ome(file) or file.is_imagej or file.is_lsm:
        return True
    first = file.series[0]
    return bool(set(first.axes) - set("YXS")) or any(  # smaller pictures of it may say nothing
        max(series.keyframe.imagelength / first.keyframe.imagelength,
            series.keyframe.imagewidth / first.keyframe.imagewidth) >= 1
        for _, series in _images(file)[1:])


def _images(file: Any) -> List[Tuple[int, Any]]:
    """The first series, and of the others those that are images of their own: not smaller ones,
    masks, labels. With their numbers."""
    first, *others = enumerate(file.series)
    return [first, *((number, series) for number, series in others if not (
        series.keyframe.is_reduced or series.keyframe.is_mask
        or _OF_ANOTHER.fullmatch(series.name)))]


def _refuse_several(images: List[Tuple[int, Any]], path: str) -> None:
    if len(images) > 1:
        names = ", ".join(f"{number} {series.name!r} {series.shape}" for number, series in images)
        raise FileError(f"{path} has the images {names}: expected one; tifffile.imread(PATH, "
                        "series=NUMBER) reads one of them, and numpy.save writes it as .npy")


def _refuse_raster(file: Any, path: str) -> None:
    """Where tifffile would read its cells, and leave out its place and which cells are no data."""
    if any(tag in file.pages[0].tags for tag in _OF_RASTERS):
        raise FileError(f"{path} has a georeference, tags or a nodata value of GDAL, and needs "
                        "rasterio, which is not installed: pip install rasterio")


def _must_be_a_stack(path: str) -> bool:
    """Whether it says, on its first page, that it is of a microscope: without tifffile."""
    with open(path, "rb") as file:
        head = file.read(1 << 16)
    return b"ImageJ=" in head or b"<OME " in head


class Opened(Source):
    """The one image of a file, its first series."""

    def __init__(self, path: str) -> None:
        tifffile = tifffile_for(path)
        self._path = path
        with reading(path):
            self._file = tifffile.TiffFile(path)
            try:
                self._look(path)
            except BaseException:
                self._file.close()
                raise

    def _look(self, path: str) -> None:
        if not path.lower().endswith(_STACKS) and not is_installed("rasterio"):
            _refuse_raster(self._file, path)
        if not self._all_series(path):
            raise FileError(f"{path} has no image")
        _refuse_several(_images(self._file), path)
        self._series = self._file.series[0]
        axes, shape = self._series.axes, self._series.shape
        self._samples = 1
        if axes.endswith("YXS"):  # the colours of a cell lie together
            self._samples, axes, shape = shape[-1], axes[:-3] + "SYX", (*shape[:-3], shape[-1],
                                                                       *shape[-3:-1])
        if not axes.endswith("YX"):
            raise FileError(f"{path} has the axes {axes}, expected rows and columns as the last")
        self.lead, (self.height, self.width) = shape[:-2], shape[-2:]
        self.dtype = np.dtype(self._series.dtype)
        self.about = _about(self._file, axes, self.lead, self._samples)
        self.interleaved = self._samples > 1
        self._planes_of_page = max(1, self.planes // len(self._series.pages))
        is_here = self._series.keyframe.parent is self._file and not self._series.is_multifile
        self._start = self._series.dataoffset if self._samples == 1 and is_here else None
        pages = list(self._series.pages) if self._start is None else []
        self._missing = {i for i, page in enumerate(pages) if page is None}
        self.files = tuple({page.parent.filehandle.path for page in pages if page is not None})
        if self._start is not None:
            size = math.prod(shape) * self.dtype.itemsize
            if self._start + size > os.path.getsize(path):
                raise FileError(f"{path} cannot be read: it ends before the last cell")
        else:
            page = self._series.keyframe
            if page.imagedepth > 1 or page.tiledepth > 1:
                raise FileError(f"{path} has pages of several planes, a volume: expected a page for "
                                "each plane; tifffile.imread reads it, and numpy.save writes .npy")
            self.block = (page.tilelength, page.tilewidth) if page.is_tiled else \
                (page.rowsperstrip, 0)
            if self.block[0] < 1:
                raise FileError(f"{path} cannot be read: its strips have {self.block[0]} rows")

    def _all_series(self, path: str) -> Any:
        if ome.says_ome(self._file) and not self._file.is_ome:
            raise FileError(f"{path} cannot be read: its OME XML ends early")
        try:
            return self._file.series
        except (LookupError, ValueError, TypeError) as error:
            if not self._file.is_ome:
                raise
            raise FileError(f"{path} cannot be read: its OME XML is damaged "
                            f"({type(error).__name__}: {error})") from None

    def has_mask(self, plane: int) -> bool:
        """Of a plane that OME announces, and no page is of: it was never recorded."""
        return plane // self._planes_of_page in self._missing

    def read_mask(self, plane: int, part: Part) -> Ndarray:
        return np.zeros(part.shape, np.uint8)

    def read(self, plane: int, part: Part) -> Ndarray:
        if self.has_mask(plane):
            return np.zeros(part.shape, self.dtype)
        if self._start is not None:  # the whole series as in memory
            dtype = self.dtype.newbyteorder(self._file.byteorder)
            return flat.read(self._path, self._start, (*self.lead, self.height, self.width), dtype,
                             plane, part)
        with reading(self._path):
            page = self._series.pages[plane // self._planes_of_page]
        handle = page.parent.filehandle
        is_elsewhere = handle.closed  # OME has planes in several files
        try:
            if is_elsewhere:
                handle.open()
            return self._read_page(page, plane % self._planes_of_page, part)
        except Exception as error:  # of the codecs
            raise FileError(f"{self._path} cannot be read: {reason(error)}" + (
                "" if is_installed("imagecodecs") else " (pip install imagecodecs reads more)")) \
                from None
        finally:
            if is_elsewhere:
                handle.close()

    def _read_page(self, page: Any, plane: int, part: Part) -> Ndarray:
        """Decodes the strips or tiles that the part touches."""
        key, file = page.keyframe, page.parent.filehandle
        decode = key.decode  # made when it is first asked for, which may read: before the seek
        sample = plane if self._samples > 1 else 0
        separate = 0 if self._samples > 1 else plane
        result: Ndarray = np.zeros(part.shape, self.dtype)
        for index in self._segments(key, separate, part):
            size = page.databytecounts[index]
            if size == 0:
                continue
            file.seek(page.dataoffsets[index])
            segment = file.read(size)
            if len(segment) < size:
                raise ValueError("it ends before the last cell")
            cells, place, _ = decode(segment, index, jpegtables=page.jpegtables,
                                     jpegheader=key.jpegheader)
            if cells is not None:
                _put(cells[0, :, :, sample], place[2], place[3], part, result)
        return result

    def _segments(self, key: Any, separate: int, part: Part) -> Any:
        rows, columns = (key.tilelength, key.tilewidth) if key.is_tiled else \
            (key.rowsperstrip, self.width)
        across, down = -(-self.width // columns), -(-self.height // rows)
        for y in range(part.top // rows, -(-part.bottom // rows)):
            for x in range(part.left // columns, -(-part.right // columns)):
                yield (separate * down + y) * across + x

    def close(self) -> None:
        self._file.close()


def _put(cells: Ndarray, y: int, x: int, part: Part, result: Ndarray) -> None:
    """Of a segment at row y, column x, what is of the part."""
    top, left = max(y, part.top), max(x, part.left)
    bottom = min(y + cells.shape[0], part.bottom)
    right = min(x + cells.shape[1], part.right)
    result[top - part.top:bottom - part.top, left - part.left:right - part.left] = \
        cells[top - y:bottom - y, left - x:right - x]


def _about(file: Any, axes: str, lead: Tuple[int, ...], samples: int) -> About:
    stack: Dict[str, Any] = {}
    names: Tuple[Optional[str], ...] = ()
    if file.is_ome:
        pixels = ome.pixels_of(importlib.import_module("tifffile").xml2dict(file.ome_metadata))
        stack = {key: pixels[key] for key in ome.SIZES if key in pixels}
        names = ome.names_in(pixels, axes, lead)
    elif file.is_imagej:
        found = file.imagej_metadata or {}
        names = _of_labels(found.get("Labels"), lead, samples)
        stack = {key: found[key] for key in _IMAGEJ if key in found}
        stack["imagej"] = True
    first = file.pages[0]
    if "XResolution" in first.tags and "YResolution" in first.tags:
        unit = first.tags.get("ResolutionUnit")
        stack["resolution"] = (first.tags["XResolution"].value, first.tags["YResolution"].value)
        stack["resolutionunit"] = 2 if unit is None else int(unit.value)  # inches, says TIFF
    about = About(axes=axes, stack=stack, names=names)
    if "PhysicalSizeX" in stack:
        about.cell_size = (float(stack["PhysicalSizeX"]), stack.get("PhysicalSizeXUnit", "µm"))
    elif stack.get("imagej") and "unit" in stack and stack.get("resolution", ((0, 1),))[0][0]:
        count, length = stack["resolution"][0]
        about.cell_size = (length / count, "µm" if stack["unit"] in ("micron", "\\u00B5m")
                           else stack["unit"])
    if about.cell_size is not None and not 0 < about.cell_size[0] < math.inf:
        about.cell_size = None
    return about


def _of_labels(labels: Any, lead: Tuple[int, ...],
               samples: int) -> Tuple[Optional[str], ...]:
    """Of each plane the label that ImageJ gives to it, or to the colours of a page."""
    labels = [labels] if isinstance(labels, str) else labels or []
    if len(labels) * samples != math.prod(lead):
        return ()
    return tuple(label for label in labels for _ in range(samples))


# ---- writing -----------------------------------------------------------------------------------


def writes(path: str, layout: Layout) -> bool:
    if _is_ome(path):
        return True
    if not path.lower().endswith(_TIFFS) or layout.driver is not None:
        return False
    about = layout.about
    if about.axes:
        return True
    has_place = about.crs is not None or about.transform is not None or bool(about.gcps)
    return not has_place and not is_installed("rasterio") and is_installed("tifffile")


def _is_ome(path: str) -> bool:
    return path.lower().endswith((".ome.tif", ".ome.tiff"))


class Created(Sink):
    """All planes one after the other, without compression, so that parts are written in place."""

    def __init__(self, path: str, layout: Layout) -> None:
        name = os.path.basename(path)
        refuse_settings(layout, name, "a stack")
        tifffile = tifffile_for(name)
        axes = layout.about.axes
        if len(axes) != len(layout.lead) + 2:
            axes = ("Q" if len(layout.lead) == 1 else "") + "YX"
            axes = axes if len(axes) == len(layout.lead) + 2 else ""
        if "S" in axes and _is_ome(name):  # colours of a cell would have to lie together there
            axes = "" if "C" in axes else axes.replace("S", "C")
        options = _options(name, layout, axes)
        shape = (*layout.lead, layout.height, layout.width)
        try:
            with tifffile.TiffWriter(path, bigtiff=layout.bytes > 3 << 30 and not
                                     options.get("imagej"), ome=options.pop("ome"),
                                     imagej=options.pop("imagej"), byteorder="<") as file:
                start, _ = file.write(shape=shape, dtype=layout.dtype.newbyteorder("<"),
                                      returnoffset=True, contiguous=True, photometric="minisblack",
                                      planarconfig=None, **options)
        except (ValueError, TypeError) as error:
            raise FileError(f"{name} cannot be written: {error}") from None
        self._writer = flat.Writer(path, start, layout)

    def write(self, plane: int, part: Part, values: Ndarray) -> None:
        self._writer.write(plane, part, values)

    def finish(self) -> None:
        self._writer.close()

    def drop(self) -> None:
        self._writer.close()


def _options(name: str, layout: Layout, axes: str) -> Dict[str, Any]:
    """OME where the name says so; ImageJ where the source was so and may be; else plain."""
    stack = layout.about.stack
    is_ome = _is_ome(name)
    imagej = bool(stack.get("imagej")) and not is_ome and layout.dtype == np.float32 \
        and set(axes) <= set(_IMAGEJ_AXES) and layout.bytes < 4 << 30
    metadata: Dict[str, Any] = {"axes": axes} if axes else {}
    if is_ome:
        metadata.update(ome.sizes_in(stack))
        channels = ome.names_of_channels(layout, axes)
        if channels and all(channels):
            metadata["Channel"] = {"Name": channels}
    elif imagej:
        metadata.update({key: stack[key] for key in _IMAGEJ if key in stack})
        if layout.about.names and all(layout.about.names):
            metadata["Labels"] = list(layout.about.names)
    options: Dict[str, Any] = {"ome": is_ome, "imagej": imagej, "metadata": metadata}
    if "resolution" in stack:
        options["resolution"] = tuple(count / length if length else 1.0
                                      for count, length in stack["resolution"])
        options["resolutionunit"] = stack["resolutionunit"]
    return options
