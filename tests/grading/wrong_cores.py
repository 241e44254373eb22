"""Every core of tests/wrong_cores, and a folder that is graded again."""

import contextlib
import glob
import html
import os
import re
import shutil
import signal
import subprocess
import time

from grading import scene
from grading.scene import FILLERS, Folder, READERS, WRONG, brief, command, copy_cores, grade, \
    is_chosen, rows_of


class WrongCores(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.expected = [row for row in rows_of(os.path.join(WRONG, "expected.csv"))
                        if is_chosen(row["core"])]
        copy_cores(cls.folder, [row["core"] for row in cls.expected])
        cls.outcome = grade(cls.folder)
        if cls.outcome.returncode != 0:
            raise AssertionError(f"the grader: {brief(cls.outcome.stderr)}")
        for line in cls.outcome.stderr.splitlines():
            if line.startswith("grade: ") and "GPU" in line:
                print(line, flush=True) # tools/check_gpu.sh looks for it in the log
        cls.rows = {row["core"]: row for row in
                    rows_of(os.path.join(cls.folder, "cores", "grades.csv"))}

    def test_every_core_gets_its_verdict(self):
        verdict = "with_gpu" if "--gpu 1" in " ".join(scene.COMMAND) else "verdict"
        walled = "no Landlock" not in self.outcome.stderr
        with open(os.path.join(self.folder, "cores", "grades.html"), encoding="utf-8") as file:
            mounts = "namespaces" in file.read()
        for expected in self.expected:
            with self.subTest(core=expected["core"]):
                if expected["core"] in READERS and not walled:
                    self.skipTest("this system has no Landlock: files can be read")
                if expected["core"] in FILLERS and not mounts:
                    self.skipTest("this system has no namespaces: a core writes on its disk")
                row = self.rows[expected["core"]]
                said = f"{row['message']}; {row['warnings']}"
                self.assertEqual(row["verdict"], expected[verdict], said)
                self.assertIn(expected["message"], row["message"])
                self.assertIn(expected["warning"], row["warnings"])
                if not expected["warning"]:
                    self.assertEqual(row["warnings"], "")
                if expected["groups_passed"]:
                    self.assertEqual(row["groups_passed"], expected["groups_passed"], said)
                self.assertEqual(row["verdict"] == "passed", row["total_ms"] != "", said)

    def test_every_file_has_a_row_sorted_by_name(self):
        names = sorted(name for name in os.listdir(WRONG)
                       if name.endswith((".cu", ".cpp")) and is_chosen(name))
        self.assertEqual(names, [row["core"] for row in self.table()])

    def test_a_worst_cell_has_its_place_and_both_values(self):
        row = self.rows["closes_everything.cpp"]
        self.assertEqual((row["error_x"], row["error_y"], row["wrong_cells"]), ("0", "0", "5"))
        self.assertAlmostEqual(float(row["computed"]) - float(row["expected"]), 1, places=5)
        self.assertEqual(row["largest_error"], "1")
        row = self.rows["last_cell.cpp"] # by as much in both of its wide groups
        self.assertEqual((row["error_x"], row["error_y"], row["wrong_cells"]), ("64", "48", "2"))
        self.assertEqual((row["error_group"], row["largest_error"]), ("3", "1.53e-05"))
        self.assertEqual((row["groups_passed"], row["groups"]), ("3", "5"))
        row = self.rows["worse_and_worse.cpp"] # NaN is the largest error, and the first one counts
        self.assertEqual((row["error_group"], row["error_x"], row["error_y"]), ("2", "15", "15"))
        self.assertEqual((row["largest_error"], row["computed"], row["wrong_cells"]),
                         ("nan", "nan", "5"))

    def test_the_leak_is_measured(self):
        """In millions of bytes; what a core keeps once, a few of them, is no leak."""
        size = re.search(r"it leaks memory: (\S+) MB in (\d+) calls",
                         self.rows["leak.cpp"]["warnings"])
        self.assertTrue(size, self.rows["leak.cpp"]["warnings"])
        again = 3 * len(("5x5", "16x16", "65x49", "65x49", "5x5")) - len(("5x5", "16x16", "65x49"))
        self.assertEqual((size[1], int(size[2])), (f"{1.5 * again:.1f}", again))

    def test_time_cannot_be_hidden(self):
        """Not by a remembered answer, work after the clock has stopped, or a time of its own."""
        for core, group_ms in (("remembers.cpp", 30), ("computes_late.cpp", 100),
                               ("sets_its_clock.cpp", 50)):
            with self.subTest(core=core):
                counted = len(("16x16", "65x49", "65x49", "5x5")) # of all groups but the first
                self.assertGreaterEqual(float(self.rows[core]["total_ms"]), counted * group_ms)

    def test_table_page_and_csv_agree(self):
        with open(os.path.join(self.folder, "cores", "grades.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertLacks(page, "<script")
        self.assertLacks(page, "http")
        table = self.outcome.stdout.splitlines()[1:]
        parts = re.findall(r"<tr><td class=core>(.*?)</td><td><span class='verdict (\w+)'>(\w+)<.*?"
                           r"<td class=time>([\d.]*).*?</tr>", page, re.DOTALL)
        self.assertEqual(len(parts), len(self.rows))
        for row, line, part in zip(self.table(), table, parts):
            self.assertTrue(line.startswith(row["core"]), brief(line))
            self.assertEqual(line[len(row["core"]):].split()[0], row["verdict"])
            self.assertEqual((html.unescape(part[0]), part[1], part[2], part[3]),
                             (row["core"], row["verdict"], row["verdict"], row["total_ms"]))
            self.assertTrue(line.endswith("; ".join(filter(None, (row["message"],
                                                                  row["warnings"])))), brief(line))
        self.assertHolds(page, "12 of 12 groups passed with v7") # the log of fake_verdict.cpp
        self.assertHolds(self.outcome.stdout, f"{len(self.expected)} cores: ")
        self.assertHolds(self.outcome.stdout, "\nerror: the largest of all groups; ")

    def test_nothing_of_a_core_is_left_running(self):
        for path in glob.glob("/proc/[0-9]*/cmdline"): # ps is not everywhere
            with contextlib.suppress(OSError), open(path, "rb") as file:
                left = file.read().replace(b"\0", b" ").decode(errors="replace")
                self.assertLacks(left, f"--directory {self.folder}/state")


class Again(Folder):
    def setUp(self):
        for name in ("cores", "state"):
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)

    def test_only_what_changed_is_graded_again(self):
        copy_cores(self.folder, ["null.cpp", "a right core.cpp"])
        os.makedirs(os.path.join(self.folder, "cores", "a folder.cu"))  # which is no core
        first = grade(self.folder)
        self.assertNotIn("as before", first.stderr)
        before = self.table()
        os.chmod(os.path.join(self.folder, "state"), 0o755)
        with open(os.path.join(self.folder, "cores", "null.cpp"), "a", encoding="utf-8") as file:
            file.write("// another try\n")
        second = grade(self.folder)
        self.assertIn("a right core.cpp: passed (as before)", second.stderr)
        self.assertIn("null.cpp: wrong\n", second.stderr)
        self.assertEqual(self.table(), before)
        mode = os.stat(os.path.join(self.folder, "state")).st_mode
        self.assertEqual(mode & 0o777, 0o700)  # what was found out is for no one else
        self.assertNotIn("as before", grade(self.folder, "--fresh").stderr)
        self.assertNotIn("as before", grade(self.folder, "--limit", "5").stderr)

    def test_an_interrupted_batch_leaves_a_valid_table(self):
        copy_cores(self.folder, ["null.cpp", "a right core.cpp", "endless.cpp"])
        def interruptible(): # what a shell starts with & ignores Ctrl-C
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        with subprocess.Popen(command(self.folder, "--limit", "99"), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, preexec_fn=interruptible) as batch:
            for line in batch.stderr:
                if line.startswith("[2/3]"):
                    break
            time.sleep(0.5)
            batch.send_signal(signal.SIGINT)
            batch.communicate(timeout=20)
        self.assertEqual(batch.returncode, 130)
        self.assertEqual([row["core"] for row in self.table()], ["a right core.cpp", "null.cpp"])
