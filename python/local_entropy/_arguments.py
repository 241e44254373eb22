"""Arguments of a wrong type, which raise TypeError with what was found and what was expected."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def integer(name: str, value: Any, expected: str = "an integer") -> int:
    """The integer that it is; a truth is none."""
    if type(value) is int:
        return value
    if not isinstance(value, (bool, np.bool_)):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name} is {value!r}, expected {expected}")


def real(name: str, value: Any) -> float:
    """The real number that it is, in double precision. A text is none, though float() reads it."""
    if type(value) is float:
        return value
    if type(value) is int or \
            not isinstance(value, (str, bytes, bytearray, complex, np.complexfloating)):
        try:
            return float(value)
        except TypeError:
            pass
        except OverflowError:
            raise ValueError(f"{name} is {value!r}, expected a number of double precision") \
                from None
    raise TypeError(f"{name} is {value!r}, expected a real number")


def truth(name: str, value: Any) -> bool:
    """Whether it is true. Of other objects, such as the text "no", Python would take most so."""
    if isinstance(value, (bool, np.bool_, int, np.integer)) and value in (0, 1):
        return bool(value)
    raise TypeError(f"{name} is {value!r}, expected True or False")


def as_array(name: str, value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """The array of NumPy that it is."""
    try:
        return np.asarray(value)
    except ValueError:
        if not isinstance(value, (list, tuple)):
            raise
    raise ValueError(f"the {name} is a {type(value).__name__} of rows of different lengths, "
                     "expected an array")


def numbers(name: str, value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """The array that it is, of cells that are 0 or not: None, dates and texts are neither."""
    array = as_array(name, value)
    if array.dtype.kind in "biuf":
        return array
    found = array.dtype if array.ndim > 0 else f"a {type(value).__name__}"
    raise TypeError(f"the {name} is {found}, expected an array of bool, integers or real numbers")
