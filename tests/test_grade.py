#!/usr/bin/env python3
"""The grader on tests/wrong_cores: test_grade.py BUILD COMMAND. Each core must get its verdict.

BUILD is the build directory, COMMAND starts the grader with the build's compilers.
"""

import contextlib
import csv
import fnmatch
import glob
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
        verdict = "with_gpu" if "--gpu 1" in " ".join(COMMAND) else "verdict"
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
        folder = os.listdir(WRONG)
        self.assertEqual(sorted(name for name in folder if name.endswith((".cu", ".cpp")) and is_chosen(name)),
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

    def test_time_cannot_be_hidden(self):
        """Not by an answer that is remembered, nor by work after the clock has stopped."""
        for core, group_ms in (("remembers.cpp", 30), ("computes_late.cpp", 100)):
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
        self.assertHolds(self.outcome.stdout, "\nerror: the largest of all groups; x reference: ")

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


class Elsewhere(Folder):
    """Another compiler than the system's, another library path."""

    def setUp(self):
        shutil.rmtree(os.path.join(self.folder, "cores"), ignore_errors=True)
        copy_cores(self.folder, ["a right core.cpp"])
        self.prefix = tempfile.mkdtemp(prefix="grade-prefix-")
        self.compiler = os.path.join(self.prefix, "bin", "g++")
        self.flags = COMMAND[COMMAND.index("--cpp") + 1].split(" ", 1)
        self.real = os.path.realpath(shutil.which(self.flags[0]))

    def tearDown(self):
        shutil.rmtree(self.prefix)

    def check(self, **environment):
        words = changed(cpp=f"{self.compiler} {self.flags[1]}")
        words = words + ["--state", os.path.join(self.prefix, "state"), "--data",
                         os.path.join(self.folder, "data", "data.bin"), *LIMITS, "--",
                         os.path.join(self.folder, "cores")]
        outcome = subprocess.run(words, capture_output=True, text=True, check=False,
                                 env=dict(os.environ, **environment))
        self.assertEqual(outcome.returncode, 0, brief(outcome.stderr))
        row = self.table()[0]
        self.assertEqual(row["verdict"], "passed", row["message"])

    def test_a_compiler_that_is_a_script(self):
        write_program(self.compiler, f'#!/bin/sh\nexec {self.real} "$@"\n')
        self.check()

    def test_a_compiler_with_parts_of_its_own(self):
        """The parts are found by asking: they lie apart from the program."""
        part = subprocess.run([self.real, "-print-prog-name=cc1plus"], capture_output=True, text=True,
                              check=True).stdout.strip()
        if not os.path.isabs(part):
            self.skipTest("this compiler has no cc1plus")
        own = tempfile.mkdtemp(prefix="grade-parts-")
        self.addCleanup(shutil.rmtree, own)
        shutil.copy(part, own)
        write_program(self.compiler, f'#!/bin/sh\nexec {self.real} -B{own} "$@"\n')
        self.check()

    def test_a_library_that_the_loader_is_told_of(self):
        """Also in a home, which is hidden from cores."""
        libraries = os.path.join(self.prefix, "home", "lib")
        os.makedirs(libraries)
        with open(os.path.join(self.prefix, "one.cpp"), "w", encoding="utf-8") as file:
            file.write("int one() { return 1; }\n")
        library = os.path.join(libraries, "libone.so")
        subprocess.run([self.real, "-shared", "-fPIC", file.name, "-o", library], check=True)
        write_program(self.compiler, f'#!/bin/sh\nexec {self.real} "$@" -Wl,--no-as-needed {library}\n')
        self.check(LD_LIBRARY_PATH=libraries, HOME=os.path.join(self.prefix, "home"))


class Gpu(Folder):
    """What a machine with a GPU asks for, with programs in place of its own."""

    def setUp(self):
        shutil.rmtree(os.path.join(self.folder, "cores"), ignore_errors=True)
        self.tools = tempfile.mkdtemp(prefix="grade-tools-")
        self.addCleanup(shutil.rmtree, self.tools)
        write_program(os.path.join(self.tools, "nvidia-smi"), "#!/bin/sh\necho 8.7\necho 8.7\n")
        compiler = COMMAND[COMMAND.index("--cpp") + 1].split()[0]
        # It takes what nvcc takes and compiles as C++; CUDA itself is the work of the core.
        write_program(os.path.join(self.tools, "nvcc"), f"""#!/bin/sh
for word; do shift; case $word in -arch=* | -gencode*) echo "made for $word" ;; *) set -- "$@" "$word" ;; esac; done
exec {compiler} -fopenmp -x c++ "$@"
""")

    def probe(self, condition):
        """A program that is content where the C++ condition holds."""
        source = os.path.join(self.tools, "probe.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <cstdio>\n#include <sys/prctl.h>\n#include <unistd.h>\n"
                       f"int main() {{ if ({condition}) return 0;\n"
                       'std::puts("no CUDA-capable device is detected"); return 1; }\n')
        program = os.path.join(self.tools, "probe")
        compiler = COMMAND[COMMAND.index("--cpp") + 1].split()[0]
        subprocess.run([compiler, source, "-o", program], check=True)
        return program

    def grade(self, core, condition):
        """Its row, and what was said."""
        cores = os.path.join(self.folder, "cores")
        os.makedirs(cores, exist_ok=True)
        with open(os.path.join(cores, "core.cu"), "w", encoding="utf-8") as file:
            file.write(core)
        compiler = COMMAND[COMMAND.index("--cpp") + 1].split()[0]
        words = changed(cu=os.path.join(self.tools, "nvcc") + " -arch=native -Isources", gpu="1",
                        link=f"{compiler} -fopenmp", probe=self.probe(condition))
        for option in ("--baseline", "--library"):
            if option in words:
                del words[words.index(option):words.index(option) + 2]
        # Without the runner of GPUs, which does not link without CUDA.
        tools = os.path.join(self.tools, "grade")
        shutil.copytree(words[words.index("--tools") + 1], tools,
                        ignore=shutil.ignore_patterns("state", "baseline*"), dirs_exist_ok=True)
        shutil.copy(os.path.join(tools, "runner.o"), os.path.join(tools, "runner_cuda.o"))
        words[words.index("--tools") + 1] = tools
        outcome = subprocess.run(
            words + ["--state", os.path.join(self.tools, "state"), "--data",
                     os.path.join(self.folder, "data", "data.bin"), *LIMITS, "--", cores],
            capture_output=True, text=True, check=False,
            env=dict(os.environ, PATH=self.tools + ":" + os.environ["PATH"]))
        self.assertEqual(outcome.returncode, 0, brief(outcome.stderr))
        with open(os.path.join(cores, "grades.html"), encoding="utf-8") as file:
            page = html.unescape(file.read())
        return self.table()[0], outcome.stderr, page

    # To the grader a core for a GPU, by a word in it; it needs none.
    RIGHT = "int dim3;\n" + open(os.path.join(WRONG, "a right core.cpp"), encoding="utf-8").read()
    WRONG = "int dim3;\n" + open(os.path.join(WRONG, "nan.cpp"), encoding="utf-8").read()

    def test_cores_are_built_for_the_gpu_that_is_there(self):
        row, _, page = self.grade(self.RIGHT, "true")
        self.assertEqual(row["verdict"], "passed", row["message"])
        self.assertHolds(page, "made for -arch=sm_87")
        self.assertLacks(page, "native")

    def test_where_the_box_hides_the_gpu_a_core_is_refused_and_not_wrong(self):
        visible = "prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0" # behind no wall: the box sets it
        row, said, page = self.grade(self.WRONG, visible)
        sentence = "there is a GPU here, but it cannot be used in the box: no CUDA-capable device"
        self.assertEqual(row["verdict"], "refused", row["message"])
        self.assertHolds(row["message"], sentence)
        self.assertHolds(said, sentence)
        self.assertHolds(page, sentence)
        row, _, _ = self.grade(self.RIGHT, visible)
        self.assertEqual(row["verdict"], "passed", "it needs no GPU after all")

    def test_where_cuda_itself_sees_no_gpu_that_is_said(self):
        row, said, _ = self.grade(self.WRONG, "false")
        self.assertEqual(row["verdict"], "refused", row["message"])
        self.assertHolds(said, "nvidia-smi shows a GPU, but CUDA cannot use it: no CUDA-capable")

    def test_the_one_wall_behind_which_it_is_not_seen_is_left_out_by_name(self):
        row, said, page = self.grade(self.RIGHT, "getpid() > 9") # small where it sees no others
        if "without" not in said:
            self.skipTest("this system has no namespaces")
        self.assertEqual(row["verdict"], "passed", row["message"])
        self.assertHolds(said, "cores that need it run without processes (box --help")
        self.assertHolds(page, "namespace of mounts")


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
        built = os.path.abspath(COMMAND[COMMAND.index("--tools") + 1])
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


class Builds(Folder):
    def test_one_that_has_no_end_is_ended(self):
        os.makedirs(os.path.join(self.folder, "cores"))
        with open(os.path.join(self.folder, "cores", "twice.cpp"), "w", encoding="utf-8") as file:
            file.write("template <int N, class T> struct Twice { static constexpr int value = "
                       "Twice<N - 1, T *>::value + Twice<N - 1, const T *>::value; };\n"
                       "template <class T> struct Twice<0, T> { static constexpr int value = 1; };\n"
                       "int value = Twice<40, int>::value;\n")
        outcome = grade(self.folder, "--build-limit", "3")
        self.assertEqual(outcome.returncode, 0, brief(outcome.stderr))
        row = self.table()[0]
        self.assertEqual(row["verdict"], "build_failed", row["message"])
        self.assertIn("passed its limit of time", row["message"])


class Sums(unittest.TestCase):
    def test_the_first_group_does_not_count(self):
        """It may pay for start-up; where it is all there is, it counts."""
        sys.path.insert(0, os.path.join(REPOSITORY, "tools", "grade"))
        self.addCleanup(sys.path.pop, 0)
        sys.dont_write_bytecode = True
        import cores
        self.assertEqual(cores.total_of([9, 1, 2]), 3)
        self.assertEqual(cores.total_of([9]), 9)


class Box(Short):
    """The walls themselves."""

    def box(self, *words, before=""):
        box = os.path.abspath(os.path.join(BUILD, "grade", "box"))
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
        box = os.path.abspath(os.path.join(BUILD, "grade", "box"))
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


class Result(unittest.TextTestResult):
    """Says why a test was skipped, in the words of GoogleTest; so that one counts like the other."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.writeln(f"{test.id()}: Skipped\n{reason}")


if __name__ == "__main__":
    BUILD, COMMAND = sys.argv[1], shlex.split(sys.argv[2])
    os.chdir(REPOSITORY)
    result = unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False,
                           testRunner=unittest.TextTestRunner(resultclass=Result)).result
    print(f"counted: {result.passed} passed, {len(result.failures) + len(result.errors)} failed, "
          f"{len(result.skipped)} skipped")
    sys.exit(not result.wasSuccessful())
