"""tools/report/plots.py on a few rows: what a plot shows, and when it is left out."""

import io
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

try:
    import matplotlib
    from report import diagrams, plots
except ImportError as missing:
    raise unittest.SkipTest(f"needs matplotlib: {missing}")

COLUMNS = "version,width,height,gpus,runs,median_ms,min_ms,kernel_median_ms\n"


class Drawn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = pathlib.Path(folder.name)
        (self.directory / "variants_study").mkdir()
        self.write("environment.txt", "revision: older\n")
        self.write("record.csv", "stage,revision,seconds\nscaling,newer,1\n")

    def write(self, name, text):
        (self.directory / name).write_text(text)

    def gpus(self, ladder, study=""):
        self.write("gpus.csv", COLUMNS + ladder)
        if study:
            self.write("variants_study/gpus.csv", COLUMNS + study)

    def panels(self):
        """Title and lines of each panel of the plot of GPUs."""
        with unittest.mock.patch.object(plots, "lines_panel", wraps=plots.lines_panel) as drawn:
            plots.draw_gpus(self.directory, self.directory / "gpus.svg", None)
        return {call.args[4]: {line[0]: line[3] for line in call.args[1]}
                for call in drawn.call_args_list}

    def test_a_line_says_how_many_times_as_fast_as_on_one_gpu(self):
        self.gpus("v14,8,8,1,2,6,6,4\nv14,8,8,2,2,3,3,1\n")
        self.assertEqual(self.panels(), {"kernel alone": {"v14": [(1, 1), (2, 4)]},
                                         "whole call": {"v14": [(1, 1), (2, 2)]}})

    def test_the_size_is_the_largest_of_all_panels_and_a_panel_without_lines_is_left_out(self):
        self.gpus("v14,8,8,1,2,6,6,4\nv14,8,8,2,2,3,3,1\n",
                  "rows,16,16,1,2,6,6,4\nrows,16,16,2,2,3,3,1\n")
        self.assertEqual(self.panels(),
                         {"whole call, variants study": {"rows": [(1, 1), (2, 2)]}})
        self.assertIn("16x16", (self.directory / "gpus.svg").read_text())

    def test_no_plot_without_lines_or_with_one_gpu(self):
        for rows in ("v14,8,8,2,2,3,3,1\n", "v14,8,8,1,2,3,3,1\n", ""):
            self.gpus(rows)
            with self.subTest(rows=rows), self.assertRaises(plots.NothingToShow):
                plots.draw_gpus(self.directory, self.directory / "gpus.svg", None)

    def test_plots_of_scaling_name_the_revision_of_their_stage(self):
        self.gpus("v14,8,8,1,2,6,6,4\nv14,8,8,2,2,3,3,1\n")
        self.write("scaling.csv", "version,side,threads,median_ms,min_ms\n"
                                  "v10,400,1,2,2\nv10,400,2,1,1\n")
        for name in ("gpus", "scaling"):
            path = self.directory / f"{name}.svg"
            plots.PLOTS[name](self.directory, path, None)
            with self.subTest(name):
                self.assertIn("revision newer", path.read_text())

    # ---- dots: a panel a size, a line a version ----

    TIMES = """round,version,platform,width,height,total_median_ms,kernel_median_ms,host_copy_ms,device_copy_ms,idea
1,v0,CUDA,8,8,20,8,4,2,first
2,v0,CUDA,8,8,30,10,4,2,first
3,v0,CUDA,8,8,40,16,4,2,first
1,v10,OpenMP,8,8,16,0,4,2,second
1,v15,CUDA,8,8,6,2.5,4,2,last
1,v15,CUDA,16,16,9,5,7,4,last
"""

    def dots(self, name, directory=None):
        """What a plot of dots shows: {panel: ([(line, value, range, filled, text)], ceilings)}, and
        the names of the lines."""
        with unittest.mock.patch.object(plots, "dots") as drawn:
            plots.PLOTS[name](directory or self.directory, self.directory / "plot.svg", None)
        lines, panels = drawn.call_args.args[5:7]
        return {panel.title: ([dot[:3] + dot[4:6] for dot in panel.dots], panel.ceilings)
                for panel in panels}, lines

    def test_the_ladder_has_kernels_and_whole_calls_without_one(self):
        self.write("times.csv", self.TIMES)
        panels, lines = self.dots("ladder")
        self.assertEqual(panels, {
            "8x8": ([(0, 10, (8, 16), True, "10.0"), (1, 16, (16, 16), False, "16.0"),
                     (2, 2.5, (2.5, 2.5), True, "2.50")], [(2, "copy 2.00")]),
            "16x16": ([(2, 5, (5, 5), True, "5.00")], [(4, "copy 4.00")])})
        self.assertEqual([line.split()[0] for line in lines], ["v0", "v10", "v15"])

    def test_end_to_end_has_whole_calls_beside_a_copy_of_the_host(self):
        self.write("times.csv", self.TIMES)
        self.assertEqual(self.dots("end_to_end")[0], {
            "8x8": ([(0, 30, (20, 40), True, "30.0"), (1, 16, (16, 16), True, "16.0"),
                     (2, 6, (6, 6), True, "6.00")], [(4, "copy 4.00")]),
            "16x16": ([(2, 9, (9, 9), True, "9.00")], [(7, "copy 7.00")])})

    def test_a_share_is_of_the_speed_of_a_copy_the_more_the_better(self):
        self.write("times.csv", self.TIMES)
        self.assertEqual(self.dots("share")[0], {
            "8x8": ([(0, 20, (12.5, 25), True, "20.0"), (1, 25, (25, 25), False, "25.0"),
                     (2, 80, (80, 80), True, "80.0")], [(100, "copy")]),
            "16x16": ([(2, 80, (80, 80), True, "80.0")], [(100, "copy")])})

    def test_the_fast_study_begins_with_v0_and_ends_with_v15(self):
        (self.directory / "fast_study").mkdir()
        self.write("times.csv", self.TIMES)
        self.write("fast_study/times.csv", self.TIMES.splitlines()[0] + """
1,start,CUDA,8,8,9,5,4,2,as v7
1,cpu,OpenMP,8,8,9,0,4,2,not shown
1,better,CUDA,8,8,9,2,4,2,a change
1,same,CUDA,8,8,9,4.5,4,2,little
""")
        panels, lines = self.dots("fast_study")
        self.assertEqual([line.split()[0] for line in lines],
                         ["v0", "start", "better", "same", "v15"])
        self.assertEqual(panels, {"8x8": ([
            (0, 10, (8, 16), True, "10.0"), (1, 5, (5, 5), True, "5.00"),
            (2, 2, (2, 2), True, "2.00  (2.5x)"), (3, 4.5, (4.5, 4.5), True, "4.50"),
            (4, 2.5, (2.5, 2.5), True, "2.50  (2.0x)")], [(2, "copy 2.00")])})

    def test_studies_have_rows_of_their_own(self):
        for study in ("memory_study", "bottleneck_study"):
            (self.directory / study).mkdir()
            self.write(f"{study}/times.csv", self.TIMES)
        self.assertEqual(self.dots("memory_study"), self.dots_of_ladder())
        both = self.dots("bottleneck_study")[0]
        self.assertEqual(both["8x8"], ([
            (0, 10, (8, 16), True, "10.0"), (0, 30, (20, 40), False, "30.0"),
            (1, 16, (16, 16), False, "16.0"), (2, 2.5, (2.5, 2.5), True, "2.50"),
            (2, 6, (6, 6), False, "6.00")], []))

    def dots_of_ladder(self):
        self.write("times.csv", self.TIMES)
        return self.dots("ladder")

    def test_the_maximum_is_in_bytes_read_a_second(self):
        self.write("maximum.csv", """version,platform,rows,columns,total_median_ms,kernel_median_ms,device_read_ms,idea
m0,CPU,250,1000,0.5,0,0.25,one
m1,CUDA,250,1000,9,0.125,0.25,two
""")
        self.assertEqual(self.dots("maximum")[0], {"250x1000": ([
            (0, 2, (2, 2), False, "2.00"), (1, 8, (8, 8), True, "8.00")], [(4, "read 4")])})

    def test_the_course_is_beside_ours(self):
        (self.directory.parent / "course-v100").mkdir(exist_ok=True)
        self.addCleanup((self.directory.parent / "course-v100").rmdir)
        (self.directory.parent / "course-v100/ladder.csv").write_text(
            "version,width,height,total_ms\nv0,8,8,90\nv15,8,8,3\n")
        self.addCleanup((self.directory.parent / "course-v100/ladder.csv").unlink)
        self.write("times.csv", self.TIMES)
        with unittest.mock.patch.object(plots, "dots") as drawn:
            plots.draw_course(self.directory, self.directory / "plot.svg", None)
        panel, = drawn.call_args.args[6]
        self.assertEqual([(dot.line, dot.value, dot.family == "document", dot.side)
                          for dot in panel.dots],
                         [(0, 90, True, "right"), (0, 30, False, "left"),
                          (1, 3, True, "left"), (1, 6, False, "right")])

    # ---- lines and bars ----

    def lines(self, name):
        """{title: ({name of a line: points}, ceilings)} of a plot of lines."""
        with unittest.mock.patch.object(plots, "lines_panel", wraps=plots.lines_panel) as drawn:
            plots.PLOTS[name](self.directory, self.directory / "plot.svg", None)
        return {call.args[4]: ({line[0]: line[3] for line in call.args[1]}, call.args[5])
                for call in drawn.call_args_list}

    def test_a_rate_is_cells_a_second_of_square_arrays(self):
        self.write("times.csv", """version,platform,width,height,total_median_ms,kernel_median_ms,host_copy_ms,device_copy_ms
v0,CUDA,2000,2000,8,4,2,1
v0,CUDA,1000,1000,4,1,0.5,0.25
v0,CUDA,4000,1000,9,9,9,9
v10,OpenMP,1000,1000,2,0,0.5,0.25
""")
        self.assertEqual(self.lines("rate"), {
            "kernel alone": ({"v0": [(1e6, 1), (4e6, 1)]}, [("copy", [(1e6, 4), (4e6, 4)])]),
            "whole call": ({"v0": [(1e6, 0.25), (4e6, 0.5)], "v10": [(1e6, 0.5)]},
                           [("copy", [(1e6, 2), (4e6, 2)])])})

    def test_of_threads_the_fastest_calls_are_compared(self):
        self.write("scaling.csv", """version,side,threads,median_ms,min_ms
v10,400,1,9,8
v10,400,2,9,4
v10,400,4,9,1
v11,400,2,5,5
v10,100,1,1,1
""")
        self.assertEqual(self.lines("scaling"), {
            "400x400": ({"v10": [(1, 1), (2, 2), (4, 8)]}, [("ideal", [(1, 1), (4, 4)])])})

    def test_a_transpose_reads_and_writes_each_float(self):
        self.write("transpose.csv", """version,platform,block,rows,columns,kernel_median_ms,device_copy_ms
t2,CUDA,16,1024,1024,8,2
t2,CUDA,32,1024,1024,4,2
t2,CUDA,32,512,512,1,0.5
t2,CUDA,32,1000,1000,9,9
t9,cuBLAS,-,1024,1024,2,2
""")
        found = self.lines("transpose")[""]
        of = {rows: 8e-6 * rows ** 2 for rows in (512, 1024)}
        self.assertEqual(found[0], {
            "t2  global, by rows": [(512, of[512]), (1024, of[1024] / 4)],
            "t9  cuBLAS": [(1024, of[1024] / 2)]})
        name, points = found[1][0]
        self.assertEqual((name, sorted(set(points))),
                         ("copy", [(512, of[512] / 0.5), (1024, of[1024] / 2)]))

    def test_parts_are_stacked_and_end_with_the_whole(self):
        self.write("parts.csv", """version,width,height,call,part,ms
v0,8,8,first,context,9
v0,8,8,first,total,9
v0,8,8,later,up,3
v0,8,8,later,kernel,4
v0,8,8,later,total,8
v0,4,4,later,up,77
""")
        with unittest.mock.patch.object(plots, "save") as saved:
            plots.draw_parts(self.directory, self.directory / "plot.svg", None)
        axes = saved.call_args.args[0].axes
        bars = [[(bar.get_x(), bar.get_width()) for bar in axis.patches if bar.get_width()]
                for axis in axes]
        self.assertEqual(bars, [[(0, 3), (3, 4)], [(0, 9)]])
        self.assertEqual([[text.get_text() for text in axis.texts] for axis in axes],
                         [["8.00"], ["9.00"]])


