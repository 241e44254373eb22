"""Arrays of Zarr: folders of chunks, .zarr, or, to read, one file of them, .zarr.zip;
FILE.zarr/NAME is an array in a group."""

from __future__ import annotations

import asyncio
import base64
import json
import math
import os
import re
import struct
from contextlib import suppress
from reprlib import repr as short
from typing import Any, Callable, Coroutine, Dict, FrozenSet, List, Optional, Tuple

import numpy as np

from ..._host import Ndarray
from ..._levels import as_cell
from .base import (About, FileError, Layout, Part, Sink, Source, is_out_of_memory, needed,
                   refuse_settings)

_OF_CELLS = {"_FillValue", "missing_value", "scale_factor", "add_offset", "valid_min", "valid_max",
             "valid_range", "units", "long_name", "standard_name"}  # true of the source's alone
_AXES = "_ARRAY_DIMENSIONS"  # of xarray, in format 2
_MARKS = ("zarr.json", ".zarray", ".zgroup")
_CHUNK = 512
_Tasks = FrozenSet["asyncio.Task[Any]"]
_ARCHIVE = re.compile(r"(.*\.zarr\.zip)(?:/+(.*))?", re.IGNORECASE | re.DOTALL)


def reads(path: str) -> bool:
    folder = path.rstrip("/")
    return folder.lower().endswith(".zarr") or is_folder(folder) or in_archive(path) is not None


def in_archive(path: str) -> Optional[Tuple[str, str]]:
    """The file of FILE.zarr.zip/NAME, and the name in it."""
    found = _ARCHIVE.fullmatch(path)
    return (found[1], (found[2] or "").rstrip("/")) if found and os.path.isfile(found[1]) else None


def is_folder(path: str) -> bool:
    """Whether it is an array or a group of Zarr."""
    return any(os.path.isfile(os.path.join(path, mark)) for mark in _MARKS)


