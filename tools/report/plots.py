#!/usr/bin/env python3
"""Draws what was measured on a machine: results/MACHINE/plots/NAME.svg from the CSVs beside it.

usage: tools/report/plots.py DIRECTORY [--png DIRECTORY]
       --png also writes each plot as a PNG there, to look at

A plot whose CSV is missing, or has nothing to compare, is left out, and a line says so."""

import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from figure import BLUE, GREEN, GREY, INK, NORMAL, ORANGE, PALE, PURPLE, RED, SKY, WIDTH, plt, save
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator
from panels import (Dot, FAMILIES, FAMILY_NAMES, Panel, dots, extent, heading, lines_panel,
                    log_axis, marker_legend, shown)
from results import NotMeasured
from rows import family_of, ideas_of, named, positive, read, size_of, sizes_of, versions_of


class NothingToShow(Exception):
    """Why a plot is left out although its CSV is there."""


# ---- the plots ---------------------------------------------------------------------------------


def kernel_or_call(row, line):
    """The kernel's time as a full dot; the whole call's as an empty one, where there is no
    kernel."""
    kernel, total = positive(row, "kernel_median_ms"), positive(row, "total_median_ms")
    if not (kernel or total):
        return []
    column = "kernel_median_ms" if kernel else "total_median_ms"
    return [Dot(line, kernel or total, row["range"].get(column), family_of(row), bool(kernel),
                shown(kernel or total))]


LAUNCH = "A copy of 400x400 is little but its launch, so that a kernel may beat it."
MEANING = [("#555555", True, "kernel alone"), ("#555555", False, "whole call: no kernel")]


def copy_of(rows, size, column="device_copy_ms"):
    """Time of a copy in ms; None where there is no device."""
    copies = [row[column] for row in rows if size_of(row) == size and positive(row, column)]
    return statistics.median(copies) if copies else None


def panels_of(rows, dots_of, ceiling=True):
    """A panel a size."""
    versions, panels = versions_of(rows), []
    for size in sizes_of(rows):
        found = [dot for row in rows if size_of(row) == size
                 for dot in dots_of(row, versions.index(row["version"]))]
        copy = copy_of(rows, size)
        panels.append(Panel(named(size), found,
                            [(copy, f"copy {shown(copy)}")] if ceiling and copy else []))
    return panels


def draw_ladder(directory, path, png):
    rows = read(directory, "times.csv")
    dots(path, png, directory, "The ladder: the kernel of every version",
         "Time in ms on random cells, the less the better. Red line: copying the same floats "
         f"within the GPU.\n{LAUNCH}", ideas_of(rows), panels_of(rows, kernel_or_call), "ms",
         meaning=MEANING)


def draw_end_to_end(directory, path, png):
    rows = read(directory, "times.csv")

    def dots_of(row, line):
        total = positive(row, "total_median_ms")
        return [Dot(line, total, row["range"].get("total_median_ms"), family_of(row), True,
                    shown(total))] if total else []

    panels = [panel._replace(ceilings=[(copy, f"copy {shown(copy)}")])
              for panel, copy in ((panel, copy_of(rows, size, "host_copy_ms")) for panel, size in
                                  zip(panels_of(rows, dots_of, False), sizes_of(rows)))]
    dots(path, png, directory, "The ladder, end to end",
         "Time in ms of a whole call, from host memory to host memory. Red line: copying the same "
         "floats within host memory.", ideas_of(rows), panels, "ms")


def draw_share(directory, path, png):
    rows = read(directory, "times.csv")

    def dots_of(row, line):
        kernel, total = positive(row, "kernel_median_ms"), positive(row, "total_median_ms")
        if not (kernel or total):
            return []
        share = 100 * (row["device_copy_ms"] / kernel if kernel else row["host_copy_ms"] / total)
        low, high = row["range"].get("kernel_median_ms" if kernel else "total_median_ms",
                                     (kernel or total,) * 2)
        middle = kernel or total
        return [Dot(line, share, (share * middle / high, share * middle / low), family_of(row),
                    bool(kernel), shown(share) if share < 100 else f"{share:.0f}")]

    panels = [panel._replace(ceilings=[(100, "copy")])
              for panel in panels_of(rows, dots_of, False)]
    dots(path, png, directory, "Share of the speed of a copy",
         "In %, the more the better. Kernels against a copy within the GPU, the others against one "
         f"within host memory.\n{LAUNCH}", ideas_of(rows), panels, "% of a copy's speed",
         meaning=MEANING)


