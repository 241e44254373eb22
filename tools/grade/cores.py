"""One core: built by itself, checked, timed. What is known of it is kept and found again."""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from report import printable

# What only nvcc understands, or needs a GPU at run time. cudaCallback is the name in every core.
CUDA = re.compile(rb"__global__|__device__|__host__|<<<|\bcuda(?!Callback\b)\w+|\bdim3\b|"
                  rb"\bthreadIdx\b|\bthrust\b|\bcub::|local_entropy/methods/words/words\.h")
COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
LOG_LIMIT = 65536  # bytes of a log that are kept
BUILT_LIMIT = 512 << 20  # bytes of a file that a compiler writes


class Broken(Exception):
    """The grader itself cannot go on; its words are for the user."""


class Stopped(Exception):
    """Ctrl-C came while a core was built or judged."""


def warn(text):
    print(f"grade: {text}", file=sys.stderr)


class Commands:
    """Starts programs in sessions of their own, and ends those that run when the batch is stopped."""

    def __init__(self):
        self.stopped = False
        self.running = set()

    def run(self, words, **more):
        if self.stopped:
            raise Stopped
        process = subprocess.Popen(words, start_new_session=True, stdin=subprocess.DEVNULL, **more)
        self.running.add(process)
        if self.stopped:
            process.kill()
        try:
            output, errors = process.communicate()
        finally:
            self.running.discard(process)
        if self.stopped:
            raise Stopped
        return process.returncode, output or b"", errors or b""

    def stop(self):
        self.stopped = True
        for process in list(self.running):
            process.kill()


def digest(*parts):
    """A name for these bytes and texts, in this order."""
    total = hashlib.sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else os.fsencode(str(part))
        total.update(b"%d:" % len(part) + part)
    return total.hexdigest()[:24]


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def write_whole(path, text):
    """The file appears whole or not at all. A link stays; what it points to is replaced."""
    path = os.path.realpath(path)
    temporary = f"{path}.tmp.{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


