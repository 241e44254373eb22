"""Which level a cell of an image in host memory is, and cells of other types as such levels."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from ._arguments import integer, real
from ._library import LevelError

Mask = Optional["np.ndarray[Any, np.dtype[Any]]"]
MOST_LEVELS = 65536

_CELLS_AT_ONCE = 1 << 20


class Levels(NamedTuple):
    """Which level a cell is. Not binned: cell - low. Binned: one of `number` equal bins."""

    number: int
    binned: bool = False
    low: float = 0
    high: float = 0
    clip: bool = False


# What the library reads as it is.
_READ = frozenset(map(np.dtype, ("bool", "uint8", "uint16", "int16", "float32")))
_EVERY_LEVEL = {np.dtype("bool"): Levels(2), np.dtype("uint8"): Levels(256),
                np.dtype("int8"): Levels(256, low=-128)}


def all_are_levels(dtype: np.dtype[Any]) -> bool:
    """Whether every cell of that type is a level, so that the cells need not be seen."""
    return dtype in _EVERY_LEVEL


class Cells(NamedTuple):
    """An image that the library reads, and what its filter says of its cells."""

    image: np.ndarray[Any, np.dtype[Any]]
    levels: Levels
    nodata: Optional[float]
    cval: float


def given_levels(dtype: Any, count: Optional[int], limits: Optional[Tuple[float, float]],
                 clip: bool) -> Optional[Levels]:
    """What the arguments `levels` and `range` say; None where the cells decide."""
    if count is not None:
        count = integer("levels", count)
        if not 2 <= count <= MOST_LEVELS:
            raise ValueError(f"levels is {count}, expected 2 to {MOST_LEVELS}")
    if limits is not None:
        if count is None:
            raise ValueError("range is given without levels, expected both: levels=16, "
                             "range=(0, 256) makes 16 bins of cells 0 to 255")
        try:
            low, high = (real("range", limit) for limit in limits)
        except (TypeError, ValueError) as error:
            raise type(error)(f"range is {limits!r}, expected two numbers (low, high)") from None
        if not (low < high and math.isfinite(high - low)):
            raise ValueError(f"range is ({low:g}, {high:g}), expected finite numbers, low below "
                             "high")
        return Levels(count, True, low, high, bool(clip))
    if dtype.kind == "f":
        raise ValueError(f"the image is {dtype}, whose cells are put into bins, expected levels "
                         "and range: levels=16, range=(0.0, 1.0)")
    return None if count is None else Levels(count, False, 0, 0, bool(clip))


def as_cell(value: float, dtype: np.dtype[Any]) -> Optional[float]:
    """What a cell of that type has of a value: real numbers are rounded. None if it has no such."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            cell = float(dtype.type(value))
        return cell if math.isinf(cell) == math.isinf(value) else None
    if not float(value).is_integer():
        return None
    limits = np.iinfo(np.uint8 if dtype.kind == "b" else dtype)
    return int(value) if limits.min <= int(value) <= limits.max else None


def as_cells(nodata: Optional[float], cval: float,
             dtype: np.dtype[Any]) -> Tuple[Optional[float], float]:
    """The two as cells are compared with them: the same number if they are the same cell."""
    if nodata is None:
        return None, cval
    cell = as_cell(nodata, dtype)
    if cell is None:  # what lies beyond the edge may still be it
        return (int(nodata) if float(nodata).is_integer() and dtype.kind != "f" else nodata), cval
    return cell, cell if as_cell(cval, dtype) == cell else cval


def readable(image: np.ndarray[Any, np.dtype[Any]], mask: Mask, count: Optional[int],
             limits: Optional[Tuple[float, float]], clip: bool, nodata: Optional[float],
             cval: float, has_cval: bool) -> Cells:
    """The image as the library reads it, without a copy where it does."""
    dtype = image.dtype
    if dtype.kind not in "buif":
        raise TypeError(f"the image is {dtype}, expected bool, integers or real numbers")
    if has_cval and dtype.kind != "f" and math.isnan(cval):
        raise ValueError(f"cval is nan, expected a cell of the image, which is {dtype}")
    nodata, cval = as_cells(nodata, cval, dtype)
    levels = given_levels(dtype, count, limits, clip)
    if levels is None:
        levels = _natural(image, mask, nodata, cval if has_cval else None)
    if dtype in _READ:
        return _as_is(image, levels, nodata, cval)
    native = dtype.newbyteorder("=")
    if native in _READ:
        return _as_is(image.astype(native), levels, nodata, cval)
    if dtype.itemsize <= 2:  # int8, float16
        wider = np.float32 if dtype.kind == "f" else np.int16
        return _as_is(image.astype(wider), levels, nodata, cval)
    return _converted(image, mask, levels, nodata, cval, has_cval)


