#!/usr/bin/env python3
"""How fast the command local-entropy is, and how much memory it takes.

    python_files.py rate [FOLDER]    images of 10,000 x 10,000 bytes: the command, and the same
                                     reading and writing with a copy in place of the computing
    python_files.py large [FOLDER]   an image of 100,000 x 100,000 bytes: time, and most memory

    --device LIST   of auto and cpu, as the command has them: each in turn [auto]. With both, it is
                    an error if their files are not the same
    --times N       how often `rate` repeats each [5]
    --tiles N       the sides of `large`, in 10,000 cells [10]
    --csv FILE      write what was measured there too, with the name of the machine

Takes a Python with the package local_entropy and rasterio. FOLDER [.] gets files, which are deleted
again: `rate` needs 1 GB, `large` 3 GB, and half a GB more for each device.
"""

import argparse
import filecmp
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import rasterio

sys.dont_write_bytecode = True  # nothing but results belongs into the tree
import measured  # noqa: E402

SIDE = 10_000
TILED = {"tiled": True, "blockxsize": 512, "blockysize": 512}
INPUTS = {"strips.tif": {}, "tiles.tif": TILED, "deflate.tif": {**TILED, "compress": "deflate"},
          "cells.npy": None}

COMMAND = """
import pathlib, re, sys
from local_entropy.command import main, pipeline
def copy(image, mask, rows, columns, result, request):
    result[...] = image[rows[0]:rows[1], columns[0]:columns[1]]
if sys.argv[1] == "copy":
    pipeline.compute_region = copy
status = main.main(sys.argv[2:])
print(re.search(r"VmHWM:\\s*(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
sys.exit(status)
"""


def run(what, source, to, *words):
    """Seconds, and bytes of memory."""
    start = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", COMMAND, what, source, to, *words], check=True,
                           stdout=subprocess.PIPE, text=True)
    return time.monotonic() - start, int(ended.stdout) * 1024


def image():
    """Random cells in the upper half, few and smooth levels in the lower one."""
    random = np.random.default_rng(1)
    y, x = np.ogrid[:SIDE, :SIDE]
    cells = ((np.sin(x / 97) + np.cos(y / 61)) * 60 + 128).astype(np.uint8)
    cells[:SIDE // 2] = random.integers(0, 256, (SIDE // 2, SIDE), dtype=np.uint8)
    return cells


def make(path, cells, profile):
    if profile is None:
        np.save(path, cells)
        return
    with rasterio.open(path, "w", driver="GTiff", width=SIDE, height=SIDE, count=1, dtype="uint8",
                       crs="EPSG:32632", transform=rasterio.Affine(10, 0, 5e5, 0, -10, 5.3e6),
                       **profile) as file:
        file.write(cells, 1)


def row(what, source, way, side, runs):
    """A line of the table; `runs`: seconds and bytes of memory of each."""
    seconds, memory = zip(*runs)
    return {"what": what, "source": source, "way": way, "width": side, "height": side,
            **measured.times(seconds), "memory_bytes": max(memory)}


def check_same(files):
    """Of as many devices; deletes them."""
    for file in files[1:]:
        if not filecmp.cmp(files[0], file, shallow=False):
            raise SystemExit(f"{os.path.basename(files[0])} and {os.path.basename(file)} differ")
    for file in files:
        os.remove(file)


def rate(folder, options):
    cells, rows = image(), []
    print(f"{SIDE} x {SIDE} bytes, medians of {options.times}, seconds of whole processes")
    for name, profile in INPUTS.items():
        source, kind = os.path.join(folder, name), os.path.splitext(name)[1]
        to = {way: os.path.join(folder, way + kind) for way in ("copy", *options.device)}
        make(source, cells, profile)
        runs = {way: [] for way in to}
        for _ in range(options.times):
            for way in to:
                words = [] if way == "copy" else ["--device", way]
                runs[way].append(run(way, source, to[way], *words))
        os.remove(to.pop("copy"))
        check_same(list(to.values()))
        copied, *computed = (statistics.median(seconds for seconds, _ in each)
                             for each in runs.values())
        rows += [row("rate", name, way, SIDE, each) for way, each in runs.items()]
        print(f"{name:12} read and write {copied:.2f}" + "".join(
            f"   with entropy, {device}: {took:.2f}, {copied / took:.2f} of the speed"
            for device, took in zip(options.device, computed)), flush=True)
    return rows


def mosaic(folder, tiles):
    """Of tiles x tiles times the same file: of as many cells, and few bytes on the disk."""
    cells = np.full((SIDE, SIDE), 90, np.uint8)
    cells[4000:6000, 4000:6000] = image()[4000:6000, 4000:6000]
    make(os.path.join(folder, "tile.tif"), cells, {**TILED, "compress": "deflate"})
    parts = "".join(
        f'<SimpleSource><SourceFilename relativeToVRT="1">tile.tif</SourceFilename>'
        f'<SourceBand>1</SourceBand><SrcRect xOff="0" yOff="0" xSize="{SIDE}" ySize="{SIDE}"/>'
        f'<DstRect xOff="{x * SIDE}" yOff="{y * SIDE}" xSize="{SIDE}" ySize="{SIDE}"/>'
        f'</SimpleSource>' for y in range(tiles) for x in range(tiles))
    path = os.path.join(folder, "large.vrt")
    with open(path, "w", encoding="ascii") as file:
        file.write(f'<VRTDataset rasterXSize="{tiles * SIDE}" rasterYSize="{tiles * SIDE}">'
                   f'<VRTRasterBand dataType="Byte" band="1" blockXSize="512" blockYSize="512">'
                   f'{parts}</VRTRasterBand></VRTDataset>')
    return path


def large(folder, options):
    source, results, rows = mosaic(folder, options.tiles), [], []
    for device in options.device:
        results.append(os.path.join(folder, f"{device}.tif"))
        seconds, memory = run("compute", source, results[-1], "--compress", "zstd", "--device",
                              device)
        side = options.tiles * SIDE
        print(f"{side} x {side} bytes, {device}: {seconds:.0f} s, at most {memory / 1e9:.2f} GB of "
              "memory", flush=True)
        rows.append(row("large", os.path.basename(source), device, side, [(seconds, memory)]))
    check_same(results)
    return rows


def main():
    parser = argparse.ArgumentParser(usage="see --help", add_help=False)
    parser.add_argument("what", choices=("rate", "large"))
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--device", default="auto", type=lambda text: text.split(","))
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--tiles", type=int, default=10)
    parser.add_argument("--csv", type=measured.csv_file)
    if {"-h", "--help"} & set(sys.argv):
        print(__doc__)
        return 0
    options = parser.parse_intermixed_args()
    if not set(options.device) <= {"auto", "cpu"}:
        parser.error(f"--device {','.join(options.device)}, expected some of auto,cpu")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        rows = (rate if options.what == "rate" else large)(folder, options)
    if options.csv:
        measured.save(options.csv, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
