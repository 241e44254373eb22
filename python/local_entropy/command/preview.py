"""A picture of a result: colours, what they stand for, and how long a length is."""

from __future__ import annotations

import math
import os
import warnings
from typing import Any, Optional, Tuple

import numpy as np

from .._host import Ndarray
from .kinds import ArgumentError, Part
from .kinds.base import needed

_LONGEST = 1200  # cells of the longer side that are shown


class Preview:
    """Every n-th cell of the first plane, taken while the result is written."""

    def __init__(self, path: str, height: int, width: int, colours: str) -> None:
        extension = os.path.splitext(path)[1].lower()
        if extension not in (".png", ".jpg", ".jpeg", ".pdf", ".svg", ".webp"):
            raise ArgumentError(f"--preview is {path}, expected a name that ends in .png (or .jpg, "
                                ".pdf, .svg, .webp)")
        self._matplotlib = needed("matplotlib", "--preview")
        if colours not in self._matplotlib.colormaps:
            raise ArgumentError(f"--colors is {colours}, expected a colour map of matplotlib, such "
                                "as viridis or magma")
        self._step = -(-max(height, width) // _LONGEST)
        self._cells = np.full((-(-height // self._step), -(-width // self._step)), np.nan,
                              np.float32)
        self._colours = colours

    def see(self, plane: int, part: Part, values: Ndarray) -> None:
        if plane != 0:
            return
        step = self._step
        top, left = -(-part.top // step), -(-part.left // step)
        seen = values[top * step - part.top::step, left * step - part.left::step]
        self._cells[top:top + seen.shape[0], left:left + seen.shape[1]] = seen

    def save(self, path: str, title: str, unit: str,
             cell_size: Optional[Tuple[float, str]]) -> None:
        """`unit` is that of the values, `cell_size` the width of a cell."""
        self._matplotlib.use("Agg")
        pyplot: Any = needed("matplotlib.pyplot", "--preview")
        height, width = self._cells.shape
        scale = 9 / max(height, width)
        figure, axes = pyplot.subplots(figsize=(max(3.0, width * scale) + 1.6,
                                                max(2.0, height * scale) + 0.6),
                                       layout="constrained")
        try:
            shown = axes.imshow(self._cells, cmap=self._colours, interpolation="nearest")
            figure.colorbar(shown, ax=axes, label=unit, shrink=0.9)
            shown_title = title.encode("utf-8", "replace").decode()  # a name may be any bytes
            axes.set_title(shown_title, parse_math=False)  # and have dollars
            axes.set_axis_off()
            size, name = cell_size or (1.0, "cells")
            _draw_length(axes, height, width, size * self._step, name)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of letters that the font has not: boxes
                figure.savefig(path, dpi=130)
        finally:
            pyplot.close(figure)


def _draw_length(axes: Any, height: int, width: int, size: float, unit: str) -> None:
    """A bar of a round length, below the picture on the left."""
    length, text = round_length(width * size / 4, unit)
    down = height * 1.03
    axes.plot([0, length / size], [down, down], color="black", linewidth=3, clip_on=False,
              solid_capstyle="butt")
    axes.text(length / size / 2, down + height * 0.015, text, ha="center", va="top", clip_on=False,
              parse_math=False)
    axes.set_xlim(-0.5, width - 0.5)
    axes.set_ylim(height - 0.5, -0.5)


def round_length(longest: float, unit: str) -> Tuple[float, str]:
    """The largest of 1, 2, 5, 10, ... that is not longer, and how it is written."""
    power = 10.0 ** math.floor(math.log10(longest))
    length = next(n * power for n in (5, 2, 1) if n * power <= longest * (1 + 1e-9))
    if unit == "m" and length >= 1000:
        return length, f"{length / 1000:g} km"
    return length, f"{length:g} {unit}" if unit != "cells" or length != 1 else "1 cell"