class Committed(unittest.TestCase):
    """The pictures of the record are those that are drawn from it, to the byte."""

    def setUp(self):
        said = (ROOT / ".ci/requirements.txt").read_text()
        version = re.search(r"^matplotlib==(\S+)", said, re.MULTILINE)[1]
        if matplotlib.__version__ != version:
            self.skipTest(f"needs matplotlib {version}: another one may draw otherwise")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_same(self, drawn, committed):
        self.assertTrue(drawn.read_bytes() == committed.read_bytes(),  # no megabytes of a message
                        f"{committed} is not what is drawn: `make report`")

    def test_plots(self):
        """One of the plots of dots, which take long, and all others."""
        for name in ("ladder", "rate", "scaling", "gpus", "transpose", "parts", "occupancy"):
            for path in ROOT.glob(f"results/*/plots/{name}.svg"):
                with self.subTest(name):
                    plots.PLOTS[name](path.parent.parent, self.folder / path.name, None)
                    self.assert_same(self.folder / path.name, path)

    def test_diagrams(self):
        with unittest.mock.patch.object(diagrams, "ROOT", self.folder):
            names = diagrams.draw_all()
        self.assertEqual(plots.plt.get_fignums(), [])
        for name in names:
            with self.subTest(name):
                path = f"results/diagrams/{name}.svg"
                self.assert_same(self.folder / path, ROOT / path)

    def test_what_is_no_option_of_the_diagrams_says_how_they_are_drawn(self):
        for arguments, status, stream in ((["--help"], 0, "stdout"), (["--png"], 2, "stderr"),
                                          (["--jpeg", "there"], 2, "stderr")):
            with unittest.mock.patch.object(diagrams, "draw_all") as drawn, \
                    unittest.mock.patch.object(sys, stream, io.StringIO()) as said:
                self.assertEqual(diagrams.main(arguments), status)
            self.assertIn("usage: tools/report/diagrams.py", said.getvalue())
            drawn.assert_not_called()


if __name__ == "__main__":
    unittest.main()
