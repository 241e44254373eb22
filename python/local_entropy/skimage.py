"""The entropy of scikit-image, with its arguments.

``from local_entropy.skimage import entropy`` in place of ``from skimage.filters.rank import
entropy``.
"""

from __future__ import annotations

import importlib
import math
import warnings
from typing import Any, Dict

import numpy as np

from ._arguments import integer, numbers
from ._host import Ndarray
from ._question import LONGEST, LONGEST_FOOTPRINT
from .filters import entropy as _entropy

_MANY_LEVELS = 1024  # more of them are slow in scikit-image, which says so
_RESULTS = ("bool", "uint8", "uint16", "float32", "float64")


def entropy(image: Any, footprint: Any, out: Any = None, mask: Any = None, shift_x: int = 0,
            shift_y: int = 0, shift_z: int = 0) -> Ndarray:
    """Local entropy in bits: a drop-in for `skimage.filters.rank.entropy`.

    The same values, float rounding apart, of the same type, with the same rules for masks, shifts
    and other types of images, and the same warnings. It also warns of images of many levels, which
    are slow in scikit-image and not here, so that code that is tested with those warnings behaves
    alike; for uint16, this costs one pass over the image, for its maximum. A value is the float64
    nearest to the true entropy; float32, of `local_entropy.entropy`, takes less time.

    Parameters
    ----------
    image : array_like, shape (rows, columns) or (planes, rows, columns)
        Of uint8 or uint16. Others become bytes by `skimage.util.img_as_ubyte`, with its warning.
    footprint : array_like of as many dimensions
        The cells around a cell that count: those above 0.
    out : array, shape of the image, optional
        Where the result goes: uint8, uint16, float32 or float64. Integers are cut off; bool has
        whether it is 1 or more.
    mask : array_like, shape of the image, optional
        The cells that count: bytes that are not 0, as `skimage.util.img_as_ubyte` makes them.
    shift_x, shift_y, shift_z : int, optional
        Offset of the footprint's centre, which must remain in it. Real numbers are cut off.

    Returns
    -------
    array of float64, shape of the image
        `out`, if it is given.

    Raises
    ------
    ValueError, TypeError, NotImplementedError
        As in scikit-image, with other sentences. Shifts that leave the footprint are a ValueError
        in planes, too; `out` and masks of another shape are refused, which it goes beyond.

    Notes
    -----
    What the library does not compute goes to scikit-image itself, which must be installed for it:
    volumes, footprints of more than 63 cells to a side of which not all count, and those of more
    than 255.

    See Also
    --------
    local_entropy.entropy : the same with more choices, and float32.

    Examples
    --------
    >>> import numpy as np
    >>> from local_entropy.skimage import entropy
    >>> image = np.array([[0, 1, 0, 1]] * 4, dtype=np.uint8)
    >>> entropy(image, np.ones((2, 2)))[1:, 1:]
    array([[1., 1., 1.],
           [1., 1., 1.],
           [1., 1., 1.]])
    """
    cells = _array("image", image)
    if cells.ndim not in (2, 3):
        raise ValueError(f"`image` must have 2 or 3 dimensions, got {cells.ndim}.")
    if cells.size == 0:
        raise ValueError(f"the image has the shape {cells.shape}, expected one with cells")
    counts: Ndarray = _array("footprint", footprint) > 0
    shifts = _integers(shift_x=shift_x, shift_y=shift_y,
                       **({"shift_z": shift_z} if cells.ndim == 3 else {}))
    visible = None if mask is None else _array("mask", mask)
    _check(cells, counts, shifts, visible, out)
    longest = LONGEST if counts.all() else LONGEST_FOOTPRINT
    if cells.ndim == 3 or not counts.any() or max(counts.shape) > longest:
        # Of its own module: skimage.filters.rank.entropy may be this function, put there.
        original = _from_scikit_image(
            "filters.rank.generic", "what the library does not compute, such as volumes,").entropy
        return np.asarray(original(image, footprint, out=out, mask=mask, **shifts))
    if image is out:
        raise NotImplementedError("Cannot perform rank operation in place.")
    if cells.dtype == bool:
        raise ValueError("dtype cannot be bool.")
    if cells.dtype not in (np.uint8, np.uint16):
        warnings.warn(f"Possible precision loss converting image of type {cells.dtype} to uint8 as "
                      "required by rank filters. Convert manually using "
                      "skimage.util.img_as_ubyte to silence this warning.", stacklevel=2)
        cells = _as_bytes(cells)
    bins = int(cells.max()) + 1 if cells.dtype == np.uint16 else 256
    if bins > _MANY_LEVELS:
        warnings.warn("Bad rank filter performance is expected of scikit-image due to a large "
                      f"number of bins ({bins}); local_entropy is not slow.", stacklevel=2)
    result = _entropy(cells, footprint=counts, origin=(shifts["shift_y"], shifts["shift_x"]),
                      dtype=np.float64,
                      mask=None if visible is None else _as_bytes(visible))
    if out is None:
        return result
    written: Ndarray = out if out.ndim == 2 else out[..., 0]
    np.copyto(written, result >= 1 if written.dtype == bool else result, casting="unsafe")
    return written


