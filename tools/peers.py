#!/usr/bin/env python3
"""Times other ways to compute the entropy of every 5x5 window beside this project's, on this machine.

usage: tools/peers.py [--size N] [--csv FILE] [--build DIR] [--seconds S] [--help]

  --size N     arrays of N x N random cells (default: 10240 with a GPU, otherwise 2560); a peer too
               slow or too large for it gets one of half the side, a quarter, ...
  --csv FILE   write the table there too
  --build DIR  where the project's programs are (default: build): entropy, entropy_measures,
               make_data and, for kernels, bench_gpu. `make peers` builds them.
  --seconds S  about how long a peer may take (default: 60)

peers
  scikit-image  filters.rank.entropy of bytes with a footprint of 5x5, on one thread
  torch eager   one-hot cells, average pooling, -sum p ln p; on the GPU if there is one
  torch compile the same through torch.compile
  v12 ... v17   versions of the ladder, as far as they are there; v15's kernel from bench_gpu; v16
                on one thread, right after scikit-image and at its size

scikit-image and torch must give the project's answers on small arrays before they are timed, the
versions always must; what is missing is listed with the reason. Times are wall-clock: median and minimum of at least five runs after a
warm-up. "host": from host memory to host memory; "device": from device memory to device memory.

exit status: 0 every peer that ran was right; 1 one was wrong; 2 the project's programs do not run
"""

import argparse
import csv
import importlib
import math
import os
import pathlib
import platform
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSIONS = ("v12", "v15", "v16", "v17")
TOLERANCE = 1e-4
SMALL = (("97x61", "random"), ("64x48", "flat"), ("3x50", "levels=2"), ("40x40", "levels=1"))
HEAD = ("peer", "runs_on", "memory", "width", "height", "runs", "median_ms", "min_ms",
        "mcells_per_s", "note")


class Skipped(Exception):
    """A peer that cannot run here; says why."""


class Broken(Exception):
    """The project's own programs do not do what they should."""


# ---- the project --------------------------------------------------------------------------------


class Project:
    """Its programs, in a directory of their own for files."""

    def __init__(self, build, directory):
        self.build, self.directory = ROOT / build, pathlib.Path(directory)

    def run(self, program, *arguments, **environment):
        path = self.build / program
        if not path.exists():
            raise Skipped(f"{path} is not built")
        outcome = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True,
                                 env={**os.environ, "ENTROPY_BENCHMARK": "0", **environment},
                                 cwd=ROOT)
        if outcome.returncode:
            raise Broken((outcome.stderr or outcome.stdout).strip().split("\n")[-1])
        return outcome.stdout

    def make(self, size, content):
        """A file with one array."""
        path = self.directory / f"{size}-{content}.bin"
        if not path.exists():
            self.run("make_data", size, content, path)
        return path

    def sample(self, size, content):
        """height x width bytes, 0..15."""
        data = self.make(size, content).read_bytes()
        width, height = struct.unpack("<ii", data[:8])
        return numpy.frombuffer(data, numpy.uint8, offset=8).reshape(height, width).copy()

    def answer(self, size, content):
        path = self.directory / "answer.csv"
        self.run("entropy", self.make(size, content), "--csv", path)
        width, height, *cells = path.read_text().strip().rstrip(",").split(",")
        return numpy.array(cells, float).reshape(int(height), int(width))

    def facts(self):
        """What the project's programs say of this machine."""
        path = self.directory / "facts.csv"
        return self.run("entropy_measures", self.pair("5x5"), path, VERSIONS[0]).split("\n\n")[0]

    def pair(self, size):
        """Two groups, of which entropy_measures counts the second only."""
        path = self.directory / f"pair-{size}.bin"
        path.write_bytes(self.make("5x5", "random").read_bytes() +
                         self.make(size, "random").read_bytes())
        return path

    def versions(self, size, versions=VERSIONS, suffix="", **environment):
        """Rows of the ladder: host memory to host memory."""
        known = subprocess.run(["make", "-s", "versions"], capture_output=True, text=True,
                               cwd=ROOT).stdout.split()
        names = [name for name in versions if name in known]
        path = self.directory / "measures.csv"
        self.run("entropy_measures", self.pair(f"{size}x{size}"), path, *names, **environment)
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                name = row["version"] + suffix
                runs_on = {"OpenMP": "CPU", "CUDA": "GPU"}.get(row["platform"], "both")
                if row["total_median_ms"]:
                    yield entry(name, runs_on, "host", size, size, int(row["rounds"]),
                                float(row["total_median_ms"]), float(row["total_min_ms"]))
                else:
                    yield skipped(name, runs_on, "host", row["note"])

    def kernel(self, size):
        """The row of v15's kernel alone."""
        case, path = f"float random {size}x{size} offset 0", self.directory / "gpu.csv"
        if case not in self.run("bench_gpu", "--list").splitlines():
            raise Skipped(f"bench_gpu does not measure {size} x {size}")
        self.run("bench_gpu", "--cases", f"^{case}$", "--csv", path)
        with open(path, newline="") as file:
            row = next(csv.DictReader(file))
        return entry("v15 kernel", "GPU", "device", size, size, int(row["runs"]),
                     float(row["median_ms"]), float(row["min_ms"]))


