"""Images in host memory: NumPy arrays, plane by plane, as the library's structs."""

from __future__ import annotations

import ctypes
import importlib
import sys
import time
from typing import Any, Optional, Tuple

import numpy as np

from . import _library as library
from ._arguments import as_array, numbers
from ._dlpack import pointer_in
from ._levels import Cells, readable
from ._question import Request, filter_of

Ndarray = np.ndarray[Any, np.dtype[Any]]

TYPES = {np.dtype(name): kind for name, kind in (
    ("uint8", library.UINT8), ("uint16", library.UINT16), ("int16", library.INT16),
    ("float32", library.FLOAT32), ("bool", library.BOOL), ("float64", library.FLOAT64))}
RESULTS: Tuple[np.dtype[Any], ...] = (np.dtype("float32"), np.dtype("float64"))


# ---- arguments as arrays -----------------------------------------------------------------------


def is_plain(array: Any) -> bool:
    """Whether it is an array of NumPy itself, and none of a subclass."""
    return type(array) is np.ndarray


def image_and_mask(image: Any, mask: Any) -> Tuple[Ndarray, Optional[Ndarray]]:
    """As arrays of one shape. Of a masked array, what is masked does not count."""
    cells = image
    if not is_plain(image):
        if isinstance(image, np.ma.MaskedArray):
            mask = _unhidden(image, mask)
        cells = _shared(image) if _is_shared(image) else as_array("image", image)
    if cells.ndim == 0 and cells.dtype.kind not in "biufc":
        raise TypeError(f"the image is a {type(image).__name__}, expected an array (..., rows, "
                        "columns)")
    if cells.ndim < 2:
        raise ValueError(f"the image has {cells.ndim} dimensions, expected (..., rows, columns)")
    if mask is None:
        return cells, None
    counts = _mask_array(mask)
    check_mask(counts.shape, cells.shape)
    if counts.dtype.kind != "b" and counts.dtype != np.uint8:
        counts = counts != 0
    return cells, np.broadcast_to(counts, cells.shape)


def _unhidden(image: np.ma.MaskedArray[Any, Any], mask: Any) -> Ndarray:
    """The mask that goes with a masked array: what counts in `mask`, and is not masked."""
    visible: Ndarray = ~np.ma.getmaskarray(image)
    if visible.shape != image.shape:  # NumPy looks only at what goes through image.mask
        raise ValueError(f"the masked array's own mask has the shape {visible.shape}, its cells "
                         f"{image.shape}, expected the same")
    if mask is not None:
        counts = _mask_array(mask)
        check_mask(counts.shape, image.shape)
        visible &= counts != 0
    return visible


def check_mask(mask: Tuple[int, ...], image: Tuple[int, ...]) -> None:
    """Whether a mask of that shape is one for an image of that shape."""
    if mask not in (image, image[-2:]):
        raise ValueError(f"the mask has the shape {mask}, the image {image}")


def _mask_array(mask: Any) -> Ndarray:
    return numbers("mask", _shared(mask) if _is_shared(mask) else mask)


def _is_shared(array: Any) -> bool:
    """Whether it shares its memory by DLPack alone."""
    return hasattr(array, "__dlpack__") and not hasattr(array, "__array__")


def _shared(array: Any) -> Ndarray:
    shared: Ndarray = np.from_dlpack(array)
    return shared


def result_dtype(dtype: Any, name: str = "dtype") -> np.dtype[Any]:
    """float32 unless the caller wants float64."""
    if dtype is None:
        return RESULTS[0]
    try:
        wanted: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{name} is {dtype!r}, expected float32 or float64") from None
    if wanted.newbyteorder("=") not in RESULTS:
        raise ValueError(f"{name} is {wanted}, expected float32 or float64")
    return wanted


def check_out(found: np.dtype[Any], dtype: Any) -> None:
    """Whether an `out` of that type is what the argument `dtype` says."""
    wanted = found if dtype is None else result_dtype(dtype)
    if found != wanted:
        orders = ": their byte order differs" if found.itemsize == wanted.itemsize else ""
        raise ValueError(f"out is {found}, dtype {wanted}, expected the same{orders}")


def _result(out: Any, dtype: Any, shape: Tuple[int, ...]) -> Ndarray:
    if out is None:
        return np.empty(shape, result_dtype(dtype))
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}, expected a NumPy array as the "
                        "image is one")
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, the image {shape}")
    check_out(result_dtype(out.dtype, "out"), dtype)
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    return out


# ---- planes ------------------------------------------------------------------------------------


class _Interface(ctypes.Structure):
    """PyArrayInterface of NumPy, up to the address of the cells."""

    _fields_ = [("two", ctypes.c_int), ("dimensions", ctypes.c_int), ("kind", ctypes.c_char),
                ("itemsize", ctypes.c_int), ("flags", ctypes.c_int), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("data", ctypes.c_void_p)]


_pointer_at, _DATA = ctypes.c_void_p.from_address, _Interface.data.offset


def _address(array: Ndarray) -> Optional[int]:
    """The same as array.ctypes.data, in half the time."""
    capsule: Any = array.__array_struct__
    return _pointer_at(pointer_in(capsule, None) + _DATA).value


