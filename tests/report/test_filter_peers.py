"""tools/filter_peers.py with packages and peers that are made up here, and with those that are
installed."""

import contextlib
import csv
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"
sys.path[:0] = [str(TOOLS), str(pathlib.Path(__file__).parent)]
found = importlib.util.spec_from_file_location("filter_peers_door", TOOLS / "filter_peers.py")
door = importlib.util.module_from_spec(found)
found.loader.exec_module(door)

try:
    import numpy
except ImportError:
    numpy = None
else:
    from filter_peers import measuring, octave, peers, pictures
    from test_gpu_peers import entropy as defined

MISSING = {name: None for name in ("cupy", "cv2", "torch")}


def image(side=80, levels=256):
    random = numpy.random.default_rng(1)
    return random.integers(0, levels, (side, side)).astype(numpy.uint8)


def ones(height, width):
    return numpy.ones((height, width), numpy.uint8)


def packages(off_by=0.0):
    """local_entropy and scikit-image, as far as they are asked."""
    library = types.ModuleType("local_entropy")
    library.__version__ = "1.2"
    library.entropy = lambda cells, footprint, mode, device, threads: measuring.counted(
        cells, footprint, mode)
    scikit, data = types.ModuleType("skimage"), types.ModuleType("skimage.data")
    rank = types.ModuleType("skimage.filters.rank")
    filters = types.ModuleType("skimage.filters")
    scikit.__version__ = "3.4"
    for name in pictures.PICTURES:
        setattr(data, name, image)
    rank.entropy = lambda cells, footprint: measuring.counted(cells, footprint, "crop") + off_by
    made = {package.__name__: package for package in (library, scikit, data, filters, rank)}
    return unittest.mock.patch.dict(sys.modules, {**MISSING, **made})


def peer(off_by=0.0, pace=1.0, border="crop", counts=None, fails=None):
    """A class; `pace`: seconds that a run takes, for clock()."""
    class Made(peers.Peer):
        name, version = "made up", "5"

        def prepare(self, cells, footprint):
            if fails:
                raise fails
            return lambda: measuring.counted(cells, footprint, counts or border) + off_by

    Made.border, Made.pace = border, pace
    return Made


def clock(paces):
    """In place of seconds_of(): local_entropy takes `paces` by its threads."""
    return unittest.mock.patch.object(
        measuring, "seconds_of",
        lambda peer, once: (paces[peer.threads] if isinstance(peer, peers.Library) else peer.pace,
                            once()))


