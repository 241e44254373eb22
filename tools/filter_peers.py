#!/usr/bin/env python3
"""Times other software for local entropy beside this project's, on images that people know.

usage: tools/filter_peers.py [--images LIST] [--windows LIST] [--size N] [--seconds S] [--csv FILE]
                             [--help]

  --images LIST   of camera, brick, gravel, astronaut (grey), mosaic; default: all. The first four
                  are scikit-image's own, the mosaic is made of them
  --windows LIST  of 3x3, 5x5, 9x9, 15x15, disk5, which is a disk of radius 5; default: all
  --size N        side of the mosaic, 512 to 30000 (default: 10000)
  --seconds S     about how long the runs of a row may take (default: 4). Who is too slow for an
                  image, or has too little memory, gets the upper left quarter, a quarter of that,
                  ...: the row says how many cells
  --csv FILE      write the table there too

peers: entropy in bits of images of bytes
  local_entropy   the Python package that is found (make test-python leaves one in
                  build/python/tree): on one thread, on all, and in the memory of a GPU, with arrays
                  of CuPy and with those of PyTorch, in a stream of their own
  scikit-image    filters.rank.entropy, on one thread
  OpenCV          for each level: its cells, counted by boxFilter, or by filter2D where the window
                  is no rectangle; n log n from a table, added up
  Octave          entropyfilt of its package image, one process for all runs; times are the calls'
  cuCIM           skimage.filters.rank.entropy, in the memory of a GPU, with arrays of CuPy
  PyTorch         for each level: its cells, avg_pool2d, -p log p, added up; in the memory of a GPU
                  if there is one; rectangles only

All peers are compared before any is timed: on a part of every image, edges included, each must give
the entropy that NumPy counts under the peer's border rule, to 1e-4. "crop": windows are cut at the
edge; "reflect": the image goes on as in a mirror that stands behind its last cell. What is timed is
compared again, with local_entropy under the same rule. A peer that is not installed is a line that
says so.

Times are wall-clock, after a warm-up: median and minimum of at least five runs, or of as many as S
seconds are enough for. "by": how many threads, or whose arrays. "to 1 thread", "to all", "to GPU":
the peer's median over that of local_entropy on the same cells, with the same window, border and
kind of arrays, measured right after it.

exit status: 0 all that ran was right; 1 a value was wrong, or a peer failed; 2 bad usage, or
local_entropy, NumPy or scikit-image's images are missing
"""

import argparse
import os
import pathlib
import sys

sys.dont_write_bytecode = True  # nothing but results belongs into the tree


class Usage(Exception):
    """Ends the program: a sentence."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Usage(message)


def options_of(arguments):
    parser = Parser(add_help=False, usage="see --help")
    parser.add_argument("--images")
    parser.add_argument("--windows")
    parser.add_argument("--size", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--csv")
    parser.add_argument("--help", "-h", action="store_true")
    options = parser.parse_args(arguments)
    if not 512 <= options.size <= 30000:
        raise Usage(f"--size {options.size}: expected 512 to 30000")
    if not 0 < options.seconds < float("inf"):
        raise Usage(f"--seconds {options.seconds}: expected more than 0")
    if options.csv and not os.access(pathlib.Path(options.csv).parent, os.W_OK):
        raise Usage(f"{options.csv} cannot be created")
    return options


def chosen(option, text, known):
    """Those of `known` that the option's text names, all if there is none; in their order."""
    names = list(known) if text is None else text.split(",")
    for name in names:
        if name not in known:
            raise Usage(f"{option}: '{name}' is none of {', '.join(known)}")
    return [name for name in known if name in names]


def run(options):
    try:
        from filter_peers import measuring, peers, pictures, table
    except ImportError as error:
        raise Usage(f"{error}; pip install numpy scikit-image brings what it needs") from None
    windows = chosen("--windows", options.windows, pictures.WINDOWS)
    names = chosen("--images", options.images, pictures.NAMES)
    try:
        images = pictures.images(names, options.size)
        library = peers.Library()
    except peers.Skipped as why:
        raise Usage(str(why)) from None
    cases = [measuring.Case(image, images[image], window, pictures.WINDOWS[window])
             for image in names for window in windows]
    print(table.facts(library), flush=True)
    rows = []
    for row in measuring.rows(cases, options.seconds):
        if not rows:
            print(f"\n{table.TITLE}")
        rows.append(row)
        print(table.line(row), flush=True)
    if options.csv:
        table.save(options.csv, rows)
    return int(any(row["note"].startswith((measuring.WRONG, measuring.FAILED)) for row in rows))


def main(arguments):
    try:
        options = options_of(arguments)
        if options.help:
            print(__doc__.strip())
            return 0
        return run(options)
    except Usage as sentence:
        print(f"filter_peers.py: {sentence}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
