#!/usr/bin/env python3
"""Defects on a surface: where its texture is another, so is the entropy.

The surface is made here, from a fixed seed: grains, some light, some dark. Where it is worn, the
grains are nearly alike. Where it is corroded, they are either light or dark, with nothing between.
Both kinds of defects are as bright as the rest, and corrosion also varies as much. So the mean of
a window finds neither, its standard deviation the worn places, and its entropy both. Each
threshold is put 4.5 deviations off the median, without knowing the defects.
"""

import numpy as np
from matplotlib import patches, pyplot
from matplotlib.colors import ListedColormap
from scipy.ndimage import uniform_filter

from local_entropy import entropy
from shared import parser_of, save

SIDE, SIZE, SEED = 400, 9, 1
SOUND, WORN, CORRODED = 0, 1, 2


def main():
    output = parser_of(__doc__).parse_args().output
    image, truth = surface(np.random.default_rng(SEED))
    grey = image.astype(float)
    mean = uniform_filter(grey, SIZE)
    bits = entropy(image, SIZE, levels=16, range=(0, 256), mode="reflect")
    measures = {"mean": mean, "deviation": np.sqrt(uniform_filter(grey**2, SIZE) - mean**2),
                "entropy": bits}
    for name, values in measures.items():
        found = far_off(values)
        hits = found & (truth != SOUND)
        print(f"{name}: precision {hits.sum() / max(1, found.sum()):.2f}, "
              f"recall {hits.sum() / (truth != SOUND).sum():.2f}, "
              f"of what is worn {found[truth == WORN].mean():.2f}, "
              f"of what is corroded {found[truth == CORRODED].mean():.2f}")
    save(draw(image, truth, bits, far_off(bits)), output, "defects.png")


def surface(random):
    """A picture of bytes, and of which kind each of its cells is."""
    y, x = np.mgrid[:SIDE, :SIDE]
    truth = np.full((SIDE, SIDE), SOUND, np.uint8)
    for kind in [WORN, CORRODED] * 4:  # spots
        (top, left), radius = random.uniform(30, SIDE - 30, 2), random.uniform(9, 20)
        truth[np.hypot(y - top, x - left) < radius] = kind
    for kind in WORN, CORRODED, WORN:  # scratches
        (top, left), angle = random.uniform(100, SIDE - 100, 2), random.uniform(0, np.pi)
        along = (x - left) * np.cos(angle) + (y - top) * np.sin(angle)
        across = (y - top) * np.cos(angle) - (x - left) * np.sin(angle)
        truth[(abs(along) < 60) & (abs(across) < 6)] = kind
    grains = random.normal(0, 25, (SIDE, SIDE))
    grains = np.choose(truth, [grains, grains / 6, 25 * np.sign(grains) + grains / 6])
    return np.clip(128 + grains, 0, 255).astype(np.uint8), truth


def far_off(values):
    """Which values lie far off their median, by how far half of them lie off."""
    off = abs(values - np.median(values))
    return off > 4.5 * 1.4826 * np.median(off)


def draw(image, truth, bits, found):
    figure, axes = pyplot.subplots(2, 2, figsize=(10.4, 9), layout="constrained")
    for axis in axes.flat:
        axis.set_axis_off()
    axes[0, 0].imshow(image, cmap="gray", vmin=0, vmax=255)
    axes[0, 0].set_title("surface")
    axes[0, 1].imshow(truth, cmap=ListedColormap(["0.95", "tab:blue", "tab:orange"]))
    axes[0, 1].set_title("defects that were put there")
    shown = axes[1, 0].imshow(bits, cmap="magma")
    axes[1, 0].set_title(f"entropy, 16 levels, windows of {SIZE} x {SIZE}")
    figure.colorbar(shown, ax=axes[:, 0], label="entropy, bits", shrink=0.5, location="left")
    outcome = np.where(found, 1, 0) + np.where(truth != SOUND, 2, 0)
    axes[1, 1].imshow(outcome, cmap=ListedColormap(["0.95", "tab:red", "gold", "tab:green"]))
    axes[1, 1].set_title("found by a threshold on the entropy")
    for axis, entries in ((axes[0, 1], {"worn": "tab:blue", "corroded": "tab:orange"}),
                          (axes[1, 1], {"found": "tab:green", "missed": "gold",
                                        "found, but sound": "tab:red"})):
        axis.legend(handles=[patches.Patch(color=colour, label=label)
                             for label, colour in entries.items()],
                    loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, frameon=False)
    return figure


if __name__ == "__main__":
    main()
