"""Images in the memory of GPUs, plane by plane, as the library's structs."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Protocol, Tuple

import numpy as np

from . import _library as library
from ._device_kinds import Kind, kind_of, type_name
from ._host import RESULTS, TYPES, check_out, result_dtype
from ._levels import Levels, as_cells, given_levels
from ._question import Request, filter_of

_IMAGES = tuple(map(np.dtype, ("uint8", "uint16", "int16", "float32", "bool")))
_MASKS = tuple(map(np.dtype, ("bool", "uint8")))

# Levels that every cell of a type is one of: the cells are seen by the GPU alone.
_NATURAL = {np.dtype("bool"): Levels(2), np.dtype("uint8"): Levels(256),
            np.dtype("uint16"): Levels(65536), np.dtype("int16"): Levels(65536, low=-32768)}


class SupportsDevice(Protocol):
    """An array in the memory of a GPU."""

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]: ...


# ---- their memory ------------------------------------------------------------------------------


class _Memory(NamedTuple):
    address: int
    dtype: np.dtype[Any]
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  # in bytes

    def plane(self, place: Tuple[int, ...]) -> library.Array:
        """The 2-D array at that place of the stack; its rows have no gaps."""
        start = sum(i * step for i, step in zip(place, self.strides))
        height, width = self.shape[-2:]
        down = self.strides[-2] if height > 1 else 0
        return library.Array(self.address + start, TYPES[self.dtype], width, height,
                             down // self.dtype.itemsize)

    def overlaps(self, other: _Memory) -> bool:
        """Whether one of them begins before the other ends. They have the same shape."""
        if 0 in self.shape:  # the address says nothing, and often is 0
            return False
        (begin, end), (first, last) = self.limits(), other.limits()
        return begin < last and first < end

    def limits(self) -> Tuple[int, int]:
        """The first address, and the one behind the last."""
        steps = [(side - 1) * step for side, step in zip(self.shape, self.strides)]
        return (self.address + sum(step for step in steps if step < 0),
                self.address + sum(step for step in steps if step > 0) + self.dtype.itemsize)

    def has_rows(self) -> bool:
        """Whether the library can go along its rows."""
        size, (height, width), (down, along) = \
            self.dtype.itemsize, self.shape[-2:], self.strides[-2:]
        return (width == 1 or along == size) and \
            (height == 1 or (down >= width * size and down % size == 0))


def _memory(name: str, array: Any) -> _Memory:
    facts = array.__cuda_array_interface__
    if facts.get("mask") is not None:
        raise ValueError(f"the {name} has a mask of its own, expected one as the argument mask")
    dtype, shape = np.dtype(facts["typestr"]), tuple(facts["shape"])
    if len(shape) < 2:
        raise ValueError(f"the {name} has {len(shape)} dimensions, expected (..., rows, columns)")
    strides = facts.get("strides")
    if strides is None:
        strides = [dtype.itemsize]
        for side in reversed(shape[1:]):
            strides.insert(0, strides[0] * side)
    return _Memory(facts["data"][0], dtype, shape, tuple(strides))


def _check(name: str, memory: _Memory, types: Tuple[np.dtype[Any], ...],
           shape: Tuple[int, ...]) -> None:
    """Whether it is of one of those types and of that shape."""
    if memory.shape != shape:
        raise ValueError(f"the {name} has the shape {memory.shape}, the image {shape}")
    if memory.dtype not in types:
        raise TypeError(f"the {name} is {memory.dtype} in the memory of a GPU, expected "
                        f"{', '.join(map(str, types))}: convert it there")


# ---- calls -------------------------------------------------------------------------------------


class _Question(NamedTuple):
    """What is asked of each plane."""

    wanted: library.Filter
    image: _Memory
    mask: Optional[_Memory]
    result: _Memory
    stream: Optional[int]

    def enqueue(self) -> None:
        engine = library.engine(*library.ON_GPUS)
        for place in np.ndindex(self.image.shape[:-2]):
            mask = None if self.mask is None else self.mask.plane(place)
            library.enqueue(engine, self.wanted, self.image.plane(place), mask,
                            self.result.plane(place), self.stream)


def _levels(dtype: np.dtype[Any], request: Request) -> Levels:
    levels = given_levels(dtype, request.levels, request.range, request.clip)
    return _NATURAL[dtype] if levels is None else levels


def _one_stream(kind: Kind, arrays: Dict[str, Any]) -> Optional[int]:
    """The stream in which all of the arrays may be used."""
    streams = {name: stream for name, stream in
               ((name, kind.stream(array)) for name, array in arrays.items()) if stream is not None}
    if len(set(streams.values())) > 1:
        raise ValueError("the arrays are in different streams: " +
                         ", ".join(f"{name} in {stream:#x}" for name, stream in streams.items()))
    return next(iter(streams.values()), None)


def _alike(kind: Kind, image: Any, name: str, array: Any) -> Any:
    if kind_of(array) is not kind:
        raise TypeError(f"{name} is a {type_name(array)}, expected a {type_name(image)} as the "
                        "image is one")
    return kind.bare(array)


def _mask_of(kind: Kind, image: Any, mask: Any, cells: _Memory) -> Tuple[Any, _Memory]:
    """The bare array, and its memory as large as the image."""
    mask = _alike(kind, image, "mask", mask)
    counts = _memory("mask", mask)
    if counts.shape == cells.shape[-2:]:
        still = (0,) * (len(cells.shape) - 2)
        counts = counts._replace(shape=cells.shape, strides=still + counts.strides)
    _check("mask", counts, _MASKS, cells.shape)
    if not counts.has_rows():
        raise ValueError("the mask has rows with gaps or in reverse, expected cells of a row side "
                         "by side")
    return mask, counts


def _result_of(kind: Kind, image: Any, out: Any, cells: _Memory,
               dtype: Any) -> Tuple[Any, _Memory]:
    """The same of the result."""
    if out is None:
        result = kind.empty(image, cells.shape, result_dtype(dtype))
    else:
        result = _alike(kind, image, "out", out)
    values = _memory("out", result)
    _check("out", values, RESULTS, cells.shape)
    check_out(values.dtype, dtype)
    if not values.has_rows():
        raise ValueError("out has rows with gaps or in reverse, expected cells of a row side by "
                         "side")
    return result, values


def compute(kind: Kind, image: Any, mask: Any, out: Any, request: Request) -> Any:
    """Puts the measure of the window around every cell into the stream of the image."""
    if request.device == "cpu":
        raise ValueError("device is 'cpu', and the image is in the memory of a GPU: copy it into "
                         "host memory, or leave device out")
    bare = kind.bare(image)
    with kind.on_its_gpu(image):
        cells = _memory("image", bare)
        _check("image", cells, _IMAGES, cells.shape)
        if not cells.has_rows():
            bare = kind.packed(image)
            cells = _memory("image", bare)
        arrays = {"image": bare}
        counts = None
        if mask is not None:
            arrays["mask"], counts = _mask_of(kind, image, mask, cells)
        result, values = _result_of(kind, image, out, cells, request.dtype)
        arrays["out"] = result
        if values.overlaps(cells) or (counts is not None and values.overlaps(counts)):
            raise ValueError("out overlaps the image or the mask")
        nodata, cval = as_cells(request.nodata, request.cval, cells.dtype)
        wanted = filter_of(request.window, _levels(cells.dtype, request), nodata, request.mode,
                           float(cval), request.measure, float(request.empty))
        if 0 not in cells.shape:
            _Question(wanted, cells, counts, values, _one_stream(kind, arrays)).enqueue()
            kind.enqueued()
    return result if out is None else out


def synchronize() -> None:
    """Waits for what was put into streams of the current GPU.

    Arrays in the memory of a GPU are computed there after the call of `entropy` or `diversity` has
    returned, and only the GPU sees their cells.

    Raises
    ------
    LevelError
        A cell was not a level in a call since this was last said: results of that call may hold
        anything. The message has the first such cell, by row and column of its 2-D image.
    RuntimeError
        The GPU has failed.

    Examples
    --------
    >>> import local_entropy
    >>> local_entropy.synchronize()  # nothing was put into a stream
    """
    library.synchronize()
