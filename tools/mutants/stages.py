"""What runs tests, by the first word of a by: line. A stage needs targets of make, and a command."""

import dataclasses
import re
import shlex
from typing import List

from .listed import ListError

GTEST = ("library", "all", "every_kernel", "every_call", "memory_study", "bottleneck_study",
         "fast_study", "variants_study")
FILLS_THE_GPU = "every_call"
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
# The compiler's sanitizer of threads has a build of its own, whatever the tree is built for.
THREADS_BUILD = "build-thread"
THREADS_MAKE = f"SANITIZE=thread BUILD={THREADS_BUILD} CUDA=0 CXX=clang++"
# Some systems place memory where its programs do not start: to compile one is not enough.
THREADS_NEED = ("out=$(mktemp) && echo 'int main() {}' | clang++ -x c++ -fopenmp -fsanitize=thread - "
                "-o $out && $out; status=$?; rm -f $out; exit $status")
THREADS_LACK = ("clang++ whose programs with OpenMP and the sanitizer of threads start here "
                "(Debian, Ubuntu: apt-get install clang libomp-dev)")


@dataclasses.dataclass(frozen=True)
class Settings:
    make: str  # the command, with its variables
    build: str  # directory, from the root
    python: str
    has_gpu: bool
    limit: float = 600  # seconds that tests may take


@dataclasses.dataclass
class Stage:
    targets: List[str]
    command: str
    program: str = ""  # of GoogleTest
    needs: str = ""  # a command that fails where the tests cannot run
    lacks: str = ""  # what is missing where it does
    alone: bool = False  # no other tests meanwhile
    build: str = ""  # a directory of its own, if not that of the settings,
    variables: str = ""  # and what make has to know to build there


def stage_of(line, settings):
    """Of "library Filter.*" and the like; "with entropy make_data" adds programs that tests start."""
    line, _, programs = line.partition(" with ")
    name, _, selection = line.partition(" ")
    more = [f"{settings.build}/{program}" for program in programs.split()]
    if name in GTEST and selection:
        program = f"{settings.build}/tests/{name}"
        return Stage([program] + more, f"{program} --gtest_filter={shlex.quote(selection)}", program,
                     alone=name == FILLS_THE_GPU)
    if name == "python" and selection:
        flags = shlex.quote(f"-x -k {shlex.quote(selection)}")
        return Stage(["library"], f"{settings.make} PYTHON={settings.python} "
                                  f"TESTFLAGS={flags} test-python",
                     needs=f"{settings.python} -c 'import numpy, pytest'",
                     lacks="Python with NumPy and pytest (PYTHON=)")
    if name in ("report", "mutants"):  # with modules of Python
        modules = ", ".join(programs.split())
        return Stage([], f"{settings.python} -B -m unittest discover -f -s tests/{name}" +
                     (f" -k {shlex.quote(selection)}" if selection else ""),
                     needs=f"{settings.python} -c 'import {modules}'" if modules else "",
                     lacks=f"Python with {modules} (PYTHON=)")
    if name == "grade":
        cores = f"GRADE_CORES={shlex.quote(programs)} " if programs else ""
        return Stage([f"{settings.build}/make_data"],
                     f"{cores}{settings.make} GRADE_TESTS={shlex.quote(selection)} test-grade")
    if name == "install" and not selection:
        return Stage(["library"], f"{settings.make} test-install")
    if name == "data" and not selection:
        return Stage([f"{settings.build}/make_data"],
                     f"rm -f data/*.bin; {settings.make} data; status=$?; rm -f data/*.bin; "
                     "exit $status")
    tool, _, selection = selection.partition(" ")
    if name == "sanitize" and tool == "thread" and selection:
        flags = shlex.quote(f"--gtest_filter={selection}")
        return Stage([f"{THREADS_BUILD}/tests/library"],
                     f"{settings.make} {THREADS_MAKE} TESTFLAGS={shlex.quote(flags)} test-library",
                     needs=THREADS_NEED, lacks=THREADS_LACK,
                     build=THREADS_BUILD, variables=THREADS_MAKE)
    if name == "sanitize" and tool in SANITIZERS:
        tests = f"TESTS={shlex.quote(selection)} " if selection else ""
        return Stage([f"{settings.build}/tests/every_kernel"],
                     f"{tests}{settings.make} SANITIZERS={tool} sanitize")
    raise ListError(f"there is no stage '{line}': see tools/mutants/README.md")


FAILED = re.compile(r"^\[  FAILED  \] ([^\s,]+)|^FAILED (\S+)|^(?:FAIL|ERROR): (\S+)|"
                    r"^failed: (\S+?):?(?:\s|$)", re.M)
BEGUN = re.compile(r"^\[ RUN      \] (\S+)", re.M)


def ran_any(output):
    """Whether some test came to its end: a filter that matches none, or skips all, passes too."""
    if "[==========]" in output:
        return bool(re.search(r"^\[       OK \] ", output, re.M))
    ran = re.search(r"^Ran (\d+) tests?\b", output, re.M)  # of unittest
    if ran:
        skipped = re.search(r"^OK \(skipped=(\d+)", output, re.M)
        return int(ran[1]) > int(skipped[1] if skipped else 0)
    return "passed" in output or "skipped" not in output


def failed_in(output):
    """The first test that failed, or the one in which the program ended; "" if that is unknown."""
    failed = FAILED.search(output)
    if failed:
        return next(group for group in failed.groups() if group)
    begun = BEGUN.findall(output)
    return begun[-1] if begun else ""