@unittest.skipUnless(numpy, "needs numpy")
class Rows(unittest.TestCase):
    RATIOS = ("to_one_thread", "to_all_threads", "to_gpu")

    def rows(self, *classes, seconds=60.0, ours=(("one", lambda: peers.Library(1)),
                                                 ("all", lambda: peers.Library(2)))):
        cases = [measuring.Case("some", image(), "5x3", ones(5, 3))]
        with packages():
            return list(measuring.rows(cases, seconds, ours, [("made up", one) for one in classes]))

    def test_ratios_are_of_medians(self):
        with clock({1: 0.5, 2: 0.25, len(os.sched_getaffinity(0)): 0.25}):
            one, two, made = self.rows(peer(pace=1.5))
        self.assertEqual([made[column] for column in self.RATIOS], [3, 6, ""])
        self.assertEqual((made["runs"], made["median_ms"], made["min_ms"]), (5, 1500, 1500))
        self.assertEqual((made["width"], made["height"], made["mpixel_per_s"], made["note"]),
                         (80, 80, 80 * 80 / 1.5e6, ""))
        self.assertEqual([(row["threads"], row["to_one_thread"]) for row in (one, two)],
                         [(1, ""), (2, "")])

    def test_a_peer_in_the_memory_of_a_gpu_is_compared_with_local_entropy_of_its_arrays(self):
        def on_gpu(arrays, pace):
            made = peer(pace=pace)
            made.memory, made.arrays, made.column = "device", arrays, "to_gpu"
            prepare = made.prepare
            made.prepare = lambda self, cells, window, mode="crop": prepare(self, cells, window)
            return made

        ours = [("one", lambda: peers.Library(1)), ("CuPy", on_gpu("CuPy", 0.5)),
                ("PyTorch", on_gpu("PyTorch", 0.25))]
        with clock({1: 1, len(os.sched_getaffinity(0)): 1}):
            *_, one, other = self.rows(on_gpu("CuPy", 3.0), on_gpu("PyTorch", 3.0), ours=ours)
        self.assertEqual([one[column] for column in self.RATIOS], ["", "", 6])
        self.assertEqual([other[column] for column in self.RATIOS], ["", "", 12])
        self.assertEqual((one["arrays"], other["arrays"]), ("CuPy", "PyTorch"))

    def test_local_entropy_on_a_gpu_does_all_in_a_stream_of_its_own(self):
        done = []

        class Arrays:
            name = "CuPy"

            @contextlib.contextmanager
            def stream(self):
                done.append("in")
                yield
                done.append("out")

            def device(self, image):
                done.append("put")
                return image

            def host(self, result):
                done.append("got")
                return result

            def wait(self):
                done.append("waited")

        def entropy(cells, footprint, mode):
            done.append("computed")
            return measuring.counted(cells, footprint, mode)

        with packages():
            sys.modules["local_entropy"].entropy = entropy
            library = peers.LibraryOnGpu(Arrays)
            self.assertEqual((library.arrays, library.memory), ("CuPy", "device"))
            del done[:]
            case = measuring.Case("some", image(), "3x3", ones(3, 3))
            self.assertEqual(measuring.problem(library, case), "")
        self.assertEqual(done, ["in", "put", "out", "in", "computed", "out", "in", "got", "out"])

    def test_a_wrong_value_is_not_timed(self):
        for off_by in (0.001, -0.001, float("nan")):
            *_, row = self.rows(peer(off_by=off_by))
            self.assertTrue(row["note"].startswith("WRONG: x 0, y 0 is"), row)
            self.assertEqual((row["runs"], row["median_ms"]), ("", ""))

    def test_a_small_difference_is_right(self):
        *_, row = self.rows(peer(off_by=0.00009))
        self.assertEqual(row["note"], "")

    def test_a_value_that_is_wrong_only_in_the_whole_image_is_found(self):
        class Made(peer()):
            def prepare(self, cells, footprint):
                result = measuring.counted(cells, footprint, "crop")
                result[75:, 77:] += 1
                return lambda: result

        *_, row = self.rows(Made)
        self.assertTrue(row["note"].startswith("WRONG: x 77, y 75 is"), row)

    def test_the_edge_is_compared_by_the_peers_own_rule(self):
        *_, row = self.rows(peer(border="reflect"))
        self.assertEqual((row["note"], row["border"]), ("", "reflect"))
        *_, row = self.rows(peer(border="reflect", counts="crop"))
        self.assertTrue(row["note"].startswith("WRONG"), row)

    def test_what_is_missing_says_so_in_a_line_and_is_no_failure(self):
        def missing():
            raise peers.Skipped("nothing here")

        row, *others = self.rows(missing, peer())
        self.assertEqual((row["peer"], row["image"], row["note"]), ("made up", "", "nothing here"))
        self.assertEqual([row["note"] for row in others], ["", "", ""])

    def test_a_peer_that_fails_leaves_the_others(self):
        *_, broken, skipped, right = self.rows(peer(fails=RuntimeError("no\nline 2")),
                                               peer(fails=peers.Skipped("rectangles only")), peer())
        self.assertEqual([row["note"] for row in (broken, skipped, right)],
                         ["failed: no", "rectangles only", ""])

    def test_all_are_compared_before_any_is_timed(self):
        events = []

        class Made(peer()):
            def prepare(self, cells, footprint):
                events.append(cells.shape)
                return super().prepare(cells, footprint)

        cases = [measuring.Case("some", image(), str(side), ones(side, side)) for side in (3, 5)]
        with packages():
            list(measuring.rows(cases, 60, (), [("made up", Made)]))
        self.assertEqual(events[:3], [(72, 72), (72, 72), (80, 80)])

    def test_a_slow_peer_gets_a_part(self):
        class Slow(peer()):
            def prepare(self, cells, footprint):
                self.pace = cells.size / 1e4
                return lambda: None

        case = measuring.Case("some", image(520), "3x3", ones(3, 3))
        with clock({}):
            for longest, side in ((0.1, 65), (1.6, 65), (1.7, 130), (8, 260), (30, 520)):
                self.assertEqual(measuring.largest_side(Slow(), case, longest), side)

    def test_a_part_is_told(self):
        with unittest.mock.patch.object(measuring, "largest_side", lambda *_: 40):
            *_, row = self.rows(peer())
        self.assertEqual((row["width"], row["height"]), (40, 40))
        self.assertEqual(row["note"], "the upper left part")

    def test_a_peer_without_memory_for_all_gets_a_part(self):
        class Large(peer()):
            def prepare(self, cells, footprint):
                if cells.size > 200**2:
                    raise RuntimeError("CUDA out of memory")
                return super().prepare(cells, footprint)

        case = measuring.Case("some", image(520), "3x3", ones(3, 3))
        self.assertEqual(measuring.largest_side(Large(), case, 60), 130)


