"""How every picture of the report looks: one style for plots.py and diagrams.py.

A picture is as wide as a page on GitHub, has an opaque white ground (pages may be dark), and its
file depends on nothing but what is drawn: no date, no random numbers, letters as outlines."""

import pathlib
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # after the backend has been chosen
from matplotlib.textpath import TextPath

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WIDTH = 8.6  # inches: 826 pixels at a browser's 96 an inch, where 8.5 points are 11 pixels
SMALL, NORMAL, LARGE = 8.5, 9.5, 12

# Colours that colour-blind eyes tell apart (after Okabe and Ito, and Tol).
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#e08a00", "#009e73", "#aa3377"
SKY, YELLOW, RED, GREY = "#56b4e9", "#f0e442", "#c8102e", "#777777"
INK, PALE, FAINT = "#222222", "#d9d9d9", "#f0f0f0"

plt.rcParams.update({
    "svg.hashsalt": "entropy", "svg.fonttype": "path", "font.family": "DejaVu Sans",
    "font.size": SMALL, "axes.labelsize": SMALL, "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL, "legend.fontsize": SMALL, "text.color": INK,
    "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": GREY,
    "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "grid.color": PALE, "grid.linewidth": 0.6, "figure.facecolor": "white",
    "savefig.facecolor": "white", "axes.formatter.useoffset": False})


def tint(colour, share=0.25):
    """A paler colour: that share of it, the rest white."""
    return tuple(1 - share * (1 - part) for part in matplotlib.colors.to_rgb(colour))


def dark(colour):
    """The same colour for words: pale ones are hard to read on white."""
    return tuple(0.72 * part for part in matplotlib.colors.to_rgb(colour))


def width_of(words, size=SMALL):
    """How wide words are drawn, in points."""
    return TextPath((0, 0), words, size=size).get_extents().x1


def smaller(svg):
    """The same picture in fewer bytes: no names that nothing refers to, short names of letters,
    places to a hundredth of a point. Words stay as comments."""
    svg = re.sub(r'<g id="[^"]*">', "<g>", svg)
    svg = re.sub(r'(?<=[#"])DejaVuSans(Mono-)?-?', r"g\1", svg)
    svg = re.sub(r"scale\([^)]*\)|-?\d+\.\d{3,}", lambda found: found[0] if found[0][0] == "s"
                 else f"{float(found[0]):.2f}".rstrip("0").rstrip("."), svg)
    svg = re.sub(r'(<use xlink:href="[^"]*") transform="translate\((\S+) 0\)"/>', r'\1 x="\2"/>',
                 svg)
    return "".join(line.strip() + "\n" for line in svg.splitlines())


def save(figure, path, png=None):
    """Writes the SVG, and for looking at it a PNG into the directory `png`."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg",
                   metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    path.write_text(smaller(path.read_text()))
    if png:
        pathlib.Path(png).mkdir(parents=True, exist_ok=True)
        figure.savefig(pathlib.Path(png) / (path.stem + ".png"), dpi=96)
    plt.close(figure)
