#!/usr/bin/env python3
"""Diversity of land cover: how many kinds of cover there are around a place, and how evenly.

The land is made here, from a fixed seed: patches of five kinds of cover, large ones in the west,
small ones in the east, and two clouds, under which nothing is known. Cells under a cloud do not
count; where a window has no others, the result is NaN. Four measures of the same windows:
Shannon's and Simpson's index, the richness, and the Hill number of order 2: how many equally
frequent kinds would be as diverse.
"""

import numpy as np
from matplotlib import patches, pyplot
from matplotlib.colors import ListedColormap

from local_entropy import diversity
from shared import parser_of, save

HEIGHT, WIDTH, SIZE, SEED = 240, 360, 31, 2
CLOUD = 0
COVERS = {"forest": "#2e6b34", "meadow": "#a6cf6a", "field": "#ead98b", "water": "#3f78b5",
          "town": "#b5524a"}
SHARES = 0.35, 0.25, 0.25, 0.1, 0.05


def main():
    output = parser_of(__doc__).parse_args().output
    cover = land(np.random.default_rng(SEED))
    common = {"size": SIZE, "nodata": CLOUD, "empty": np.nan}
    measures = {"Shannon": ("nats", diversity(cover, index="shannon", **common)),
                "Simpson": ("chance that two cells differ",
                            diversity(cover, index="simpson", **common)),
                "richness": ("kinds", diversity(cover, index="richness", **common)),
                "Hill, q = 2": ("kinds", diversity(cover, index="hill", q=2, **common))}
    for name, (_, values) in measures.items():
        print(f"{name}: west {np.nanmean(values[:, :WIDTH // 2]):.2f}, "
              f"east {np.nanmean(values[:, WIDTH // 2:]):.2f}, largest {np.nanmax(values):.2f}, "
              f"unknown {np.isnan(values).sum()} cells")
    save(draw(cover, measures), output, "land_cover.png")


def land(random):
    """Which cover each cell has: that of the nearest of many points."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    tops = random.uniform(0, HEIGHT, 260)
    lefts = WIDTH * random.beta(3, 1, 260)  # more of them in the east
    kinds = random.choice(np.arange(1, len(COVERS) + 1), 260, p=SHARES)
    nearest = np.hypot(y[..., None] - tops, x[..., None] - lefts).argmin(axis=2)
    cover = kinds[nearest].astype(np.uint8)
    for top, left, height, width in ((70, 110, 26, 44), (170, 270, 32, 52)):
        cover[np.hypot((y - top) / height, (x - left) / width) < 1] = CLOUD
    return cover


def draw(cover, measures):
    figure, axes = pyplot.subplots(2, 3, figsize=(12, 5.9), layout="constrained")
    for axis in axes.flat:
        axis.set_axis_off()
    axes[0, 0].imshow(cover, cmap=ListedColormap(["white", *COVERS.values()]),
                      interpolation="nearest")
    axes[0, 0].set_title("land cover")
    axes[1, 0].legend(handles=[patches.Patch(facecolor=colour, edgecolor="0.5", label=name)
                               for name, colour in [*COVERS.items(), ("cloud: no data", "white")]],
                      loc="upper left", frameon=False, ncols=2, fontsize="large",
                      title=f"windows of {SIZE} x {SIZE} cells", title_fontsize="large")
    for axis, (name, (unit, values)) in zip(axes[:, 1:].flat, measures.items()):
        shown = axis.imshow(values, cmap="viridis")
        axis.set_title(name)
        figure.colorbar(shown, ax=axis, label=unit, shrink=0.85)
    return figure


if __name__ == "__main__":
    main()
