"""Machines that have another compiler, other libraries, or a GPU."""

import html
import os
import shutil
import subprocess
import tempfile

from grading import scene
from grading.scene import Folder, LIMITS, WRONG, brief, changed, copy_cores, write_program


class Elsewhere(Folder):
    """Another compiler than the system's, another library path."""

    def setUp(self):
        shutil.rmtree(os.path.join(self.folder, "cores"), ignore_errors=True)
        copy_cores(self.folder, ["a right core.cpp"])
        self.prefix = tempfile.mkdtemp(prefix="grade-prefix-")
        self.compiler = os.path.join(self.prefix, "bin", "g++")
        self.flags = scene.COMMAND[scene.COMMAND.index("--cpp") + 1].split(" ", 1)
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
        part = subprocess.run([self.real, "-print-prog-name=cc1plus"], capture_output=True,
                              text=True, check=True).stdout.strip()
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
        write_program(self.compiler,
                      f'#!/bin/sh\nexec {self.real} "$@" -Wl,--no-as-needed {library}\n')
        # Before what the loader is told already: Python itself may be found by that.
        told = [libraries, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        self.check(LD_LIBRARY_PATH=":".join(told), HOME=os.path.join(self.prefix, "home"))


class Gpu(Folder):
    """What a machine with a GPU asks for, with programs in place of its own."""

    def setUp(self):
        shutil.rmtree(os.path.join(self.folder, "cores"), ignore_errors=True)
        self.tools = tempfile.mkdtemp(prefix="grade-tools-")
        self.addCleanup(shutil.rmtree, self.tools)
        write_program(os.path.join(self.tools, "nvidia-smi"), "#!/bin/sh\necho 8.7\necho 8.7\n")
        compiler = scene.COMMAND[scene.COMMAND.index("--cpp") + 1].split()[0]
        # It takes what nvcc takes and compiles as C++; CUDA itself is the work of the core.
        write_program(os.path.join(self.tools, "nvcc"), f"""#!/bin/sh
for word; do
    shift
    case $word in -arch=* | -gencode*) echo "made for $word" ;; *) set -- "$@" "$word" ;; esac
done
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
        compiler = scene.COMMAND[scene.COMMAND.index("--cpp") + 1].split()[0]
        subprocess.run([compiler, source, "-o", program], check=True)
        return program

    def grade(self, core, condition):
        """Its row, and what was said."""
        cores = os.path.join(self.folder, "cores")
        os.makedirs(cores, exist_ok=True)
        with open(os.path.join(cores, "core.cu"), "w", encoding="utf-8") as file:
            file.write(core)
        compiler = scene.COMMAND[scene.COMMAND.index("--cpp") + 1].split()[0]
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
        # Drivers take a while to start.
        row, said, page = self.grade(self.RIGHT, "usleep(300000) == 0")
        self.assertLacks(said, "cannot be used")
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
