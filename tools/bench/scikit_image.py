#!/usr/bin/env python3
"""Times scikit-image's rank.entropy on the images of bench_filter, on one thread.

usage: tools/bench/scikit_image.py [--program FILE] [--csv FILE] [--cases REGEX] [--size N]
                                   [--seconds S] [--help]

  --program FILE  bench_filter (default: build/bench_filter), which writes the images, and its own
                  results to compare with
  --csv FILE      a table of bench_filter: its cases are timed, their rows added to it, and earlier
                  rows of scikit-image replaced
  --cases REGEX   only the cases in whose names this is found (default: all)
  --size N        images of N x N cells at most (default: 512); where a run takes too long, parts of
                  them: columns width and height say which
  --seconds S     about how long a case may take (default: 4)

Its rows have the method "scikit-image" and, as path, its version. rank.entropy is in base 2, gives
float64, cuts windows at the edge, and takes 8 and 16 bits a cell: float32 cells go in as uint8. Its
values must be the library's, of base 2, to 1e-5, before it is timed.

exit status: 0 done, or scikit-image is not installed; 1 a value was wrong; 2 bad usage or
bench_filter does not run
"""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

TOLERANCE = 1e-5
SMALLEST = 64  # side of the first try


class Failed(Exception):
    """Ends the program: a sentence and a status."""

    def __init__(self, sentence, status=2):
        super().__init__(sentence)
        self.status = status


def arguments():
    parser = argparse.ArgumentParser(add_help=False, usage="see --help")
    parser.add_argument("--program", default="build/bench_filter")
    parser.add_argument("--csv")
    parser.add_argument("--cases", default="")
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--help", action="store_true")
    options = parser.parse_args()
    if options.size < SMALLEST or not options.seconds > 0:
        raise Failed(f"--size is at least {SMALLEST}, --seconds more than 0")
    return options


def write_images(options, directory):
    """The cases of bench_filter, as dictionaries; their arrays are files in `directory`."""
    command = [options.program, "--write-images", directory, "--size", str(options.size),
               "--cases", options.cases]
    try:
        outcome = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise Failed(f"{options.program} does not run: {error.strerror}") from None
    if outcome.returncode:
        raise Failed(outcome.stderr.strip())
    with open(pathlib.Path(directory, "cases.csv"), newline="") as file:
        return list(csv.DictReader(file))


class Case:
    """One filter on one image."""

    def __init__(self, facts, directory, numpy, entropy):
        self.facts, self.numpy, self.entropy = facts, numpy, entropy
        self.image, self.footprint, self.result = (
            numpy.load(pathlib.Path(directory, f"{facts['case']}.{part}.npy"))
            for part in ("image", "footprint", "result"))
        if self.image.dtype == numpy.float32:
            self.image = self.image.astype(numpy.uint8)

    def part(self, side):
        return self.numpy.ascontiguousarray(self.image[:side, :side])

    def seconds(self, part):
        start = time.perf_counter()
        self.entropy(part, self.footprint)
        return time.perf_counter() - start

    def side(self, longest):
        """Of the largest upper left part of which a run takes no longer; doubled from the smallest
        on."""
        side = SMALLEST
        while side < len(self.image):
            growth = (min(2 * side, len(self.image)) / side) ** 2
            if growth * self.seconds(self.part(side)) > longest:
                break
            side = min(2 * side, len(self.image))
        return side

    def check(self, side):
        """Where the part ends within the image, the windows at its edges are others."""
        rows, columns = (side if side == len(self.image) else side - length
                         for length in self.footprint.shape)
        found = self.entropy(self.part(side), self.footprint)[:rows, :columns]
        error = self.numpy.abs(found - self.result[:rows, :columns]).max()
        if not error <= TOLERANCE:
            raise Failed(f"{self.facts['case']}: scikit-image and the library are {error:g} apart",
                         1)

    def row(self, seconds, version):
        """What a line of the table holds, by column."""
        side = self.side(seconds / 8)
        self.check(side)
        part, times = self.part(side), []
        while len(times) < 5 or sum(times) < 0.1:
            times.append(self.seconds(part))
            if sum(times) > seconds:
                break
        median = statistics.median(times)
        measured = {"runs": len(times), "median_ms": f"{1e3 * median:.6g}",
                    "min_ms": f"{1e3 * min(times):.6g}",
                    "mpixel_per_s": f"{part.size / median / 1e6:.6g}"}
        return {**self.facts, "type": self.image.dtype.name, "path": version,
                "method": "scikit-image", "chosen": "no", "threads": 1, "width": side,
                "height": side, **measured}


class Table:
    """The CSV file of bench_filter; empty where there is none."""

    def __init__(self, path):
        self.path, self.columns, self.rows = path, [], []
        if not path:
            return
        try:
            with open(path, newline="") as file:
                reader = csv.DictReader(file)
                self.rows, self.columns = list(reader), list(reader.fieldnames or [])
        except OSError as error:
            raise Failed(f"{path}: {error.strerror}") from None

    def wants(self, case):
        return not self.path or any(row["case"] == case for row in self.rows)

    def library(self, case, content):
        """Mpixel/s of the chosen method on one thread of the best path; None if it is not there."""
        rates = [float(row["mpixel_per_s"]) for row in self.rows
                 if (row["case"], row["content"]) == (case, content)
                 and row["threads"] == "1" and row["chosen"] == "yes"]
        return rates[0] if rates else None

    def add(self, rows):
        if not self.path:
            return
        cases = {row["case"] for row in rows}
        kept = [row for row in self.rows
                if row["method"] != "scikit-image" or row["case"] not in cases]
        temporary = f"{self.path}.tmp.{os.getpid()}"
        with open(temporary, "w", newline="") as file:
            writer = csv.DictWriter(file, self.columns, restval="", extrasaction="ignore",
                                    lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept + rows)
        os.replace(temporary, self.path)


def main():
    options = arguments()
    if options.help:
        print(__doc__.strip())
        return
    try:
        import numpy
        import skimage
        from skimage.filters.rank import entropy
    except ImportError as error:
        print(f"scikit-image is not timed: {error}; pip install scikit-image brings it")
        return
    warnings.filterwarnings("ignore")  # that many levels are slow
    table, rows = Table(options.csv), []
    with tempfile.TemporaryDirectory() as directory:
        for facts in write_images(options, directory):
            if not table.wants(facts["case"]):
                continue
            row = Case(facts, directory, numpy, entropy).row(options.seconds, skimage.__version__)
            ours = table.library(facts["case"], facts["content"])
            rate = float(row["mpixel_per_s"])
            print(f"{facts['case']:18} scikit-image {row['path']}, {row['width']} x "
                  f"{row['height']}: {row['median_ms']} ms, {rate:.3g} Mpixel/s" +
                  (f"; the library {ours:.4g}, {ours / rate:.0f} times" if ours else ""),
                  flush=True)
            rows.append(row)
    table.add(rows)


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        print(f"scikit_image.py: {failure}", file=sys.stderr)
        sys.exit(failure.status)
