"""The GPUs of this machine as a core sees them: for what to build, and behind which walls."""

import itertools
import os
import shutil
import subprocess
import tempfile

import places

# In the order in which they are left out, one or two at a time, where the GPU is not seen.
WALLS = ["nameless", "processes", "ipc", "network", "calls", "nobody", "landlock", "mounts"]
PROBE_SECONDS = 60


def architectures():
    """"90" of compute capability 9.0, each once."""
    said, _ = places.answer(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"])
    lines = {line.strip() for line in said.splitlines()}
    return sorted(line.replace(".", "") for line in lines if line.replace(".", "", 1).isdigit())


def for_these(words, found):
    """The command with real architectures in place of `native`, which nvcc would look for itself."""
    if not found:
        return words
    names = [f"-arch=sm_{found[0]}"] if len(found) == 1 else \
            [f"-gencode=arch=compute_{one},code=sm_{one}" for one in found]
    return [new for word in words for new in (names if word == "-arch=native" else [word])]


def runs(words):
    """Whether the probe saw a GPU, and what it said."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False,
                              stdin=subprocess.DEVNULL, timeout=PROBE_SECONDS + 10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    said = " ".join((done.stdout + done.stderr).split())
    return done.returncode == 0, said or f"status {done.returncode}"


def choices():
    """Walls to leave out: none, one, two, and all but one of the two that hide the answers."""
    for count in (0, 1, 2):
        for some in itertools.combinations(WALLS, count):
            if some != ("landlock", "mounts"):
                yield list(some)
    for last in ("mounts", "landlock"):
        yield [wall for wall in WALLS if wall != last and (wall, last) != ("processes", "landlock")]


class View:
    """What a core in the box sees. `refusal`: why no core can use a GPU, if none can."""

    def __init__(self, setup, probe):
        self.without, self.refusal = [], None
        if not setup.gpu or not probe:
            return
        good, said = runs([probe])
        if not good:
            self.refusal = f"nvidia-smi shows a GPU, but CUDA cannot use it: {said}"
            return
        first = None
        for without in choices():
            good, said = self.runs_behind(setup, probe, without)
            if good:
                self.without = without
                return
            first = first or said
        self.refusal = f"there is a GPU here, but it cannot be used in the box: {first}"

    @staticmethod
    def runs_behind(setup, probe, without):
        """As judge has the box run a core."""
        directory = tempfile.mkdtemp(dir=setup.state)
        os.chmod(directory, 0o777)
        words = [setup.box, "--alone", "--directory", directory, "--write", directory, "--seconds",
                 str(PROBE_SECONDS), "--file-size", str(16 << 20)]
        for option, values in (("--hide", setup.hidden), ("--read", setup.libraries),
                               ("--without", without)):
            for value in values:
                words += [option, value]
        try:
            return runs(words + ["--", os.path.abspath(probe)])
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def warning(self):
        if self.refusal:
            return self.refusal + "; cores that need one are refused"
        if self.without:
            return ("the GPU cannot be used behind every wall: cores that need it run without " +
                    " and ".join(self.without) + " (box --help says what they are)")
        return None
