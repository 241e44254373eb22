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
