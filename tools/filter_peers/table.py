"""The table, on the terminal and in a file."""

import csv
import os
import platform

import numpy

from .measuring import HEAD

NUMBERS = ("median_ms", "min_ms", "mpixel_per_s", "to_one_thread", "to_all_threads", "to_gpu")
TITLE = (f"{'image':9} {'window':6} {'peer':13} {'on':3} {'by':>7} {'border':7} {'cells':>13} "
         f"{'median, ms':>10} {'minimum':>9} {'runs':>4} {'Mpixel/s':>8} {'to 1 thread':>11} "
         f"{'to all':>8} {'to GPU':>8}")


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file
                        if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def facts(library):
    return (f"CPU:           {processor()}, {library.threads} threads, load of the last minute "
            f"{os.getloadavg()[0]:.1f}\n"
            f"local_entropy: {library.version}\n"
            f"python:        {platform.python_version()}, NumPy {numpy.__version__}")


def line(row):
    head = f"{row['image'] or 'all':9} {row['window']:6} {row['peer']:13} {row['runs_on']:3} "
    if not row["runs"]:
        return f"{head.rstrip()} not timed: {row['note']}"
    ratios = [f"{row[key]:.3g}" if row[key] != "" else "-" for key in NUMBERS[3:]]
    cells = f"{row['width']} x {row['height']}"
    return (f"{head}{row['threads'] or row['arrays']:>7} {row['border']:7} {cells:>13} "
            f"{row['median_ms']:10.2f} {row['min_ms']:9.2f} {row['runs']:4} "
            f"{row['mpixel_per_s']:8.3g} {ratios[0]:>11} {ratios[1]:>8} {ratios[2]:>8}"
            f"{'  ' + row['note'] if row['note'] else ''}")


def save(path, rows):
    temporary = f"{path}.tmp.{os.getpid()}"
    with open(temporary, "w", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            numbers = {key: f"{row[key]:.6g}" for key in NUMBERS if row[key] != ""}
            writer.writerow({**row, **numbers})
    os.replace(temporary, path)
