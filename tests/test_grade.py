#!/usr/bin/env python3
"""The grader on tests/wrong_cores: test_grade.py BUILD COMMAND. Each core must get its verdict.

BUILD is the build directory, COMMAND starts the grader with the build's compilers. The tests are in
tests/grading/.
"""

import os
import shlex
import sys
import unittest

sys.dont_write_bytecode = True
from grading import scene  # noqa: E402
from grading.batches import Builds, Memory, Refusals  # noqa: E402, F401
from grading.boxes import BoxEnds, BoxWalls  # noqa: E402, F401
from grading.logs import Logs  # noqa: E402, F401
from grading.machines import Elsewhere, Gpu  # noqa: E402, F401
from grading.one_core import OneCore  # noqa: E402, F401
from grading.settings import Settings  # noqa: E402, F401
from grading.tables import Tables  # noqa: E402, F401
from grading.walls import OneWall  # noqa: E402, F401
from grading.wide import Baseline, Wide  # noqa: E402, F401
from grading.wrong_cores import Again, WrongCores  # noqa: E402, F401


class Result(unittest.TextTestResult):
    """Says why a test was skipped in the words of GoogleTest, so that one counts like the other."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.writeln(f"{test.id()}: Skipped\n{reason}")


if __name__ == "__main__":
    scene.BUILD, scene.COMMAND = sys.argv[1], shlex.split(sys.argv[2])
    os.chdir(scene.REPOSITORY)
    result = unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False,
                           testRunner=unittest.TextTestRunner(resultclass=Result)).result
    print(f"counted: {result.passed} passed, {len(result.failures) + len(result.errors)} failed, "
          f"{len(result.skipped)} skipped")
    sys.exit(not result.wasSuccessful())