def _as_is(image: np.ndarray[Any, np.dtype[Any]], levels: Levels, nodata: Optional[float],
           cval: float) -> Cells:
    return Cells(image, levels, None if nodata is None else float(nodata), float(cval))


# ---- levels that the cells decide --------------------------------------------------------------


def _natural(image: np.ndarray[Any, np.dtype[Any]], mask: Mask, nodata: Optional[float],
             cval: Optional[float]) -> Levels:
    """Levels that every cell is one of. How many more there are changes no result."""
    dtype = image.dtype
    every = _EVERY_LEVEL.get(dtype)
    if every is not None:
        return every
    if dtype.itemsize > 2 and cval is not None and cval != nodata and float(cval).is_integer() \
            and as_cell(cval, dtype) is None:  # the levels of these are found in their own type
        raise ValueError(f"cval is {cval:g}, expected a cell of the image, which is {dtype}")
    low, high = _extent(image, mask, nodata, cval)
    if dtype.kind == "u" and dtype.itemsize == 2:
        low = 0
    if high - low >= MOST_LEVELS:
        and_cval = "" if cval not in (low, high) else " and cval"
        raise ValueError(f"the image is {dtype} with cells{and_cval} from {low} to {high}, "
                         f"expected at most {MOST_LEVELS} levels: levels=256, "
                         f"range=({low}, {high}) puts them into bins")
    # A power of two, so that images alike have the same tables in the library.
    return Levels(min(max(2, 1 << (high - low).bit_length()), MOST_LEVELS), low=low)


def _extent(image: np.ndarray[Any, np.dtype[Any]], mask: Mask, nodata: Optional[float],
            cval: Optional[float]) -> Tuple[int, int]:
    """The smallest and the largest of the cells that count, `cval` among them; integers."""
    if mask is None and nodata is None:
        low, high = int(image.min()), int(image.max())
    else:
        counts: Any = True if mask is None else mask != 0
        if nodata is not None:
            counts = counts & (image != nodata)
        limits = np.iinfo(image.dtype)
        low = int(np.min(image, where=counts, initial=limits.max))
        high = int(np.max(image, where=counts, initial=limits.min))
        if low > high:  # no cell counts
            low = high = 0
    if cval is not None and cval != nodata and float(cval).is_integer():
        low, high = min(low, int(cval)), max(high, int(cval))
    return low, high


# ---- cells of other types ----------------------------------------------------------------------


def _converted(image: np.ndarray[Any, np.dtype[Any]], mask: Mask, levels: Levels,
               nodata: Optional[float], cval: float, has_cval: bool) -> Cells:
    """The levels of the cells, as float32; NaN where a cell does not count."""
    result = np.empty(image.shape, np.float32)
    rows = max(1, _CELLS_AT_ONCE // max(1, image.shape[-1]))
    for plane in np.ndindex(image.shape[:-2]):
        for y in range(0, image.shape[-2], rows):
            part = (*plane, slice(y, y + rows))
            bad = _to_levels(image[part], levels, nodata, result[part])
            if mask is not None:
                bad &= mask[part] != 0
            if bad.any():
                row, column = (int(i) for i in np.argwhere(bad)[0])
                where = (*plane, y + row, column)
                raise LevelError.at(where, f"is {image[where]}, expected {_expected(levels)}")
    edge = np.zeros(1, np.float32)
    if has_cval and _to_levels(np.array([cval]), levels, nodata, edge).any():
        raise ValueError(f"cval is {cval}, expected {_expected(levels)}")
    return Cells(result, Levels(levels.number), None, float(edge[0]))


def _to_levels(cells: np.ndarray[Any, np.dtype[Any]], levels: Levels, nodata: Optional[float],
               result: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    """Writes the levels of the cells; says which of them are none."""
    top = levels.high if levels.binned else levels.low + levels.number - 1
    absent = np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(cells.shape, bool)
    if nodata is not None:
        absent |= cells == nodata
    inside = (cells >= levels.low) & (cells <= top)
    bad = ~(inside | absent)
    if levels.clip:
        cells, bad = np.clip(cells, levels.low, top), np.zeros(cells.shape, bool)
    # In double precision, as the library has it: floor((cell - low) * (count / (high - low))).
    found = (np.where(bad | absent, levels.low, cells) - levels.low).astype(np.float64)
    if levels.binned:
        found = np.floor(found * (levels.number / (levels.high - levels.low)))
        found = np.minimum(found, levels.number - 1)
    elif cells.dtype.kind == "f":
        bad |= (found != np.floor(found)) & ~absent
    result[...] = np.where(absent, np.nan, found)
    return bad


def _expected(levels: Levels) -> str:
    if levels.binned:
        return f"{levels.low:g} to {levels.high:g}"
    return f"an integer {levels.low}..{levels.low + levels.number - 1}"
