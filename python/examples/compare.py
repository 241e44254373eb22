#!/usr/bin/env python3
"""The same picture through scikit-image and through local_entropy: results, and times beside.

In one run, in turn: scikit-image's own function, the drop-in for it, and `entropy` by one thread,
by all, and in the memory of a GPU if there is one. It is an error if results differ by more than
their types round. The table has medians, with the least and the largest of the rounds.
"""

import os
import pathlib
import time

import numpy as np
from skimage.data import camera
from skimage.filters import rank
from skimage.morphology import disk

import local_entropy
import local_entropy.skimage
from compare_page import draw, page
from gpu_arrays import on_gpu, on_host
from shared import HERE, parser_of, save

WINDOWS = {"5 x 5": np.ones((5, 5)), "9 x 9": np.ones((9, 9)), "21 x 21": np.ones((21, 21)),
           "disk, radius 5": disk(5), "disk, radius 20": disk(20)}
SHOWN = "9 x 9"
# Of bytes it is at most 8 bits, where half a step of float32 is 2 ** -22.
LARGEST = {"float32": 2.0**-22 + 1e-12, "float64": 1e-12}


def options_of(words=None):
    parser = parser_of(__doc__)
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE",
                        help="where the table is written [compare.md, beside the pictures if "
                             "--output is given, or else beside the script]")
    parser.add_argument("--rounds", type=int, default=7, help="how often each is timed [7]")
    options = parser.parse_args(words)
    if options.table is None:
        is_usual = options.output == parser.get_default("output")
        options.table = (HERE if is_usual else options.output) / "compare.md"
    return options


def main():
    options = options_of()
    load, gpu = os.getloadavg()[0], on_gpu(camera())
    times, differences = {}, {}
    for window, footprint in WINDOWS.items():
        ways = ways_of(camera(), footprint, gpu)
        results = {way: on_host(compute()) for way, compute in ways.items()}  # and warms up
        differences[window] = largest_difference(window, results)
        times[window] = times_of(ways, options.rounds)
        if window == SHOWN:
            maps = {f"scikit-image, {window}": results["scikit-image"],
                    f"local_entropy, {window}": results["all threads"]}
    options.table.parent.mkdir(parents=True, exist_ok=True)
    options.table.write_text(page(times, differences, options.rounds, load, gpu is not None))
    print(options.table.read_text())
    save(draw(maps, times), options.output, "compare.png")


def ways_of(image, footprint, gpu):
    """By name, functions that compute the same."""
    def in_gpu_memory():
        result = local_entropy.entropy(gpu, footprint=footprint)
        local_entropy.synchronize()
        return result

    def by_threads(threads):
        return lambda: local_entropy.entropy(image, footprint=footprint, device="cpu",
                                             threads=threads)

    ways = {"scikit-image": lambda: rank.entropy(image, footprint),
            "drop-in": lambda: local_entropy.skimage.entropy(image, footprint),
            "one thread": by_threads(1), "all threads": by_threads(None)}
    return ways if gpu is None else {**ways, "GPU": in_gpu_memory}


def largest_difference(window, results):
    """From scikit-image's result, by type; ends the script if any is too large."""
    largest = {"float32": 0.0, "float64": 0.0}
    for way, result in results.items():
        difference = abs(result - results["scikit-image"]).max()
        if not difference <= LARGEST[result.dtype.name]:
            raise SystemExit(f"{window}: {way} differs by {difference} bits from scikit-image")
        largest[result.dtype.name] = max(largest[result.dtype.name], difference)
    return largest


def times_of(ways, rounds):
    """By way, the milliseconds of each round."""
    times = {way: [] for way in ways}
    for _ in range(rounds):
        for way, compute in ways.items():
            start = time.perf_counter()
            compute()
            times[way].append((time.perf_counter() - start) * 1000)
    return times


if __name__ == "__main__":
    main()
