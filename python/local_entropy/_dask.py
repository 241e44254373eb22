"""Images that are Dask arrays: so is the result, which is computed chunk by chunk, when and where
Dask says. Dask is not imported unless there is such an image."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Dict, List, Optional, Protocol, Sequence, Tuple

import numpy as np

from . import _levels
from ._arguments import numbers
from ._device_kinds import kind_of
from ._host import Ndarray, check_mask, compute_region, image_and_mask, result_dtype
from ._host import compute as compute_now
from ._library import LevelError
from ._question import Request, Window

Chunks = Tuple[Tuple[int, ...], ...]
Pair = Tuple[int, int]


class SupportsDask(Protocol):
    """A Dask array, or an xarray.DataArray."""

    def __dask_graph__(self) -> Any: ...


def is_dask(array: Any) -> bool:
    """Whether it is a Dask array."""
    if type(array) is np.ndarray:
        return False
    kind = getattr(sys.modules.get("dask.array"), "Array", None)
    return kind is not None and isinstance(array, kind)


# ---- what can be said without computing --------------------------------------------------------


def _check(image: Any, out: Any, request: Request) -> None:
    """Refuses here what each chunk would refuse later."""
    if image.ndim < 2:
        raise ValueError(f"the image has {image.ndim} dimensions, expected (..., rows, columns)")
    if any(np.isnan(length) for lengths in image.chunks for length in lengths):
        raise ValueError("the image has chunks of unknown size, expected known ones: "
                         "image.compute_chunk_sizes()")
    if kind_of(image._meta) is not None:
        raise TypeError("the chunks of the image are in the memory of a GPU, expected NumPy: "
                        "image.map_blocks(cupy.asnumpy)")
    for name, given, instead in (("out", out, "store the result, by to_zarr or dask.array.store"),
                                 ("progress", request.progress, "dask.diagnostics.ProgressBar")):
        if given is not None:
            raise ValueError(f"{name} is given, expected None for a Dask array, which is computed "
                             f"later: {instead}")
    # A cell that does not count: all else of the question is checked.
    compute_now(np.zeros((1, 1), image.dtype), np.zeros((1, 1), bool), None,
                request._replace(device="cpu"))
    if request.levels is None and not _levels.all_are_levels(image.dtype):
        raise ValueError(f"the image is {image.dtype} in a Dask array, whose cells are not read "
                         "before they are computed, expected levels: levels=256, or with range, "
                         "levels=16, range=(-100, 100)")


# ---- chunks and what is around them ------------------------------------------------------------


def _merged(lengths: Sequence[int], least: int) -> Tuple[int, ...]:
    """Chunks put together where they are shorter than `least`."""
    merged: List[int] = []
    open_one = 0
    for length in lengths:
        open_one += length
        if open_one >= least:
            merged.append(open_one)
            open_one = 0
    if open_one or not merged:
        merged[-1:] = [sum(merged[-1:]) + open_one]
    return tuple(merged)


def _reach(window: Window) -> Pair:
    """How many rows and columns windows reach beyond a chunk, on the side where it is more."""
    sides = (window.height, window.width)
    befores = (side // 2 + start for side, start in zip(sides, window.origin))
    rows, columns = (max(before, side - 1 - before) for side, before in zip(sides, befores))
    return rows, columns


def _with_neighbours(array: Any, chunks: Chunks, depth: Pair, wraps: bool) -> Any:
    """Each chunk with `depth` rows and columns of those around it. At the edge of the image there
    are none, and the library makes the border, unless `wraps`."""
    array = array.rechunk(chunks[-array.ndim:])
    axes = [axis for axis in (-2, -1) if depth[axis]]
    if not axes:
        return array
    overlap = importlib.import_module("dask.array.overlap").overlap
    return overlap(array, {array.ndim + axis: depth[axis] for axis in axes},
                   {array.ndim + axis: "periodic" if wraps else "none" for axis in axes})


def _mask_array(image: Any, mask: Any, chunks: Chunks) -> Any:
    """As a Dask array."""
    counts = mask if is_dask(mask) else numbers("mask", mask)
    check_mask(counts.shape, image.shape)
    if is_dask(mask):
        numbers("mask", np.empty(0, counts.dtype))  # refuses its type now, and not in a worker
        return counts
    return importlib.import_module("dask.array").from_array(counts, chunks=chunks[-counts.ndim:])


def compute(image: Any, mask: Any, out: Any, request: Request) -> Any:
    """The Dask array of the measure of the window around every cell; its chunks are the image's.

    An axis of one chunk is whole in every block: all of its borders are the library's. Chunks of
    another are as long as windows reach, at least, and so is what is around them: a block at the
    edge of the image has the cells that a border repeats.
    """
    request = request._replace(threads=request.threads or 1, dtype=result_dtype(request.dtype))
    _check(image, out, request)
    da = importlib.import_module("dask.array")
    if 0 in image.shape:
        return da.empty(image.shape, dtype=request.dtype, chunks=image.chunks)
    reach = _reach(request.window)
    least = (*(1 for _ in image.shape[:-2]), *(max(1, most) for most in reach))
    chunks = tuple(_merged(lengths, most) for lengths, most in zip(image.chunks, least))
    rows, columns = (most if len(lengths) > 1 else 0 for lengths, most in zip(chunks[-2:], reach))
    wraps = request.mode == "wrap"
    arrays = [image] if mask is None else [image, _mask_array(image, mask, chunks)]
    blocks = [_with_neighbours(array, chunks, (rows, columns), wraps) for array in arrays]
    result = da.map_blocks(
        local_entropy_of_chunk, *blocks, request=request, depth=(rows, columns), chunks=chunks,
        dtype=request.dtype, meta=np.empty((0,) * image.ndim, request.dtype))
    return result.rechunk(image.chunks)


# ---- in a worker -------------------------------------------------------------------------------


def local_entropy_of_chunk(cells: Any, mask: Any = None, *, request: Request, depth: Pair,
                           block_info: Dict[Optional[int], Any]) -> Ndarray:
    """The chunk of the result, from the cells of that chunk and those around it. Dask shows the
    name."""
    shape: Tuple[int, ...] = block_info[None]["shape"]
    place: List[Pair] = block_info[None]["array-location"]
    image, counts = image_and_mask(cells, mask)
    result = np.empty([stop - start for start, stop in place], request.dtype)
    before = [most if start > 0 or request.mode == "wrap" else 0
              for most, (start, _) in zip(depth, place[-2:])]
    rows, columns = ((first, first + side) for first, side in zip(before, result.shape[-2:]))
    for plane in np.ndindex(result.shape[:-2]):
        try:
            compute_region(image[plane], None if counts is None else counts[plane], rows, columns,
                           result[plane], request)
        except LevelError as error:
            if error.index is None:
                raise
            starts = [start - first for (start, _), first in zip(place[-2:], before)]
            index = (*(start + i for (start, _), i in zip(place, plane)),
                     *((start + i) % side
                       for start, i, side in zip(starts, error.index, shape[-2:])))
            raise LevelError.at(index, error.reason) from None
    return result