# ---- peers --------------------------------------------------------------------------------------


def module(name):
    try:
        return importlib.import_module(name)
    except Exception as error:  # a package can fail in any way of its own
        raise Skipped(f"no {name} here: {first_line(error)}") from None


class ScikitImage:
    name, runs_on, memory = "scikit-image", "CPU", "host"

    def __init__(self):
        module("numpy")
        self.rank = module("skimage.filters.rank")

    def prepare(self, sample):
        footprint = numpy.ones((5, 5), numpy.uint8)
        return lambda: self.rank.entropy(sample, footprint)

    def nats(self, result):
        return result * math.log(2)  # from bits

    def free(self):
        pass


class Torch:
    """One-hot cells, pooled: the counts over the size of the window, which edges cut."""

    def __init__(self, compiled, memory):
        module("numpy")
        self.torch = module("torch")
        self.on_gpu = self.torch.cuda.is_available()
        self.compiled, self.memory = compiled, memory
        self.name = "torch " + ("compile" if compiled else "eager")
        self.runs_on = "GPU" if self.on_gpu else "CPU"
        if memory == "device" and not self.on_gpu:
            raise Skipped("torch finds no GPU here")

    def prepare(self, sample):
        torch = self.torch
        device = torch.device("cuda" if self.on_gpu else "cpu")
        levels = torch.arange(16, dtype=torch.float32, device=device).view(1, 16, 1, 1)

        def entropy(cells):
            share = torch.nn.functional.avg_pool2d((cells == levels).float(), 5, 1, 2,
                                                   count_include_pad=False)
            return torch.special.entr(share).sum(1)

        if self.compiled:
            torch._dynamo.reset()
            entropy = torch.compile(entropy, dynamic=False)
        cells = torch.from_numpy(sample.astype(numpy.float32))[None, None]
        if self.memory == "device":
            cells = cells.to(device)

        @torch.inference_mode()
        def once():
            result = entropy(cells.to(device))
            if self.memory == "host":
                return result.cpu()
            torch.cuda.synchronize()
            return result

        return once

    def nats(self, result):
        return result[0].cpu().numpy()

    def free(self):
        """Gives back the memory that torch keeps, which the next one may need."""
        if self.on_gpu:
            self.torch.cuda.empty_cache()


def peers():
    """What makes each, and its name, for where it cannot be made."""
    yield "scikit-image", "CPU", "host", ScikitImage
    for compiled, name in ((False, "torch eager"), (True, "torch compile")):
        for memory in ("host", "device"):
            yield (name, "-" if memory == "host" else "GPU", memory,
                   lambda compiled=compiled, memory=memory: Torch(compiled, memory))


# ---- measuring ----------------------------------------------------------------------------------


def entry(name, runs_on, memory, width, height, runs, median, minimum):
    speed = width * height / median / 1e3 if median > 0 else math.inf
    return dict(zip(HEAD, (name, runs_on, memory, width, height, runs, median, minimum, speed, "")))


def skipped(name, runs_on, memory, why):
    return {**dict.fromkeys(HEAD, ""), "peer": name, "runs_on": runs_on, "memory": memory,
            "note": why}


def first_line(error):
    return (str(error).strip().split("\n")[0] or type(error).__name__)[:200]


def check(peer, project):
    """A sentence on what is wrong; empty if nothing is."""
    for size, content in SMALL:
        found = peer.nats(peer.prepare(project.sample(size, content))())
        error = numpy.abs(found - project.answer(size, content))
        if not (error <= TOLERANCE).all():  # NaN is wrong
            y, x = numpy.unravel_index(numpy.argmin(error <= TOLERANCE), error.shape)
            return (f"WRONG: {content} {size}, x {x}, y {y} is {found[y, x]:.6f}, off by "
                    f"{error[y, x]:.6f}")
    return ""


def timed(once):
    start = time.perf_counter()
    result = once()
    elapsed = (time.perf_counter() - start) * 1e3
    del result
    return elapsed


