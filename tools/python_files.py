#!/usr/bin/env python3
"""How fast the command local-entropy is, and how much memory it takes.

    python_files.py rate [FOLDER]    images of 10,000 x 10,000 bytes: the command, and the same
                                     reading and writing with a copy in place of the computing
    python_files.py large [FOLDER]   an image of 100,000 x 100,000 bytes: time, and most memory

Takes a Python with the package local_entropy and rasterio. FOLDER [.] gets files, which are deleted
again: `rate` needs 1 GB, `large` 3 GB.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import rasterio

SIDE = 10_000
TIMES = 5
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


def rate(folder):
    cells = image()
    print(f"{SIDE} x {SIDE} bytes, medians of {TIMES}, seconds of whole processes")
    for name, profile in INPUTS.items():
        source = os.path.join(folder, name)
        to = os.path.join(folder, "out" + os.path.splitext(name)[1])
        make(source, cells, profile)
        seconds = {"copy": [], "compute": []}
        for _ in range(TIMES):
            for what in seconds:
                seconds[what].append(run(what, source, to)[0])
                os.remove(to)
        copied, computed = (float(np.median(seconds[what])) for what in ("copy", "compute"))
        print(f"{name:12} read and write {copied:.2f}   with entropy {computed:.2f}   "
              f"{copied / computed:.2f} of the speed")


def large(folder):
    """A mosaic of a hundred times the same file: of as many cells, and few bytes on the disk."""
    cells = np.full((SIDE, SIDE), 90, np.uint8)
    cells[4000:6000, 4000:6000] = image()[4000:6000, 4000:6000]
    make(os.path.join(folder, "tile.tif"), cells, {**TILED, "compress": "deflate"})
    parts = "".join(
        f'<SimpleSource><SourceFilename relativeToVRT="1">tile.tif</SourceFilename>'
        f'<SourceBand>1</SourceBand><SrcRect xOff="0" yOff="0" xSize="{SIDE}" ySize="{SIDE}"/>'
        f'<DstRect xOff="{x * SIDE}" yOff="{y * SIDE}" xSize="{SIDE}" ySize="{SIDE}"/>'
        f'</SimpleSource>' for y in range(10) for x in range(10))
    source = os.path.join(folder, "large.vrt")
    with open(source, "w", encoding="ascii") as file:
        file.write(f'<VRTDataset rasterXSize="{10 * SIDE}" rasterYSize="{10 * SIDE}">'
                   f'<VRTRasterBand dataType="Byte" band="1" blockXSize="512" blockYSize="512">'
                   f'{parts}</VRTRasterBand></VRTDataset>')
    seconds, memory = run("compute", source, os.path.join(folder, "out.tif"), "--compress", "zstd")
    print(f"{10 * SIDE} x {10 * SIDE} bytes: {seconds:.0f} s, at most "
          f"{memory / 1e9:.2f} GB of memory")


def main(words):
    if not 1 <= len(words) <= 2 or words[0] not in ("rate", "large"):
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory(dir=words[1] if len(words) > 1 else ".") as folder:
        (rate if words[0] == "rate" else large)(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
