#!/usr/bin/env python3
"""Times other software that computes local entropy on a GPU, on the images of bench_filter.

usage: tools/bench/gpu_peers.py [--program FILE] [--csv FILE] [--cases REGEX] [--size N]
                                [--seconds S] [--help]

  --program FILE  bench_filter (default: build/bench_filter), which writes the images, and the
                  library's results to compare with
  --csv FILE      write the table there
  --cases REGEX   the cases in whose names this is found (default: some of bytes)
  --size N        images of N x N cells (default: 4096)
  --seconds S     about how long a case may take (default: 2)

peers
  cuCIM          cucim.skimage.filters.rank.entropy
  torch eager    for each level: cells of it, average pooling, -p log p, added up; rectangles only
  torch compile  the same through torch.compile

All compute from the GPU's memory to the GPU's memory. Before a case is timed, what a peer computes
must be the library's result, base 2, to 1e-4; of cuCIM, which reflects the image at its edges, where
no window is cut there. What is not installed, or finds no GPU, is a line that says so. Times are
wall-clock, until the GPU is done: median and minimum of at least five runs after a warm-up, or of as
many as S seconds are enough for.

exit status: 0 all that ran was right; 1 a value was wrong; 2 bad usage, or bench_filter does not run
"""

import argparse
import csv
import importlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

TOLERANCE = 1e-4
WRONG = "WRONG"
USUAL = "^uint8-(256-(5x5|9x9|31x31|disk5)|16-9x9)$"
HEAD = ("peer", "version", "case", "width", "height", "runs", "median_ms", "min_ms",
        "mpixel_per_s", "note")


class Failed(Exception):
    """Ends the program: a sentence."""


class Skipped(Exception):
    """A peer, or one case of it, that cannot be timed here: why."""


def module(name):
    try:
        return importlib.import_module(name)
    except Exception as error:  # a package can fail in any way of its own
        said = str(error).strip().split("\n")[0] or type(error).__name__
        raise Skipped(f"{name} is not installed or does not start here: {said}") from None


# ---- peers --------------------------------------------------------------------------------------


def cupy_with_gpu():
    cupy = module("cupy")
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except Exception:  # the driver is missing
        found = 0
    if not found:
        raise Skipped("cupy finds no GPU here")
    return cupy


class CuCim:
    name = "cuCIM"
    cuts_windows = False  # at the edge of the image, which it reflects instead

    def __init__(self):
        self.cupy = cupy_with_gpu()
        self.entropy = module("cucim.skimage.filters.rank").entropy
        self.version = module("cucim").__version__

    def prepare(self, image, footprint):
        """What computes the entropy once; returns it in the memory of the GPU."""
        cells, cells_of_window = self.cupy.asarray(image), self.cupy.asarray(footprint)
        return lambda: self.entropy(cells, cells_of_window)

    def wait(self):
        self.cupy.cuda.Device().synchronize()

    def host(self, result):
        return self.cupy.asnumpy(result)