def _array(name: str, value: Any) -> Ndarray:
    try:
        return numbers(name, value)
    except TypeError as error:  # a ValueError in scikit-image
        raise ValueError(str(error)) from None


def _integers(**shifts: Any) -> Dict[str, int]:
    """Those that are a truth are warned of, in the caller's line. Real numbers are cut off."""
    for name, shift in shifts.items():
        if isinstance(shift, (bool, np.bool_)):
            warnings.warn(f"Parameter `{name}` is boolean and will be interpreted as int. This is "
                          "not officially supported, use int instead.", stacklevel=3)
        elif isinstance(shift, (float, np.floating)) and not math.isfinite(shift):
            raise ValueError(f"{name} is {shift}, expected an integer")
    return {name: int(shift) if isinstance(shift, (bool, np.bool_, float, np.floating))
            else integer(name, shift) for name, shift in shifts.items()}


def _check(cells: Ndarray, counts: Ndarray, shifts: Dict[str, int], visible: Any,
           out: Any) -> None:
    """Before scikit-image sees them, which reads and writes beyond the ends of other shapes."""
    if counts.ndim != cells.ndim or counts.size == 0:
        raise ValueError(f"the footprint has the shape {counts.shape}, the image {cells.shape}, "
                         "expected as many dimensions, none of them 0")
    if cells.ndim == 2:
        for name, side in (("shift_x", counts.shape[1]), ("shift_y", counts.shape[0])):
            if not -(side // 2) <= shifts[name] <= (side - 1) // 2:
                raise ValueError(f"{name} is {shifts[name]} for a footprint of {side} cells, "
                                 f"expected {-(side // 2)} to {(side - 1) // 2}")
    if visible is not None and visible.shape != cells.shape:
        raise ValueError(f"the mask has the shape {visible.shape}, the image {cells.shape}")
    if out is None:
        return
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}, expected a NumPy array")
    if out.shape not in (cells.shape, (*cells.shape, 1)):
        raise ValueError(f"out has the shape {out.shape}, the image {cells.shape}")
    if out.dtype.name not in _RESULTS:
        raise TypeError(f"out is {out.dtype}, expected bool, uint8, uint16, float32 or float64")
    if not out.flags.writeable:
        raise ValueError("out is read-only")


def _as_bytes(array: Ndarray) -> Ndarray:
    """By the rule of scikit-image, where it is not plain."""
    if array.dtype == bool or array.dtype == np.uint8:
        return array
    converted: Ndarray = _from_scikit_image("util", f"an array of {array.dtype} as bytes") \
        .img_as_ubyte(array)
    return converted


def _from_scikit_image(module: str, what: str) -> Any:
    try:
        return importlib.import_module(f"skimage.{module}")
    except ImportError:
        raise NotImplementedError(f"{what} needs scikit-image, which is not installed") from None
