"""Arrays of NumPy in files: .npy."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

from ..._host import Ndarray
from . import flat
from .base import About, FileError, Layout, Part, Sink, Source, refuse_settings


def reads(path: str) -> bool:
    return path.lower().endswith(".npy")


class Opened(Source):
    """The cells are mapped into memory, part by part."""

    def __init__(self, path: str) -> None:
        array = _mapped(path)
        if array.ndim < 2:
            raise FileError(f"{path} has {array.ndim} dimensions, expected (..., rows, columns)")
        if array.size == 0:
            raise FileError(f"{path} has no cells: its shape is {array.shape}")
        self.lead, (self.height, self.width) = array.shape[:-2], array.shape[-2:]
        self.dtype, self.about = array.dtype, About()
        self._path, self._start = path, array.offset
        self._order = "C" if array.flags.c_contiguous else "F"

    def read(self, plane: int, part: Part) -> Ndarray:
        shape = (*self.lead, self.height, self.width)
        return flat.read(self._path, self._start, shape, self.dtype, plane, part, self._order)


def _mapped(path: str) -> Any:
    """np.load() would take archives too, whatever their name."""
    try:
        return npy_format.open_memmap(path, mode="r")
    except OSError:
        raise
    except Exception as error:  # the header is parsed as Python is, which fails in many ways
        reason = (str(error).splitlines() or ["it is damaged"])[0]
        if "mmap length" in reason:
            reason = "it ends before the last cell that its header promises"
        raise FileError(f"{path} is not an array of NumPy: {reason}") from None


def writes(path: str, layout: Layout) -> bool:
    return path.lower().endswith(".npy")


class Created(Sink):
    def __init__(self, path: str, layout: Layout) -> None:
        refuse_settings(layout, os.path.basename(path), "an .npy file")
        header = {"descr": npy_format.dtype_to_descr(layout.dtype), "fortran_order": False,
                  "shape": (*layout.lead, layout.height, layout.width)}
        with open(path, "wb") as file:
            npy_format.write_array_header_1_0(file, header)
            start = file.tell()
        self._writer = flat.Writer(path, start, layout)

    def write(self, plane: int, part: Part, values: Ndarray) -> None:
        self._writer.write(plane, part, values)

    def finish(self) -> None:
        self._writer.close()

    def drop(self) -> None:
        self._writer.close()
