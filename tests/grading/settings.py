"""What is around the cores of a batch: settings, the right answers, what is hidden, walls, GPUs."""

import contextlib
import io
import os
import signal
import sys
import tempfile
import types
import unittest.mock

from grading.scene import Part, REPOSITORY


class Settings(Part):
    """tools/grade/grade.py, places.py and gpu.py by themselves."""

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
            others = {"tools": folder, "state": None, "build_limit": 3, "library": "",
                      "probe": None, "baseline": None, "data": files["data.bin"], "cores": folder,
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

    def test_directories_of_a_compiler_are_all_that_it_says(self):
        """Behind an equals sign, as of GCC and clang, and more than one in a line."""
        import places
        with unittest.mock.patch.object(places, "answer", lambda words: (
                "install: /one/\nprograms: =/two:/three\nlibraries: =/four\n"
                if "-print-search-dirs" in words else "", " /five\n")):
            self.assertLessEqual({"/one/", "/two", "/three", "/four", "/five"}, places.asked("g++"))

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
        for count, said in ((0, ""), (1, "timing 1 core\n"),
                            (2, "timing 2 cores, one at a time\n")):
            batch = grader.Batch.__new__(grader.Batch)
            batch.cores, batch.time_baseline = [core] * count, lambda: None
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                batch.time_all()
            self.assertEqual(errors.getvalue(), said)

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

    def test_cores_are_built_for_every_gpu(self):
        import gpu
        words = ["nvcc", "-arch=native", "-O3"]
        self.assertEqual(gpu.for_these(words, []), words)
        self.assertEqual(gpu.for_these(words, ["90"]), ["nvcc", "-arch=sm_90", "-O3"])
        self.assertEqual(gpu.for_these(words, ["80", "90"]),
                         ["nvcc", "-gencode=arch=compute_80,code=sm_80",
                          "-gencode=arch=compute_90,code=sm_90", "-O3"])

    def test_one_of_the_walls_that_hide_answers_stays(self):
        import gpu
        choices = list(gpu.choices())
        self.assertEqual(choices[:2], [[], ["nameless"]])
        for without in choices:
            self.assertFalse({"landlock", "mounts"} <= set(without), without)

    def test_walls_that_are_left_out_are_told(self):
        import gpu
        view = gpu.View.__new__(gpu.View)
        view.refusal, view.without = None, ["ipc", "network"]
        self.assertIn("cores that need it run without ipc and network (box", view.warning())
        view.without = []
        self.assertIsNone(view.warning())

    def test_a_probe_says_how_it_ended(self):
        import gpu
        self.assertEqual(gpu.runs(["sh", "-c", "exit 3"]), (False, "status 3"))
        self.assertEqual(gpu.runs(["sh", "-c", "echo a; echo b >&2"]), (True, "a b"))
        self.assertFalse(gpu.runs(["/no/such/probe"])[0])
