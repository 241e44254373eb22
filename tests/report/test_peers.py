"""tools/peers.py: what it asks bench_gpu for is what bench_gpu measures."""

import contextlib
import importlib.util
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
found = importlib.util.spec_from_file_location("peers", ROOT / "tools" / "peers.py")
peers = importlib.util.module_from_spec(found)
found.loader.exec_module(peers)

BENCH = ROOT / "tools" / "bench_gpu.cu"
# Arrays of bench_gpu, with the type of their cells if it is told; its type if not; and its names.
ARRAY = re.compile(r'^    \{"(\S+)", (\d+), (\d+), (\d+)(?:, "(\w+)")?\},$', re.MULTILINE)
DEFAULT = re.compile(r'^    const char \*cells = "(\w+)";$', re.MULTILINE)
NAME = """\
    return {array.cells + std::string(" ") + array.content +
                (" " + bench::sizeOf(array.width, array.height)) + " offset " + offset,
"""


def cases():
    """The names that `bench_gpu --list` prints, by its source: it is built where there is nvcc."""
    source = BENCH.read_text()
    if NAME not in source:
        raise AssertionError("bench_gpu names its cases otherwise: change NAME, and cases()")
    default, = DEFAULT.findall(source)
    return [f"{cells or default} {content} {width}x{height} offset {offset}"
            for content, width, height, offset, cells in ARRAY.findall(source)]


class Listed(peers.Project):
    """bench_gpu with these cases, all of which take two milliseconds."""

    def __init__(self, directory):
        super().__init__("build", directory)
        self.measured = []

    def run(self, program, *arguments, **environment):
        assert program == "bench_gpu", program
        if arguments == ("--list",):
            return "".join(f"{case}\n" for case in cases())
        option, pattern, csv, path = arguments
        assert (option, csv) == ("--cases", "--csv"), arguments
        self.measured = [case for case in cases() if re.search(pattern, case)]
        path.write_text("runs,median_ms,min_ms\n7,2,1\n")
        return ""


class Kernel(unittest.TestCase):
    def test_it_is_a_case_of_bench_gpu_and_that_alone_is_measured(self):
        with tempfile.TemporaryDirectory() as directory:
            for size in (10240, 2560):  # that of a machine with a GPU, and of others
                project = Listed(directory)
                row = project.kernel(size)
                self.assertEqual(project.measured, [f"float random {size}x{size} offset 0"])
                self.assertEqual((row["width"], row["runs"]), (size, 7))
                self.assertEqual((row["median_ms"], row["min_ms"]), (2, 1))
                self.assertAlmostEqual(row["mcells_per_s"], size**2 / 2 / 1e3)

    def test_a_size_that_is_no_case_is_skipped(self):
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaisesRegex(peers.Skipped, "does not measure 77 x 77"):
                Listed(directory).kernel(77)

    def test_the_program_lists_what_its_source_says(self):
        program = ROOT / "build" / "bench_gpu"
        if not program.exists() or program.stat().st_mtime < BENCH.stat().st_mtime:
            self.skipTest("needs a bench_gpu that is built")
        listed = subprocess.run([program, "--list"], capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(listed.stdout.splitlines(), cases())


class Measured(peers.Project):
    """entropy_measures with two versions, of which one cannot run."""

    def pair(self, size):
        self.asked = size
        return "pair.bin"

    def run(self, program, *arguments, **environment):
        self.environment, self.names = environment, arguments[2:]
        arguments[1].write_text("version,platform,rounds,total_median_ms,total_min_ms,note\n"
                                "v16,OpenMP,7,4,3,\nv15,CUDA,0,,,needs a GPU\n")
        return ""


class Rows(unittest.TestCase):
    def test_versions_have_their_times_or_the_reason(self):
        with tempfile.TemporaryDirectory() as directory:
            project = Measured("build", directory)
            right, missing = project.versions(100, ["v15", "v16", "v99"], ", 1 thread", X="1")
        self.assertEqual((project.asked, project.environment), ("100x100", {"X": "1"}))
        self.assertEqual(project.names, ("v15", "v16"))
        self.assertEqual(right, {
            "peer": "v16, 1 thread", "runs_on": "CPU", "memory": "host", "width": 100,
            "height": 100, "runs": 7, "median_ms": 4, "min_ms": 3, "mcells_per_s": 2.5, "note": ""})
        self.assertEqual([missing[column] for column in ("peer", "runs_on", "runs", "note")],
                         ["v15, 1 thread", "GPU", "", "needs a GPU"])

    def test_every_value_is_in_its_column(self):
        row = peers.entry("torch eager", "GPU", "device", 300, 200, 9, 1.5, 1.25)
        self.assertEqual(peers.show(row), "torch eager    GPU  device    300 x 200          1.500"
                                          "       1.250     9       40.0")
        none = peers.skipped("x", "CPU", "host", "not here")
        self.assertEqual(peers.show(none), "x              CPU  host   not here")
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "peers.csv")
            peers.save(path, [row, none])
            self.assertEqual(path.read_text(), ",".join(peers.HEAD) + "\n"
                             "torch eager,GPU,device,300,200,9,1.5,1.25,40,\n"
                             "x,CPU,host,,,,,,,not here\n")
            before = path.read_text()
            with self.assertRaises(KeyError):
                peers.save(path, [none, {}])
            self.assertEqual(path.read_text(), before)  # whole, or as it was


