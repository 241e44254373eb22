#!/usr/bin/env python3
"""How the package scales over workers of dask.distributed: from one zarr array to another.

    python_cluster.py [--side CELLS] [--chunk CELLS] [--size WINDOW] [--times N] [--csv FILE]
                      [FOLDER]

One to as many workers as processors, of one thread each; one worker of as many threads; one worker
of one thread whose tasks have as many. Beside them the same reading and writing with a copy in
place of the computing, and the computing alone: one call, in memory, without Dask. The first result
of each is compared with that of the call, bit for bit.

Takes a Python with the package local_entropy, dask[array,distributed] and zarr 3. FOLDER [.] gets 5
bytes a cell, which are deleted again. Other work on the machine shows in the times. FILE gets what
was measured, with the name of the machine; there a call without Dask has no workers.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time

import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster

from local_entropy import entropy

sys.dont_write_bytecode = True  # nothing but results belongs into the tree
import measured  # noqa: E402

CORES = len(os.sched_getaffinity(0))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=16_000)
    parser.add_argument("--chunk", type=int, default=2000)
    parser.add_argument("--size", type=int, default=21)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--csv", type=measured.csv_file)
    parser.add_argument("folder", nargs="?", default=".")
    return parser.parse_args()


def made(path, asked, dtype):
    """An array whose chunks are not packed."""
    return zarr.create_array(path, shape=(asked.side,) * 2, chunks=(asked.chunk,) * 2, dtype=dtype,
                             compressors=None, overwrite=True)


def image_in(path, asked):
    """Random cells in the upper half, few and smooth levels in the lower one."""
    random = np.random.default_rng(1)
    y, x = np.ogrid[:asked.side, :asked.side]
    cells = ((np.sin(x / 97) + np.cos(y / 61)) * 60 + 128).astype(np.uint8)
    half = asked.side // 2
    cells[:half] = random.integers(0, 256, (half, asked.side), dtype=np.uint8)
    made(path, asked, "u1")[...] = cells
    return cells


def seconds_of(call, times):
    """Of each call, after one that is not counted."""
    call()
    taken = []
    for _ in range(times):
        start = time.monotonic()
        call()
        taken.append(time.monotonic() - start)
    return taken


def row(result, workers, threads, each, asked, seconds):
    """A line of the table: what was made, on how many workers of how many threads each, by tasks
    of how many threads."""
    return {"result": result, "workers": workers, "worker_threads": threads, "task_threads": each,
            "width": asked.side, "height": asked.side, "chunk": f"{asked.chunk}x{asked.chunk}",
            "window": f"{asked.size}x{asked.size}", **measured.times(seconds)}


def same(path, asked, expected):
    found = zarr.open(path, mode="r")
    for top in range(0, asked.side, asked.chunk):
        rows = slice(top, top + asked.chunk)
        if not np.array_equal(found[rows].view("u4"), expected[rows].view("u4")):
            sys.exit(f"rows {top} to {top + asked.chunk} differ from those of one call")


def on_workers(workers, threads, each, asked, folder, expected):
    """Seconds of each run with entropy, and with a copy."""
    source, to = os.path.join(folder, "in.zarr"), os.path.join(folder, "out.zarr")
    image = da.from_zarr(source)
    results = {"entropy": entropy(image, asked.size, threads=each),
               "copy": image.astype(np.float32)}
    seconds = {}
    with LocalCluster(n_workers=workers, threads_per_worker=threads, memory_limit=None,
                      dashboard_address=None) as cluster, Client(cluster):
        for name, result in results.items():
            def store(result=result):
                da.store(result, made(to, asked, "f4"), lock=False)
            seconds[name] = seconds_of(store, asked.times)
            if name == "entropy":
                same(to, asked, expected)
    return seconds["entropy"], seconds["copy"]


def main():
    asked = arguments()
    cells, rows = asked.side**2, []
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        image = image_in(os.path.join(folder, "in.zarr"), asked)
        print(f"{platform.processor() or platform.machine()}, {CORES} processors, load "
              f"{os.getloadavg()[0]:.1f}; {asked.side} x {asked.side} bytes in chunks of "
              f"{asked.chunk} x {asked.chunk}, windows of {asked.size} x {asked.size}; medians of "
              f"{asked.times}")
        expected = entropy(image, asked.size)
        for threads in sorted({1, CORES}):
            runs = seconds_of(lambda: entropy(image, asked.size, threads=threads, device="cpu",
                                              out=expected), asked.times)
            rows.append(row("entropy", "", "", threads, asked, runs))
            taken = statistics.median(runs)
            print(f"one call, {threads:3} threads          {taken:7.2f} s "
                  f"{cells / taken / 1e6:8.0f} million cells/s")
        del image
        first = None
        counts = [*(2**i for i in range(CORES.bit_length()) if 2**i < CORES), CORES]
        ways = [(workers, 1, None) for workers in counts]
        ways += [(1, CORES, None), (1, 1, CORES)] if CORES > 1 else []
        for workers, threads, each in ways:
            runs = on_workers(workers, threads, each, asked, folder, expected)
            rows += [row(name, workers, threads, each or 1, asked, seconds)
                     for name, seconds in zip(("entropy", "copy"), runs)]
            taken, copied = map(statistics.median, runs)
            first = first or taken
            print(f"{workers:3} workers x {threads:3} threads x {each or 1:3} {taken:7.2f} s "
                  f"{cells / taken / 1e6:8.0f} million cells/s {first / taken:6.2f} times one "
                  f"worker; copied {copied:.2f} s", flush=True)
    if asked.csv:
        measured.save(asked.csv, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
