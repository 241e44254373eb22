"""tools/bench/gpu_peers.py with packages that are made up here, and with torch on the CPU where it
is installed."""

import contextlib
import importlib.util
import io
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"
found = importlib.util.spec_from_file_location("gpu_peers", TOOLS / "bench" / "gpu_peers.py")
gpu_peers = importlib.util.module_from_spec(found)
found.loader.exec_module(gpu_peers)

try:
    import numpy
except ImportError:
    numpy = None


def entropy(image, footprint, mode):
    """In bits, by counting; `mode`: how numpy.pad fills what lies beyond the edge, or "cut"."""
    reach_y, reach_x = (side // 2 for side in footprint.shape)
    ends = (reach_y, reach_y), (reach_x, reach_x)
    padded = numpy.pad(image.astype(int), ends, **(
        {"constant_values": -1} if mode == "cut" else {"mode": mode}))
    result = numpy.zeros(image.shape, numpy.float32)
    for y, x in numpy.ndindex(*image.shape):
        cells = padded[y:y + footprint.shape[0], x:x + footprint.shape[1]][footprint != 0]
        _, counts = numpy.unique(cells[cells >= 0], return_counts=True)
        share = counts / counts.sum()
        result[y, x] = -(share * numpy.log2(share)).sum()
    return result


def packages(off_by=0.0, gpus=1):
    """cupy and cucim, as far as they are asked."""
    cupy = types.ModuleType("cupy")
    cupy.asarray = cupy.asnumpy = numpy.asarray
    cupy.cuda = types.SimpleNamespace(
        Device=lambda: types.SimpleNamespace(synchronize=lambda: None),
        runtime=types.SimpleNamespace(getDeviceCount=lambda: gpus))
    cucim, rank = types.ModuleType("cucim"), types.ModuleType("cucim.skimage.filters.rank")
    cucim.__version__ = "1.2"
    rank.entropy = lambda image, footprint: entropy(image, footprint, "symmetric") + off_by
    return {"cupy": cupy, "cucim": cucim, "cucim.skimage": types.ModuleType("cucim.skimage"),
            "cucim.skimage.filters": types.ModuleType("cucim.skimage.filters"), rank.__name__: rank}


def torch_of_numpy():
    """torch, as far as it is asked, on a GPU that is none."""
    class Tensor(numpy.ndarray):
        def to(self, _):
            return self

        def float(self):
            return self.astype(numpy.float64)

        def cpu(self):
            return self

        def numpy(self):
            return numpy.asarray(self)

    def average(cells, sides, _, reach, count_include_pad):
        assert not count_include_pad
        cells, ends = numpy.asarray(cells[0, 0]), [(reach[0],) * 2, (reach[1],) * 2]
        windows = [numpy.lib.stride_tricks.sliding_window_view(numpy.pad(array, ends), sides)
                   for array in (cells, numpy.ones(cells.shape))]
        share = windows[0].sum((2, 3)) / windows[1].sum((2, 3))
        return share[None, None].view(Tensor)

    def entr(share):
        return -share * numpy.log(numpy.where(share > 0, share, 1))

    torch = types.ModuleType("torch")
    torch.__version__ = "2.5"
    torch.cuda = types.SimpleNamespace(is_available=lambda: True, synchronize=lambda: None)
    torch.nn = types.SimpleNamespace(functional=types.SimpleNamespace(avg_pool2d=average))
    torch.special = types.SimpleNamespace(entr=entr)
    torch.from_numpy = lambda array: array.view(Tensor)
    torch.tensor = lambda level, dtype, device: numpy.array(level, dtype)
    torch.zeros = lambda shape, device: numpy.zeros(shape).view(Tensor)
    torch.inference_mode = lambda: lambda function: function
    return torch


@unittest.skipUnless(numpy, "needs numpy")
class Peers(unittest.TestCase):
    def cases(self, footprint):
        image = numpy.random.default_rng(1).integers(0, 16, (12, 9)).astype(numpy.uint8)
        with tempfile.TemporaryDirectory() as directory:
            for part, array in (("image", image), ("footprint", footprint),
                                ("result", entropy(image, footprint, "cut"))):
                numpy.save(pathlib.Path(directory, f"some.{part}.npy"), array)
            return [gpu_peers.Case("some", directory)]

    def cucim(self, **how):
        peers = [("cuCIM", gpu_peers.CuCim)]
        with unittest.mock.patch.dict(sys.modules, packages(**how)):
            return list(gpu_peers.rows(self.cases(numpy.ones((5, 3), numpy.uint8)), 1, peers))

    def test_a_peer_that_is_right_is_timed(self):
        row, = self.cucim()
        self.assertEqual((row["peer"], row["version"], row["case"], row["width"], row["height"]),
                         ("cuCIM", "1.2", "some", 9, 12))
        self.assertGreaterEqual(row["runs"], 5)
        self.assertGreater(float(row["mpixel_per_s"]), 0)

    def test_what_is_cut_at_the_edge_is_not_compared_with_what_is_reflected(self):
        with unittest.mock.patch.object(gpu_peers.CuCim, "cuts_windows", True):
            row, = self.cucim()
        self.assertTrue(row["note"].startswith("WRONG: off by"), row)

    def test_a_wrong_answer_is_not_timed(self):
        for off_by in (0.001, float("nan")):
            row, = self.cucim(off_by=off_by)
            self.assertTrue(row["note"].startswith("WRONG"), row)
            self.assertEqual(row["median_ms"], "")

    def test_a_wrong_answer_is_seen_in_every_cell_whose_window_no_edge_cuts(self):
        case, = self.cases(numpy.ones((5, 3), numpy.uint8))  # of 12 rows of 9 cells
        for y, x in numpy.ndindex(12, 9):
            found = case.result.copy()
            found[y, x] += 1
            self.assertGreater(case.error(found, True), 0.5, (y, x))
            self.assertEqual(case.error(found, False) > 0.5, 2 <= y < 10 and 1 <= x < 8, (y, x))

    def test_torch_gets_every_level_and_the_windows_that_it_can(self):
        disk = numpy.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], numpy.uint8)
        footprints = [numpy.ones((4, 3), numpy.uint8), numpy.ones((3, 4), numpy.uint8), disk,
                      numpy.ones((5, 3), numpy.uint8)]
        cases = [case for footprint in footprints for case in self.cases(footprint)]
        with unittest.mock.patch.dict(sys.modules, torch=torch_of_numpy()):
            high, wide, disk, right = gpu_peers.rows(cases, 1, [("torch eager", gpu_peers.Torch)])
        self.assertIn("a cell in their middle only", high["note"])
        self.assertIn("a cell in their middle only", wide["note"])
        self.assertIn("rectangles only", disk["note"])
        self.assertTrue(right["runs"], right)

    def test_the_status_says_that_bench_filter_does_not_run(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(gpu_peers.main(["--program", "/nowhere/bench_filter"]), 2)
        self.assertEqual(said.getvalue(), "gpu_peers.py: /nowhere/bench_filter does not run: "
                                          "No such file or directory\n")

    def test_what_is_missing_says_so_in_a_line(self):
        row, = self.cucim(gpus=0)
        self.assertEqual((row["case"], row["note"]), ("", "cupy finds no GPU here"))
        with unittest.mock.patch.dict(sys.modules, {"cupy": None}):
            row, = gpu_peers.rows([], 1, [("cuCIM", gpu_peers.CuCim)])
        self.assertIn("cupy is not installed", row["note"])

    def test_a_peer_that_fails_leaves_the_others(self):
        class Broken(gpu_peers.CuCim):
            def prepare(self, image, footprint):
                raise RuntimeError("out of memory\nat line 1")

        peers = [("broken", Broken), ("cuCIM", gpu_peers.CuCim)]
        with unittest.mock.patch.dict(sys.modules, packages()):
            broken, right = gpu_peers.rows(self.cases(numpy.ones((3, 3), numpy.uint8)), 1, peers)
        self.assertEqual(broken["note"], "failed: out of memory")
        self.assertTrue(right["runs"])

    def outcome(self, rows, *arguments):
        """Status, output and file of the program where these rows come of it."""
        output = io.StringIO()
        with tempfile.TemporaryDirectory() as directory, \
                unittest.mock.patch.object(gpu_peers, "cases_of", lambda *_: []), \
                unittest.mock.patch.object(gpu_peers, "rows", lambda *_: rows), \
                contextlib.redirect_stdout(output):
            path = pathlib.Path(directory, "peers.csv")
            status = gpu_peers.main(["--csv", str(path), *arguments])
            self.assertEqual(list(path.parent.iterdir()), [path])
            return status, output.getvalue(), path.read_text()

    def test_every_value_is_in_its_column(self):
        right = gpu_peers.row_of("cuCIM", "some", version="1.2", width=30, height=20, runs=7,
                                 median_ms="1.5", min_ms="1.25", mpixel_per_s="2500")
        missing = gpu_peers.row_of("torch eager", "", note="torch is not installed")
        status, output, file = self.outcome([right, missing])
        self.assertEqual(status, 0)
        self.assertEqual(output, "some               cuCIM          1.2: 1.5 ms, 2.5 Gpixel/s at "
                                 "30 x 20\n"
                                 "all                torch eager    not timed: torch is not "
                                 "installed\n")
        self.assertEqual(file, ",".join(gpu_peers.HEAD) + "\ncuCIM,1.2,some,30,20,7,1.5,1.25,2500,"
                               "\ntorch eager,,,,,,,,,torch is not installed\n")

    def test_a_wrong_answer_ends_it_with_1(self):
        wrong = gpu_peers.row_of("cuCIM", "some", note=f"{gpu_peers.WRONG}: off by 1")
        self.assertEqual(self.outcome([wrong])[0], 1)

    def test_torch_counts_as_the_library_does(self):
        try:
            import torch  # noqa: F401
        except ImportError:
            self.skipTest("torch is not installed")
        peers = [("torch eager", lambda: gpu_peers.Torch(device="cpu"))]
        row, = gpu_peers.rows(self.cases(numpy.ones((5, 3), numpy.uint8)), 1, peers)
        self.assertTrue(row["runs"], row)
        disk = numpy.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], numpy.uint8)
        row, = gpu_peers.rows(self.cases(disk), 1, peers)
        self.assertIn("rectangles only", row["note"])


if __name__ == "__main__":
    unittest.main()
