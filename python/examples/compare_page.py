"""What compare.py measured, as a table and as a picture."""

import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess

import numpy as np
import skimage
from matplotlib import pyplot

import local_entropy

PAGE = """# The same picture through scikit-image and local_entropy

Written by `compare.py`, which measured all of it in one run, each in turn (rounds: {rounds}). The
picture is scikit-image's `data.camera()`, 512 x 512 bytes. Times are medians in ms (least to
largest).
*Drop-in* is `local_entropy.skimage.entropy`, all threads, with float64 results; the columns after
it are `local_entropy.entropy`, with float32. *Ratio*: the time of scikit-image, which uses one
thread, divided by that of one thread of `local_entropy.entropy`.

{table}

*Difference*: the largest from scikit-image's results, in bits. {gpu}

Machine: {machine}; Linux, load {load:.1f} before the run; Python {python}, NumPy {numpy},
scikit-image {skimage}, local_entropy {local_entropy}.
"""


def page(times, differences, rounds, load, gpu):
    """Times and differences are by window; of a window, times by way, differences by type."""
    ways = list(next(iter(times.values())))
    titles = ["window", *[f"{way}, ms" for way in ways], "ratio", "difference, float32", "float64"]
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for window, measured in times.items():
        ratio = statistics.median(measured["scikit-image"]) / \
            statistics.median(measured["one thread"])
        lines.append("| " + " | ".join(
            [window, *[spread(measured[way]) for way in ways], f"{ratio:.0f}",
             f"{differences[window]['float32']:.1e}", f"{differences[window]['float64']:.0e}"]) +
            " |")
    return PAGE.format(
        rounds=rounds, table="\n".join(lines), load=load,
        gpu="*GPU*: from call to result, all in its memory." if gpu else
        "No GPU was timed: there was\nnone, or neither CuPy nor PyTorch for arrays in its memory.",
        machine=machine(gpu), python=platform.python_version(), numpy=np.__version__,
        skimage=skimage.__version__, local_entropy=local_entropy.__version__)


def spread(milliseconds):
    middle, least, most = (f"{value:.3g}" for value in (
        statistics.median(milliseconds), min(milliseconds), max(milliseconds)))
    return f"{middle} ({least} to {most})"


def machine(gpu):
    processors = pathlib.Path("/proc/cpuinfo").read_text()
    found = re.search(r"^model name\s*:\s*(.*)", processors, re.MULTILINE)
    threads = len(os.sched_getaffinity(0))
    names = [f"{found[1] if found else platform.machine()}, {threads} threads"]
    if gpu and shutil.which("nvidia-smi"):
        names.append(subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                                    stdout=subprocess.PIPE, text=True).stdout.split("\n")[0])
    return "; ".join(names)


def draw(maps, times):
    """Two maps of the same, by name, their difference, and all times."""
    figure, axes = pyplot.subplots(2, 2, figsize=(10.5, 8.4), layout="constrained")
    for axis, (name, values) in zip(axes[0], maps.items()):
        shown = axis.imshow(values, cmap="magma", vmin=0, vmax=8)
        axis.set_title(name)
    figure.colorbar(shown, ax=axes[0], label="entropy, bits", shrink=0.9)
    one, other = maps.values()
    shown = axes[1, 0].imshow(abs(other - one) * 1e7, cmap="gray", vmin=0)
    axes[1, 0].set_title("their difference")
    figure.colorbar(shown, ax=axes[1, 0], label="$10^{-7}$ bits", shrink=0.9, location="left")
    for axis in axes.flat[:3]:
        axis.set_axis_off()
    for way in next(iter(times.values())):
        axes[1, 1].plot([statistics.median(measured[way]) for measured in times.values()],
                        list(times), "o", label=way)
    axes[1, 1].set(xscale="log", xlabel="time, ms", title="time by window")
    axes[1, 1].grid(alpha=0.4)
    axes[1, 1].invert_yaxis()
    figure.legend(*axes[1, 1].get_legend_handles_labels(), loc="outside lower right", ncols=5,
                  frameon=False)
    return figure
