"""Compilers that do not end, sums of times, and what cannot be graded."""

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

from grading.scene import Folder, LIMITS, REPOSITORY, brief, command, copy_cores, grade


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


class Tables(unittest.TestCase):
    """Parts of the grader by themselves."""

    def setUp(self):
        sys.path.insert(0, os.path.join(REPOSITORY, "tools", "grade"))
        self.addCleanup(sys.path.pop, 0)

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

    ROW = {"core": "a <b>.cu", "verdict": "wrong", "groups_passed": 2, "groups": 3,
           "largest_error": "0.25", "error_group": 4, "error_x": 5, "error_y": 6,
           "expected": "1.5", "computed": "1.75", "wrong_cells": 7, "total_ms": 8.12345,
           "slowest_group": 9, "slowest_ms": 10.5, "times_reference": 1.0625, "message": "no, but",
           "warnings": "a & b", "log": "x < y\n"}

    def test_every_value_is_in_its_column(self):
        import report
        self.assertEqual(report.as_csv([self.ROW]), ",".join(report.COLUMNS) + "\n"
                         "a <b>.cu,wrong,2,3,0.25,4,5,6,1.5,1.75,7,8.123,9,10.500,1.062,a & b,"
                         '"no, but"\n')
        self.assertEqual(report.as_table([self.ROW]).splitlines(), [
            "core      verdict  groups  error  total ms  slowest  x reference  what is wrong; "
            "warnings",
            "a <b>.cu  wrong       2/3   0.25     8.123   10.500        1.062  no, but; a & b"])
        self.assertEqual(report.page_row(self.ROW, 16.2469).splitlines(), [
            "<tr><td class=core>a &lt;b&gt;.cu</td>"
            "<td><span class='verdict wrong'>wrong</span></td>"
            "<td class=number>2/3</td><td class=number>0.25</td>"
            "<td class=time>8.123<div class=bar style='width: 50.00%'></div></td>"
            "<td class=number>10.500</td><td class=number>1.062</td>"
            "<td class=notes><div>no, but</div><div class=warning>a &amp; b</div>"
            "<details><summary>log</summary><pre>x &lt; y", "</pre></details></td></tr>"])

    def test_bars_are_parts_of_the_longest(self):
        import report
        page = report.as_page([{**self.ROW, "total_ms": time} for time in (4, 16, 8)], [])
        for width in (25, 100, 50):
            self.assertIn(f"width: {width}.00%", page)

    def test_walls_that_are_left_out_are_told(self):
        import gpu
        view = gpu.View.__new__(gpu.View)
        view.refusal, view.without = None, ["ipc", "network"]
        self.assertIn("cores that need it run without ipc and network (box", view.warning())
        view.without = []
        self.assertIsNone(view.warning())

    def test_what_is_missing_is_empty(self):
        import report
        row = {"core": "a.cu", "verdict": "build_failed", "message": "", "warnings": ""}
        self.assertEqual(report.as_csv([row]).splitlines()[1], "a.cu,build_failed" + 15 * ",")
        self.assertNotIn("bar", report.page_row(row, 1))
        self.assertIn("<pre>(empty)", report.page_row(row, 1))

    def test_verdicts_are_counted(self):
        import report
        rows = [{"verdict": verdict} for verdict in ("wrong", "passed", "wrong", "cheated")]
        self.assertEqual(report.counts(rows), "4 cores: 1 passed, 2 wrong, 1 cheated")
        self.assertEqual(report.counts(rows[:1]), "1 core: 1 wrong")
        self.assertEqual(report.counts([]), "0 cores")

    def test_lines_end_where_the_terminal_does(self):
        import report
        lines = report.as_table([self.ROW], 20).splitlines()
        self.assertEqual(lines, ["core      verdict  g", "a <b>.cu  wrong     "])
        for terminal in (True, False):
            with unittest.mock.patch.object(sys, "stdout") as output, \
                    unittest.mock.patch.object(shutil, "get_terminal_size",
                                               lambda: os.terminal_size((20, 9))):
                output.isatty = lambda is_one=terminal: is_one
                self.assertEqual(report.as_table([self.ROW]).splitlines() == lines, terminal)

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

    def test_settings_have_units_and_ends(self):
        import grade as grader
        for text, value in (("4G", 4 << 30), ("500M", 500 << 20), ("500m", 500 << 20),
                            ("1.5g", 3 << 29), ("1024K", 1 << 20), ("2T", 2 << 40),
                            ("1048576", 1 << 20)):
            self.assertEqual(grader.memory(text), value, text)
        for text in ("much", "1048575", "1023K", "-4G", "G", "4GB"):
            with self.assertRaises(ValueError, msg=text):
                grader.memory(text)
        self.assertEqual([grader.seconds(text) for text in ("0.5", "86400")], [0.5, 86400])
        for text in ("0", "-1", "86401", "nan", "soon"):
            with self.assertRaises(ValueError, msg=text):
                grader.seconds(text)

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
            self.assertEqual((row["verdict"], row["message"], row["warnings"], row["groups_passed"]),
                             ("wrong", "when timed: group 2", "late", 1))
            self.assertNotIn("total_ms", row)
            core.times = {"verdict": "wrong", "message": "a\n b ", "warnings": ["c", "d"],
                          "milliseconds": []}
            row = core.row()
            self.assertEqual((row["message"], row["warnings"]), ("when timed: a b", "c; d"))
            core.times = {"verdict": "passed", "message": "", "warnings": [], "milliseconds": [5, 2]}
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

    def test_the_time_of_a_reference_solution_that_fails_is_none(self):
        import cores
        import grade as grader
        with tempfile.TemporaryDirectory() as folder:
            batch = grader.Batch.__new__(grader.Batch)
            batch.commands, batch.options = None, types.SimpleNamespace(baseline_name="v12")
            batch.setup = types.SimpleNamespace(baseline="program", state=folder, gpu=False)
            for verdict, total in (("passed", 6), ("timeout", None), ("wrong", None)):
                times = {"verdict": verdict, "message": "x", "milliseconds": [9, 2, 4]}
                with unittest.mock.patch.object(cores.Core, "judge", lambda *_, t=times: t), \
                        unittest.mock.patch.object(grader, "warn") as warned:
                    self.assertEqual(batch.time_baseline(), total)
                self.assertEqual(warned.called, total is None)
            batch.setup.baseline = None
            self.assertIsNone(batch.time_baseline())

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

    def test_one_core_without_landlock_is_enough_to_warn(self):
        import grade as grader
        batch = grader.Batch.__new__(grader.Batch)
        for walls, warned in ((["Landlock", "Landlock"], 0), (["Landlock", "seccomp"], 1),
                              (["seccomp", None], 1), ([None], 0)):
            batch.cores = [types.SimpleNamespace(found={"walls": one}) for one in walls]
            with unittest.mock.patch.object(grader, "warn") as warn:
                batch.warn_of_walls()
            self.assertEqual(warn.call_count, warned, walls)

    def test_a_batch_that_is_ended_is_interrupted(self):
        import grade as grader
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.multiple(
                grader, parse=lambda: types.SimpleNamespace(cores=folder, grades=None),
                Batch=lambda *_: types.SimpleNamespace(
                    run=lambda: signal.getsignal(signal.SIGTERM)())):
            self.assertEqual(grader.main(), 130)

    def test_all_that_has_answers_or_is_others_is_hidden(self):
        import grade as grader
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, \
                unittest.mock.patch.dict(os.environ, HOME=os.path.join(folder, "home")):
            names = ("home", "cores", "data", "state", "answers", "tables")
            home, *places = (os.path.join(os.path.realpath(folder), name) for name in names)
            for place in (home, *places):
                os.makedirs(place)
            cores, data, state, answers, tables = places
            setup = types.SimpleNamespace(data=data + "/data.bin", state=state,
                                          reference=answers + "/reference.bin")
            found = grader.Setup.secrets(setup, types.SimpleNamespace(
                cores=cores, grades=tables + "/grades.csv"))
            self.assertLessEqual({os.path.realpath(REPOSITORY), home, *places}, set(found))

    def test_one_of_the_walls_that_hide_answers_stays(self):
        import gpu
        choices = list(gpu.choices())
        self.assertEqual(choices[:2], [[], ["nameless"]])
        for without in choices:
            self.assertFalse({"landlock", "mounts"} <= set(without), without)

    def test_cores_are_built_for_every_gpu(self):
        import gpu
        words = ["nvcc", "-arch=native", "-O3"]
        self.assertEqual(gpu.for_these(words, []), words)
        self.assertEqual(gpu.for_these(words, ["90"]), ["nvcc", "-arch=sm_90", "-O3"])
        self.assertEqual(gpu.for_these(words, ["80", "90"]),
                         ["nvcc", "-gencode=arch=compute_80,code=sm_80",
                          "-gencode=arch=compute_90,code=sm_90", "-O3"])

    def test_what_is_kept_is_of_these_settings_and_files(self):
        import grade as grader
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(grader.Setup, "copy_headers", lambda _: folder), \
                unittest.mock.patch.multiple(grader.places, toolchain=lambda *_: set(),
                                             libraries=lambda *_: set()):
            files = {name: os.path.join(folder, name)
                     for name in ("data.bin", "reference.bin", "box", "judge", "runner.o")}
            settings = {"limit": 1, "memory": 2, "cpp": "g++", "cu": "nvcc", "link": "nvcc -x",
                        "baseline_name": "v1", "gpu": 0}
            others = {"tools": folder, "state": None, "build_limit": 3, "library": "", "probe": None,
                      "baseline": None, "data": files["data.bin"], "cores": folder,
                      "reference": files["reference.bin"], "grades": files["data.bin"]}
            commands = types.SimpleNamespace(run=lambda *_, **__: (0, b"", b""))

            def key(**more):
                options = types.SimpleNamespace(**{**settings, **others, **more})
                return grader.Setup(options, commands).key

            for path in files.values():
                with open(path, "w", encoding="utf-8") as file:
                    file.write("before")
            before = key()
            self.assertEqual(key(), before)
            for name, value in settings.items():
                self.assertNotEqual(key(**{name: value + type(value)(1)}), before, name)
            for name, path in files.items():
                with open(path, "w", encoding="utf-8") as file:
                    file.write("after")
                self.assertNotEqual(key(), before, name)
                before = key()

    def test_a_fresh_batch_forgets_verdicts_and_times(self):
        import grade as grader
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.multiple(
                grader, Setup=lambda *_: None,
                Core=lambda *_: types.SimpleNamespace(found="passed", times="1 ms")):
            with open(os.path.join(folder, "core.cpp"), "w", encoding="utf-8"):
                pass
            for fresh, left in ((False, ("passed", "1 ms")), (True, (None, None))):
                core, = grader.Batch(types.SimpleNamespace(cores=folder, fresh=fresh), None).cores
                self.assertEqual((core.found, core.times), left)

    def test_how_many_cores_are_timed(self):
        import grade as grader
        core = types.SimpleNamespace(found={"verdict": "passed"}, times=None, time=lambda _: None)
        for count, said in ((0, ""), (1, "timing 1 core\n"), (2, "timing 2 cores, one at a time\n")):
            batch = grader.Batch.__new__(grader.Batch)
            batch.cores, batch.time_baseline = [core] * count, lambda: None
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                batch.time_all()
            self.assertEqual(errors.getvalue(), said)

    def test_right_answers_are_found_beside_data_bin_only(self):
        import grade as grader
        with tempfile.TemporaryDirectory() as folder:
            def found(name, path=None, text="cells"):
                words = []
                data = os.path.join(folder, name)
                with open(data, "w", encoding="utf-8") as file:
                    file.write(text)
                setup = types.SimpleNamespace(
                    data=data, state=folder, judge="judge", commands=types.SimpleNamespace(
                        run=lambda line, **_: words.append(line) or (0, b"", b"")))
                with unittest.mock.patch.object(grader, "warn"):
                    return grader.Setup.find_reference(setup, path), words[0][3]
            beside = os.path.join(folder, "reference.bin")
            self.assertEqual(found("data.bin")[1], "--make-reference")
            with open(beside, "w", encoding="utf-8") as file:
                file.write("answers")
            self.assertEqual(found("data.bin"), (beside, "--reference"))
            other = os.path.join(folder, "other.bin")
            self.assertEqual(found("data.bin", other), (other, "--reference"))
            kept, option = found("more.bin")
            self.assertEqual(option, "--make-reference")
            self.assertTrue(os.path.basename(kept).startswith("reference-"), kept)
            self.assertNotEqual(found("more.bin", text="other cells")[0], kept)

    def test_directories_that_hold_what_is_hidden_are_not_shown(self):
        import places
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            secret, open_one = (os.path.join(folder, name) for name in ("secret", "open"))
            for path in (secret, open_one, os.path.join(secret, "in")):
                os.makedirs(path)
            found = {folder, secret, open_one, os.path.join(secret, "in"), "/", "/tmp", "",
                     "relative", "/no/such/folder", open_one + "/../open"}
            self.assertEqual(places.kept(found, [os.path.realpath(secret)]),
                             [open_one, os.path.join(secret, "in")])

    def test_what_a_core_wrote_does_nothing_to_a_terminal_or_a_page(self):
        import report
        row = {**self.ROW, "core": "a\x1b[2J\u202e.cu", "message": "\x07<b>", "log": "x\x1b\ty\n"}
        self.assertIn("a?[2J?.cu ", report.as_table([row]))
        self.assertIn("?<b>", report.as_table([row]))
        page = report.as_page([row], [("data", "a\x1b<i>")])
        for sign in ("\x1b", "\x07", "\u202e", "<b>", "<i>"):
            self.assertNotIn(sign, page)
        self.assertIn("<pre>x\ufffd\ty\n</pre>", page)

    def test_a_probe_says_how_it_ended(self):
        import gpu
        self.assertEqual(gpu.runs(["sh", "-c", "exit 3"]), (False, "status 3"))
        self.assertEqual(gpu.runs(["sh", "-c", "echo a; echo b >&2"]), (True, "a b"))
        self.assertFalse(gpu.runs(["/no/such/probe"])[0])

    def test_directories_of_a_compiler_are_all_that_it_says(self):
        """Behind an equals sign, as of GCC and clang, and more than one in a line."""
        import places
        with unittest.mock.patch.object(places, "answer", lambda words: (
                "install: /one/\nprograms: =/two:/three\nlibraries: =/four\n"
                if "-print-search-dirs" in words else "", " /five\n")):
            self.assertLessEqual({"/one/", "/two", "/three", "/four", "/five"}, places.asked("g++"))

    def test_the_help_says_the_defaults(self):
        import grade as grader
        words = ["grade", "--tools", "t", "--cpp", "c", "--cu", "c", "--link", "l", "--gpu", "0",
                 "x"]
        with unittest.mock.patch.object(sys, "argv", words):
            options = grader.parse()
        with unittest.mock.patch.object(sys, "argv", ["grade", "--help"]), \
                self.assertRaises(SystemExit), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            grader.parse()
        told = " ".join(said.getvalue().split())
        self.assertIn(f"(default: {options.limit:g})", told)
        self.assertIn(f"(default: {options.memory >> 30}G)", told)
        self.assertIn(f"(default: {options.data})", told)
        self.assertEqual((options.jobs, options.fresh), (os.cpu_count(), False))

    def test_the_titles_are_explained(self):
        import report
        self.assertIn("x reference: total ms as a multiple of v7's;", report.legend("v7"))
        self.assertNotIn("x reference", report.legend(""))
        for title in ("groups", "error", "slowest", "x reference"):
            self.assertIn(f"  {title} (", report.columns_help())


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