def draw_rate(directory, path, png):
    rows = read(directory, "times.csv")

    def line(found, column):
        sides = [(width, row[column]) for row in found if positive(row, column)
                 for width, height in [size_of(row)] if width == height]
        return sorted((side ** 2, side ** 2 / time / 1e6) for side, time in sides)

    def of(version, column):
        return line([row for row in rows if row["version"] == version], column)

    families = {row["version"]: FAMILIES[family_of(row)] for row in rows}
    kernels = {version: of(version, "kernel_median_ms") for version in ("v0", "v7", "v9", "v15")}
    calls = {version: of(version, "total_median_ms")
             for version in ("v0", "v7", "v10", "v12", "v14", "v15", "v16", "v17")}
    copies = of(versions_of(rows)[0], "device_copy_ms")
    host_copies = of(versions_of(rows)[0], "host_copy_ms")
    if (directory / "gpu.csv").exists():
        more = [row for row in read(directory, "gpu.csv")
                if row["cells"] == "float" and row["content"] == "random" and
                row["offset"] == "0"]
        kernels["v15"], copies = line(more, "median_ms"), line(more, "copy_ms")
    if (directory / "everywhere.csv").exists():
        more = [row for row in read(directory, "everywhere.csv") if row["memory"] == "again"]
        for version, way in (("v16", "cpu"), ("v17", "everywhere")):
            calls[version] = line([row for row in more if row["way"] == way], "median_ms")
        host_copies = line(more, "host_copy_ms")
        calls = {version: [point for point in points if point[0] >= 1000]
                 for version, points in calls.items()}
        host_copies = [point for point in host_copies if point[0] >= 1000]
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(WIDTH, 4.9))
    figure.subplots_adjust(left=0.075, right=0.945, wspace=0.28, top=0.74, bottom=0.11)
    heading(figure, "Cells a second, by the size of the array",
            "Gigacells a second on random square arrays. Red line: copying the same floats, within "
            "the GPU or within host memory.", directory)
    marker_legend(figure, [(FAMILIES[name], True, FAMILY_NAMES[name]) for name in
                           ("CUDA", "OpenMP", "CUDA+OpenMP", "engine")])
    for axis, title, found, copied in ((axes[0], "kernel alone", kernels, copies),
                                       (axes[1], "whole call", calls, host_copies)):
        lines = [(version, families[version], False, points)
                 for version, points in found.items() if points]
        axis.set_visible(bool(lines))
        if lines:
            lines_panel(axis, lines, "cells", "Gcell/s", title, [("copy", copied)])
    axes[1].tick_params(labelleft=True)
    save(figure, path, png)


def draw_scaling(directory, path, png):
    rows = read(directory, "scaling.csv")
    sides = [side for side in dict.fromkeys(int(row["side"]) for row in rows) if side >= 400]
    figure, axes = plt.subplots(1, len(sides), sharey=True, squeeze=False, figsize=(WIDTH, 4.5))
    figure.subplots_adjust(left=0.075, right=0.945, wspace=0.24, top=0.73, bottom=0.115)
    heading(figure, "Threads: how many times faster than one",
            "Whole calls without a GPU, the fastest of each. Red line: twice the threads, half the "
            "time.", directory, stage="scaling")
    marker_legend(figure, [(ORANGE, True, "OpenMP, in shades"), (PURPLE, True, "engine")])
    for axis, side in zip(axes[0], sides):
        lines = []
        for version in versions_of(rows):
            times = {int(row["threads"]): positive(row, "min_ms") for row in rows
                     if row["version"] == version and int(row["side"]) == side}
            if times.get(1):
                engine = version in ("v16", "v17")
                lines.append((version, PURPLE if engine else shade(version), False,
                              [(threads, times[1] / time) for threads, time in
                               sorted(times.items()) if time]))
        most = max(x for *_, line in lines for x, _ in line)
        lines_panel(axis, lines, "threads", "times faster than 1 thread", f"{side}x{side}",
                    [("ideal", [(1, 1), (most, most)])])
        for ticks in (axis.xaxis, axis.yaxis):
            ticks.set_major_locator(LogLocator(base=2, numticks=20))
        axis.tick_params(labelleft=True)
        if axis is not axes[0][0]:
            axis.set_ylabel("")
    save(figure, path, png)


