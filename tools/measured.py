"""What the tools measure of the Python package, as tables."""

import argparse
import csv
import importlib
import os
import pathlib
import statistics
import subprocess

MACHINE_NAME = pathlib.Path(__file__).resolve().with_name("machine_name.sh")


def csv_file(text):
    """For an option: a measurement of hours does not end in a file that cannot be written."""
    path = pathlib.Path(text)
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text} cannot be created")
    return path


def facts():
    """The machine, named as in results/, and the version of the package."""
    whole = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    named = subprocess.run([MACHINE_NAME], check=True, capture_output=True, text=True,
                           env=whole)  # nproc heeds OMP_NUM_THREADS, which Dask sets
    return {"machine": named.stdout.strip(),
            "version": importlib.import_module("local_entropy").__version__}


def times(seconds):
    """Of runs, as columns."""
    return {"runs": len(seconds), "median_ms": f"{1e3 * statistics.median(seconds):.6g}",
            "min_ms": f"{1e3 * min(seconds):.6g}"}


def save(path, rows):
    """Rows are dictionaries with the same keys. The file appears when it is whole."""
    temporary = f"{path}.tmp.{os.getpid()}"
    every = facts()
    with open(temporary, "w", newline="") as file:
        writer = csv.DictWriter(file, [*every, *rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**every, **row} for row in rows)
    os.replace(temporary, path)
