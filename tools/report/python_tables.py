"""The tables of the Python package: python_*.csv of tools/python_files.py, python_cluster.py and
bench/python_overhead.py."""

from .formats import shown, times as factor
from .tables import ratio, table

MS = "median_ms"


def seconds(row):
    return shown(float(row[MS]) / 1e3) if row else "-"


def number(row, column):
    return float(row[column]) if row else None


def key(row, *columns):
    return tuple(row[column] for column in columns)


def files(record):
    """The command over files, and the same reading and writing with a copy in place of the
    computing; a file larger than memory has none."""
    rows = {}
    for name in ("python_rate.csv", "python_large.csv"):
        for row in record.rows(name):
            rows.setdefault(key(row, "source", "width", "height"), {})[row["way"]] = row
    shown_rows = []
    for (source, width, height), ways in rows.items():
        copied, computed = ways.get("copy"), ways["auto"]
        shown_rows.append([source, f"{width}x{height}", seconds(copied), seconds(computed),
                           ratio(number(copied, MS), number(computed, MS)),
                           f"{float(computed['memory_bytes']) / 1e6:.0f}"])
    return table(["file", "cells", "copied, s", "computed, s", "of the copy's speed",
                  "memory, MB"], shown_rows)


def calls(record):
    """A call on a small image, from C and from Python."""
    return table(["image", "window", "threads", "from C, µs", "from Python, µs", "more, µs"],
                 [["x".join(key(row, "width", "height")), row["window"], row["threads"],
                   shown(float(row["c_us"])), shown(float(row["python_us"])),
                   shown(float(row["python_us"]) - float(row["c_us"]))]
                  for row in record.rows("python_overhead.csv")])


def cluster(record):
    """Workers of dask.distributed, from one zarr array to another; without Dask one call."""
    rows = {}
    for row in record.rows("python_cluster.csv"):
        where = key(row, "workers", "worker_threads", "task_threads")
        rows.setdefault(where, {})[row["result"]] = row
    one = rows.get(("1", "1", "1"), {}).get("entropy")
    shown_rows = []
    for (workers, threads, of_task), results in rows.items():
        computed = results["entropy"]
        gain = factor(number(one, MS) / number(computed, MS)) if one and workers else "-"
        shown_rows.append([workers or "one call", threads or "-", of_task, seconds(computed), gain,
                           seconds(results.get("copy"))])
    return table(["workers", "threads of each", "of a task", "computed, s", "times one worker",
                  "copied, s"], shown_rows)


KINDS = {"python-files": files, "python-calls": calls, "python-cluster": cluster}