def shade(version):
    """Different colours for OpenMP versions that share a panel of lines."""
    return {"v10": "#b35900", "v11": ORANGE, "v12": "#7a5c00", "v13": "#c2a14d",
            "v14": GREEN}.get(version, ORANGE)


def lines_of_gpus(rows, column, size):
    """How many times as fast as on one GPU: a line a version that was measured on one."""
    lines = []
    for version in versions_of(rows):
        times = {int(row["gpus"]): positive(row, column) for row in rows
                 if row["version"] == version and size_of(row) == size}
        if times.get(1):
            engine = version in ("v15", "v16", "v17")
            lines.append((version, FAMILIES["engine" if engine else "CUDA+OpenMP"], False,
                          [(gpus, times[1] / time) for gpus, time in sorted(times.items())
                           if time]))
    return lines


def draw_gpus(directory, path, png):
    ladder, study = read(directory, "gpus.csv"), []
    if (directory / "variants_study" / "gpus.csv").exists():
        study = read(directory / "variants_study", "gpus.csv")
    rows = ladder + study
    most = max((int(row["gpus"]) for row in rows), default=1)
    if most == 1:
        raise NothingToShow("one GPU in gpus.csv")
    largest = max(sizes_of(rows), key=lambda size: size[0] * size[1])
    panels = [(title, lines) for title, found, column in
              (("kernel alone", ladder, "kernel_median_ms"), ("whole call", ladder, "median_ms"),
               ("whole call, variants study", study, "median_ms"))
              if (lines := lines_of_gpus(found, column, largest))]
    if not panels:
        raise NothingToShow(f"no version in gpus.csv was measured on one GPU at {named(largest)}")
    figure, axes = plt.subplots(1, len(panels), sharey=True, squeeze=False, figsize=(WIDTH, 4.2))
    figure.subplots_adjust(left=0.07, right=0.885, wspace=0.45, top=0.77, bottom=0.125)
    heading(figure, f"GPUs: how many times faster than one, {named(largest)}",
            "Medians of a few calls. Red line: twice the GPUs, half the time." +
            (" In the study, one GPU takes two parts." if study else ""), directory,
            stage="scaling")
    for axis, (title, lines) in zip(axes[0], panels):
        lines_panel(axis, lines, "GPUs", "times faster than 1 GPU" if axis is axes[0, 0] else
                    "", title, [("ideal", [(1, 1), (most, most)])])
        for ticks in (axis.xaxis, axis.yaxis):
            ticks.set_major_locator(LogLocator(base=2, numticks=20))
        axis.tick_params(labelleft=True)
    save(figure, path, png)


def draw_fast_study(directory, path, png):
    study = [row for row in read(directory / "fast_study", "times.csv")
             if row["platform"] == "CUDA"]
    sizes = sizes_of(study)
    ladder = [row for row in read(directory, "times.csv") if size_of(row) in sizes]
    rows = [row for row in ladder if row["version"] == "v0"] + study + \
           [row for row in ladder if row["version"] == "v15"]
    first = {size_of(row): positive(row, "kernel_median_ms") for row in study
             if row["version"] == study[0]["version"]}

    def dots_of(row, line):
        kernel = positive(row, "kernel_median_ms")
        gained = kernel and first.get(size_of(row)) and first[size_of(row)] / kernel
        return [Dot(line, kernel, row["range"].get("kernel_median_ms"), family_of(row), True,
                    shown(kernel) + (f"  ({gained:.1f}x)" if gained and gained >= 1.25 else ""))] \
            if kernel else []

    dots(path, png, directory, "From v7 to v15, one idea at a time",
         "Time of the kernel in ms; in brackets, how many times as fast as v7's, which is the "
         f"start. Red line: copying the same floats.\n{LAUNCH}", ideas_of(rows),
         panels_of(rows, dots_of), "ms")