class Torch:
    cuts_windows = True

    def __init__(self, compiled=False, device="cuda"):
        self.name = "torch " + ("compile" if compiled else "eager")
        self.torch, self.compiled, self.device = module("torch"), compiled, device
        self.version = self.torch.__version__
        if device == "cuda" and not self.torch.cuda.is_available():
            raise Skipped("torch finds no GPU here")

    def prepare(self, image, footprint):
        torch = self.torch
        if not footprint.all():
            raise Skipped("average pooling has rectangles only")
        height, width = footprint.shape
        if height % 2 == 0 or width % 2 == 0:
            raise Skipped("average pooling has windows with a cell in their middle only")

        def of_level(cells, level):
            share = torch.nn.functional.avg_pool2d(
                (cells == level).float(), (height, width), 1, (height // 2, width // 2),
                count_include_pad=False)
            return torch.special.entr(share)

        add = of_level
        if self.compiled:
            torch._dynamo.reset()
            add = torch.compile(of_level, dynamic=False)
        cells = torch.from_numpy(image)[None, None].to(self.device)
        levels = [torch.tensor(level, dtype=cells.dtype, device=self.device)
                  for level in range(int(image.max()) + 1)]

        @torch.inference_mode()
        def once():
            total = torch.zeros(cells.shape, device=self.device)
            for level in levels:  # all at once would not fit into any memory
                total += add(cells, level)
            return total[0, 0] / 0.6931471805599453  # ln 2

        return once

    def wait(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def host(self, result):
        return result.cpu().numpy()


PEERS = (("cuCIM", CuCim), ("torch eager", Torch), ("torch compile", lambda: Torch(compiled=True)))

# ---- measuring ----------------------------------------------------------------------------------


class Case:
    """One filter on one image, as bench_filter wrote them into a directory."""

    def __init__(self, name, directory):
        numpy = module("numpy")
        self.name = name
        self.image, self.footprint, self.result = (
            numpy.load(pathlib.Path(directory, f"{name}.{part}.npy"))
            for part in ("image", "footprint", "result"))

    def error(self, found, whole):
        """The largest; `whole`: also where windows are cut at the edge."""
        height, width = self.footprint.shape
        inner = (slice(0 if whole else height // 2, None if whole else -(height // 2)),
                 slice(0 if whole else width // 2, None if whole else -(width // 2)))
        return abs(found[inner] - self.result[inner]).max()


def row_of(peer, case, **cells):
    return {**dict.fromkeys(HEAD, ""), "peer": peer, "case": case, **cells}


def measure(peer, case, seconds):
    """Its row; without times where a value is wrong. Throws Skipped."""
    once = peer.prepare(case.image, case.footprint)
    error = case.error(peer.host(once()), peer.cuts_windows)
    if not error <= TOLERANCE:  # NaN is wrong
        return row_of(peer.name, case.name, version=peer.version,
                      note=f"{WRONG}: off by {error:g}")
    times = []
    while len(times) < 5 or sum(times) < 0.1:
        peer.wait()
        start = time.perf_counter()
        result = once()
        peer.wait()
        times.append(time.perf_counter() - start)
        del result
        if sum(times) > seconds:
            break
    median, (height, width) = statistics.median(times), case.image.shape
    return row_of(peer.name, case.name, version=peer.version, width=width, height=height,
                  runs=len(times), median_ms=f"{1e3 * median:.6g}",
                  min_ms=f"{1e3 * min(times):.6g}",
                  mpixel_per_s=f"{case.image.size / median / 1e6:.6g}")


def rows(cases, seconds, peers=PEERS):
    for name, make in peers:
        try:
            peer = make()
        except Skipped as why:
            yield row_of(name, "", note=str(why))
            continue
        for case in cases:
            try:
                yield measure(peer, case, seconds)
            except Skipped as why:
                yield row_of(name, case.name, version=peer.version, note=str(why))
            except Exception as error:  # of the peer: the others still run
                said = str(error).strip().split("\n")[0] or type(error).__name__
                yield row_of(name, case.name, version=peer.version, note=f"failed: {said[:150]}")


def cases_of(options, directory):
    command = [options.program, "--write-images", directory, "--size", str(options.size),
               "--cases", options.cases, "--contents", "natural"]
    try:
        outcome = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise Failed(f"{options.program} does not run: {error.strerror}") from None
    if outcome.returncode:
        raise Failed(outcome.stderr.strip())
    with open(pathlib.Path(directory, "cases.csv"), newline="") as file:
        return [Case(row["case"], directory) for row in csv.DictReader(file)]


def show(row):
    head = f"{row['case'] or 'all':18} {row['peer']:14}"
    if not row["runs"]:
        return f"{head} not timed: {row['note']}"
    return (f"{head} {row['version']}: {row['median_ms']} ms, "
            f"{float(row['mpixel_per_s']) / 1e3:.3g} Gpixel/s at {row['width']} x {row['height']}")


def save(path, table):
    temporary = f"{path}.tmp.{os.getpid()}"
    with open(temporary, "w", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    os.replace(temporary, path)


def main(arguments):
    parser = argparse.ArgumentParser(add_help=False, usage="see --help")
    parser.add_argument("--program", default="build/bench_filter")
    parser.add_argument("--csv")
    parser.add_argument("--cases", default=USUAL)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--help", action="store_true")
    options = parser.parse_args(arguments)
    if options.help:
        print(__doc__.strip())
        return 0
    try:
        module("numpy")
    except Skipped as why:
        print(f"no other software is timed: {why}")
        return 0
    table = []
    with tempfile.TemporaryDirectory() as directory:
        try:
            cases = cases_of(options, directory)
        except Failed as failure:
            print(f"gpu_peers.py: {failure}", file=sys.stderr)
            return 2
        for row in rows(cases, options.seconds):
            print(show(row), flush=True)
            table.append(row)
    if options.csv:
        save(options.csv, table)
    return 1 if any(row["note"].startswith(WRONG) for row in table) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
