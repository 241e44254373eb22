#!/usr/bin/env python3
"""The grader on tests/wrong_cores: test_grade.py BUILD COMMAND. Each core must get its verdict.

BUILD is the build directory, COMMAND starts the grader with the build's compilers.
"""

import csv
import html
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(HERE)
WRONG = os.path.join(HERE, "wrong_cores")
BUILD, COMMAND = "build", []
READERS = ["builds_in_the_answers.cpp", "includes_another.cpp", "reads_the_answers.cpp"]
LIMITS = ["--limit", "4", "--memory", "400M"]


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
    return subprocess.run(command(folder, *LIMITS, *options), capture_output=True, text=True, **more)


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


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="grade-test-")
        make_data(os.path.join(cls.folder, "data"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def table(self):
        return rows_of(os.path.join(self.folder, "cores", "grades.csv"))


class WrongCores(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.expected = rows_of(os.path.join(WRONG, "expected.csv"))
        copy_cores(cls.folder, [row["core"] for row in cls.expected])
        cls.outcome = grade(cls.folder)
        cls.rows = {row["core"]: row for row in
                    rows_of(os.path.join(cls.folder, "cores", "grades.csv"))}

    def test_every_core_gets_its_verdict(self):
        self.assertEqual(self.outcome.returncode, 0, self.outcome.stderr)
        verdict = "with_gpu" if "--gpu 1" in " ".join(COMMAND) else "verdict"
        walled = "no Landlock" not in self.outcome.stderr
        for expected in self.expected:
            with self.subTest(core=expected["core"]):
                if expected["core"] in READERS and not walled:
                    self.skipTest("this system has no Landlock: files can be read")
                row = self.rows[expected["core"]]
                self.assertEqual(row["verdict"], expected[verdict], row)
                self.assertIn(expected["message"], row["message"])
                self.assertIn(expected["warning"], row["warnings"])
                if not expected["warning"]:
                    self.assertEqual(row["warnings"], "")
                if expected["groups_passed"]:
                    self.assertEqual(row["groups_passed"], expected["groups_passed"], row)
                self.assertEqual(row["verdict"] == "passed", row["total_ms"] != "", row)

    def test_every_file_has_a_row_sorted_by_name(self):
        folder = os.listdir(WRONG)
        self.assertEqual(sorted(name for name in folder if name.endswith((".cu", ".cpp"))),
                         [row["core"] for row in self.table()])

    def test_a_worst_cell_has_its_place_and_both_values(self):
        row = self.rows["closes_everything.cpp"]
        self.assertEqual((row["error_x"], row["error_y"], row["wrong_cells"]), ("0", "0", "5"))
        self.assertAlmostEqual(float(row["computed"]) - float(row["expected"]), 1, places=5)
        self.assertEqual(row["largest_error"], "1")

    def test_the_leak_is_measured(self):
        size = re.search(r"it leaks memory: (\S+) (\S+) in (\d+) calls",
                         self.rows["leak.cpp"]["warnings"])
        self.assertTrue(size, self.rows["leak.cpp"]["warnings"])

    def test_table_page_and_csv_agree(self):
        with open(os.path.join(self.folder, "cores", "grades.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertNotIn("<script", page)
        self.assertNotIn("http", page)
        table = self.outcome.stdout.splitlines()[1:]
        parts = re.findall(r"<tr><td class=core>(.*?)</td><td><span class='verdict (\w+)'>(\w+)<.*?"
                           r"<td class=time>([\d.]*).*?</tr>", page, re.DOTALL)
        self.assertEqual(len(parts), len(self.rows))
        for row, line, part in zip(self.table(), table, parts):
            self.assertTrue(line.startswith(row["core"]), line)
            self.assertEqual(line[len(row["core"]):].split()[0], row["verdict"])
            self.assertEqual((html.unescape(part[0]), part[1], part[2], part[3]),
                             (row["core"], row["verdict"], row["verdict"], row["total_ms"]))
            self.assertTrue(line.endswith("; ".join(filter(None, (row["message"],
                                                                  row["warnings"])))), line)
        self.assertIn("12 of 12 groups passed with v7", page) # the log of fake_verdict.cpp
        self.assertIn("31 cores: ", self.outcome.stdout)

    def test_nothing_of_a_core_is_left_running(self):
        left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
        self.assertNotIn(f"--directory {self.folder}/state", left.stdout)


class Again(Folder):
    def setUp(self):
        for name in ("cores", "state"):
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)

    def test_only_what_changed_is_graded_again(self):
        copy_cores(self.folder, ["null.cpp", "a right core.cpp"])
        first = grade(self.folder)
        self.assertNotIn("as before", first.stderr)
        before = self.table()
        with open(os.path.join(self.folder, "cores", "null.cpp"), "a", encoding="utf-8") as file:
            file.write("// another try\n")
        second = grade(self.folder)
        self.assertIn("a right core.cpp: passed (as before)", second.stderr)
        self.assertIn("null.cpp: wrong\n", second.stderr)
        self.assertEqual(self.table(), before)
        self.assertNotIn("as before", grade(self.folder, "--fresh").stderr)
        self.assertNotIn("as before", grade(self.folder, "--limit", "5").stderr)

    def test_an_interrupted_batch_leaves_a_valid_table(self):
        copy_cores(self.folder, ["null.cpp", "a right core.cpp", "endless.cpp"])
        with subprocess.Popen(command(self.folder, "--limit", "99"), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as batch:
            for line in batch.stderr:
                if line.startswith("[2/3]"):
                    break
            time.sleep(0.5)
            batch.send_signal(signal.SIGINT)
            batch.communicate(timeout=20)
        self.assertEqual(batch.returncode, 130)
        self.assertEqual([row["core"] for row in self.table()], ["a right core.cpp", "null.cpp"])


class Refusals(Folder):
    def check(self, sentence, *options):
        outcome = grade(self.folder, *options)
        self.assertEqual(outcome.returncode, 2, outcome.stderr)
        self.assertIn(sentence, outcome.stderr)
        self.assertNotIn("Traceback", outcome.stderr)

    def test_each_says_what_is_missing(self):
        os.makedirs(os.path.join(self.folder, "cores"), exist_ok=True)
        self.check("holds no *.cu and no *.cpp")
        copy_cores(self.folder, ["null.cpp"])
        self.check("no/such.csv cannot be written", "--grades", "no/such.csv")
        self.check("nothing.bin", "--reference", "nothing.bin")
        self.check("this is no reference file", "--reference",
                   os.path.join(REPOSITORY, "data", "three_groups.bin"))
        self.check("invalid memory value: 'much'", "--memory", "much")
        self.check("invalid seconds value: '0'", "--limit", "0")
        shutil.rmtree(os.path.join(self.folder, "cores"))
        self.check("is no folder")


if __name__ == "__main__":
    BUILD, COMMAND = sys.argv[1], shlex.split(sys.argv[2])
    os.chdir(REPOSITORY)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
