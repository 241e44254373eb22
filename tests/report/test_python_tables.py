"""What the tools measure of the Python package is in their tables; with a package that is made up
here, and nothing that is measured."""

import argparse
import contextlib
import csv
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"
sys.path.insert(0, str(TOOLS))
import measured  # noqa: E402


def module(name, **parts):
    made = types.ModuleType(name)
    vars(made).update(parts)
    return made


def nothing(*arguments, **others):
    return None


RANDOM = types.SimpleNamespace(default_rng=lambda seed: types.SimpleNamespace(integers=nothing))
MADE_UP = {"local_entropy": module("local_entropy", __version__="7.8", entropy=nothing),
           "numpy": module("numpy", uint8=None, random=RANDOM), "rasterio": module("rasterio"),
           "zarr": module("zarr"), "dask": module("dask"), "dask.array": module("dask.array"),
           "distributed": module("distributed", Client=None, LocalCluster=None)}


class PythonTables(unittest.TestCase):
    def outcome(self, tool, patches, *arguments):
        """The rows of its table; the machine and the package are the same in all."""
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            path = pathlib.Path(folder, "table.csv")
            stack.enter_context(unittest.mock.patch.dict(sys.modules, MADE_UP))
            found = importlib.util.spec_from_file_location("tool", TOOLS / f"{tool}.py")
            loaded = importlib.util.module_from_spec(found)
            found.loader.exec_module(loaded)
            for name, instead in patches.items():
                stack.enter_context(unittest.mock.patch.object(loaded, name, instead))
            stack.enter_context(unittest.mock.patch.object(
                sys, "argv", [tool, *arguments, "--csv", str(path)]))
            self.output = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            self.assertIn(loaded.main(), (None, 0))
            with open(path, newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([each.name for each in path.parent.iterdir()], [path.name])
        for row in rows:
            self.assertRegex(row.pop("machine"), r"^[a-z0-9][a-z0-9-]*$")
            self.assertEqual(row.pop("version"), "7.8")
        return rows

    def test_overhead(self):
        c, python = iter(range(900, 0, -1)), iter(range(1900, 0, -1))
        rows = self.outcome("bench/python_overhead", {
            "compiled": nothing, "from_c": lambda *arguments: next(c) / 10,
            "from_python": lambda *arguments: next(python) / 10}, "--rounds", "3", "--calls", "20")
        self.assertEqual([(row["window"], row["threads"]) for row in rows],
                         [(f"{side}x{side}", threads) for side in (3, 5, 9)
                          for threads in ("1", "all")])
        self.assertEqual(rows[1], {  # the fastest of the rounds, in which six take turns
            "width": "64", "height": "64", "window": "3x3", "threads": "all", "rounds": "3",
            "calls": "20", "c_us": "88.7", "python_us": "188.7"})

    def files(self, *arguments):
        runs = iter(range(1, 99))

        def run(*_):
            turn = next(runs)
            return turn / 4, 1000 - turn

        return self.outcome("python_files", {
            "image": nothing, "run": run, "make": nothing, "check_same": nothing,
            "mosaic": lambda *given: "in/large.vrt",
            "os": types.SimpleNamespace(path=os.path, remove=nothing)},
            *arguments, "--device", "auto,cpu")

    def test_rate(self):
        rows = self.files("rate", "--times", "2")
        self.assertEqual([(row["source"], row["way"]) for row in rows],
                         [(name, way) for name in ("strips.tif", "tiles.tif", "deflate.tif",
                                                   "cells.npy") for way in ("copy", "auto", "cpu")])
        self.assertEqual(rows[1], {  # runs 2 and 5
            "what": "rate", "source": "strips.tif", "way": "auto", "width": "10000",
            "height": "10000", "runs": "2", "median_ms": "875", "min_ms": "500",
            "memory_bytes": "998"})

    def test_large(self):
        rows = self.files("large", "--tiles", "3")
        self.assertEqual([row["way"] for row in rows], ["auto", "cpu"])
        self.assertEqual(rows[1], {
            "what": "large", "source": "large.vrt", "way": "cpu", "width": "30000",
            "height": "30000", "runs": "1", "median_ms": "500", "min_ms": "500",
            "memory_bytes": "998"})

    def loaded(self, tool):
        with unittest.mock.patch.dict(sys.modules, MADE_UP):
            found = importlib.util.spec_from_file_location("tool", TOOLS / f"{tool}.py")
            loaded = importlib.util.module_from_spec(found)
            found.loader.exec_module(loaded)
        return loaded

    def test_memory_is_in_bytes(self):
        files = self.loaded("python_files")
        with unittest.mock.patch.object(files, "COMMAND", "print(3)"):
            self.assertEqual(files.run("compute", "from", "to")[1], 3 * 1024)  # the system says kB

    def test_a_device_that_there_is_not_is_refused(self):
        files = self.loaded("python_files")
        with unittest.mock.patch.object(sys, "argv", ["files", "rate", "--device", "cpu,gpu"]), \
                contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            files.main()
        self.assertIn("--device cpu,gpu, expected some of auto,cpu", said.getvalue())

    def test_scaling(self):
        rows = self.outcome("python_cluster", {
            "CORES": 2, "image_in": nothing,
            "seconds_of": lambda call, times: [0.5] * times,
            "on_workers": lambda workers, threads, each, *given: ([workers, threads, 9],
                                                                  [each or 1, 8, 8])},
            "--side", "4000", "--chunk", "500", "--size", "9")
        self.assertEqual([tuple(row[name] for name in ("result", "workers", "worker_threads",
                                                       "task_threads", "median_ms", "min_ms"))
                          for row in rows],
                         [("entropy", "", "", "1", "500", "500"),
                          ("entropy", "", "", "2", "500", "500"),
                          ("entropy", "1", "1", "1", "1000", "1000"),
                          ("copy", "1", "1", "1", "8000", "1000"),
                          ("entropy", "2", "1", "1", "2000", "1000"),
                          ("copy", "2", "1", "1", "8000", "1000"),
                          ("entropy", "1", "2", "1", "2000", "1000"),
                          ("copy", "1", "2", "1", "8000", "1000"),
                          ("entropy", "1", "1", "2", "1000", "1000"),
                          ("copy", "1", "1", "2", "8000", "2000")])
        for row in rows:
            self.assertEqual([row[name] for name in ("width", "height", "chunk", "window", "runs")],
                             ["4000", "4000", "500x500", "9x9", "3"])

    def test_the_machine_has_all_its_threads_whatever_the_programs_take(self):
        with unittest.mock.patch.dict(sys.modules, MADE_UP), \
                unittest.mock.patch.dict(os.environ, OMP_NUM_THREADS="7777"), \
                unittest.mock.patch.object(measured, "MACHINE_NAME", "nproc"):
            self.assertNotEqual(measured.facts()["machine"], "7777")

    def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(self):
        for path in ("/no/such/table.csv", str(TOOLS)):
            with self.assertRaisesRegex(argparse.ArgumentTypeError, f"{path} cannot be created"):
                measured.csv_file(path)
        self.assertEqual(measured.csv_file("table.csv"), pathlib.Path("table.csv"))


if __name__ == "__main__":
    unittest.main()
