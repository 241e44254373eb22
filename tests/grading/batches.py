"""Compilers that do not end, limits of memory, and what cannot be graded."""

import os
import shutil
import subprocess

from grading.scene import Folder, LIMITS, REPOSITORY, brief, command, copy_cores, grade


class Builds(Folder):
    def test_one_that_has_no_end_is_ended(self):
        os.makedirs(os.path.join(self.folder, "cores"))
        with open(os.path.join(self.folder, "cores", "twice.cpp"), "w", encoding="utf-8") as file:
            file.write("template <int N, class T> struct Twice { static constexpr int value = "
                       "Twice<N - 1, T *>::value + Twice<N - 1, const T *>::value; };\n"
                       "template <class T> struct Twice<0, T> "
                       "{ static constexpr int value = 1; };\n"
                       "int value = Twice<40, int>::value;\n")
        outcome = grade(self.folder, "--build-limit", "3")
        self.assertEqual(outcome.returncode, 0, brief(outcome.stderr))
        row = self.table()[0]
        self.assertEqual(row["verdict"], "build_failed", row["message"])
        self.assertIn("passed its limit of time", row["message"])


class Memory(Folder):
    def test_its_limit_is_told_in_the_units_in_which_it_is_set(self):
        os.makedirs(os.path.join(self.folder, "cores"))
        with open(os.path.join(self.folder, "cores", "wants.cpp"), "w", encoding="utf-8") as file:
            file.write("#include <cstdlib>\nvoid cudaCallback(int, int, float *, float **result)\n"
                       "{ *result = (float *)std::malloc(2000000000); **result = 1; }\n")
        for memory, limit in (("1g", "1 GiB"), ("1023m", "1023 MiB"), ("1.5g", "1.5 GiB")):
            outcome = grade(self.folder, "--memory", memory)
            self.assertEqual(outcome.returncode, 0, brief(outcome.stderr))
            row = self.table()[0]
            self.assertEqual((row["verdict"], row["message"]),
                             ("memory", f"it wants more than {limit}, in group 1 of 5, 5 x 5"))
        with open(os.path.join(self.folder, "cores", "grades.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("<li>limits: 4 s, 1.5 GiB</li>", page)
        self.assertRegex(page, "<li>walls: [a-zA-Z]")


class Refusals(Folder):
    def check(self, sentence, *options):
        outcome = grade(self.folder, *options)
        self.assertEqual(outcome.returncode, 2, outcome.stderr)
        self.assertIn(sentence, outcome.stderr)
        self.assertNotIn("Traceback", outcome.stderr)
        self.assertNotIn("Errno", outcome.stderr)

    def test_each_says_what_is_missing(self):
        os.makedirs(os.path.join(self.folder, "cores"), exist_ok=True)
        self.check("holds no *.cu and no *.cpp")
        copy_cores(self.folder, ["null.cpp"])
        self.check("no/such.csv cannot be written", "--grades", "no/such.csv")
        pipe = os.path.join(self.folder, "pipe.csv")
        os.mkfifo(pipe)
        self.check("pipe.csv cannot be written", "--grades", pipe) # and not replaced
        self.check("/nothing.bin: No such file or directory", "--data", "nothing.bin")
        self.check("grade: /proc/state: No such file or directory", "--state", "/proc/state")
        self.check("nothing.bin", "--reference", "nothing.bin")
        self.check("this is no reference file", "--reference",
                   os.path.join(REPOSITORY, "data", "three_groups.bin"))
        self.check("invalid memory value: 'much'", "--memory", "much")
        self.check("invalid seconds value: '0'", "--limit", "0")
        for jobs in ("0", "-1"):
            self.check("--jobs is 1 or more", "--jobs", jobs)
        page = os.path.join(self.folder, "more.html")
        os.makedirs(page)
        self.check("more.html cannot be written", "--grades", os.path.join(self.folder, "more.csv"))
        shutil.rmtree(os.path.join(self.folder, "cores"))
        self.check("is no folder")

    def test_output_that_is_lost(self):
        copy_cores(self.folder, ["null.cpp"])
        with open("/dev/full", "w", encoding="utf-8") as full:
            outcome = subprocess.run(command(self.folder, *LIMITS), stdout=full,
                                     stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(outcome.returncode, 2)
        self.assertEqual(outcome.stderr.splitlines()[-1],
                         "grade: standard output cannot be written: No space left on device")