@unittest.skipUnless(numpy, "needs numpy")
class Parts(unittest.TestCase):
    def test_counted_is_the_definition(self):
        cells, cross = image(9, 4), numpy.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], numpy.uint8)
        for footprint in (ones(3, 5), ones(5, 5), cross):
            for border, mode in (("crop", "cut"), ("reflect", "symmetric")):
                found = measuring.counted(cells, footprint, border)
                self.assertLess(abs(found - defined(cells, footprint, mode)).max(), 1e-6)

    def test_every_row_is_compared(self):
        zeros = numpy.zeros((2500, 3))
        for y in (0, 999, 1000, 2499):
            found = zeros.copy()
            found[y, 2] = 0.5
            self.assertEqual(measuring.difference(found, zeros),
                             f"WRONG: x 2, y {y} is 0.500000, not 0.000000")
        self.assertEqual(measuring.difference(zeros, zeros), "")
        self.assertTrue(measuring.difference(zeros.T, zeros).startswith("WRONG"))

    def test_installed_peers_are_right(self):
        for name, make in (*peers.OURS, *peers.OTHERS):
            try:
                one = make()
            except peers.Skipped:
                continue
            for window, footprint in pictures.WINDOWS.items():
                for cells in (image(), image(levels=3)):
                    why = measuring.problem(one, measuring.Case("some", cells, window, footprint))
                    if name == "PyTorch" and window == "disk5":
                        self.assertIn("rectangles only", why)
                    else:
                        self.assertEqual(why, "", f"{name} {window}")
            one.close()

    def test_octave_that_is_missing_or_ends_is_skipped(self):
        for command, why in ((["/no/such/octave"], "^/no/such/octave is not installed here$"),
                             (["/"], "^/ or its package image does not start here: .*denied"),
                             ([sys.executable, "-c", "print('x'); print('error: no image')"],
                              "error: no image"),
                             ([sys.executable, "-c", ""], "it has ended")):
            with self.assertRaisesRegex(peers.Skipped, why):
                octave.Octave(command)

    def test_octave_is_told_of_rows_and_columns(self):
        """It reads a file by columns: that of an image of 20 rows is read as 30 rows, and turned."""
        self.assertIn("fread(f, [30, 20], 'uint8=>uint8').'",
                      octave.Octave.read(None, "cells", "file", (20, 30)))

    def test_runs_end_with_the_fifth_or_behind_the_limit(self):
        for seconds, limit, runs in ((0.01, 0.015, 2), (0.03, 1, 5), (1 / 64, 1, 7)):
            with unittest.mock.patch.object(measuring, "seconds_of", lambda *_: (seconds, None)):
                self.assertEqual(len(measuring.times_of(None, None, limit)), runs)

    def test_seconds_are_those_until_the_peer_has_computed(self):
        waits = types.SimpleNamespace(wait=lambda: time.sleep(0.02))
        seconds, result = measuring.seconds_of(waits, lambda: time.sleep(0.03) or 7)
        self.assertGreaterEqual(seconds, 0.05)
        self.assertEqual(result, 7)

    def test_a_ratio_is_to_the_median(self):
        library = types.SimpleNamespace(memory="", arrays="", column="to_gpu", border="crop",
                                        prepare=lambda *_: lambda: None)
        with unittest.mock.patch.object(measuring, "times_of", lambda *_: [1, 2, 9]):
            found = measuring.ratios(library, None, unittest.mock.Mock(), 6, [library], 1)
        self.assertEqual(found, {"to_gpu": 3})

    def test_too_little_memory_for_the_smallest_part_is_told(self):
        lacks = unittest.mock.Mock(prepare=unittest.mock.Mock(side_effect=MemoryError("lost")))
        with self.assertRaisesRegex(MemoryError, "lost"):
            measuring.largest_side(lacks, measuring.Case("", image(128), "", None), 1)

    def test_mosaic_has_all_tiles_in_each_direction(self):
        tiles = [numpy.full((4, 4), level, numpy.uint8) for level in range(3)]
        found = pictures.mosaic(tiles, 10)
        self.assertEqual(found.shape, (10, 10))
        self.assertEqual(found[::4, ::4].tolist(), [[0, 1, 2], [1, 2, 0], [2, 0, 1]])

    def test_pictures_are_rounded_to_grey_and_the_disk_has_its_radius(self):
        made = types.SimpleNamespace(colours=lambda: numpy.zeros((2, 2, 3)),
                                     rgb2gray=lambda cells: numpy.full((2, 2), 0.999))
        with unittest.mock.patch.object(pictures, "module", lambda name: made):
            self.assertEqual(pictures.picture("colours").tolist(), [[255, 255]] * 2)
        disk = pictures.WINDOWS["disk5"]
        self.assertEqual((disk.shape, disk.sum(), disk[0].sum()), ((11, 11), 81, 1))

    def test_counts_of_a_byte_are_enough_for_255_cells(self):
        peer = peers.OpenCv.__new__(peers.OpenCv)
        peer.prepare(image(8), ones(15, 17))
        with self.assertRaises(peers.Skipped):
            peer.prepare(image(8), ones(16, 16))

    def test_peers_are_closed_whoever_ends_the_rows(self):
        closed = []
        one = peer(pace=1)
        one.close = lambda self: closed.append(self)
        with packages(), clock({1: 0.5}):
            rows = measuring.rows([], 1, (), [("one", one)])
            self.assertEqual((list(rows), len(closed)), ([], 1))
            rows = measuring.rows([measuring.Case("some", image(), "5x3", ones(5, 3))], 60,
                                  [("none", lambda: peers.Library(1))], [("one", one)])
            next(rows)
            rows.close()
        self.assertEqual(len(closed), 2)


