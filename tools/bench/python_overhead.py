#!/usr/bin/env python3
"""What a call costs more from Python than from C, on a small image.

usage: tools/bench/python_overhead.py [--side N] [--rounds N] [--calls N] [--cc COMPILER]
                                      [--csv FILE] [--help]

  --csv FILE  write the table there too, with the name of the machine

It takes the package local_entropy that Python finds (make test-python leaves one in
build/python/tree), and compiles tools/bench/one_call.c over the same shared library. Rounds of C
and Python take turns; each round's time is the median of its calls, and the table has the fastest
round of each: what else runs on the machine only adds.

exit status: 0 done; 1 a program failed; 2 bad usage
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing but results belongs into the tree
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import measured  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(add_help=False, usage="see --help")
    parser.add_argument("--side", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--csv", type=measured.csv_file)
    parser.add_argument("--help", action="store_true")
    return parser.parse_args()


def compiled(options, package, folder):
    """The program that calls from C."""
    program = pathlib.Path(folder, "one_call")
    library = pathlib.Path(package.__file__).with_name("liblocal_entropy.so.1")
    subprocess.run([options.cc, "-O2", f"-I{HERE.parents[1] / 'sources'}", HERE / "one_call.c",
                    library, f"-Wl,-rpath,{library.parent}", "-o", program], check=True)
    return program


def from_c(program, options, window, threads):
    command = [program, str(options.side), str(window), str(threads), str(options.calls)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def from_python(entropy, image, options, window, threads):
    times = []
    for _ in range(-100, options.calls):
        start = time.perf_counter()
        entropy(image, window, threads=threads or None)
        times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(times[100:])


def main():
    options = arguments()
    if options.help:
        print(__doc__.strip())
        return
    import numpy
    import local_entropy
    image = numpy.random.default_rng(1).integers(0, 256, (options.side,) * 2, dtype=numpy.uint8)
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(options, local_entropy, folder)
        settings = [(window, threads) for window in (3, 5, 9) for threads in (1, 0)]
        # A round is of all settings: a while in which something else runs spoils no row whole.
        rounds = [[(from_c(program, options, *setting),
                    from_python(local_entropy.entropy, image, options, *setting))
                   for setting in settings] for _ in range(options.rounds)]
    print(f"{options.side} x {options.side} bytes, microseconds a call")
    print("window  threads       C  Python    more")
    rows = []
    for (window, threads), times in zip(settings, zip(*rounds)):
        c, python = map(min, zip(*times))
        threads = threads or "all"
        print(f"{window:4} x {window}  {threads:>7} {c:7.1f} {python:7.1f} {python - c:7.1f}")
        rows.append({"width": options.side, "height": options.side, "window": f"{window}x{window}",
                     "threads": threads, "rounds": options.rounds, "calls": options.calls,
                     "c_us": f"{c:.6g}", "python_us": f"{python:.6g}"})
    if options.csv:
        measured.save(options.csv, rows)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"python_overhead.py: {failure}")