def draw_memory_study(directory, path, png):
    rows = read(directory / "memory_study", "times.csv")
    dots(path, png, directory / "memory_study", "The memory study: where to keep what",
         "Time of the kernel in ms. A change starts from the best of the group before it, as found "
         "on the course's GPU.\nRed line: copying the same floats within the GPU.", ideas_of(rows),
         panels_of(rows, kernel_or_call), "ms", meaning=MEANING)


def draw_bottleneck_study(directory, path, png):
    rows = read(directory / "bottleneck_study", "times.csv")

    def dots_of(row, line):
        kernel, total = positive(row, "kernel_median_ms"), positive(row, "total_median_ms")
        return [Dot(line, value, row["range"].get(column), family_of(row), filled, shown(value),
                    side) for value, column, filled, side in
                ((kernel, "kernel_median_ms", True, "left"),
                 (total, "total_median_ms", False, "right")) if value]

    dots(path, png, directory / "bottleneck_study", "The bottleneck study: leaving work out",
         "Time in ms. What separates the empty dot from the full one is allocating and copying.",
         ideas_of(rows), panels_of(rows, dots_of, ceiling=False), "ms",
         meaning=[("#555555", True, "kernel alone"), ("#555555", False, "whole call")])


def draw_maximum(directory, path, png):
    rows = read(directory, "maximum.csv")
    lines, panels = versions_of(rows), []
    for size in sizes_of(rows):
        here = [row for row in rows if size_of(row) == size]
        gigabytes = 4e-6 * size[0] * size[1]
        found = []
        for row in here:
            kernel, total = positive(row, "kernel_median_ms"), positive(row, "total_median_ms")
            if kernel or total:
                time = kernel or total
                low, high = row["range"].get("kernel_median_ms" if kernel else "total_median_ms",
                                             (time, time))
                found.append(Dot(lines.index(row["version"]), gigabytes / time,
                                 (gigabytes / high, gigabytes / low), row["platform"],
                                 bool(kernel), f"{gigabytes / time:.0f}"
                                 if gigabytes / time >= 10 else shown(gigabytes / time)))
        reading = gigabytes / copy_of(rows, size, "device_read_ms")
        panels.append(Panel(f"{size[1]}x{size[0]}", found, [(reading, f"read {reading:.0f}")]))
    dots(path, png, directory, "The maximum of a matrix: speed",
         "GB/s of the matrix, the more the better. Red line: merely reading it. Rows x columns.",
         ideas_of(rows), panels, "GB/s", meaning=MEANING)


TRANSPOSE = {"t0": "CPU", "t1": "OpenMP", "t2": "global, by rows", "t3": "global, by columns",
             "t4": "shared tile", "t5": "blocks exchanged", "t6": "padded", "t7": "turned",
             "t8": "wide, swizzled", "t9": "cuBLAS", "t10": "any sides"}


def draw_transpose(directory, path, png):
    rows = [row for row in read(directory, "transpose.csv") if row["rows"] == row["columns"]
            and int(row["rows"]).bit_count() == 1]
    figure, axis = plt.subplots(figsize=(WIDTH, 5.0))
    figure.subplots_adjust(left=0.095, right=0.80, top=0.80, bottom=0.11)
    heading(figure, "Transposing a matrix: speed",
            "GB/s read and written by the kernel; sides that are powers of two; blocks of 32x32 "
            "where a version leaves the choice.\nRed line: copying the same floats; of a small "
            "matrix, that is little but its launch.", directory)
    colours = dict(zip(("t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"),
                       (SKY, BLUE, "#8c6bb1", "#cc79a7", ORANGE, "#999999", GREEN, INK)))

    def line(found, column):
        return sorted((float(row["rows"]), 8e-6 * float(row["rows"]) ** 2 / row[column])
                      for row in found if positive(row, column))

    lines = []
    for version in versions_of(rows):
        points = line([row for row in rows if row["version"] == version
                       and row["block"] in ("-", "32")], "kernel_median_ms")
        if points:
            name = TRANSPOSE.get(version)
            lines.append((f"{version}  {name}" if name else version, colours.get(version, GREY),
                          version == "t9", points))
    copies = line([row for row in rows if row["version"] == rows[0]["version"]], "device_copy_ms")
    lines_panel(axis, lines, "rows and columns", "GB/s", "", [("copy", copies)])
    sides = sorted({int(x) for *_, points in lines for x, _ in points})
    axis.set_xticks(sides, [str(side) for side in sides])
    save(figure, path, png)


