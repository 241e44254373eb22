"""tools/report/plots.py on a few rows: what a plot shows, and when it is left out."""

import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))

try:
    from report import plots
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


if __name__ == "__main__":
    unittest.main()
