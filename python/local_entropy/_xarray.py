"""Images that are xarray.DataArray: the result is one, with the same coordinates."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Callable

import numpy as np

from ._question import Request

# Of how the cells of the image are stored, and what they may be: not true of the result's.
_OF_CELLS = ("_FillValue", "missing_value", "scale_factor", "add_offset", "valid_min", "valid_max",
             "valid_range")


def is_data_array(array: Any) -> bool:
    """Whether it is one; does not import xarray."""
    if type(array) is np.ndarray:
        return False
    kind = getattr(sys.modules.get("xarray"), "DataArray", None)
    return kind is not None and isinstance(array, kind)


def compute(image: Any, mask: Any, out: Any, request: Request,
            compute_bare: Callable[[Any, Any, Any, Request], Any]) -> Any:
    """Coordinates, names of dimensions, name and attributes are those of the image."""
    if is_data_array(mask):
        if mask.dims not in (image.dims, image.dims[-2:]):
            raise ValueError(f"the mask has the dimensions {mask.dims}, the image {image.dims}")
        # With the same coordinates, or it is a ValueError.
        importlib.import_module("xarray").align(image, mask, join="exact", copy=False)
        mask = mask.data
    values = compute_bare(image.data, mask, out, request)
    result = image.copy(deep=False, data=values)
    result.attrs = {name: value for name, value in image.attrs.items() if name not in _OF_CELLS}
    result.encoding = {}  # the type, scale and chunks of the image in its file
    return result