@unittest.skipUnless(numpy, "needs numpy")
class Command(unittest.TestCase):
    USUAL = ("--images", "camera", "--windows", "3x3", "--seconds", "0.1")

    def outcome(self, *arguments, off_by=0.0):
        """Status, output, errors; there is no program on the PATH."""
        output, errors = io.StringIO(), io.StringIO()
        with packages(off_by), unittest.mock.patch.dict(os.environ, {"PATH": "/nowhere"}), \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            return door.main(list(arguments)), output.getvalue(), errors.getvalue()

    def test_right_values(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "peers.csv")
            status, output, _ = self.outcome(*self.USUAL, "--csv", str(path))
            with open(path, newline="") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual(status, 0, output)
        self.assertEqual([row["peer"] for row in rows],
                         ["local_entropy, CuPy", "local_entropy, PyTorch", "OpenCV", "Octave",
                          "cuCIM", "PyTorch", "local_entropy", "local_entropy", "scikit-image"])
        for row in rows[:6]:
            self.assertIn("not installed", row["note"])
        self.assertEqual((rows[8]["image"], rows[8]["window"], rows[8]["version"]),
                         ("camera", "3x3", "3.4"))
        for column in ("median_ms", "min_ms", "to_one_thread", "to_all_threads"):
            self.assertGreater(float(rows[8][column]), 0)
        self.assertIn("OpenCV not timed: cv2 is not installed", output)

    def test_wrong_values_end_it_with_1(self):
        status, output, _ = self.outcome(*self.USUAL, off_by=0.01)
        self.assertEqual(status, 1)
        self.assertIn("scikit-image  CPU not timed: WRONG", output)

    def test_a_peer_that_fails_ends_it_with_1(self):
        status, output, _ = self.outcome(*self.USUAL, off_by="no number")
        self.assertEqual(status, 1)
        self.assertIn("scikit-image  CPU not timed: failed: ", output)

    def test_every_value_is_in_its_column(self):
        from filter_peers import table
        row = {**dict.fromkeys(measuring.HEAD, ""), "image": "brick", "window": "9x9",
               "peer": "OpenCV", "version": "5.6", "runs_on": "CPU", "memory": "host",
               "arrays": "NumPy", "threads": 3, "border": "reflect", "width": 512, "height": 400,
               "runs": 7, "median_ms": 12.345678, "min_ms": 11.5, "mpixel_per_s": 16.5888,
               "to_one_thread": 2.5, "to_all_threads": 10.25, "to_gpu": ""}
        self.assertEqual(table.TITLE.split(), "image window peer on by border cells median, ms "
                         "minimum runs Mpixel/s to 1 thread to all to GPU".split())
        self.assertEqual(table.line(row).split(), "brick 9x9 OpenCV CPU 3 reflect 512 x 400 12.35 "
                         "11.50 7 16.6 2.5 10.2 -".split())
        on_gpu = {**row, "threads": "", "to_gpu": 4.0, "note": "the upper left part"}
        self.assertIn(" NumPy reflect ", table.line(on_gpu))
        self.assertTrue(table.line(on_gpu).endswith("  4  the upper left part"))
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "peers.csv")
            table.save(path, [row])
            self.assertEqual(path.read_text(), ",".join(measuring.HEAD) + "\nbrick,9x9,OpenCV,5.6,"
                             "CPU,host,NumPy,3,reflect,512,400,7,12.3457,11.5,16.5888,2.5,10.25,"
                             ",\n")

            with self.assertRaises(ValueError):
                table.save(path, [{"nonsense": 1, **row}, row])
            self.assertTrue(path.read_text().endswith(",10.25,,\n"), "half a table")
        self.assertEqual(table.line({**row, "image": "", "runs": "", "note": "why"}).split(),
                         "all 9x9 OpenCV CPU not timed: why".split())

    def test_numbers_have_ends(self):
        for arguments in (["--size", "30001"], ["--seconds", "0"]):
            with self.assertRaisesRegex(door.Usage, "expected"):
                door.options_of(arguments)

    def test_what_is_chosen_comes_once_and_in_the_usual_order(self):
        self.assertEqual(door.chosen("--windows", "9x9,3x3,9x9", ("3x3", "5x5", "9x9")),
                         ["3x3", "9x9"])
        self.assertEqual(door.chosen("--windows", None, ("3x3", "5x5")), ["3x3", "5x5"])

    def test_bad_usage_ends_it_with_2(self):
        for arguments, sentence in ((["--windows", "4x4"], "'4x4' is none of 3x3, 5x5"),
                                    (["--images", "cat"], "'cat' is none of camera, brick"),
                                    (["--size", "511"], "expected 512 to 30000"),
                                    (["--seconds", "nan"], "expected more than 0"),
                                    (["--csv", "/no/such/x.csv"], "cannot be created"),
                                    (["--colour"], "unrecognized arguments")):
            status, _, errors = self.outcome(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(sentence, errors)

    def test_without_the_package_it_says_so(self):
        with unittest.mock.patch.object(
                peers, "Library", side_effect=peers.Skipped("local_entropy is not installed")):
            status, _, errors = self.outcome(*self.USUAL)
        self.assertEqual((status, errors), (2, "filter_peers.py: local_entropy is not installed\n"))

    def test_help(self):
        status, output, _ = self.outcome("--help")
        self.assertEqual(status, 0)
        self.assertTrue(output.startswith("Times other software"))


if __name__ == "__main__":
    unittest.main()
