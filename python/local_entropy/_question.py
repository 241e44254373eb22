"""What is asked of the library: window, border, measure. Checked, and kept as structs."""

from __future__ import annotations

import ctypes
import math
from functools import lru_cache
from typing import Any, Callable, Iterable, NamedTuple, Optional, Tuple, TypeVar, cast

import numpy as np

from . import _library as library
from ._arguments import integer, numbers, real, truth
from ._levels import Levels

Pair = Tuple[int, int]

USUAL_SIZE = 9
LONGEST, LONGEST_FOOTPRINT = 255, 63  # sides of a rectangle, and where not all cells count
_MOST_THREADS = (1 << 31) - 1  # le_engine_options counts them in 32 bits
_DEVICES = ("auto", "cpu")
MODES = {"crop": library.CUT, "constant": library.CONSTANT, "nearest": library.NEAREST,
         "reflect": library.REFLECT, "mirror": library.MIRROR, "wrap": library.WRAP}
_MEASURES = {"shannon": library.ENTROPY, "simpson": library.SIMPSON,
             "richness": library.RICHNESS, "hill": library.HILL}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _kept(function: _Function) -> _Function:
    """Keeps what the function returned lately; it has the type that it had."""
    return cast(_Function, lru_cache(maxsize=256, typed=True)(function))


class Window(NamedTuple):
    """Rows and columns, the placement as in SciPy, and the footprint's bytes."""

    height: int
    width: int
    origin: Pair
    footprint: Optional[bytes] = None


class Measure(NamedTuple):
    """What is computed from the counts of a window."""

    kind: int
    base: int = library.BASE_E
    order: float = 1.0


_ENTROPIES = {base: Measure(library.ENTROPY, kind) for base, kind in (
    (2, library.BASE_2), (10, library.BASE_10), (math.e, library.BASE_E), ("e", library.BASE_E))}


class Request(NamedTuple):
    """The arguments of a call that are no arrays of its image's kind."""

    window: Window
    measure: Measure
    levels: Optional[int]
    range: Optional[Tuple[float, float]]
    clip: bool
    nodata: Optional[float]
    mode: str
    cval: float
    empty: float
    dtype: Any
    device: str
    threads: Optional[int]
    progress: Optional[library.Progress]


# ---- the window --------------------------------------------------------------------------------


def _pair(name: str, value: Any) -> Pair:
    """One integer for rows and columns, or one for each."""
    if type(value) is int:  # most often; the rest takes time in short calls
        return value, value
    expected = "an integer or two, (rows, columns)"
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(value, (tuple, list)):
        return (integer(name, value, expected),) * 2
    if len(value) != 2:
        raise ValueError(f"{name} is {value!r}, expected {expected}")
    try:
        return integer(name, value[0]), integer(name, value[1])
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected {expected}") from None


def window_of(size: Any, footprint: Any, origin: Any) -> Window:
    """The window that a caller's `size` or `footprint` describe."""
    starts = _pair("origin", origin)
    if footprint is None:
        return _rectangle(_pair("size", USUAL_SIZE if size is None else size), starts)
    if size is not None:
        raise ValueError("size and footprint are both given, expected one of them")
    cells = numbers("footprint", footprint)
    if cells.ndim != 2:
        raise ValueError(f"the footprint has {cells.ndim} dimensions, expected 2")
    counts = cells != 0
    if counts.all():
        return _placed("footprint", counts.shape, starts, LONGEST)
    return _placed("footprint", counts.shape, starts, LONGEST_FOOTPRINT)._replace(
        footprint=counts.tobytes())


@_kept
def _rectangle(size: Pair, origin: Pair) -> Window:
    return _placed("size", size, origin, LONGEST)


def _placed(name: str, sides: Pair, starts: Pair, longest: int) -> Window:
    if not all(1 <= side <= longest for side in sides):
        raise ValueError(f"{name} is {sides[0]} x {sides[1]} (rows x columns), expected 1 to "
                         f"{longest} each" + (", or all of its cells to count"
                                              if longest == LONGEST_FOOTPRINT else ""))
    for side, start in zip(sides, starts):
        if not -(side // 2) <= start <= (side - 1) // 2:
            raise ValueError(f"origin has {start} for a side of {side}, expected {-(side // 2)} to "
                             f"{(side - 1) // 2}")
    return Window(*sides, starts)


# ---- the measure -------------------------------------------------------------------------------


def entropy_in(base: Any) -> Measure:
    """The entropy in that base."""
    try:
        return _ENTROPIES[base]
    except (KeyError, TypeError):
        raise ValueError(f"base is {base!r}, expected 2, 10 or math.e") from None


def index_of(name: str, q: Optional[float], base: Any) -> Measure:
    """The index of diversity of that name."""
    _check_choice("index", name, _MEASURES)
    if (q is None) == (name == "hill"):
        raise ValueError("q is missing, expected the order of the Hill number: 0 or more"
                         if q is None else f"q is given for the index {name!r}, expected only for "
                         "'hill'")
    if name == "shannon":
        return entropy_in(base)
    return Measure(_MEASURES[name], order=1.0 if q is None else real("q", q))


def check(request: Request) -> None:
    """Of the arguments, what has not been looked at yet, and needs no image."""
    _check_choice("device", request.device, _DEVICES)
    _check_choice("mode", request.mode, MODES)
    if request.threads is not None:
        threads = integer("threads", request.threads)
        if not 1 <= threads <= _MOST_THREADS:
            raise ValueError(f"threads is {threads}, expected 1 to {_MOST_THREADS}")
    if request.nodata is not None:
        real("nodata", request.nodata)
    truth("clip", request.clip)
    real("cval", request.cval)
    real("empty", request.empty)
    if request.progress is not None and not callable(request.progress):
        raise TypeError(f"progress is {request.progress!r}, expected a function that is called "
                        "with the part that is done")


def _check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} is {value!r}, expected {_one_of(choices)}")


def _one_of(names: Iterable[str]) -> str:
    quoted = [repr(name) for name in names]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]


# ---- the struct --------------------------------------------------------------------------------


def filter_of(window: Window, levels: Levels, nodata: Optional[float], mode: str, cval: float,
              measure: Measure, empty: float) -> library.Filter:
    """The struct of the library. Nobody changes it: calls of all threads read the same one."""
    return _filter_of(window, levels, nodata, mode, cval, measure, empty,
                      math.copysign(1.0, empty))


@_kept
def _filter_of(window: Window, levels: Levels, nodata: Optional[float], mode: str, cval: float,
               measure: Measure, empty: float, sign: float) -> library.Filter:
    """`sign` is that of `empty`: 0.0 and -0.0 are equal, and kept as the same."""
    made = library.default_filter()
    made.width, made.height = window.width, window.height
    made.origin_y, made.origin_x = window.origin
    if window.footprint is not None:
        bytes_of = ctypes.create_string_buffer(window.footprint, len(window.footprint))
        made.footprint = ctypes.addressof(bytes_of)
        made.keeps = bytes_of
    made.levels, made.binned, made.clamp = levels.number, levels.binned, levels.clip
    made.low, made.high = levels.low, levels.high
    made.border, made.constant = MODES[mode], cval
    made.measure, made.base, made.order = measure.kind, measure.base, measure.order
    made.empty = empty
    if nodata is not None:
        made.has_nodata, made.nodata = True, nodata
    return made