PARTS = {"context": GREY, "allocate": SKY, "up": BLUE, "kernel": PURPLE, "down": ORANGE,
         "faults": RED, "free": GREEN, "other": PALE}
PART_NAMES = {"context": "start CUDA", "allocate": "allocate", "up": "copy up",
              "kernel": "kernel, or CPU at work", "down": "copy down",
              "faults": "page faults", "free": "free", "other": "other"}


def draw_parts(directory, path, png):
    rows = read(directory, "parts.csv")
    size = max(sizes_of(rows), key=lambda size: size[0] * size[1])
    rows = [row for row in rows if size_of(row) == size]
    versions = versions_of(rows)
    calls = [call for call in ("later", "first") if any(row["call"] == call for row in rows)]
    figure, axes = plt.subplots(len(calls), 1, squeeze=False, sharex=True,
                                figsize=(WIDTH, 1.5 + len(calls) * (0.62 + 0.27 * len(versions))))
    inches = figure.get_figheight()
    figure.subplots_adjust(left=0.06, right=0.93, top=1 - 1.25 / inches, bottom=0.5 / inches,
                           hspace=0.62 / (0.27 * len(versions)))
    heading(figure, f"Where the time of a call goes, {named(size)}",
            "ms from call to return, stacked; the number is the whole call's.", directory,
            stage="parts")
    for axis, call in zip(axes[:, 0], calls):
        found = {(row["version"], row["part"]): row["ms"] for row in rows if row["call"] == call}
        for line, version in enumerate(versions):
            begin = 0
            for part, colour in PARTS.items():
                length = found.get((version, part)) or 0
                axis.barh(line, length, left=begin, color=colour, height=0.72, edgecolor="white",
                          linewidth=0.6)
                begin += length
            total = found.get((version, "total")) or begin
            axis.annotate(shown(total), (max(begin, total), line), xytext=(4, 0),
                          textcoords="offset points", va="center_baseline")
        axis.set_yticks(range(len(versions)), versions)
        axis.set_ylim(len(versions) - 0.45, -0.55)
        axis.set_title("the first call of a process" if call == "first" else "a later call",
                       fontsize=NORMAL, weight="bold", loc="left")
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
        axis.tick_params(axis="x", labelbottom=True)
    axes[-1, 0].set_xlim(0, 1.05 * max(row["ms"] for row in rows))
    axes[-1, 0].set_xlabel("ms")
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for part, colour in PARTS.items()]
    figure.legend(handles, [PART_NAMES[part] for part in PARTS], loc="upper left", frameon=False,
                  ncol=len(PARTS), bbox_to_anchor=(0.012, 1 - 0.84 / inches), borderaxespad=0,
                  handlelength=1, handletextpad=0.4, columnspacing=1.2, borderpad=0)
    save(figure, path, png)