class Core:
    """A core and its room in the state directory: source, program, log and what was found out."""

    def __init__(self, path, setup, commands):
        self.path, self.setup, self.commands = path, setup, commands
        self.name = os.path.basename(path).encode("utf-8", "replace").decode()
        self.source = bytes_of(path)
        self.cuda = bool(CUDA.search(COMMENT.sub(b"", self.source)))
        self.room = os.path.join(setup.state, digest(setup.key, os.path.basename(path), self.source))
        self.log = os.path.join(self.room, "log.txt")
        self.program = os.path.join(self.room, "core")
        self.found = self.recall("check.json")
        self.times = self.recall("time.json")

    def recall(self, name):
        try:
            return json.loads(bytes_of(os.path.join(self.room, name)))
        except (OSError, ValueError):
            return None

    def keep(self, name, found):
        write_whole(os.path.join(self.room, name), json.dumps(found))

    def log_text(self):
        try:
            with open(self.log, "rb") as file:
                text = file.read(LOG_LIMIT + 1)
        except OSError:
            return ""
        end = "\n... the rest is left out\n" if len(text) > LOG_LIMIT else ""
        return text[:LOG_LIMIT].decode("utf-8", "replace") + end

    # ---- building ------------------------------------------------------------------------------

    def box(self, words):
        """Runs a compiler where it sees headers, toolchain and this core, and nothing else."""
        setup = self.setup
        program = shutil.which(words[0])
        if not program:
            raise Broken(f"{words[0]} is not there")
        box = [setup.box, "--seconds", str(setup.build_limit), "--memory",
               str(max(setup.memory, 4 << 30)), "--file-size", str(BUILT_LIMIT), "--directory", setup.tree, "--write", self.room]
        for path in [setup.tree] + setup.toolchain + setup.objects:
            box += ["--read", path]
        with open(self.log, "ab") as log:
            log.write(("$ " + " ".join(map(shlex.quote, words)) + "\n").encode("utf-8", "replace"))
            log.flush()
            environment = dict(os.environ, TMPDIR=self.room, HOME=self.room, LC_ALL="C.UTF-8")
            status, _, _ = self.commands.run(box + ["--", program] + words[1:], stdout=log,
                                             stderr=log, env=environment)
            if status == 124:
                log.write(b"the build passed its limit of time or memory\n")
            return status == 0

    def compile(self):
        """To an object, by the first compiler that takes it."""
        suffix = os.path.splitext(self.path)[1]
        source = os.path.join(self.room, "core" + suffix)
        with open(source, "wb") as file:
            file.write(self.source)
        plain = self.setup.cpp + ["-x", "c++"]
        ways = [self.setup.cu, plain] if self.cuda else [plain, self.setup.cu]
        if suffix == ".cpp":
            ways = [self.setup.cpp]
        return any(self.box(way + ["-c", source, "-o", os.path.join(self.room, "core.o")])
                   for way in ways)

    def link(self):
        """With the runner; with the library only where the core does not link without."""
        setup, core = self.setup, os.path.join(self.room, "core.o")
        device = self.cuda and setup.nvcc
        end = [core, setup.runner_cuda if device and setup.gpu else setup.runner, setup.heap, "-o",
               self.program]
        ways = [setup.link + end] if device else [setup.link_plain + end]
        if setup.library:
            ways.append(setup.link + setup.library + end)
        return any(self.box(way) for way in ways)

    def build(self):
        shutil.rmtree(self.room, ignore_errors=True)
        os.makedirs(self.room)
        if self.compile() and self.link():
            return None
        if self.cuda and not self.setup.nvcc:
            return {"verdict": "refused", "message": "needs nvcc, and there is none here"}
        return {"verdict": "build_failed", "message": self.first_error()}

    def first_error(self):
        for line in self.log_text().splitlines():
            if re.search(r"\berror:|undefined reference|multiple definition|passed its limit", line,
                         re.IGNORECASE):
                return line.replace(self.room + "/", "").strip()[:300]
        return "see its log"

    # ---- judging -------------------------------------------------------------------------------

    def judge(self, *options):
        """The judge's findings about the program."""
        setup = self.setup
        directory = tempfile.mkdtemp(dir=self.room)
        os.chmod(directory, 0o777)
        verdict, output = (os.path.join(self.room, name) for name in ("verdict.json", "output.txt"))
        for old in (output, verdict):
            if os.path.exists(old):
                os.unlink(old)
        words = [setup.judge, "--data", setup.data, "--reference", setup.reference, "--box",
                 setup.box, "--runner", self.program, "--log", output, "--directory", directory,
                 "--verdict", verdict, "--seconds", str(setup.limit), "--memory",
                 str(setup.memory), *options]
        for path in setup.hidden:
            words += ["--hide", path]
        for path in setup.libraries:
            words += ["--read", path]
        if setup.gpu:
            words.append("--gpu")
        for wall in setup.view.without if self.cuda else []:
            words += ["--without", wall]
        environment = dict(os.environ, ENTROPY_BENCHMARK="0", HOME="/nonexistent")
        environment.pop("TMPDIR", None)
        try:
            status, _, errors = self.commands.run(words, stderr=subprocess.PIPE, env=environment)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        if status != 0: # this core's row says so; the batch goes on
            found = {"verdict": "crashed", "message": "it could not be judged: " +
                     errors.decode("utf-8", "replace").strip(), "warnings": []}
        else:
            found = json.loads(bytes_of(verdict))
            found["message"] = found["message"].encode("latin-1").decode("utf-8", "replace")
        self.add_to_log(output, found, options)
        return found

    def output_text(self, path):
        """What the core has printed, which it may have made unreadable."""
        try:
            return bytes_of(path)[:LOG_LIMIT] if os.path.exists(path) else b""
        except OSError as error:
            lost = f"what it printed cannot be read: {path}: {error.strerror}"
            warn(f"{printable(self.name)}: {lost}")
            return f"{lost}\n".encode()

    def add_to_log(self, output, found, options):
        """A log that is lost costs no verdict; the batch's exit status says so."""
        text = self.output_text(output)
        title = "times" if "--time" in options else "check"
        try:
            with open(self.log, "ab") as log:
                log.write(f"== {title}: {found['verdict']}  {found['message']}\n".encode() + text)
                if text and not text.endswith(b"\n"):
                    log.write(b"\n")
        except OSError as error:
            if self.name in self.setup.lost_logs:
                return
            self.setup.lost_logs.append(self.name)
            warn(f"{printable(self.name)}: its log cannot be written: {self.log}: {error.strerror}; "
                 "FRESH=1 grades it again")

    def refuse_without_gpu(self, found):
        """A failure of a core that needs a GPU says nothing about it where there is none."""
        why = self.setup.view.refusal if self.setup.gpu else "there is none here"
        if not why or not self.cuda or found["verdict"] not in ("wrong", "crashed"):
            return found
        return {"verdict": "refused", "walls": found.get("walls"), "message": f"needs a GPU, and {why}; "
                "without one: " + found["message"]}

    def check(self):
        found = self.build()
        if found is None:
            found = self.refuse_without_gpu(self.judge())
        self.keep("check.json", found)
        self.found = found

    def time(self, baseline):
        """Alone on the machine. `baseline`: the reference's total in this batch, or None."""
        times = self.judge("--time")
        times["baseline_ms"] = baseline
        self.keep("time.json", times)
        self.times = times

    # ---- the row of the table ------------------------------------------------------------------

    def row(self):
        row = {"core": self.name, "log": self.log_text()}
        found = dict(self.found)
        found["warnings"] = found.get("warnings", [])
        if self.times: # the same calls and more: their warnings say it all
            found["warnings"] = self.times["warnings"]
            if self.times["verdict"] != "passed":
                found.update((key, value) for key, value in self.times.items() if key != "warnings")
                found["message"] = "when timed: " + found["message"]
            else:
                row.update(measures(self.times))
        row.update(found)
        row["message"] = " ".join(row["message"].split())
        row["warnings"] = "; ".join(row["warnings"])
        return row


def total_of(milliseconds):
    """Of all groups but the first, which may pay for start-up; as main counts."""
    return sum(milliseconds[1:] or milliseconds)


def measures(times):
    each = times["milliseconds"]
    slowest = max(range(len(each)), key=each.__getitem__)
    total, baseline = total_of(each), times.get("baseline_ms")
    row = {"total_ms": total, "slowest_group": slowest + 1, "slowest_ms": each[slowest]}
    if baseline:
        row["times_reference"] = total / baseline
    return row
