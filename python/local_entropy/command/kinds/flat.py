"""Arrays that lie in a file as they lie in memory, from some byte on."""

from __future__ import annotations

import os
from typing import Any, Tuple

import numpy as np

from ..._host import Ndarray
from .base import Layout, Part


def read(path: str, start: int, shape: Tuple[int, ...], dtype: np.dtype[Any], plane: int,
         part: Part, order: str = "C") -> Ndarray:
    """A part of one plane. The map is gone when the cells are: the pages do not pile up."""
    cells: Ndarray = np.memmap(path, dtype, "r", start, shape, order)  # type: ignore[call-overload]
    place = np.unravel_index(plane, shape[:-2]) if shape[:-2] else ()
    return np.array(cells[place][part.top:part.bottom, part.left:part.right])


class Writer:
    """Writes parts to their places, by calls and not through a map: nothing stays in memory."""

    def __init__(self, path: str, start: int, layout: Layout) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        self._start, self._layout = start, layout
        # As long as it will be: what is never written cannot be missing unseen.
        try:
            if os.fstat(self._file).st_size < start + layout.bytes:
                os.truncate(self._file, start + layout.bytes)
        except OSError:
            self.close()
            raise

    def write(self, plane: int, part: Part, values: Ndarray) -> None:
        layout, rows = self._layout, [values]
        if values.shape[1] < layout.width:
            rows = list(values)
        for i, cells in enumerate(rows):
            before = (plane * layout.height + part.top + i) * layout.width + part.left
            self._write_at(self._start + before * layout.dtype.itemsize, cells)

    def _write_at(self, place: int, cells: Ndarray) -> None:
        left = np.ascontiguousarray(cells).data.cast("B")
        while left:
            written = os.pwrite(self._file, left, place)
            left, place = left[written:], place + written

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
