"""What plots.py draws with: headings, legends, axes, panels of dots and of lines."""

import collections
import math

from figure import (BLUE, GREEN, GREY, LARGE, NORMAL, ORANGE, PALE, PURPLE, RED, SMALL, WIDTH, dark,
                    plt, save, width_of)
from matplotlib.lines import Line2D
from matplotlib.ticker import (FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter,
                               NullLocator)
from rows import environment

FAMILIES = {"CUDA": BLUE, "OpenMP": ORANGE, "CUDA+OpenMP": GREEN, "engine": PURPLE, "CPU": ORANGE,
            "document": GREY}
FAMILY_NAMES = {"CUDA": "CUDA", "OpenMP": "OpenMP", "CUDA+OpenMP": "OpenMP + all GPUs",
                "engine": "engine", "CPU": "CPU", "document": "the document"}
GROUND = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # behind words on lines


def shown(value):
    """Three significant digits or so, never in scientific notation."""
    decimals = next((places for places, least in enumerate((100, 10, 1, 0.1)) if value >= least), 4)
    return f"{value:.{decimals}f}"


def plain(value, _=None):
    """A tick of a log axis."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= unit:
            return f"{value / min(unit, 1e3 if name == 'k' else unit):g} {name}"
    return f"{value:g}"


def log_axis(axis, low, high, limits=None):
    """Decades as plain numbers; where there is less than a decade or so, some steps between. With
    limits, as many as have room between them, and none that would stand out at an end."""
    steps = (1,) if high / low > 25 else (1, 2, 5) if high / low > 6 else (1, 1.5, 2, 3, 5, 7)
    axis.set_major_locator(LogLocator(subs=steps, numticks=20) if high / low > 2.5
                           else MaxNLocator(5))
    if limits:
        scale = panel_points(axis.axes) / math.log(limits[1] / limits[0])
        margin = math.exp(8 / scale)
        for base, steps in ((10, (1, 1.5, 2, 3, 5, 7)), (10, (1, 2, 5)), (10, (1, 3)), (10, (1,)),
                            (100, (1,))):
            ticks = [tick for tick in LogLocator(base, steps, numticks=30).tick_values(*limits)
                     if limits[0] * margin < tick < limits[1] / margin]
            if all(scale * math.log(after / tick) >
                   (width_of(plain(tick)) + width_of(plain(after))) / 2 + 6
                   for tick, after in zip(ticks, ticks[1:])):
                break
        axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def panel_points(axis):
    """How wide a panel is, in points."""
    return axis.get_position().width * WIDTH * 72


def heading(figure, title, what, directory, note="", top=0.10, stage=None):
    """Title and, smaller, what is shown, the machine and the revision; distances in inches."""
    height = figure.get_figheight()
    figure.text(0.012, 1 - top / height, title, fontsize=LARGE, weight="bold", va="top")
    figure.text(0.012, 1 - (top + 0.26) / height, f"{what}\n{environment(directory, stage)}{note}",
                fontsize=SMALL, color="#555555", va="top", linespacing=1.4)


def marker_legend(figure, entries, top=0.84):
    """A line of markers with their meaning: (colour, filled, words)."""
    handles = [Line2D([], [], linestyle="", marker="o", markersize=6.5, markeredgecolor=colour,
                      markerfacecolor=colour if filled else "white", markeredgewidth=1.5,
                      label=words) for colour, filled, words in entries]
    figure.legend(handles=handles, loc="upper left", frameon=False, ncol=len(handles),
                  bbox_to_anchor=(0.003, 1 - top / figure.get_figheight()), borderaxespad=0,
                  handletextpad=0.1, columnspacing=1.4, borderpad=0)


Dot = collections.namedtuple("Dot", "line value range family filled text side", defaults=("",))
Panel = collections.namedtuple("Panel", "title dots ceilings")  # ceilings: (value, words)


STUDIES = ("memory_study", "bottleneck_study")  # of a stage of their own; the fast one is not


def dots(path, png, directory, title, what, lines, panels, unit, meaning=()):
    """Panels side by side with one line a version: a dot at its value on a log axis, the value
    beside it, the range of the rounds as a bar, ceilings as vertical lines."""
    left = 0.24 + max(width_of(line) for line in lines) / 72
    head, foot = 1.45 + 0.18 * what.count("\n"), 0.48
    head -= 0 if any(panel.ceilings for panel in panels) else 0.18
    figure, axes = plt.subplots(1, len(panels), sharey=True, squeeze=False,
                                figsize=(WIDTH, head + foot + 0.235 * len(lines)))
    inches = figure.get_figheight()
    figure.subplots_adjust(left=left / WIDTH, right=0.985, wspace=0.07, top=1 - head / inches,
                           bottom=foot / inches)
    rounds = any(dot.range and dot.range[1] > dot.range[0]
                 for panel in panels for dot in panel.dots)
    heading(figure, title, what, directory, ". Bars: range of the rounds" if rounds else "",
            stage="studies" if directory.name in STUDIES else None)
    used = dict.fromkeys(dot.family for panel in panels for dot in panel.dots)
    marker_legend(figure, [(FAMILIES[name], True, FAMILY_NAMES[name]) for name in FAMILIES
                           if name in used] + list(meaning),
                  0.84 + 0.18 * what.count("\n"))
    for axis, panel in zip(axes[0], panels):
        if not panel.dots:
            axis.set_visible(False)
            continue
        values = [end for dot in panel.dots for end in dot.range or (dot.value,)] + \
                 [value for value, _ in panel.ceilings]
        low, high = min(values), max(values)
        axis.set_xscale("log")
        before, after = (max([room] + [width_of(dot.text) + 9 for dot in panel.dots
                                       if dot.side == side])
                         for side, room in (("left", 11), ("right", 14)))
        scale = (panel_points(axis) - before - after) / math.log(max(high / low, 1.4))
        axis.set_xlim(low * math.exp(-before / scale), high * math.exp(after / scale))
        log_axis(axis.xaxis, low, high, axis.get_xlim())
        axis.grid(axis="x")
        axis.hlines(range(len(lines)), *axis.get_xlim(), color=PALE, linewidth=0.6, zorder=0)
        axis.set_ylim(len(lines) - 0.4, -0.6)
        axis.spines["left"].set_visible(False)
        axis.tick_params(length=0)
        axis.set_xlabel(unit)
        axis.set_title(panel.title, fontsize=NORMAL, weight="bold", loc="left",
                       pad=18 if panel.ceilings else 6)
        for value, words in panel.ceilings:
            axis.axvline(value, color=RED, linewidth=1.3, zorder=1)
            middle = place(axis, value) > 0.25
            axis.annotate(words, (value, 1), xycoords=("data", "axes fraction"), xytext=(0, 2),
                          textcoords="offset points", color=RED, va="bottom",
                          ha="right" if place(axis, value) > 0.6 else "center" if middle
                          else "left")
        for dot in panel.dots:
            colour = FAMILIES[dot.family]
            if dot.range and dot.range[1] > dot.range[0]:
                axis.plot(dot.range, [dot.line] * 2, color=colour, linewidth=1.2, marker="|",
                          markersize=7, zorder=2)
            axis.plot(dot.value, dot.line, linestyle="", marker="o", markersize=6, color=colour,
                      markerfacecolor=colour if dot.filled else "white", markeredgewidth=1.5,
                      zorder=3)
            if dot.text:
                before = dot.side == "left" or not dot.side and label_before(axis, dot, panel)
                edge = (dot.range or (dot.value, dot.value))[0 if before else 1]
                axis.annotate(dot.text, (edge, dot.line), xytext=(-6 if before else 6, 0),
                              textcoords="offset points", va="center_baseline",
                              ha="right" if before else "left", bbox=GROUND, zorder=2.5)
    axes[0][0].set_yticks(range(len(lines)), lines)
    for label in axes[0][0].get_yticklabels():
        label.set_horizontalalignment("left")
    axes[0][0].tick_params(axis="y", pad=(left - 0.1) * 72)
    save(figure, path, png)


def label_before(axis, dot, panel):
    """Whether its number goes to the left of a dot: to stay in the panel, off the ceilings."""
    points = panel_points(axis)
    low, high = (points * place(axis, end) for end in dot.range or (dot.value, dot.value))
    width = 8 + width_of(dot.text)
    crosses = any(low < points * place(axis, value) < high + width for value, _ in panel.ceilings)
    return high + width > points + 5 or crosses and low > width


def place(axis, value):
    """Where a value lies between the ends of a log axis: 0 to 1."""
    return axis.transAxes.inverted().transform(axis.transData.transform((value, 1)))[0]


def label_ends(axis, ends, gap=11.5):
    """Words at the right ends of lines, pushed apart where they would overlap: (x, y, words,
    colour)."""
    scale = 72 / axis.figure.dpi
    places = sorted(([axis.transData.transform((x, y))[1] * scale, x, y, words, colour]
                     for x, y, words, colour in ends), key=lambda one: one[0])
    wanted = [one[0] for one in places]
    for _ in range(200):
        for i in range(len(places) - 1):
            missing = gap - (places[i + 1][0] - places[i][0])
            if missing > 0.01:
                places[i][0] -= missing / 2
                places[i + 1][0] += missing / 2
    for (at, x, y, words, colour), was in zip(places, wanted):
        axis.annotate(words, (x, y), xytext=(7, at - was), textcoords="offset points",
                      color=dark(colour), va="center", ha="left", annotation_clip=False)


def lines_panel(axis, lines, x_label, y_label, title, ceilings=()):
    """Lines on log axes, named at their ends: lines of (words, colour, dashed, [(x, y)])."""
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_title(title, fontsize=NORMAL, weight="bold", loc="left")
    axis.set_xlabel(x_label)
    axis.set_ylabel(y_label)
    axis.grid()
    points = [point for *_, line in [*lines, *ceilings] for point in line]
    log_axis(axis.xaxis, *extent(x for x, _ in points))
    log_axis(axis.yaxis, *extent(y for _, y in points))
    ends = []
    for words, colour, dashed, line in lines:
        axis.plot(*zip(*line), color=colour, linewidth=1.5, marker="o", markersize=4.5,
                  linestyle="--" if dashed else "-", markerfacecolor="white" if dashed else colour)
        ends.append((*line[-1], words, colour))
    for words, line in ceilings:
        axis.plot(*zip(*line), color=RED, linewidth=1.5)
        ends.append((*line[-1], words, RED))
    axis.autoscale_view()
    label_ends(axis, ends)


def extent(values):
    values = list(values)
    return min(values), max(values)
