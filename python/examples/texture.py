#!/usr/bin/env python3
"""Texture of a photograph: the entropy of small and of large windows, and what a threshold cuts.

Of the sky and the coat neighbouring cells are nearly alike: their entropy is low. Grass and
buildings have texture. A small window shows lines, a large one regions; their edges are as broad
as the window.
"""

import numpy as np
from matplotlib import pyplot
from matplotlib.colors import ListedColormap
from skimage.data import camera
from skimage.filters import threshold_otsu

from local_entropy import entropy
from shared import parser_of, save

SIZES = 5, 11, 25  # rows and columns of the windows
SKY, GRASS = np.s_[10:100, 260:500], np.s_[350:500, 370:500]  # where they are in the photograph


def main():
    output = parser_of(__doc__).parse_args().output
    photograph = camera()
    # At the edge the mirror image of the photograph goes on.
    maps = {size: entropy(photograph, size, mode="reflect") for size in SIZES}
    threshold = threshold_otsu(maps[11])
    textured = maps[11] > threshold
    print(f"threshold {threshold:.2f} bits; above it are {textured[SKY].mean():.1%} of the sky, "
          f"{textured[GRASS].mean():.1%} of the grass")
    save(draw(photograph, maps, threshold, textured), output, "texture.png")


def draw(photograph, maps, threshold, textured):
    figure, axes = pyplot.subplots(2, 3, figsize=(12, 7.6), layout="constrained")
    for axis in axes.flat[[0, 1, 2, 3, 5]]:
        axis.set_axis_off()
    axes[0, 0].imshow(photograph, cmap="gray")
    axes[0, 0].set_title("photograph")
    for axis, (size, bits) in zip(axes.flat[1:4], maps.items()):
        shown = axis.imshow(bits, cmap="magma", vmin=0, vmax=8)
        axis.set_title(f"entropy, windows of {size} x {size}")
    figure.colorbar(shown, ax=axes, shrink=0.7, aspect=30, label="entropy, bits")

    histogram = axes[1, 1]
    histogram.hist(maps[11].ravel(), bins=100, color="tab:purple")
    histogram.axvline(threshold, color="black", linestyle="--")
    histogram.set(title="how many cells have which entropy", yticks=[], ylabel="cells",
                  xlabel="entropy, bits, windows of 11 x 11")
    histogram.text(threshold - 0.1, histogram.get_ylim()[1] * 0.97,
                   f"threshold (Otsu)\n{threshold:.2f} bits", ha="right", va="top")

    axes[1, 2].imshow(photograph, cmap="gray")
    axes[1, 2].imshow(np.ma.masked_where(textured, textured), cmap=ListedColormap(["tab:cyan"]),
                      alpha=0.5)
    axes[1, 2].set_title("in colour: below the threshold")
    return figure


if __name__ == "__main__":
    main()