def is_array(path: str) -> bool:
    """Whether it is an array, and no group, in which there is more than one result's place."""
    if os.path.isfile(os.path.join(path, ".zarray")):
        return True
    try:
        with open(os.path.join(path, "zarr.json"), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("node_type") == "array"


def store_around(path: str) -> Optional[str]:
    """The array or group of Zarr in whose folder, or in a folder of which, the path lies."""
    folder = os.path.dirname(path)
    while folder != os.path.dirname(folder):
        if is_folder(folder):
            return folder
        folder = os.path.dirname(folder)
    return None


class Opened(Source):
    def __init__(self, path: str) -> None:
        self._zarr = zarr = needed("zarr", path)
        self._others = _tasks(zarr)
        self._archive: Any = None
        archive = in_archive(path)
        try:
            if archive is None:
                array = zarr.open(path, mode="r")
            else:
                self._archive = zarr.storage.ZipStore(archive[0], mode="r")
                array = zarr.open(self._archive, mode="r", path=archive[1])
            self._look(array if hasattr(array, "shape") else _only_image(array, path), path)
        except Exception as error:  # of many types, by the version
            with suppress(Exception):  # a store that was never opened has nothing to close
                self.close()
            if isinstance(error, FileError) or is_out_of_memory(error):
                raise
            raise FileError(f"{path} is not an array of Zarr: {_reason(error)}") from None

    def _look(self, array: Any, path: str) -> None:
        if array.ndim < 2:
            raise FileError(f"{path} has {array.ndim} dimensions, expected (..., rows, columns)")
        if math.prod(array.shape) == 0:
            raise FileError(f"{path} has no cells: its shape is {array.shape}")
        self._array, self._path = array, path
        self.lead, (self.height, self.width) = array.shape[:-2], array.shape[-2:]
        self.dtype = np.dtype(array.dtype)
        self.block = (getattr(array, "shards", None) or array.chunks)[-2:]
        attributes = _attributes(array, path)
        self._nodata = _nodata(array, attributes)
        names, crs = attributes.pop("names", ()), attributes.pop("crs_wkt", None)
        place = None if crs is None else attributes.pop("transform", None)
        tags = {key: value for key, value in attributes.items()
                if key not in _OF_CELLS | {"nodata"}}
        self.about = About(crs=crs, transform=None if place is None else tuple(place), tags=tags)
        if isinstance(names, list) and len(names) == self.planes and \
                all(name is None or isinstance(name, str) for name in names):  # as Created writes
            self.about.names = tuple(names)
        elif names:
            self.about.tags["names"] = names
        axes = getattr(getattr(array, "metadata", None), "dimension_names", None)
        axes = _axes_of_xarray(self.about.tags, array.ndim) or axes
        self.about.dimensions = tuple(axes) if axes and all(axes) else ()

    def nodata(self, plane: int) -> Optional[float]:
        found = {name: self._number_of(name, value) for name, value in self._nodata.items()}
        cells = map(self._as_cell, found.values())
        if len({"nan" if cell != cell else cell for cell in cells}) > 1:
            said = " and ".join(f"{name} {value}" for name, value in found.items())
            raise FileError(f"{self._path} has {said}, expected one value for cells that are no "
                            "data, or --nodata")
        return next(iter(found.values()), None)

    def _as_cell(self, value: float) -> float:
        cell = as_cell(value, self.dtype) if self.dtype.kind in "buif" else None
        return value if cell is None else cell

    def _number_of(self, name: str, value: Any) -> float:
        found = _number(value) if self.dtype.kind != "b" or not isinstance(value, bool) else value
        if found is None and isinstance(value, str) and self.dtype.kind == "f":
            found = _decoded(value)
        if found is None:  # here, as nobody asks where --nodata is given
            raise FileError(f"{self._path} has the attribute {name} {short(value)}, expected a "
                            f"number, as xarray writes it for {self.dtype}, or --nodata")
        return found

    def read(self, plane: int, part: Part) -> Ndarray:
        place = np.unravel_index(plane, self.lead) if self.lead else ()
        try:
            cells = self._array[(*(int(i) for i in place), slice(part.top, part.bottom),
                                 slice(part.left, part.right))]
        except Exception as error:  # of the codecs
            if is_out_of_memory(error):
                raise
            raise FileError(f"{self._path} cannot be read at row {part.top}: {error}") from None
        return np.asarray(cells)

    def close(self) -> None:
        _end_tasks(self._zarr, self._others)
        if self._archive is not None:
            self._archive.close()


def _in_loop(zarr: Any, ask: Callable[[], Coroutine[Any, Any, _Tasks]]) -> _Tasks:
    """What is found in the library's own loop, which version 2 has not, and a later one may keep
    elsewhere: then nobody is in it."""
    try:
        loop = zarr.core.sync.sync
    except AttributeError:
        return frozenset()
    found: _Tasks = loop(ask())
    return found


def _tasks(zarr: Any) -> _Tasks:
    """All that are in the loop: of whoever else uses the library."""
    async def ask() -> _Tasks:
        return frozenset(asyncio.all_tasks() - {asyncio.current_task()})

    return _in_loop(zarr, ask)


def _end_tasks(zarr: Any, others: _Tasks) -> None:
    """But the others: of chunks beside a damaged one, or of a full disk. As the process ends, each
    would print that it was still there."""
    async def end() -> _Tasks:
        tasks = asyncio.all_tasks() - {asyncio.current_task()} - others
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return frozenset()

    _in_loop(zarr, end)


def _attributes(array: Any, path: str) -> Dict[str, Any]:
    """Those of a raster's place are as Created writes them, or an error."""
    try:
        found = dict(array.attrs)
    except (LookupError, TypeError, ValueError):
        raise FileError(f"{path} has attributes that are damaged, expected an object of JSON") \
            from None
    crs, place = found.get("crs_wkt"), found.get("transform")
    if crs is not None and not isinstance(crs, str):
        raise FileError(f"{path} has the attribute crs_wkt {short(crs)}, expected a text")
    if crs is not None and place is not None and not (
            isinstance(place, list) and len(place) == 6
            and all(_number(number) is not None for number in place)):
        raise FileError(f"{path} has the attribute transform {short(place)}, expected six numbers")
    return found


def _nodata(array: Any, attributes: Dict[str, Any]) -> Dict[str, Any]:
    """What says which cells are none, as it is in the file, by its name. Both of CF's count."""
    said = {name: attributes[name] for name in ("_FillValue", "missing_value")
            if attributes.get(name) is not None}
    own = attributes.get("nodata")
    # In format 2, xarray takes the value of chunks that are not there for that of no data.
    is_2 = getattr(getattr(array, "metadata", None), "zarr_format", 2) == 2
    if is_2 and _AXES in attributes and array.fill_value is not None and own is None:
        if "_FillValue" not in said:
            said["fill_value"] = np.asarray(array.fill_value).item()
    return said if said or own is None else {"nodata": own}


def _decoded(text: str) -> Optional[float]:
    """xarray has real numbers in base64 of their double precision, whatever the array's type."""
    try:
        value: float = struct.unpack("<d", base64.b64decode(text, validate=True))[0]
    except (ValueError, struct.error):
        return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(text)
    return value


def _axes_of_xarray(tags: Dict[str, Any], count: int) -> Optional[List[str]]:
    """Taken from the tags, which are the result's, too: it may have fewer axes."""
    axes = tags.get(_AXES)
    if not isinstance(axes, list) or len(axes) != count or \
            not all(isinstance(axis, str) for axis in axes):
        return None
    del tags[_AXES]
    return axes


def _reason(error: Exception) -> str:
    """Some errors say nothing but a key, or speak of Python."""
    if isinstance(error, (LookupError, TypeError, AttributeError)):
        return f"its metadata is damaged ({type(error).__name__}: {error})"
    return str(error)


def _only_image(group: Any, path: str) -> Any:
    arrays = {name: array for name, array in group.arrays() if array.ndim >= 2}
    if len(arrays) != 1:
        names = ", ".join(sorted(arrays)) or "none"
        raise FileError(f"{path} is a group with the images {names}: expected {path}/NAME")
    return next(iter(arrays.values()))


def _number(value: Any) -> Optional[float]:
    """Integers as they are: those of 64 bits are more than a float has."""
    if isinstance(value, int):
        return None if isinstance(value, bool) or value.bit_length() > 64 else value
    return value if isinstance(value, float) else None


def writes(path: str, layout: Layout) -> bool:
    return path.lower().endswith(".zarr")


class Created(Sink):
    def __init__(self, path: str, layout: Layout) -> None:
        name = os.path.basename(path)
        refuse_settings(layout, name, "an array of Zarr")
        self._zarr = zarr = needed("zarr", name)
        self._others = _tasks(zarr)
        rows, columns = layout.block
        if not (1 < rows and 1 < columns < layout.width and max(rows, columns) <= 4096):
            rows = columns = _CHUNK
        self.block = (min(rows, layout.height), min(columns, layout.width))
        shape = (*layout.lead, layout.height, layout.width)
        self._layout, self._name = layout, name
        names = layout.about.dimensions
        names = names if layout.lead else names[-2:]
        self._names = names if len(names) == len(shape) else ()
        self._is_2 = zarr.__version__.startswith("2.")
        options = {"dimension_names": names} if self._names and not self._is_2 else {}
        self._array = zarr.open(path, mode="w", shape=shape, dtype=layout.dtype,
                                chunks=(*(1 for _ in layout.lead), *self.block),
                                fill_value=math.nan if layout.has_holes else
                                None if self._is_2 else 0.0, **options)
        self._tell()

    def _tell(self) -> None:
        about = self._layout.about
        kept = dict(about.tags)
        if about.crs is not None:
            kept["crs_wkt"] = about.crs
        if about.transform is not None:
            kept["transform"] = [float(number) for number in about.transform]
        if self._names and self._is_2:
            kept[_AXES] = list(self._names)
        if any(about.names):
            kept["names"] = list(about.names)
        self._array.attrs.update(kept)

    def write(self, plane: int, part: Part, values: Ndarray) -> None:
        place = np.unravel_index(plane, self._layout.lead) if self._layout.lead else ()
        self._array[(*(int(i) for i in place), slice(part.top, part.bottom),
                     slice(part.left, part.right))] = values

    def finish(self) -> None:
        pass

    def drop(self) -> None:
        _end_tasks(self._zarr, self._others)
