"""What the tests of the grader have in common: a folder of data and cores, and the command."""

import csv
import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WRONG = os.path.join(REPOSITORY, "tests", "wrong_cores")
BUILD, COMMAND = "build", [] # set by test_grade.py
KEPT = 400  # characters of a text that a failure shows
READERS = ["builds_in_the_answers.cpp", "includes_another.cpp", "reads_the_answers.cpp",
           "writes_elsewhere.cpp"] # Landlock stops them
FILLERS = ["fills_the_disk.cpp"] # a namespace of mounts does
LIMITS = ["--limit", "4", "--memory", "400M"]
# Of tests/wrong_cores, these only, by patterns without suffix: tools/mutants asks for few.
CHOSEN = os.environ.get("GRADE_CORES", "*").split()


def make_data(folder):
    """Five groups: two by two of one size, so that leaks show; one is wide. No reference.bin."""
    os.makedirs(folder, exist_ok=True)
    whole = b""
    for size, seed in (("5x5", 1), ("16x16", 2), ("65x49", 3), ("65x49", 4), ("5x5", 5)):
        one = os.path.join(folder, "one.bin")
        subprocess.run([os.path.join(BUILD, "make_data"), "--seed", str(seed), size, "random", one],
                       check=True, stdout=subprocess.DEVNULL)
        with open(one, "rb") as file:
            whole += file.read()
        os.unlink(one)
    with open(os.path.join(folder, "data.bin"), "wb") as file:
        file.write(whole)


def command(folder, *options):
    return COMMAND + ["--state", os.path.join(folder, "state"),
                      "--data", os.path.join(folder, "data", "data.bin"), *options,
                      "--", os.path.join(folder, "cores")]


def grade(folder, *options, **more):
    return subprocess.run(command(folder, *LIMITS, *options), capture_output=True, text=True,
                          **more)


def copy_cores(folder, names):
    cores = os.path.join(folder, "cores")
    os.makedirs(cores, exist_ok=True)
    places = {"@DATA@": os.path.join(folder, "data"), "@CORES@": cores, "@TREE@": REPOSITORY}
    for name in names:
        with open(os.path.join(WRONG, name), encoding="utf-8") as file:
            text = file.read()
        for sign, place in places.items():
            text = text.replace(sign, place)
        with open(os.path.join(cores, name), "w", encoding="utf-8") as file:
            file.write(text)


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_chosen(core):
    return any(fnmatch.fnmatch(os.path.splitext(core)[0], pattern) for pattern in CHOSEN)


def brief(text):
    text = str(text)
    return text if len(text) <= KEPT else f"... {text[-KEPT:]}"


class Short(unittest.TestCase):
    maxDiff = 4 * KEPT

    def assertHolds(self, text, part):
        """As assertIn, but a failure shows the end of a long text only."""
        self.assertTrue(part in text, f"{part!r} is not in: {brief(text)}")

    def assertLacks(self, text, part):
        at = text.find(part)
        self.assertTrue(at < 0, f"{part!r} is in: {brief(text[max(0, at - 99):at + 99])}")


class Part(unittest.TestCase):
    """Of a part of the grader by itself, whose modules its tests import."""

    def setUp(self):
        sys.path.insert(0, os.path.join(REPOSITORY, "tools", "grade"))
        self.addCleanup(sys.path.pop, 0)


class Folder(Short):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="grade-test-")
        make_data(os.path.join(cls.folder, "data"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def table(self):
        return rows_of(os.path.join(self.folder, "cores", "grades.csv"))


def changed(**values):
    """The command with other values for its options; a key's _ is - there."""
    words = list(COMMAND)
    for key, value in values.items():
        option = "--" + key.replace("_", "-")
        if option in words:
            words[words.index(option) + 1] = value
        else:
            words += [option, value]
    return words


def write_program(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
