"""The definition, window by window, in double precision: shares nothing with the package."""

import math

import numpy as np


def _inside(i, size, mode):
    """Which cell of a row stands for the cells `i`, of which some lie beyond its ends."""
    if mode == "nearest":
        return np.clip(i, 0, size - 1)
    if mode == "wrap":
        return i % size
    period = 2 * size if mode == "reflect" else max(1, 2 * size - 2)
    return np.minimum(i % period, period - (1 if mode == "reflect" else 0) - i % period)


def _around(levels, before, after, mode, outside):
    """The cells that windows reach, beyond the edges too."""
    at = [np.arange(-first, size + last)
          for first, last, size in zip(before, after, levels.shape)]
    if mode not in ("crop", "constant"):
        return levels[np.ix_(*(_inside(i, n, mode) for i, n in zip(at, levels.shape)))]
    cells = np.full([len(i) for i in at], -1 if mode == "crop" else outside)
    cells[before[0]:, before[1]:][:levels.shape[0], :levels.shape[1]] = levels
    return cells


def measure_of(counts, index, q, base):
    """Of one window: `counts` of the levels that are in it."""
    total = sum(counts)
    p = [n / total for n in counts]
    if index == "shannon":
        return -math.fsum(x * math.log(x) for x in p) / math.log(base)
    if index == "simpson":
        return 1 - math.fsum(x * x for x in p)
    if index == "richness" or q == 0:
        return float(len(p))
    if q == math.inf:
        return 1 / max(p)
    if q == 1:
        return math.exp(-math.fsum(x * math.log(x) for x in p))
    return math.fsum(x**q for x in p) ** (1 / (1 - q))


def reference(levels, footprint, *, origin=(0, 0), mode="crop", outside=0, index="shannon", q=None,
              base=2.0, empty=0.0):
    """`levels` has the level of each cell, -1 where it does not count; `outside` that of cells
    beyond the edge for mode "constant"."""
    levels, footprint = np.asarray(levels, np.int64), np.asarray(footprint) != 0
    before = [side // 2 + start for side, start in zip(footprint.shape, origin)]
    after = [side - 1 - first for side, first in zip(footprint.shape, before)]
    around = _around(levels, before, after, mode, outside)
    result = np.full(levels.shape, float(empty))
    for y, x in np.ndindex(levels.shape):
        window = around[y:y + footprint.shape[0], x:x + footprint.shape[1]][footprint]
        _, counts = np.unique(window[window >= 0], return_counts=True)
        if counts.size:
            result[y, x] = measure_of(counts.tolist(), index, q, base)
    return result
