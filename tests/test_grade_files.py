#!/usr/bin/env python3
"""The grader's files where they are lost: a full disk, a folder in which nobody may write, an end
in the middle; links and devices in their place."""

import os
import pathlib
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

GRADE = pathlib.Path(__file__).resolve().parent.parent / "tools" / "grade"
NOBODY = 65534
WRITE = f"""
import os, signal, sys
sys.path.insert(0, {str(GRADE)!r})
import cores
"""


class Files(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.table = self.folder / "grades.csv"
        self.table.write_text("before", encoding="utf-8")

    def write(self, before="", limit=None):
        """Has another process write the table, after those statements."""
        code = f"{WRITE}{before}\ncores.write_whole({str(self.table)!r}, 'x' * 99)"
        limits = None if limit is None else \
            lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.run([sys.executable, "-B", "-c", code], preexec_fn=limits, text=True,
                              capture_output=True)

    def names(self):
        return sorted(os.listdir(self.folder))

    def test_a_full_disk_leaves_the_table_of_before(self):
        outcome = self.write(limit=9)
        self.assertIn("File too large", outcome.stderr)
        self.assertEqual(self.table.read_text(encoding="utf-8"), "before")
        self.assertEqual(self.names(), ["grades.csv"])

    def test_a_folder_in_which_nobody_may_write(self):
        os.chmod(self.folder, 0o555)
        outcome = self.write(f"if os.geteuid() == 0: os.seteuid({NOBODY})")
        self.assertIn("Permission denied", outcome.stderr)
        self.assertEqual(self.table.read_text(encoding="utf-8"), "before")
        self.assertEqual(self.names(), ["grades.csv"])

    def test_an_end_in_the_middle_leaves_the_table_of_before(self):
        outcome = self.write("os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual(outcome.returncode, -signal.SIGKILL)
        self.assertEqual(self.table.read_text(encoding="utf-8"), "before")

    def test_a_link_stays(self):
        other = self.folder / "other.csv"
        self.table.rename(other)
        self.table.symlink_to(other)
        self.assertEqual(self.write().returncode, 0)
        self.assertTrue(self.table.is_symlink())
        self.assertEqual(other.read_text(encoding="utf-8"), "x" * 99)


class Program(unittest.TestCase):
    def test_a_device_is_not_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            device = os.path.join(folder, "device")
            os.mkfifo(device)
            outcome = subprocess.run(
                [sys.executable, "-B", str(GRADE / "grade.py"), "--tools", folder, "--cpp", "c++",
                 "--cu", "c++", "--link", "c++", "--gpu", "0", "--grades", device, "--", folder],
                text=True, capture_output=True)
            self.assertEqual(outcome.returncode, 2)
            self.assertEqual(outcome.stderr, f"grade: {device} cannot be written\n")
            self.assertTrue(stat.S_ISFIFO(os.stat(device).st_mode))


if __name__ == "__main__":
    unittest.main()