def _struct(plane: Ndarray) -> Optional[library.Array]:
    """Of a plane whose rows the library can go along; None of another."""
    height, width = plane.shape
    down, along = plane.strides
    size = plane.itemsize
    if along != size and width > 1:
        return None
    if height == 1:
        down = 0
    elif down < width * size or down % size:
        return None
    kind = TYPES.get(plane.dtype)
    if kind is None or not plane.flags.aligned:
        return None
    return library.Array(_address(plane), kind, width, height, down // size)


def _read(plane: Ndarray) -> Tuple[library.Array, Ndarray]:
    """The struct, and the array whose memory it names: the plane or a copy."""
    struct = _struct(plane)
    if struct is None:
        plane = np.array(plane, order="C")
        struct = _struct(plane)
    assert struct is not None
    return struct, plane


class _Part:
    """Of a stack of planes: makes the caller's progress that of the whole."""

    def __init__(self, progress: library.Progress, planes: int) -> None:
        self.progress, self.planes, self.done = progress, planes, 0
        self.said = time.monotonic()

    def __call__(self, part: float) -> None:
        self.said = time.monotonic()
        self.progress((self.done + part) / self.planes)

    def plane_is_done(self) -> None:
        """Some fifty times a second, where planes end before the library says anything."""
        self.done += 1
        if time.monotonic() - self.said > 0.02:
            self(0.0)


def _run_plane(engine: int, wanted: library.Filter, image: Ndarray, mask: Optional[Ndarray],
               result: Ndarray, progress: Optional[library.Progress],
               place: Tuple[int, ...], region: Optional[library.Region] = None) -> None:
    cells, image = _read(image)
    counts = None
    if mask is not None:
        counts, mask = _read(mask)
    values = _struct(result)
    if values is not None:
        library.run(engine, wanted, cells, counts, values, progress, place, region)
        return
    copy = np.empty(result.shape, result.dtype.newbyteorder("="))
    values, copy = _read(copy)
    library.run(engine, wanted, cells, counts, values, progress, place, region)
    result[...] = copy


def compute(image: Any, mask: Any, out: Any, request: Request) -> Ndarray:
    """The measure of the window around every cell."""
    image, counts = image_and_mask(image, mask)
    result = _result(out, request.dtype, image.shape)
    if image.size == 0:  # all else is checked, on a cell that does not count
        _compute_into(np.empty((1, 1), result.dtype), np.zeros((1, 1), image.dtype),
                      np.zeros((1, 1), bool), request._replace(progress=None))
        return result
    if out is not None and _share_memory(out, image, counts):
        fresh = np.empty(result.shape, result.dtype)
        _compute_into(fresh, image, counts, request)
        result[...] = fresh
    else:
        _compute_into(result, image, counts, request)
    return result


def _share_memory(out: Ndarray, image: Ndarray, mask: Optional[Ndarray]) -> bool:
    return np.may_share_memory(out, image) or (mask is not None and
                                               np.may_share_memory(out, mask))


def _prepared(image: Ndarray, counts: Optional[Ndarray],
              request: Request) -> Tuple[Cells, library.Filter, int]:
    """What the library is given: the cells as it reads them, the filter, the engine."""
    cells = readable(image, counts, request.levels, request.range, request.clip, request.nodata,
                     request.cval, request.mode == "constant")
    wanted = filter_of(request.window, cells.levels, cells.nodata, request.mode, cells.cval,
                       request.measure, float(request.empty))
    return cells, wanted, library.engine(request.device == "auto", request.threads or 0)


def _compute_into(result: Ndarray, image: Ndarray, counts: Optional[Ndarray],
                  request: Request) -> None:
    cells, wanted, engine = _prepared(image, counts, request)
    if image.ndim == 2:
        _run_plane(engine, wanted, cells.image, counts, result, request.progress, ())
        return
    part = None
    if request.progress is not None:
        part = _Part(request.progress, result[..., 0, 0].size)
    for place in np.ndindex(image.shape[:-2]):
        _run_plane(engine, wanted, cells.image[place], None if counts is None else counts[place],
                   result[place], part, place)
        if part is not None:
            part.plane_is_done()


def compute_region(image: Ndarray, mask: Optional[Ndarray], rows: Tuple[int, int],
                   columns: Tuple[int, int], result: Ndarray, request: Request) -> None:
    """The measure of the windows around the cells of those rows and columns of a plane, from the
    first to one behind the last; windows may reach further."""
    cells, wanted, engine = _prepared(image, mask, request)
    region = library.Region(columns[0], rows[0], columns[1] - columns[0], rows[1] - rows[0])
    _run_plane(engine, wanted, cells.image, mask, result, request.progress, (), region)


# ---- tensors of PyTorch ------------------------------------------------------------------------


def is_tensor(array: Any) -> bool:
    """Whether it is one, wherever it lies, or of a subclass; does not import torch."""
    if is_plain(array):
        return False
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return kind is not None and isinstance(array, kind)


def compute_tensor(image: Any, mask: Any, out: Any, request: Request) -> Any:
    """The same of tensors in host memory: arrays share it."""
    image, mask, shared = (array.detach().numpy() if is_tensor(array) else array
                           for array in (image, mask, out))
    result = compute(image, mask, shared, request)
    return importlib.import_module("torch").from_numpy(result) if out is None else out