def measure(peer, project, size, seconds):
    """Its row, at `size` or the half of it, the quarter, ... that it can do in the time."""
    quick = min(size, 512)
    once = peer.prepare(project.sample(f"{quick}x{quick}", "random"))
    timed(once)
    per_cell = min(timed(once) for _ in range(3)) / quick**2
    side = size
    while side > quick and 6 * per_cell * side**2 > seconds * 1e3:
        side //= 2
    while True:
        peer.free()
        try:
            once = peer.prepare(project.sample(f"{side}x{side}", "random"))
            timed(once)
            times = []
            while len(times) < 5 or (sum(times) < 500 and len(times) < 1000):
                times.append(timed(once))
            return entry(peer.name, peer.runs_on, peer.memory, side, side, len(times),
                         statistics.median(times), min(times))
        except (MemoryError, RuntimeError) as error:
            if "memory" not in str(error).lower() and not isinstance(error, MemoryError):
                raise
            if side // 2 < quick:
                raise Skipped("out of memory") from None
            side //= 2
            once = None  # and what it holds


def rows(project, size, seconds):
    for name, runs_on, memory, make in peers():
        beside = ""
        try:
            peer = make()
            runs_on = peer.runs_on
            wrong = check(peer, project)
            row = skipped(name, runs_on, memory, wrong) if wrong else measure(peer, project, size,
                                                                              seconds)
            yield row
            peer.free()
            beside = row["width"] if isinstance(peer, ScikitImage) else ""
        except Broken:
            raise
        except Skipped as why:
            yield skipped(name, runs_on, memory, str(why))
        except Exception as error:  # of the peer: whatever it is, the others still run
            yield skipped(name, runs_on, memory, f"failed: {first_line(error)}")
        if beside:  # also on one thread, at the same size
            yield from project.versions(beside, ["v16"], ", 1 thread", OMP_NUM_THREADS="1")
    yield from project.versions(size)
    try:
        yield project.kernel(size)
    except (Skipped, Broken) as error:
        yield skipped("v15 kernel", "GPU", "device", str(error))


def facts(project):
    lines = [project.facts(), f"python:     {platform.python_version()}"]
    for name in ("numpy", "skimage", "torch"):
        try:
            found = module(name)
            lines.append(f"{name + ':':<12}{found.__version__}")
            if name == "torch":
                lines[-1] += f", {found.get_num_threads()} threads, " + (
                    found.cuda.get_device_name() if found.cuda.is_available() else "no GPU")
        except Skipped as why:
            lines.append(f"{name + ':':<12}{why}")
    return "\n".join(lines)


def show(row):
    head = f"{row['peer']:<14} {row['runs_on']:<4} {row['memory']:<7}"
    if not row["runs"]:
        return f"{head}{row['note']}"
    return (f"{head}{row['width']:>6} x {row['height']:<6} {row['median_ms']:>11.3f} "
            f"{row['min_ms']:>11.3f} {row['runs']:>5} {row['mcells_per_s']:>10.1f}")


def save(path, table):
    temporary = pathlib.Path(f"{path}.tmp.{os.getpid()}")
    with open(temporary, "w", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        for row in table:
            numbers = {key: f"{row[key]:.6g}" for key in ("median_ms", "min_ms", "mcells_per_s")
                       if row[key] != ""}
            writer.writerow({**row, **numbers})
    temporary.rename(path)


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True).stdout.startswith(b"GPU")
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--size", type=int)
    parser.add_argument("--csv")
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--help", "-h", action="store_true")
    parser.error = lambda sentence: sys.exit(complain(sentence))
    options = parser.parse_args()
    if options.help:
        print(__doc__.strip())
        return 0
    size = (10240 if has_gpu() else 2560) if options.size is None else options.size
    if not 1 <= size <= 30000:
        return complain(f"--size {size}: expected 1 to 30000")
    if options.csv and not os.access(pathlib.Path(options.csv).parent, os.W_OK):
        return complain(f"{options.csv} cannot be created")

    table = []
    with tempfile.TemporaryDirectory() as directory:
        project = Project(options.build, directory)
        try:
            print(facts(project) + "\n")
            print(f"{'':<14} {'on':<4} {'memory':<7}{'size':>11}    {'median, ms':>11} "
                  f"{'minimum':>11} {'runs':>5} {'Mcell/s':>10}", flush=True)
            for row in rows(project, size, options.seconds):
                table.append(row)
                print(show(row), flush=True)
        except (Skipped, Broken) as error:
            return complain(str(error))
    if options.csv:
        save(options.csv, table)
    return int(any(row["note"].startswith(("WRONG", "failed")) for row in table))


def complain(sentence):
    print(f"peers.py: {sentence}", file=sys.stderr)
    return 2


try:
    import numpy
except ImportError:
    numpy = None  # then there are no peers but the project's own

if __name__ == "__main__":
    sys.exit(main())
