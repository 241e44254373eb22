#!/usr/bin/env python3
"""Grades every core in a folder. `make grade CORES=dir` calls it with the build's commands."""

import argparse
import concurrent.futures
import os
import shlex
import shutil
import signal
import sys
import threading

sys.dont_write_bytecode = True
import cores  # noqa: E402
import gpu  # noqa: E402
import places  # noqa: E402
import report  # noqa: E402
from cores import Broken, Commands, Core, Stopped, bytes_of, digest, total_of, warn, write_whole  # noqa: E402

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXIT_FAILED, EXIT_INTERRUPTED = 2, 130


def seconds(text):
    value = float(text)
    if not 0 < value <= 86400:
        raise ValueError
    return value


def memory(text):
    """"4G", "500M" or bytes."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    unit = units.get(text[-1:].upper())
    value = int(float(text[:-1]) * unit) if unit else int(text)
    if value < 1 << 20:
        raise ValueError
    return value


def parse():
    parser = argparse.ArgumentParser(
        prog="grade.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="make grade CORES=FOLDER [DATA=FILE] [REFERENCE=FILE] [GRADES=FILE] [LIMIT=SECONDS] "
        "[MEMORY=BYTES] [JOBS=N] [BASELINE=VERSION] [FRESH=1] [CUDA=0]",
        description="Builds, checks and times every *.cu and *.cpp in a folder, each by itself in a "
        "box of its own,\nand writes grades.csv and grades.html. Without nvcc: CUDA=0. A setting is "
        "the option of its name\nbelow, and BASELINE= the version whose time is the measure.\n\n"
        "Columns of the table:\n" + report.columns_help() +
        "\n\nVerdicts: " + ", ".join(report.VERDICTS) + ".",
        epilog="Exit status: 0 when all cores have a verdict, whatever it is; 2 when the batch "
        "cannot run, or\na log cannot be written; 130 after Ctrl-C, with a valid table of what is "
        "done. A second run\ngrades only what changed.")
    parser.add_argument("cores", help="folder of cores")
    parser.add_argument("--data", default="data/data.bin", help="groups (default: %(default)s)")
    parser.add_argument("--reference", help="right answers (default: reference.bin beside the data, "
                        "else computed once)")
    parser.add_argument("--grades", help="table to write (default: grades.csv in the folder); the "
                        "page goes beside it, as .html")
    parser.add_argument("--limit", type=seconds, default=60, help="seconds that a core may take for "
                        "all groups (default: 60)")
    parser.add_argument("--memory", type=memory, default="4G", help="that a core may hold: 500M, 4G "
                        "(default: 4G)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cores built and checked "
                        "at once (default: one a processor); times are taken one at a time")
    parser.add_argument("--fresh", action="store_true", help="grade all again")
    build = parser.add_argument_group("from the Makefile")
    build.add_argument("--tools", required=True, help="where box, judge and the runner were built")
    build.add_argument("--state", help="where to keep what was built and found out (default: state "
                       "in --tools)")
    build.add_argument("--baseline", help="program of the reference solution; none: no ratios")
    build.add_argument("--baseline-name", default="", help="its name, v12")
    build.add_argument("--cpp", required=True, help="command that compiles C++")
    build.add_argument("--cu", required=True, help="command that compiles CUDA")
    build.add_argument("--link", required=True, help="command that links what --cu has compiled")
    build.add_argument("--library", default="", help="objects for cores that use the library")
    build.add_argument("--gpu", type=int, choices=(0, 1), required=True, help="is there a GPU?")
    build.add_argument("--probe", help="program that says whether a GPU can be used")
    build.add_argument("--build-limit", type=seconds, default=300, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.jobs is None or options.jobs < 1:
        parser.error("--jobs is 1 or more")
    return options


class Setup:
    """Everything that all cores of a batch share."""

    def __init__(self, options, commands):
        tools = os.path.abspath(options.tools)
        self.limit, self.memory, self.build_limit = options.limit, options.memory, options.build_limit
        self.gpu = bool(options.gpu)
        self.lost_logs = []  # of which cores they could not be written
        self.box, self.judge = os.path.join(tools, "box"), os.path.join(tools, "judge")
        self.runner, self.heap = os.path.join(tools, "runner.o"), os.path.join(tools, "heap.o")
        self.runner_cuda = os.path.join(tools, "runner_cuda.o")
        self.cpp = shlex.split(options.cpp)
        found = gpu.architectures() if self.gpu else []
        self.cu, self.link = (gpu.for_these(shlex.split(words), found) for words in (options.cu, options.link))
        self.link_plain = [self.cpp[0], "-fopenmp"]
        self.library = [os.path.abspath(path) for path in shlex.split(options.library)]
        self.nvcc = os.path.basename(self.cu[0]) == "nvcc"
        self.objects = [path for path in [self.runner, self.runner_cuda, self.heap] + self.library
                        if os.path.exists(path)]
        self.baseline = options.baseline and os.path.abspath(options.baseline)
        self.data, self.commands = os.path.abspath(options.data), commands
        self.state = os.path.abspath(options.state or os.path.join(tools, "state"))
        os.makedirs(self.state, mode=0o700, exist_ok=True)
        os.chmod(self.state, 0o700)
        self.reference = self.find_reference(options.reference)
        self.hidden = self.secrets(options)
        self.toolchain = places.kept(places.toolchain(self.cpp, self.cu), self.hidden)
        self.libraries = places.kept(places.libraries(self.cpp, self.cu, self.gpu), self.hidden)
        self.view = gpu.View(self, options.probe)
        if warning := self.view.warning():
            warn(warning)
        self.tree = self.copy_headers()
        self.key = digest(bytes_of(self.data), bytes_of(self.reference), self.limit, self.memory,
                          self.gpu, self.tree, options.cpp, self.cu, self.link,
                          options.baseline_name, self.view.without, self.view.refusal,
                          *[bytes_of(path) for path in [self.box, self.judge, cores.__file__, gpu.__file__] +
                            self.objects])

    def find_reference(self, path):
        """Given, beside the data, or computed once for this data."""
        beside = os.path.join(os.path.dirname(self.data), "reference.bin")
        if not path and os.path.basename(self.data) == "data.bin" and os.path.exists(beside):
            path = beside
        if path:
            words = ["--data", self.data, "--reference", os.path.abspath(path)]
        else:
            path = os.path.join(self.state, "reference-" + digest(bytes_of(self.data)) + ".bin")
            words = ["--data", self.data, "--make-reference", path]
            if os.path.exists(path):
                return path
            warn("computing the right answers, once for this data")
        status, _, errors = self.commands.run([self.judge] + words, stderr=-1)
        if status != 0:
            raise Broken(errors.decode("utf-8", "replace").strip().replace("judge: ", "", 1))
        return os.path.abspath(path)

    def secrets(self, options):
        """Directories that no core sees: this tree, answers, other cores, and homes."""
        folders = [REPOSITORY, options.cores, os.path.dirname(self.data), self.state,
                   os.path.dirname(self.reference), os.path.dirname(os.path.abspath(options.grades)),
                   os.path.expanduser("~"), "/home", "/root"]
        return sorted({os.path.realpath(folder) for folder in folders if os.path.isdir(folder)})

    def copy_headers(self):
        """The headers of sources/, where compilers of cores look: nothing else of the tree."""
        files = {}
        for folder, _, names in os.walk(os.path.join(REPOSITORY, "sources")):
            for name in sorted(names):
                if name.endswith((".h", ".cuh")):
                    path = os.path.join(folder, name)
                    files[os.path.relpath(path, REPOSITORY)] = bytes_of(path)
        tree = os.path.join(self.state, "headers-" + digest(*[x for p in sorted(files.items()) for x in p]))
        for path, content in files.items():
            path = os.path.join(tree, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        return tree


# ---- the batch ---------------------------------------------------------------------------------


class Batch:
    def __init__(self, options, commands):
        self.options, self.commands = options, commands
        self.setup = Setup(options, commands)
        paths = sorted(entry.path for entry in os.scandir(options.cores)
                       if entry.is_file() and entry.name.endswith((".cu", ".cpp")))
        if not paths:
            raise Broken(f"{options.cores} holds no *.cu and no *.cpp")
        self.cores = [Core(path, self.setup, commands) for path in paths]
        self.lock, self.done, self.walls = threading.Lock(), 0, set()
        if options.fresh:
            for core in self.cores:
                core.found = core.times = None

    def save(self):
        """The table and the page of what is done."""
        rows = [core.row() for core in self.cores if core.found]
        rows.sort(key=lambda row: row["core"])
        setup, options = self.setup, self.options
        facts = [("data", options.data), ("limits", f"{setup.limit:g} s, {setup.memory / 2**30:.3g} GiB"),
                 ("reference solution", options.baseline_name or "none"),
                 ("GPU", setup.view.warning() or "yes" if setup.gpu else "none here"),
                 ("walls", "; ".join(sorted({row["walls"] for row in rows if row.get("walls")})) or "-")]
        write_whole(options.grades, report.as_csv(rows))
        write_whole(options.page, report.as_page(rows, facts))
        return rows

    def say(self, core, text):
        with self.lock:
            self.done += 1
            print(f"[{self.done}/{len(self.cores)}] {report.printable(core.name)}: {text}",
                  file=sys.stderr, flush=True)

    def check(self, core):
        kept = core.found is not None
        if not kept:
            core.check()
        self.say(core, core.found["verdict"] + (" (as before)" if kept else ""))

    def check_all(self):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            tasks = [pool.submit(self.check, core) for core in self.cores]
            try:
                for task in concurrent.futures.as_completed(tasks):
                    task.result()
            except BaseException:
                self.commands.stop()
                for task in tasks:
                    task.cancel()
                raise

    def time_baseline(self):
        """The total of the reference solution, in this batch."""
        if not self.setup.baseline:
            return None
        baseline = Core.__new__(Core)
        baseline.setup, baseline.commands, baseline.name = self.setup, self.commands, "the reference solution"
        baseline.room, baseline.cuda = os.path.join(self.setup.state, "baseline"), self.setup.gpu
        baseline.program, baseline.log = self.setup.baseline, os.path.join(baseline.room, "log.txt")
        shutil.rmtree(baseline.room, ignore_errors=True)
        os.makedirs(baseline.room)
        times = baseline.judge("--time")
        if times["verdict"] == "passed":
            return total_of(times["milliseconds"])
        warn(f"the reference solution {self.options.baseline_name} did not pass: {times['message']}; "
             "times_reference stays empty")
        return None

    def time_all(self):
        """One after the other, with nothing beside them."""
        cores = [core for core in self.cores if core.found["verdict"] == "passed" and not core.times]
        if not cores:
            return
        these = "1 core" if len(cores) == 1 else f"{len(cores)} cores, one at a time"
        print(f"timing {these}", file=sys.stderr, flush=True)
        baseline = self.time_baseline()
        for core in cores:
            core.time(baseline)

    def warn_of_walls(self):
        """Only Landlock keeps compilers, and cores of who is not root, from reading files."""
        walls = [core.found["walls"] for core in self.cores if core.found.get("walls")]
        if walls and not all("Landlock" in text for text in walls):
            warn(f"this system has no Landlock: a core may have read other files here; {walls[0]}")

    def run(self):
        try:
            self.check_all()
            self.time_all()
            self.warn_of_walls()
            return EXIT_FAILED if self.setup.lost_logs else 0
        except (KeyboardInterrupt, Stopped):
            self.commands.stop()
            warn("interrupted: the table holds what is done")
            return EXIT_INTERRUPTED
        finally:
            rows = self.save()
            files = f"{self.options.grades}, {self.options.page}"
            write_out(report.as_table(rows) + report.legend(self.options.baseline_name) +
                      f"{report.counts(rows)}; {files}\n")


def write_out(text):
    """To standard output, as a whole."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python tries again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Broken(f"standard output cannot be written: {error.strerror}") from None


def interrupt(*_):
    raise KeyboardInterrupt


def require_writable(path):
    """A file that is there or can be made, itself or by a link; a device would be replaced."""
    path = os.path.realpath(path)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.path.isfile(path)):
        raise Broken(f"{path} cannot be written")


def sentence(error):
    """What the system says, without its number."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror


def main():
    options = parse()
    signal.signal(signal.SIGTERM, interrupt)
    try:
        if not os.path.isdir(options.cores):
            raise Broken(f"{options.cores} is no folder")
        options.grades = options.grades or os.path.join(options.cores, "grades.csv")
        options.page = os.path.splitext(options.grades)[0] + ".html"
        require_writable(options.grades)
        require_writable(options.page)
        return Batch(options, Commands()).run()
    except (Broken, OSError) as error:
        print(f"grade: {sentence(error)}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
