"""How one core is built, judged and told of, without a compiler or a judge."""

import os
import shutil
import tempfile
import types
import unittest.mock

from grading.scene import Part


class OneCore(Part):
    """tools/grade/cores.py by itself."""

    def core(self, folder, name="core.cpp", text="", outcome=(0, b"", b""), **more):
        """A core in that folder, judged by a program whose outcome is known, and its words."""
        import cores
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        words = []
        commands = types.SimpleNamespace(run=lambda line, **_: words.append(line) or outcome)
        setup = types.SimpleNamespace(
            **{"key": "", "state": folder, "judge": "judge", "box": "box", "data": "the data",
               "reference": "the answers", "limit": 7, "memory": 99, "hidden": ["secret"],
               "libraries": ["lib"], "gpu": True, "nvcc": True,
               "view": types.SimpleNamespace(without=["calls"], refusal=None), **more})
        core = cores.Core(path, setup, commands)
        os.makedirs(core.room, exist_ok=True)
        return core, words

    def test_the_first_group_does_not_count(self):
        """It may pay for start-up; where it is all there is, it counts."""
        import cores
        self.assertEqual(cores.total_of([9, 1, 2]), 3)
        self.assertEqual(cores.total_of([9]), 9)

    def test_what_is_measured_has_its_column(self):
        import cores
        times = {"milliseconds": [2, 1, 5, 4]}
        found = {"total_ms": 10, "slowest_group": 3, "slowest_ms": 5}
        self.assertEqual(cores.measures(times), found)
        self.assertEqual(cores.measures({**times, "baseline_ms": None}), found)
        self.assertEqual(cores.measures({**times, "baseline_ms": 4}),
                         {**found, "times_reference": 2.5})

    def test_a_log_that_is_cut_says_so(self):
        import cores
        core = cores.Core.__new__(cores.Core)
        with tempfile.TemporaryDirectory() as folder:
            core.log = os.path.join(folder, "log.txt")
            self.assertEqual(core.log_text(), "")
            for size in (0, 65536, 65537, 99999):
                with open(core.log, "wb") as file:
                    file.write(b"x" * size)
                end = "\n... the rest is left out\n" if size > 65536 else ""
                self.assertEqual(core.log_text(), "x" * min(size, 65536) + end, size)

    def test_what_needs_a_gpu_is_known_by_its_code(self):
        """Not by its comments, nor by the name that every core has."""
        with tempfile.TemporaryDirectory() as folder:
            for text, cuda in (("__global__ void f();", True), ("f<<<1, 1>>>();", True),
                               ("cudaMalloc(&p, 4);", True), ("dim3 x;", True),
                               ("void cudaCallback(int, int, float *, float **);", False),
                               ("// like __global__ of CUDA\nint x;", False),
                               ("/* cudaMalloc\n threadIdx */ int x;", False),
                               ("// none\ncudaFree(p); /* x */", True), ("int my_dim3;", False)):
                self.assertEqual(self.core(folder, "core.cu", text)[0].cuda, cuda, text)

    def test_the_judge_is_told_all(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, walls in (("", []), ("dim3 x;", ["--without", "calls"])):
                core, words = self.core(folder, "core.cu", text, (1, b"", b""))
                core.judge("--time")
                line = words[0]
                for option, value in (("--data", "the data"), ("--reference", "the answers"),
                                      ("--box", "box"), ("--runner", core.program),
                                      ("--seconds", "7"), ("--memory", "99"), ("--hide", "secret"),
                                      ("--read", "lib")):
                    self.assertEqual(line[line.index(option) + 1], value)
                self.assertEqual(line[0], "judge")
                self.assertIn("--time", line)
                self.assertEqual(line[line.index("--gpu") + 1:], walls, "walls are left out")
            core, words = self.core(folder, outcome=(1, b"", b""), gpu=False)
            core.judge()
            self.assertNotIn("--gpu", words[0])

    def test_a_core_that_cannot_be_judged_is_told_of_and_the_batch_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            core, _ = self.core(folder, outcome=(2, b"", b"judge: no pipe\n"))
            found = core.judge()
            self.assertEqual((found["verdict"], found["message"]),
                             ("crashed", "it could not be judged: judge: no pipe"))
            self.assertIn("== check: crashed  it could not be judged", core.log_text())

    def test_what_fails_when_it_is_timed_has_not_passed(self):
        with tempfile.TemporaryDirectory() as folder:
            core, _ = self.core(folder)
            core.found = {"verdict": "passed", "message": "", "warnings": ["once"]}
            core.times = {"verdict": "wrong", "message": "group 2", "warnings": ["late"],
                          "milliseconds": [], "groups_passed": 1}
            row = core.row()
            self.assertEqual((row["verdict"], row["message"]), ("wrong", "when timed: group 2"))
            self.assertEqual((row["warnings"], row["groups_passed"]), ("late", 1))
            self.assertNotIn("total_ms", row)
            core.times = {"verdict": "wrong", "message": "a\n b ", "warnings": ["c", "d"],
                          "milliseconds": []}
            row = core.row()
            self.assertEqual((row["message"], row["warnings"]), ("when timed: a b", "c; d"))
            core.times = {"verdict": "passed", "message": "", "warnings": [],
                          "milliseconds": [5, 2]}
            self.assertEqual((core.row()["verdict"], core.row()["total_ms"]), ("passed", 2))

    def test_the_first_error_of_a_build_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            core, _ = self.core(folder)
            for line, told in (("core.cpp:3: error: no x", "core.cpp:3: error: no x"),
                               ("ld: undefined reference to `cudaCallback'",) * 2,
                               ("ld: multiple definition of `main'",) * 2,
                               ("  the build passed its limit of time or memory ",
                                "the build passed its limit of time or memory"),
                               (core.room + "/core.cpp: ERROR: x", "core.cpp: ERROR: x"),
                               ("error: " + 400 * "x", "error: " + 293 * "x"),
                               ("warning: errors may be", "see its log")):
                with open(core.log, "w", encoding="utf-8") as file:
                    file.write(f"$ g++\nwarning: x\n{line}\nerror: another\n"
                               if told != "see its log" else line)
                self.assertEqual(core.first_error(), told)

    def test_a_core_runs_without_what_is_in_the_environment(self):
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.dict(os.environ, TMPDIR="/x", ENTROPY_BENCHMARK="1"):
            seen = {}
            core, _ = self.core(folder)
            core.commands = types.SimpleNamespace(
                run=lambda *_, env, **__: seen.update(env) or (1, b"", b""))
            core.judge()
            self.assertEqual((seen["ENTROPY_BENCHMARK"], seen["HOME"]), ("0", "/nonexistent"))
            self.assertNotIn("TMPDIR", seen)

    def test_a_log_holds_what_each_run_said_once(self):
        def run(line, **_):
            with open(line[line.index("--log") + 1], "a", encoding="utf-8") as log:
                log.write("said\n")
            with open(line[line.index("--verdict") + 1], "w", encoding="utf-8") as verdict:
                verdict.write('{"verdict": "passed", "message": ""}')
            return 0, b"", b""

        with tempfile.TemporaryDirectory() as folder:
            core, _ = self.core(folder)
            core.commands = types.SimpleNamespace(run=run)
            core.judge()
            core.judge("--time")
            self.assertEqual(core.log_text(),
                             "== check: passed  \nsaid\n== times: passed  \nsaid\n")

    def test_what_is_linked(self):
        """The library where a core does not link without; that of CUDA where it needs a GPU."""
        with tempfile.TemporaryDirectory() as folder:
            for text, first in (("", ["g++"]), ("dim3 x;", ["nvcc"])):
                core, _ = self.core(folder, text=text, link=["nvcc"], link_plain=["g++"],
                                    library=["library.o"], heap="heap.o", runner="runner.o",
                                    runner_cuda="runner_cuda.o")
                ways = []
                core.box = ways.append
                self.assertFalse(core.link())
                end = [os.path.join(core.room, "core.o"), "runner.o" if first == ["g++"] else
                       "runner_cuda.o", "heap.o", "-o", core.program]
                self.assertEqual(ways, [first + end, ["nvcc", "library.o"] + end])

    def test_what_compiles(self):
        """That which is likely to, first; a core of C++ is never one of CUDA."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text, first in (("core.cpp", "dim3 x;", ["g++"]),
                                      ("core.cu", "dim3 x;", ["nvcc", "g++"]),
                                      ("core.cu", "int x;", ["g++", "nvcc"])):
                core, _ = self.core(folder, name, text, cpp=["g++"], cu=["nvcc"])
                ways = []
                core.box = ways.append
                self.assertFalse(core.compile())
                self.assertEqual([way[0] for way in ways], first)
                source = os.path.join(core.room, name)
                self.assertEqual([way[way.index("-c") + 1] for way in ways], [source] * len(ways))

    def test_the_box_of_a_compiler(self):
        """Its limits are its own, whatever those of the core are."""
        with tempfile.TemporaryDirectory() as folder:
            for status, memory, most in ((0, 99, 4 << 30), (124, 8 << 30, 8 << 30)):
                core, words = self.core(folder, outcome=(status, b"", b""), memory=memory,
                                        build_limit=3, tree="headers", toolchain=["/opt"],
                                        objects=["heap.o"])
                self.assertEqual(core.box(["sh", "a b"]), status == 0)
                self.assertEqual(words, [[
                    "box", "--seconds", "3", "--memory", str(most), "--file-size", str(512 << 20),
                    "--directory", "headers", "--write", core.room, "--read", "headers", "--read",
                    "/opt", "--read", "heap.o", "--", shutil.which("sh"), "a b"]])
            self.assertEqual(core.log_text(), "$ sh 'a b'\n" * 2 +
                             "the build passed its limit of time or memory\n")

    def test_what_fails_without_a_gpu_that_it_needs_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, gpu, words in (("dim3 x;", False, "there is none here"), ("", False, None),
                                     ("dim3 x;", True, None)):
                core, _ = self.core(folder, "core.cu", text, gpu=gpu)
                for verdict in ("passed", "wrong", "crashed", "timeout", "cheated"):
                    found = {"verdict": verdict, "message": "x", "walls": "some"}
                    expected = {"verdict": "refused", "walls": "some", "message":
                                f"needs a GPU, and {words}; without one: x"} \
                        if words and verdict in ("wrong", "crashed") else found
                    self.assertEqual(core.refuse_without_gpu(found), expected)

    def test_a_file_that_cannot_be_written_leaves_nothing(self):
        import cores
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "grades.csv"))
            with self.assertRaises(OSError):
                cores.write_whole(os.path.join(folder, "grades.csv"), "core")
            self.assertEqual(os.listdir(folder), ["grades.csv"])

    def test_a_verdict_that_was_cut_off_is_found_out_again(self):
        with tempfile.TemporaryDirectory() as folder:
            core, _ = self.core(folder)
            for text, found in (('{"verdict": "pas', None), ('{"verdict": 1}', {"verdict": 1})):
                with open(os.path.join(core.room, "check.json"), "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(self.core(folder)[0].found, found)
