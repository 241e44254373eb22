"""The definition, window by window, in NumPy and double precision: shares nothing with the package."""

import math

import numpy as np

_PADS = {"nearest": "edge", "reflect": "symmetric", "mirror": "reflect", "wrap": "wrap"}


def _padded(array, before, after, mode, value):
    widths = list(zip(before, after))
    if mode in ("crop", "constant"):
        return np.pad(array, widths, constant_values=value)
    return np.pad(array, widths, mode=_PADS[mode])


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
    around = _padded(levels, before, after, mode, -1 if mode == "crop" else outside)
    result = np.full(levels.shape, float(empty))
    for y, x in np.ndindex(levels.shape):
        window = around[y:y + footprint.shape[0], x:x + footprint.shape[1]][footprint]
        _, counts = np.unique(window[window >= 0], return_counts=True)
        if counts.size:
            result[y, x] = measure_of(counts.tolist(), index, q, base)
    return result
