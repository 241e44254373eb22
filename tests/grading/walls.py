"""Where a wall is missing, and the box by itself."""

import os
import shutil
import subprocess
import tempfile

from grading import scene
from grading.scene import Folder, LIMITS, Short, brief, changed, copy_cores, make_data, \
    write_program


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


class Box(Short):
    """The walls themselves."""

    def box(self, *words, before=""):
        box = os.path.abspath(os.path.join(scene.BUILD, "grade", "box"))
        return subprocess.run(["sh", "-c", before + 'exec "$@"', "sh", box, *words],
                              capture_output=True, text=True, check=False)

    def needs_root(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False,
                                               stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("needs root, and unshare")

    def test_it_may_use_a_gpu_that_a_group_may_use(self):
        self.needs_root()
        node = f"/dev/nvidia-test-{os.getpid()}"
        if subprocess.run(["mknod", "-m", "660", node, "c", "1", "3"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no device node can be made here")
        self.addCleanup(os.unlink, node)
        shutil.chown(node, group=44)
        opened = ["--alone", "--", "/bin/sh", "-c", f"echo 1 1<>{node} && echo opened"]
        self.assertHolds(self.box(*opened).stdout, "opened")

    def test_files_of_the_driver_that_were_mounted_into_proc_stay(self):
        self.needs_root()
        if not os.path.isdir("/proc/driver"):
            self.skipTest("no /proc/driver here")
        before = "mount -t tmpfs tmpfs /proc/driver; mkdir /proc/driver/nvidia; " \
                 "echo 580 >/proc/driver/nvidia/version; "
        box = os.path.abspath(os.path.join(scene.BUILD, "grade", "box"))
        outcome = subprocess.run(["unshare", "-m", "sh", "-c", before +
                                  f"exec {box} --alone -- /bin/cat /proc/driver/nvidia/version"],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(outcome.stdout, "580\n", brief(outcome.stderr))

    def test_a_thread_may_have_a_name(self):
        outcome = self.box("--alone", "--", "/bin/sh", "-c", "echo cuda >/proc/self/comm && echo named")
        self.assertHolds(outcome.stdout, "named")

    def test_an_unknown_wall_is_refused(self):
        outcome = self.box("--without", "ceiling", "--", "/bin/true")
        self.assertEqual(outcome.returncode, 125)
        self.assertHolds(outcome.stderr, "no wall is named ceiling")