def draw_occupancy(directory, path, png):
    rows = [row for row in read(directory, "occupancy.csv") if positive(row, "median_ms")]
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 4.6))
    figure.subplots_adjust(left=0.075, right=0.83, wspace=0.24, top=0.78, bottom=0.11)
    heading(figure, "Occupancy: predicted, measured, and what it is worth",
            "v7's kernel on 2560x2560, compiled for several numbers of registers, in blocks of "
            "several sizes, with shared memory set aside.\nRed line: as predicted.", directory,
            stage="parts")
    asked = sorted({int(float(row["registers"])) for row in rows})
    colours = dict(zip(asked, plt.get_cmap("viridis")([0.85 * i / max(1, len(asked) - 1)
                                                       for i in range(len(asked))])))
    threads = sorted({int(row["block_threads"]) for row in rows})
    markers = dict(zip(threads, "osD^vP*Xh<>"))
    for row in rows:
        style = dict(marker=markers[int(row["block_threads"])], markersize=6, linestyle="",
                     color=colours[int(float(row["registers"]))], markeredgecolor="white",
                     markeredgewidth=0.5)
        axes[0].plot(100 * row["predicted"], 100 * row["measured"], **style)
        axes[1].plot(100 * row["measured"], row["median_ms"], **style)
    axes[0].plot([0, 100], [0, 100], color=RED, linewidth=1.2, zorder=0)
    axes[0].set(xlabel="occupancy predicted, %", ylabel="measured, %", xlim=(0, 105), ylim=(0, 105))
    axes[1].set(xlabel="occupancy measured, %", ylabel="kernel, ms", xlim=(0, 105), yscale="log")
    log_axis(axes[1].yaxis, *extent(row["median_ms"] for row in rows))
    for axis in axes:
        axis.grid()

    def handle(marker, colour, words):
        return Line2D([], [], marker=marker, color=colour, linestyle="", markersize=6, label=words)

    figure.legend(handles=[handle("", INK, "registers a thread"),
                           *(handle("o", colours[one], str(one)) for one in asked),
                           handle("", INK, ""), handle("", INK, "threads a block"),
                           *(handle(markers[one], GREY, str(one)) for one in threads)],
                  loc="upper left", bbox_to_anchor=(0.835, 0.80), frameon=False, handletextpad=0.2,
                  borderaxespad=0, borderpad=0)
    save(figure, path, png)


def draw_course(directory, path, png):
    course = {(row["version"], size_of(row)): row["total_ms"]
              for row in read(directory.parent / "course-v100", "ladder.csv")}
    rows = [row for row in read(directory, "times.csv") if (row["version"], size_of(row)) in course]

    def dots_of(row, line):
        ours, theirs = positive(row, "total_median_ms"), course[row["version"], size_of(row)]
        sides = ("left", "right") if ours and ours < theirs else ("right", "left")
        return [Dot(line, theirs, None, "document", True, shown(theirs), sides[1]),
                Dot(line, ours, row["range"].get("total_median_ms"), family_of(row), True,
                    shown(ours), sides[0])] if ours else []

    dots(path, png, directory, "The course document's times beside ours, end to end",
         "Time in ms of a whole call. The document's machine: 4 V100, 28 cores (2020); its v14 "
         "used all four. Ours:", ideas_of(rows), panels_of(rows, dots_of, ceiling=False), "ms")


PLOTS = {"ladder": draw_ladder, "end_to_end": draw_end_to_end, "share": draw_share,
         "rate": draw_rate, "scaling": draw_scaling, "gpus": draw_gpus,
         "fast_study": draw_fast_study, "memory_study": draw_memory_study,
         "bottleneck_study": draw_bottleneck_study, "maximum": draw_maximum,
         "transpose": draw_transpose, "parts": draw_parts, "occupancy": draw_occupancy,
         "course": draw_course}


def draw(directory, png=None, names=tuple(PLOTS)):
    """Draws every plot of these whose CSVs are there; returns the names of those drawn."""
    directory, drawn = pathlib.Path(directory), []
    for name in names:
        try:
            PLOTS[name](directory, directory / "plots" / f"{name}.svg", png)
            drawn.append(name)
        except (NotMeasured, NothingToShow) as reason:
            print(f"plots.py: {reason}: {name} is left out", file=sys.stderr)
    return drawn


def main(arguments):
    png = None
    if "--png" in arguments[:-1]:
        at = arguments.index("--png")
        png = arguments[at + 1]
        del arguments[at:at + 2]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        wanted = arguments == ["--help"]
        print(__doc__, file=sys.stdout if wanted else sys.stderr)
        return 0 if wanted else 2
    print(" ".join(draw(arguments[0], png)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