class Quick:
    """A peer that is always there, and does nothing."""

    name, runs_on, memory = "quick", "CPU", "host"

    def __init__(self):
        pass

    def prepare(self, side):
        return lambda: side

    def free(self):
        pass


class Runs(unittest.TestCase):
    def measured(self, ms_of_a_cell, size, seconds):
        """The row of a peer, by a clock that is made up; a sample is its side."""
        project = unittest.mock.Mock(sample=lambda size, _: int(size.split("x")[0]))
        with unittest.mock.patch.object(peers, "timed", lambda once: once()**2 * ms_of_a_cell):
            return peers.measure(Quick(), project, size, seconds)

    def test_a_peer_gets_what_six_runs_of_are_done_in_the_time(self):
        self.assertEqual(self.measured(1e-3, 2048, 26)["width"], 2048)  # 6 x 4.2 s
        self.assertEqual(self.measured(1e-3, 2048, 25)["width"], 1024)
        self.assertEqual(self.measured(1e-3, 2048, 1e-3)["width"], 512)

    def test_a_median_is_of_five_runs_or_of_more_in_half_a_second(self):
        self.assertEqual(self.measured(1e-3, 512, 60)["runs"], 5)
        self.assertEqual(self.measured(1e-3 / 2.62144, 512, 60)["runs"], 5)  # 100 ms each
        self.assertEqual(self.measured(1e-4, 512, 60)["runs"], 20)  # 26.2 ms
        self.assertEqual(self.measured(1e-9, 512, 60)["runs"], 1000)

    def test_v16_beside_scikit_image_has_one_thread_and_its_size(self):
        class Scikit(Quick, peers.ScikitImage):
            pass

        asked = []
        project = unittest.mock.Mock(
            versions=lambda *words, **environment: asked.append((words, environment)) or [])
        with unittest.mock.patch.multiple(
                peers, peers=lambda: [("scikit-image", "CPU", "host", Scikit)],
                check=lambda *_: "", measure=lambda *_: {"width": 640}):
            list(peers.rows(project, 2560, 1))
        self.assertEqual(asked, [((640, ["v16"], ", 1 thread"), {"OMP_NUM_THREADS": "1"}),
                                 ((2560,), {})])


class Ends(unittest.TestCase):
    """The exit status, and what is said."""

    def outcome(self, *words, notes=()):
        output = io.StringIO()
        rows = [peers.skipped("one", "CPU", "host", note) for note in notes]
        with unittest.mock.patch.object(sys, "argv", ["peers.py", *words]), \
                unittest.mock.patch.multiple(peers, facts=lambda _: "", rows=lambda *_: rows), \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = peers.main()
            except SystemExit as end:
                status = end.code
        return status, output.getvalue()

    def test_what_is_wrong_or_failed_ends_it_with_1(self):
        self.assertEqual(self.outcome(notes=["no torch here", ""])[0], 0)
        for note in ("WRONG: random", "failed: no kernel"):
            self.assertEqual(self.outcome(notes=["", note])[0], 1, note)

    def test_bad_usage_ends_it_with_2(self):
        for words, said in ((["--size", "0"], "--size 0: expected 1 to 30000"),
                            (["--size", "30001"], "expected 1 to 30000"),
                            (["--size", "x"], "invalid int value"), (["--colour"], "unrecognized"),
                            (["--csv", "/no/such/x.csv"], "/no/such/x.csv cannot be created")):
            status, output = self.outcome(*words)
            self.assertEqual(status, 2, words)
            self.assertIn(said, output)


@unittest.skipUnless(peers.numpy, "needs numpy")
class Answers(unittest.TestCase):
    """A peer is compared cell by cell, on arrays that are no squares."""

    def said(self, *errors):
        numpy = peers.numpy
        right = numpy.zeros((3, 5))

        class Peer:
            def prepare(self, sample):
                return lambda: sample

            def nats(self, result):
                found = right.copy()
                for (y, x), error in errors:
                    found[y, x] += error
                return found

        class Some:
            def sample(self, size, content):
                return right

            def answer(self, size, content):
                return right

        return peers.check(Peer(), Some())

    def test_what_is_close_is_right(self):
        self.assertEqual(self.said(), "")
        self.assertEqual(self.said(((2, 4), 9e-5), ((0, 0), -9e-5)), "")

    def test_what_is_wrong_has_a_place(self):
        size, content = peers.SMALL[0]
        for error in (2e-4, -1.5, float("nan"), float("inf")):
            said = self.said(((1, 4), error))
            self.assertEqual(said, f"WRONG: {content} {size}, x 4, y 1 is {error:.6f}, off by "
                                   f"{abs(error):.6f}")


if __name__ == "__main__":
    unittest.main()
