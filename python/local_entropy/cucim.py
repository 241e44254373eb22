"""The entropy of cuCIM, with its arguments: images in the memory of a GPU.

``from local_entropy.cucim import entropy`` in place of ``from cucim.skimage.filters.rank import
entropy``.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._question import LONGEST, LONGEST_FOOTPRINT
from .filters import entropy as _entropy

_LEVELS = ("uint8", "uint16", "int16")  # every cell is one of few levels


def entropy(image: Any, footprint: Any, out: Any = None, mask: Any = None, shift_x: int = 0,
            shift_y: int = 0, shift_z: int = 0, *, shifts: Optional[Sequence[int]] = None,
            backend: str = "auto", cast_to_uint8: bool = True) -> Any:
    """Local entropy in bits: a drop-in for `cucim.skimage.filters.rank.entropy`.

    The same values, float rounding apart, of the same type, with the same rules for edges, masks,
    shifts and other types of images. A value is the float nearest to the true entropy.

    Parameters
    ----------
    image : cupy.ndarray, shape (rows, columns)
        Of uint8. Others become bytes by `cucim.skimage.util.img_as_ubyte`.
    footprint : cupy.ndarray of two dimensions
        The cells around a cell that count: those above 0. It is copied into host memory; one of
        NumPy, which cuCIM refuses, spares the wait for that.
    out : cupy.ndarray, shape of the image, optional
        Where the result goes. Integers are cut off.
    mask : cupy.ndarray, shape of the image, optional
        The cells that count: those above 0. Where none does, the result is the cell itself, as
        cuCIM has it.
    shift_x, shift_y : int, optional
        Offset of the footprint's centre, which must remain in it.
    shift_z : int, optional
        For volumes.
    shifts : sequence of int, optional
        Instead: offsets by axis, rows first.
    backend : {"auto", "histogram", "elementwise"}, optional
        All but "auto" are ways of cuCIM's own, which then computes.
    cast_to_uint8 : bool, optional
        If False, images of uint16 and int16 are computed with all their levels.

    Returns
    -------
    cupy.ndarray of float32, shape of the image
        `out`, if it is given. It is on its way, in the current stream of CuPy.

    Notes
    -----
    At its edges the image goes on as in a mirror behind its last cell, as in cuCIM; scikit-image
    cuts windows there.

    What the library does not compute goes to cuCIM itself, which must be installed for it: all but
    two dimensions, other types with ``cast_to_uint8=False``, footprints of more than 63 cells to a
    side of which not all count.

    See Also
    --------
    local_entropy.entropy : the same with more choices.
    local_entropy.skimage.entropy : for images in host memory.
    """
    cupy = importlib.import_module("cupy")
    _check(cupy, image, out, mask)
    counts = _counts(cupy, footprint)
    if not _is_ours(image, counts, backend, cast_to_uint8):
        original = _from_cucim(
            "filters.rank", "what the library does not compute, such as volumes,").entropy
        return original(image, footprint, out=out, mask=mask, shift_x=shift_x, shift_y=shift_y,
                        shift_z=shift_z, shifts=shifts, backend=backend,
                        cast_to_uint8=cast_to_uint8)
    origin = _origin(shift_x, shift_y, shift_z, shifts)
    cells = image if image.dtype == np.uint8 or not cast_to_uint8 else _as_bytes(image)
    dtype = np.dtype(np.float32 if out is None or out.dtype == np.float32 else np.float64)
    direct = out is not None and mask is None and out.dtype == dtype and out.flags.c_contiguous
    result = _entropy(cells, footprint=counts, origin=origin, mode="reflect", dtype=dtype,
                      mask=None if mask is None else mask > 0,
                      empty=0.0 if mask is None else np.nan, out=out if direct else None)
    if mask is not None:
        result = cupy.where(cupy.isnan(result), cells.astype(dtype), result)
    if out is None or direct:
        return result
    out[...] = result.astype(out.dtype)  # which cuts off
    return out


def _check(cupy: Any, image: Any, out: Any, mask: Any) -> None:
    """What cuCIM refuses, with its errors."""
    if not isinstance(image, cupy.ndarray):
        raise ValueError("image must be a CuPy array")
    if image.dtype == bool:
        raise ValueError("dtype cannot be bool.")
    for name, array in (("out", out), ("mask", mask)):
        if array is not None and not isinstance(array, cupy.ndarray):
            raise ValueError(f"{name} must be a CuPy array")
        if array is not None and array.shape != image.shape:
            raise ValueError(f"{name} has the shape {array.shape}, the image {image.shape}")
    if out is not None and cupy.may_share_memory(image, out):
        raise NotImplementedError("Cannot perform rank operation in place.")


def _counts(cupy: Any, footprint: Any) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    """The cells that count, in host memory."""
    if isinstance(footprint, tuple):  # as skimage.morphology decomposes them
        raise ValueError("footprint sequences are not supported by rank filters")
    if isinstance(footprint, cupy.ndarray):
        footprint = cupy.asnumpy(footprint)
    counts: "np.ndarray[Any, np.dtype[np.bool_]]" = np.asarray(footprint) > 0
    return counts


def _is_ours(image: Any, counts: Any, backend: str, cast_to_uint8: bool) -> bool:
    longest = max(counts.shape, default=0)
    return (image.ndim == counts.ndim == 2 and backend == "auto" and bool(counts.any()) and
            longest <= (LONGEST if counts.all() else LONGEST_FOOTPRINT) and
            (cast_to_uint8 or image.dtype.name in _LEVELS))


def _origin(shift_x: int, shift_y: int, shift_z: int,
            shifts: Optional[Sequence[int]]) -> Tuple[int, int]:
    """By rows and columns."""
    if shift_z != 0:
        raise ValueError("shift_z is only valid for 3D or higher dimensional images")
    if shifts is None:
        return shift_y, shift_x
    if shift_x != 0 or shift_y != 0:
        raise ValueError("shift_x and shift_y must be 0 when shifts is specified")
    if len(shifts) != 2:
        raise ValueError(f"shifts has {len(shifts)} offsets, expected 2")
    return shifts[0], shifts[1]


def _as_bytes(image: Any) -> Any:
    """By the rule of cuCIM, which warns of real numbers alone."""
    if image.dtype.kind == "f":
        warnings.warn(f"Possible precision loss converting image of type {image.dtype} to uint8 as "
                      "required by rank filters. Convert manually using "
                      "cucim.skimage.util.img_as_ubyte to silence this warning.", stacklevel=3)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Downcasting .* to uint8 without scaling")
        return _from_cucim("util", f"an array of {image.dtype} as bytes").img_as_ubyte(image)


def _from_cucim(module: str, what: str) -> Any:
    try:
        return importlib.import_module(f"cucim.skimage.{module}")
    except ImportError:
        raise NotImplementedError(f"{what} needs cuCIM, which is not installed") from None
