"""Where a wall is missing."""

import os
import shutil
import subprocess
import tempfile

from grading import scene
from grading.scene import Folder, LIMITS, brief, changed, copy_cores, make_data, write_program


class OneWall(Folder):
    """Answers and other cores are behind two walls; each holds by itself."""

    @classmethod
    def setUpClass(cls):
        """Where anybody may read, and /tmp, which is empty for a core, is not in the way."""
        cls.folder = tempfile.mkdtemp(prefix="grade-test-", dir="/var/tmp")
        os.chmod(cls.folder, 0o755)
        make_data(os.path.join(cls.folder, "data"))

    def grade_without(self, wall):
        shutil.rmtree(os.path.join(self.folder, "cores"), ignore_errors=True)
        copy_cores(self.folder, ["reads_the_answers.cpp"])
        tools = tempfile.mkdtemp(prefix="grade-tools-")
        self.addCleanup(shutil.rmtree, tools)
        built = os.path.abspath(scene.COMMAND[scene.COMMAND.index("--tools") + 1])
        for name in ("judge", "runner.o", "runner_cuda.o", "heap.o"):
            shutil.copy(os.path.join(built, name), tools)
        box = os.path.join(built, "box")
        write_program(os.path.join(tools, "box"), f'#!/bin/sh\nexec {box} --without {wall} "$@"\n')
        outcome = subprocess.run(changed(tools=tools, state=os.path.join(self.folder, wall),
                                         data=os.path.join(self.folder, "data", "data.bin")) +
                                 [*LIMITS, "--", os.path.join(self.folder, "cores")],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(outcome.returncode, 0, brief(outcome.stderr))
        with open(os.path.join(self.folder, "cores", "grades.html"), encoding="utf-8") as file:
            page = file.read()
        return self.table()[0], page

    def test_the_view_of_files_hides_them(self):
        row, page = self.grade_without("landlock")
        if "namespaces" not in page:
            self.skipTest("this system has no namespaces")
        self.assertLacks(page, "Landlock")
        self.assertEqual(row["verdict"], "passed", row["message"])

    def test_landlock_hides_them(self):
        row, page = self.grade_without("mounts")
        if "Landlock" not in page:
            self.skipTest("this system has no Landlock")
        self.assertLacks(page, "namespaces")
        self.assertEqual(row["verdict"], "passed", row["message"])
