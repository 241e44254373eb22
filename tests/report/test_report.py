"""tools/report on the small results of fixture/: what it writes, and that each rule of its check
finds what breaks it. Run by `make test`, or python3 -m unittest discover -s tests/report."""

import contextlib
import io
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))

from report import command  # noqa: E402
from report.constants import Constants, pattern_of  # noqa: E402
from report.documents import KINDS, Document  # noqa: E402
from report.evidence import ROWS  # noqa: E402
from report.expressions import Expressions  # noqa: E402
from report.formats import grouped, shown, written  # noqa: E402
from report.launch_aims import SMALL, Asked, cells_of_window  # noqa: E402
from report.results import NotMeasured, Results, Rounds, Wrong, size_of  # noqa: E402
from report.source_code import Source, comments, difference  # noqa: E402
from report.tables import table  # noqa: E402


class Tree(unittest.TestCase):
    """A copy of the fixture, whose documents have been filled."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name)
        shutil.copytree(HERE / "fixture", self.root, dirs_exist_ok=True)
        self.assertEqual(self.run_tool()[0], 0)

    def run_tool(self, *arguments):
        """Exit status and what it said."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said), \
                unittest.mock.patch.object(command, "draw"):
            status = command.main(list(arguments), self.root)
        return status, said.getvalue()

    def text(self, name):
        return (self.root / name).read_text()

    def replace(self, name, old, new):
        text = self.text(name)
        self.assertIn(old, text)
        (self.root / name).write_text(text.replace(old, new, 1))

    def add(self, name, text):
        (self.root / name).write_text(self.text(name) + text)

    def assert_finds(self, *words):
        """The check fails, with one sentence that has all of these words."""
        status, said = self.run_tool("--check")
        self.assertEqual(status, 1, said)
        self.assertTrue(any(all(word in line for word in words) for line in said.splitlines()),
                        said)


class Values(Tree):
    def value(self, expression):
        return Document(self.root, "README.md").expressions.value(expression)

    def holds(self, condition):
        return Document(self.root, "README.md").expressions.holds(condition)

    def test_a_value_is_the_median_of_the_rounds(self):
        self.assertAlmostEqual(self.value('kernel("v0", 1000)'), 10)
        self.assertAlmostEqual(self.value('total("v11", 400)'), 0.25)

    def test_the_range_is_of_the_rounds_and_the_minimum_the_least(self):
        rounds = Document(self.root, "README.md").record.of_version("v0", 1000)
        self.assertEqual(rounds.range("kernel_median_ms"), (9.8, 10.4))
        self.assertEqual(rounds.least("kernel_min_ms"), 9.31)

    def test_a_file_without_rounds_is_one_round(self):
        rounds = Document(self.root, "README.md").record.at("results/other").of_version("v0", 1000)
        self.assertEqual(len(rounds.rows), 1)
        self.assertEqual(rounds.value("kernel_median_ms"), 8)

    def test_names_of_a_study_are_numbers_or_namespaces(self):
        for name in ("f1", "packed"):
            self.assertAlmostEqual(self.value(f'kernel("fast_study/{name}", 1000)'), 2)

    def test_labs(self):
        self.assertAlmostEqual(self.value('kernel("maximum/m2", 1024)'), 0.06)
        self.assertAlmostEqual(self.value('share("maximum/m3", 1024)'), 0.5)
        self.assertAlmostEqual(self.value('gb_per_s("maximum/m3", 1024)'), 4 * 1024**2 / 0.02 / 1e6)

    def test_every_function_has_a_number_of_its_own(self):
        for expression, number in (
                ('total("v0", 1000)', 20), ('kernel("v0", 1000)', 10), ("copy(1000)", 0.1),
                ("host_copy(1000)", 2), ('gb_per_s("v0", 1000)', 0.8), ('share("v0", 1000)', 0.01),
                ('rate("v0", 1000)', 5e7), ('kernel_rate("v0", 1000)', 1e8),
                ('total("maximum/m2", 1024)', 2), ('kernel("maximum/m3", 1024)', 0.02),
                ('copy(1024, "maximum")', 0.01), ('total("v0", 1000, machine="other")', 19),
                ('kernel("v0", 1000, machine="other")', 8),
                ('rate("v0", 400, machine="other")', 1e3 * 400**2 / 0.19),
                ('kernel_rate("v0", 400, machine="other")', 1e3 * 400**2 / 0.08),
                ('resource("v0", "registers")', 29), ('resource("v1", "local_bytes")', 272),
                ('resource("v1", "occupancy")', 0.5), ('parts("v1", 1000, "up")', 3),
                ('parts("v1", 1000, "up", "first")', 4), ('parts("v1", 1000, "total")', 18),
                ('course("texture")', 16), ('course_ms("v0", 400)', 4.3),
                ('course_ms("v0", "1000x1000")', 31.4)):
            self.assertAlmostEqual(self.value(expression) / number, 1, msg=expression)

    def test_what_was_not_measured_is_told_from_what_is_wrong(self):
        for expression in ('kernel("v2", 1000)', 'kernel("v0", 999)', 'kernel("v99", 1000)',
                           'get("none.csv", "ms")', 'counter("v1", "x.sum")',
                           'course("registers")'):
            with self.assertRaises(NotMeasured, msg=expression):
                self.value(expression)
        for expression in ('kernel("v0")', "kernel(", "open('x')", "kernel.x", '"ms"', "1/0", "[1]",
                           'get("times.csv", "kernel_median_ms", version="v0")',
                           'get("times.csv", "nothing", version="v0", width=400)'):
            with self.assertRaises(Wrong, msg=expression):
                self.value(expression)

    def test_of_two_measurements_that_fit_neither_is_taken(self):
        (self.root / "results/box/two.csv").write_text("version,ms\na,1\nb,2\nb,3\n")
        self.assertEqual(self.value('get("two.csv", "ms", version="a")'), 1)
        with self.assertRaises(Wrong):
            self.value('get("two.csv", "ms", version="b")')
        claims = "results/course-v100/claims.csv"
        self.add(claims, next(row for row in self.text(claims).splitlines(True) if "texture" in row))
        with self.assertRaises(Wrong):
            self.value('course("texture")')

    def test_resources_are_those_at_the_largest_size(self):
        path = self.root / "results/box/times.csv"
        path.write_text(re.sub(r"(?m)^(\d,v0,CUDA,1000,1000,.*),29,64,1,", r"\1,32,64,1,",
                               path.read_text()))
        self.assertEqual(self.value('resource("v0", "registers")'), 32)
        self.assertEqual(self.value('resource("v0", "registers", 400)'), 29)

    def test_units_of_the_profiler(self):
        self.assertAlmostEqual(self.value('counter("v0", "dram__bytes.sum")'), 52428800)
        self.assertAlmostEqual(self.value('counter("fast_study/f1", "dram__bytes.sum")'), 52428800)
        self.assertAlmostEqual(self.value('counter("v0", "gpu__time_duration.sum")'), 1565400)

    def test_profilers_write_units_in_two_ways(self):
        factors = {"us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9,
                   "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}
        self.add("results/box/counters.csv", "".join(
            f"maximum/m2,rows,of.{unit},{unit},7\n" for unit in factors))
        for unit, factor in factors.items():
            self.assertEqual(self.value(f'counter("maximum/m2", "of.{unit}")'), 7 * factor, unit)

    def test_several_launches_of_a_version(self):
        metrics = ("smsp__inst_executed.sum", "sm__warps_active.avg.pct_of_peak_sustained_active")
        self.add("results/box/counters.csv", "".join(
            f"maximum/m2,{kernel},{metric},,{value}\n"
            for kernel, values in (("rows", (900, 80)), ("rows", (20, 5)), ("last", (10, 4)))
            for metric, value in zip(metrics, values)))
        self.assertEqual([self.value(f'counter("maximum/m2", "{metric}")') for metric in metrics],
                         [930, 80])

    def test_the_profiler_writes_commas_into_its_numbers(self):
        self.assertEqual(self.value('get("counters.csv", "value", version="v0",'
                                    ' metric="gpu__time_duration.sum")'), 1565.4)

    def test_a_size_is_in_the_order_of_its_program(self):
        self.assertEqual([size_of(Rounds([row])) for row in ({"width": "30", "height": "20"},
                                                             {"rows": "256", "columns": "1024"})],
                         ["30x20", "256x1024"])

    def test_a_copy_that_was_not_timed(self):
        times = self.root / "results/box/times.csv"
        times.write_text(times.read_text().replace(",2,0.1,", ",2,0,"))
        with self.assertRaises(NotMeasured):
            self.value("copy(1000)")

    def test_low_and_high(self):
        pair = '(low("times.csv", "kernel_median_ms", version="v0", width=1000),' \
               ' high("times.csv", "kernel_median_ms", version="v0"))'
        self.assertEqual(self.value(pair), (9.8, 10.4))

    def test_the_spread_is_that_of_the_measurement_whose_rounds_differ_most(self):
        name = "results/box/spread.csv"
        (self.root / name).write_text("version,width,height,round,ms\na,1,1,1,10\na,1,1,2,20\n"
                                      "a,1,1,3,12\na,2,2,1,10\na,2,2,2,11\nb,1,1,1,5\n")
        self.assertAlmostEqual(self.value('spread("spread.csv", "ms")'), 10 / 12)
        self.assertAlmostEqual(self.value('spread("spread.csv", "ms", width=2)'), 1 / 10.5)
        self.assertEqual(self.value('spread("spread.csv", "ms", version="b")'), 0)
        self.assertEqual(self.value('rounds("spread.csv")'), 3)
        (self.root / name).write_text("round,version,bytes\n1,a,0\n2,a,0\n")
        with self.assertRaisesRegex(Wrong, "all medians of bytes are 0"):
            self.value('spread("spread.csv", "bytes")')

    def test_ways_are_compared_with_the_best_of_the_others_where_all_were_measured(self):
        self.assertEqual(self.value('faster("both", "cpu", "gpus")'), (1.5, 1.5))
        self.assertEqual(self.value('longer("auto", "cpu")'), (2.2 / 4, 1))
        self.assertEqual(self.value('longer("auto", "cpu", width=100)'), (1, 1))
        self.assertAlmostEqual(self.value('max(longer("auto", "cpu", "gpus", "both"))'), 1.1)
        self.assertEqual(self.value('compared("auto", "cpu")'), 2)
        self.assertEqual(self.value('within(0.99, "auto", "cpu")'), 1)
        self.assertEqual(self.value('within(1, "auto", "cpu")'), 2)
        self.assertEqual(self.value('within(1.09, "auto", "cpu", "gpus", "both")'), 0)
        with self.assertRaises(NotMeasured):
            self.value('faster("both", "cpu", width=100)')

    def test_a_copy_of_the_same_bytes(self):
        self.add("results/box/together.csv", "uint8-256-3x3,cpu,1000,1000,9,4,3.9,0.5\n")
        self.assertEqual(self.value('copy_together("uint8-256-9x9", 1000)'), 0.5)
        self.assertEqual(self.value('copy_together("uint8-16-5x5", "100x100")'), 0.05)
        for of in ('"uint16-4096-9x9", 1000', '"uint8-16-5x5", 99'):
            with self.assertRaises(NotMeasured):
                self.value(f"copy_together({of})")

    def test_aims_are_counted(self):
        self.assertEqual(self.value("(aims_met(), aims())"), (1, 2))

    def test_conditions(self):
        for condition, holds in (('kernel("v0", 1000) < 11', True),
                                 ('kernel("v0", 1000) > 11', False),
                                 ("1 < 2 and 2 <= 2 and 3 >= 3", True), ("1 < 2 and 3 < 2", False),
                                 ("2 < 1 or 1 == 1", True)):
            self.assertEqual(self.holds(condition), holds, condition)
        for condition in ("1", 'kernel("v0", 1000)', "1 <", 'course("texture") < (1, 2)', "(1, 2)"):
            with self.assertRaises(Wrong, msg=condition):
                self.holds(condition)
        with self.assertRaises(Wrong):
            self.value("1 < 2")


class Numbers(unittest.TestCase):
    def test_formats(self):
        for value, wanted, text in (
                (15.44, "ms", "15.4 ms"), (0.2219, "us", "222 µs"), (1871, "s", "1.87 s"),
                (1.578, "times", "1.58 times"), (219.4, "times", "219 times"),
                (0.912, "%", "91 %"), (0.0134, "%", "1.3 %"), (0.5, "% of all", "50 % of all"),
                (0.05, "points", "5.0 points"), (3513.2, "GB/s", "3513 GB/s"),
                (4.7e11, "Gcell/s", "470 Gcell/s"), (1.1e9, "Mcell/s", "1100 Mcell/s"),
                (13619659, "int", "13 619 659"), (10000, "int", "10 000"), (2.5, ".1f million", "2.5 million"),
                ((0.841, 0.87), ".2f", "0.84 to 0.87"), ((2.0, 2.0), "ms", "2.00 ms")):
            self.assertEqual(written(value, wanted), text)
        with self.assertRaises(Wrong):
            written(1, "parsecs")

    def test_ways_by_cpu_and_gpus(self):
        """Both are compared with the better one alone, and the library's choice with the others."""
        asked = Asked.__new__(Asked)
        asked.together = [1]
        asked.ways = lambda *_: [("a", "9x9", {"cpu": 6, "gpus": 4, "both": 2, "auto": 1})]
        self.assertEqual(list(asked.both("a")), [(2, "a, 9x9")])
        self.assertEqual(list(asked.of_best()), [(0.5, "a, 9x9")])

    def test_counters_of_a_part_of_a_multiprocessor(self):
        """Of which there are four."""
        cell = dict(ROWS)["instructions a clock, of 4 possible"]
        self.assertEqual(cell({"smsp__inst_executed.avg.per_cycle_active": 0.625}), "2.50")

    def test_three_digits(self):
        self.assertEqual([shown(x) for x in (None, 1234.5, 24.46, 1.556, 0.222, 0.0168)],
                         ["-", "1234", "24.5", "1.56", "0.222", "0.0168"])
        self.assertEqual(grouped(9999), "9999")


class Sources(Tree):
    def test_a_difference_leaves_names_and_comments_out(self):
        source = Source(self.root, None)
        changes = difference(source.body("v0"), source.body("v1"), ["v0", "v1"])
        self.assertEqual(changes, "+constexpr int kTable = 26; // ln 0 to ln 25\n"
                                  "@@ cudaCallbackKernel @@\n"
                                  "-    result[0] = log(count[0]);\n"
                                  "+    result[0] = logTable.ln[count[0]];\n")

    def test_functions(self):
        source = Source(self.root, None)
        self.assertTrue(source.kernel("v1").startswith("__global__ void __launch_bounds__"))
        self.assertTrue(source.kernel("v1", "cudaCallback").startswith("void cudaCallback("))
        with self.assertRaises(Wrong):
            source.kernel("v1", "nothing")
        with self.assertRaises(Wrong):
            source.body("v99")

    def test_comments(self):
        code = 'a(); // one\n// two\nb("// no"); /* three */\n'
        self.assertEqual([(line, text) for line, text in comments(code)],
                         [(1, "// one\n// two"), (3, "/* three */")])


class Tables(Tree):
    def test_every_kind_is_tried_and_can_be_filled(self):
        text = self.text("report.md")
        for kind in KINDS:
            self.assertIn(f"<!-- table: {kind}", text)
        self.assertNotIn("not measured yet", text)

    def test_what_no_document_of_the_project_shows_now_is_right_too(self):
        text = self.text("report.md")
        for table in (
                "| the document says | its figure, on a V100 | here | verdict |\n"
                "|---|---|---|---|\n"
                "| a texture is faster | 16 % | 100 % | does not hold |\n"
                "| registers are what limits | - | - |  |\n",
                "<!-- table: maximum kernel_median_ms -->\n|  | 1024x1024 |\n|---|---|\n"
                "| m2 | 0.0600 (0.333, 0.167) |\n| m3 | 0.0200 (1.000, 0.500) |\n",
                "| kernel / end to end | 400x400 | 1000x1000 |\n|---|---|---|\n"
                "| v0 | 50 % | 50 % |\n| v1 | 28 % | 28 % |\n"):
            self.assertIn(table, text)

    def test_all_is_written_as_it_was_when_it_was_checked_by_hand(self):
        for name in ("README.md", "report.md"):
            self.assertEqual(self.text(name), (HERE / "filled" / name).read_text(), name)

    def table_of(self, asked):
        """The lines of a table of report.md, filled anew."""
        self.assertEqual(self.run_tool()[0], 0)
        return self.text("report.md").split(f"<!-- table: {asked} -->\n")[1].split("<!--")[0] \
            .splitlines()

    def test_a_version_is_compared_with_the_one_that_it_starts_from(self):
        times = self.root / "results/box/times.csv"
        times.write_text(times.read_text().replace("v2,CUDA,1000,1000,0,0,0,0,0,0,",
                                                   "v2,CUDA,1000,1000,9,16,15,9,4,3.9,"))
        self.assertTrue(self.table_of("study_card")[-1].endswith("| 2.50 | 2.50 |"))

    def test_the_toolkits_own_starts_from_none(self):
        self.replace("sources/maximum/core.cu", "m2 in shared memory", "m2, but of CUB")
        self.assertEqual(self.table_of("study_card in=maximum")[-1],
                         "| m3 | m2, but of CUB | 0.0200 | 210 | 50 % | - | 3.00 |")

    def test_parts_are_of_the_largest_size(self):
        self.add("results/box/parts.csv", "v1,2000,2000,later,total,70\n")
        self.assertEqual(self.table_of("parts")[0], "| 2000x2000 | call | total |")

    def test_a_number_that_stands_in_a_table_goes_with_what_was_there(self):
        before = self.text("report.md")
        self.replace("report.md", "<!-- table: share -->\n",
                     '<!-- table: share -->\nIt was <!--= kernel("v0", 1000) | ms -->9<!--/-->.\n')
        self.assertEqual(self.run_tool()[0], 0)
        self.assertEqual(self.text("report.md"), before)

    def test_what_no_version_does_is_no_evidence(self):
        conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
        for count, rows in (("0", 0), ("204800", 1)):
            self.replace("results/box/counters.csv", "v0,kernel,l1tex__t_sector_hit_rate.pct",
                         f"v0,kernel,{conflicts},,{count}\nv0,kernel,l1tex__t_sector_hit_rate.pct")
            found = [line for line in self.table_of("evidence v0 fast_study/f1") if "bank" in line]
            self.assertEqual(len(found), rows, found)
            self.replace("results/box/counters.csv", f"v0,kernel,{conflicts},,{count}\n", "")

    def test_a_second_look_takes_no_less_than_nothing(self):
        self.replace("results/box/launches.csv", "0.011,0.0088", "0.011,0.012")
        self.assertIn("| 20 % | 25 % | 0 % | 125 |", self.table_of("launches")[2])

    def test_the_engine_may_decide_better_than_any_way_alone(self):
        self.replace("results/box/together.csv", "9x9,auto,1000,1000,9,2.2",
                     "9x9,auto,1000,1000,9,1.5")
        self.assertTrue(self.table_of("together")[2].endswith("| 1.50 | 0.75 |"))

    def test_a_disk_is_no_small_window(self):
        self.assertEqual([cells_of_window(f"uint8-256-{window}") > SMALL
                          for window in ("9x9", "disk5", "9x10")], [False, True, True])

    def test_an_aim_is_met_by_speed_where_scikit_image_is_fast(self):
        self.replace("results/aims/filter.csv", "avx512,310,190", "avx512,250,1000")
        self.assertTrue(self.table_of("filter-aims")[2].endswith("| 300 | 250 | 200 | 1000 | met |"))

    def test_a_bar_in_a_cell_ends_none(self):
        self.assertEqual(table(["a"], [["b|c"]]), "| a |\n|---|\n| b\\|c |\n")

    def test_the_spread_is_shown(self):
        self.assertIn("| v0 | CUDA | baseline, a thread a cell | 20.0 (19.6 to 20.8) |",
                      self.text("report.md"))

    def test_filters_have_a_column_a_path_and_scikit_image_beside(self):
        self.assertIn("| cells | levels | window | method | avx512 | avx2 | 8 threads | by content |"
                      " scikit-image | times as fast |", self.text("report.md"))
        self.assertIn("| uint8 | 256 | 9x9 | ranks | 300 | 150 | 2100 | 0.90 to 1.10 | 1.50 | 200 |",
                      self.text("report.md"))
        self.assertIn("| uint8 | 2 | 5x5 | levels | 2000 | - | - | 1.00 to 1.00 | - | - |",
                      self.text("report.md"))

    def test_an_aim_is_met_by_speed_or_by_scikit_image(self):
        self.assertIn("| uint8, 256 levels | 9x9 | avx512 | 300 | 310 | 200 | 190 | met |",
                      self.text("report.md"))
        self.assertIn("| uint8, 256 levels | 9x9 | avx2 | 150 | 160 | 100 | - | 94 % |",
                      self.text("report.md"))

    def test_launches_have_the_limit_a_copy_the_second_look_and_the_aim_beside(self):
        text = self.text("report.md")
        self.assertIn("| cells | levels | window | method | ms | Gpixel/s | slowest content | "
                      "of the limit | of a copy | second look | aim | met |", text)
        self.assertIn("| uint8 | 256 | 9x9 | equal | 0.0100 | 100 | 80.0 | 20 % | 25 % | 20 % | "
                      "125 | 64 % of it |", text)
        self.assertIn("| uint8 | 256 | 9x9, mask | histogram | 0.0200 | 50.0 | 50.0 | 10 % | 12 % "
                      "| - | - | - |", text)
        self.assertIn("| uint8 | 16 | 5x5 | words | 0.0025 | 400 | 400 | 80 % | 64 % | 0 % | 438 | "
                      "91 % of it |", text)  # 0.7 of the faster of the two

    def test_contents_have_a_column_each_and_what_is_between_the_slowest_and_the_fastest(self):
        self.assertIn("| uint8 | 256 | 9x9 | 100 | 80.0 | 125 | 36 % |", self.text("report.md"))

    def test_contents_that_were_not_measured_are_left_open(self):
        path = self.root / "results/box/launches.csv"
        path.write_text("".join(row for row in path.read_text().splitlines(True)
                                if not row.startswith("uint8-256-9x9,equal,flat,")))
        self.run_tool()
        self.assertIn("| uint8 | 256 | 9x9 | 100 | 80.0 | - | 20 % |", self.text("report.md"))

    def test_launches_elsewhere_are_compared_with_the_usual_image(self):
        text = self.text("report.md")
        self.assertIn("| cells | levels | window | 1000x1000, Gpixel/s | offset 1 | 999 columns |",
                      text)
        self.assertIn("| uint8 | 256 | 9x9 | 100 | 0.80 | 0.50 |", text)

    def test_launches_of_other_sizes_are_compared_with_the_usual_one(self):
        self.assertIn("| cells | levels | window | 1000x1000, Gpixel/s | 500x500 |",
                      self.text("report.md"))
        self.assertIn("| uint8 | 256 | 9x9 | 100 | 0.50 |", self.text("report.md"))

    def test_aims_that_are_ratios_are_judged_by_the_worst(self):
        for row in ("| time of second looks | at most 5.0 % | 20 % | uint8, 256 levels, 9x9, "
                    "natural | missed |",
                    "| spread over contents | at most 5.0 % | 36 % | uint8, 256 levels, 9x9 | missed |",
                    "| other widths and places | at least 0.85 | 0.50 | uint8, 256 levels, 9x9, "
                    "999 columns | 59 % of it |",
                    "| 500x500 | at least 0.60 | 0.50 | uint8, 256 levels, 9x9 | 83 % of it |",
                    "| auto, to the best | at most 1.10 | 1.10 | uint8, 256 levels, 9x9, 1000x1000 "
                    "| met |"):
            self.assertIn(row, self.text("report.md"))

    def test_an_aim_without_a_measurement_is_told_and_counts_as_not_measured(self):
        for gone, row in (("uint8-16-5x5,words,natural,1000", "| uint8 | 16 | 5x5 | not measured yet |"),
                          ("uint8-16-5x5,words,natural,500", "| 500x500 | at least 0.60 | not measured "
                           "yet | uint8-16-5x5 500x500 | - |"),
                          ("uint8-16-5x5,words,flat", "| not measured yet | uint8-16-5x5 flat | - |")):
            with self.subTest(gone):
                kept = self.text("results/box/launches.csv")
                rows = [row for row in kept.splitlines(True) if not row.startswith(gone)]
                (self.root / "results/box/launches.csv").write_text("".join(rows))
                self.run_tool()
                self.assertIn(row, self.text("report.md"))
                self.assertEqual(self.run_tool("--check")[0], 0)
                status, said = self.run_tool("--check", "--complete")
                self.assertEqual(status, 1)
                self.assertIn("rows without a measurement", said)
                (self.root / "results/box/launches.csv").write_text(kept)

    def test_peers_on_a_gpu_are_compared_with_the_library(self):
        text = self.text("report.md")
        self.assertIn("| slow one 1.2 | uint8 | 256 | 9x9 | 500x500 | 2.50 | 50.0 | 20.0 |  |", text)
        self.assertIn("| slow one | uint8 | 16 | 5x5 | - | - | - | - | has no windows of 5x5 |", text)
        self.assertIn("| other | all |  |  | - | - | - | - | other is not installed |", text)

    def test_a_copy_is_the_least_of_all_that_move_as_many_bytes(self):
        self.add("results/box/together.csv", "uint8-256-5x5,auto,1000,1000,9,2,1.9,4\n"
                 "uint8-256-3x3,auto,1000,1000,9,2,1.9,0.5\nuint8-256-3x3,auto,100,100,9,2,1.9,0.1\n"
                 "uint16-4096-9x9,auto,1000,1000,9,2,1.9,0.2\n")
        self.add("results/aims/launch-ratios.csv", '"auto, of a copy",0.8,\n')
        self.run_tool()
        self.assertIn("| auto, of a copy | at least 0.80 | 0.25 | uint8, 256 levels, 5x5, 1000x1000 |",
                      self.text("report.md"))
        self.assertIn("| 9x9 | 1000x1000 | 4.00 | 3.00 | 2.00 | 2.20 | 0.500 | 23 % |",
                      self.text("report.md"))

    def test_auto_is_compared_with_the_cpu_at_a_size(self):
        self.add("results/box/together.csv", "uint8-2-5x5,cpu,100,100,9,2,1.9,4\n"
                 "uint8-2-5x5,auto,100,100,9,3,1.9,4\n")
        self.add("results/aims/launch-ratios.csv", '"auto, to the CPU, at 100x100",,1.1\n'
                 '"auto, to the CPU, at 7x7",,1.1\n')
        self.run_tool()
        for row in ("100x100 | at most 1.10 | 1.50 | uint8, 2 levels, 5x5, 100x100 | missed |",
                    "7x7 | at most 1.10 | not measured yet | 7x7 together | - |"):
            self.assertIn(f"| auto, to the CPU, at {row}", self.text("report.md"))

    def test_revisions_of_other_records_are_listed(self):
        (self.root / "results/old").mkdir()
        (self.root / "results/old/environment.txt").write_text("revision:   1234567890\n")
        (self.root / "results/old/record.csv").write_text("stage,revision,seconds\nparts,abcdef0123,9\n")
        self.add("report.md", "\n<!-- table: revisions old -->\n<!-- end of table -->\n")
        self.run_tool()
        self.assertIn("| `results/old` | 1234567890 | parts: abcdef0123 |", self.text("report.md"))

    def test_an_aim_of_no_rule_is_wrong(self):
        self.add("results/aims/launch-ratios.csv", "beauty,1,\n")
        self.assert_finds("launch-ratios", "no rule for the aim 'beauty'")

    def test_budgets_are_what_the_multiprocessors_could_do_at_that_rate(self):
        self.assertIn("| uint8 | 256 | 9x9 | equal | 100 | 128 | 32.0 |", self.text("report.md"))
        (self.root / "results/box/environment.txt").write_text("revision:   abcdef0123\n")
        self.replace("report.md", "| uint8 | 256 | 9x9 | equal | 100 | 128 | 32.0 |\n", "")
        self.assert_finds("launch-budgets", "no multiprocessors")

    def test_counters_of_launches_are_for_a_pixel_and_of_the_method_alone(self):
        self.assertIn("| uint8 | 256 | 9x9 | 30 % | 200 | 2.00 | 100 | 64 % | - | 11 % | - | data from "
                      "shared memory or special functions 2.2 |", self.text("report.md"))

    def test_other_images_are_a_table_of_their_own(self):
        text = self.text("report.md")
        self.assertIn("| sparse | 1000x1000 | uint8 | 16 | 5x5 | 100 % | 32 | - |", text)
        self.assertEqual(text.count("| uint8 | 256 | 9x9 | 30 % |"), 1)
        self.assertNotIn("| natural | 1000x1000 |", text)  # no instruction of it was counted

    def test_what_a_launch_moves_is_of_all_its_kernels(self):
        self.assertIn("| cells | levels | window | read from device memory | written to it | written "
                      "to the second-level cache | of sectors that stores touch |\n"
                      "|---|---|---|---|---|---|---|\n"
                      "| uint8 | 16 | 5x5 | - | 4.02 | 4.00 | - |\n", self.text("report.md"))

    def test_what_images_of_a_size_move_may_not_be_measured_yet(self):
        table = "<!-- table: launch-memory natural 10240x10240 -->\n"
        self.add("report.md", f"\n{table}<!-- end of table -->\n")
        self.assertEqual(self.run_tool()[0], 0)
        self.assertIn(f"{table}not measured yet\n", self.text("report.md"))

    def test_together_compares_both_with_the_better_and_auto_with_the_best(self):
        self.assertIn("| uint8 | 256 | 9x9 | 1000x1000 | 4.00 | 3.00 | 2.00 | 2.20 | 1.00 | 45 % | 1.50 "
                      "| 1.10 |", self.text("report.md"))
        self.assertIn("| uint8 | 16 | 5x5 | 100x100 | 0.100 | - | - | 0.100 | 0.0500 | 50 % | - | 1.00 |",
                      self.text("report.md"))

    def test_another_machine_is_named(self):
        self.assertIn("| other | platform |", self.text("report.md"))

    def test_a_second_time_nothing_changes(self):
        before = self.text("report.md"), self.text("README.md")
        self.assertEqual(self.run_tool()[0], 0)
        self.assertEqual((self.text("report.md"), self.text("README.md")), before)

    def test_old_markers_name_their_directory(self):
        self.replace("README.md", "<!-- record: results/box -->\n", "")
        self.add("README.md", "\n<!-- table: ladder results/other 1000x1000 -->\n"
                              "<!-- end of table -->\n")
        self.run_tool()
        self.assertIn("|  | platform | idea |", self.text("README.md"))

    def test_peers_on_known_images(self):
        text = self.text("report.md")
        for row in ("| all |  | Octave |  |  |  | - | - | - | - | - | not installed |",
                    "| camera | 5x5 | scikit-image 0.25.2 | CPU | 1 thread | crop | 256x256 | 40.0 "
                    "| 320 | 400 | - | the upper left part |",
                    "| camera | 5x5 | OpenCV 4.10 | CPU | 8 threads | crop | 512x512 | 12.5 | 25.0 "
                    "| 40.0 | - |  |",
                    "| camera | 5x5 | cuCIM 25.2 | GPU | CuPy | reflect | 512x512 | 2.50 | - | - "
                    "| 50.0 |  |"):
            self.assertIn(row + "\n", text)

    def test_counters_as_the_profiler_prints_them(self):
        (self.root / "results/box/counters.csv").write_text(
            '"v0","0","1","entropy","host","kernel(int, int)","1","7","(32)","(80)","0","9.0","x",'
            '"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum","sector","145,145,704"\n')
        rows = Results(self.root).rows("results/box", "counters.csv")
        self.assertEqual((rows[0]["version"], rows[0]["value"]), ("v0", "145,145,704"))


class Check(Tree):
    def test_the_fixture_passes(self):
        self.assertEqual(self.run_tool("--check", "--complete"), (0, ""))

    def test_a_table_that_results_do_not_say(self):
        self.replace("report.md", "| v0 | CUDA | baseline, a thread a cell | 20.0",
                     "| v0 | CUDA | baseline, a thread a cell | 19.0")
        self.assert_finds("report.md:", "ladder 1000x1000", "is not what results/ says")

    def test_a_number_that_results_do_not_say(self):
        self.replace("README.md", "-->10.0 ms<!--/-->", "-->9.9 ms<!--/-->")
        self.assert_finds("README.md:6:", "'9.9 ms'", "10.0 ms")

    def test_a_sentence_that_results_no_longer_bear_out(self):
        true = '\nIt is quick.<!-- holds: kernel("v0", 1000) < 11 -->\n'
        self.add("README.md", true)
        self.assertEqual(self.run_tool("--check", "--complete"), (0, ""))
        self.replace("README.md", "< 11", "< 9")
        self.assert_finds("README.md:", 'holds: kernel("v0", 1000) < 9', "is false by now")
        status, said = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn("is false by now", said)

    def test_a_condition_that_is_none_or_not_measured(self):
        self.add("README.md", '\nIt is quick.<!-- holds: kernel("v99", 1000) < 11 -->\n')
        self.assertEqual(self.run_tool("--check")[0], 0)
        status, said = self.run_tool("--check", "--complete")
        self.assertEqual(status, 1)
        self.assertIn("not measured yet", said)
        self.replace("README.md", '< 11', '')
        self.replace("README.md", "v99", "v0")
        self.assert_finds("README.md:", "is no comparison")
        self.add("README.md", "\nIt is.<!-- holds 1 < 2 -->\n")
        self.assert_finds("README.md:", "a condition is written <!-- holds: EXPR < EXPR -->")
        self.add("README.md", "\n<!-- holds: 1 < 2 -->It is.\n")
        self.assert_finds("README.md:", "put a word before it")

    def test_what_fails_in_an_expression_is_named_at_either_marker(self):
        self.add("README.md", '\nIt is quick.<!-- holds: kernel("v0", 1000) < 11 -->\n')
        for failure in (IndexError, StopIteration, KeyError, ValueError, TypeError):
            with unittest.mock.patch.object(Expressions, "evaluated", side_effect=failure("here")):
                document = Document(self.root, "README.md")
            numbers = [marker for marker in document.markers if not marker.is_table]
            self.assertTrue(numbers)
            for one in numbers + document.claims:
                self.assertIn(f"{failure.__name__}: ", one.wrong)
                self.assertIn("here", one.wrong)

    def test_results_that_changed(self):
        self.replace("results/box/scaling.csv", "400,1,8,7.9", "400,1,8,6.9")
        self.assert_finds("report.md:", "scaling 400")

    def test_a_source_that_changed(self):
        self.replace("sources/entropy/core.cu", "logTable.ln[count[0]]", "logTable.ln[count[1]]")
        self.assert_finds("report.md:", "diff v0 v1")

    def test_a_number_in_prose(self):
        self.add("README.md", "\nIt takes 15 to\n16.5 ms.\n")
        self.assert_finds("README.md:", "'16.5'", "has no source")
        self.assert_finds("README.md:", "'15'", "has no source")

    def test_numbers_that_need_no_source(self):
        self.add("README.md", "\n## 12. Of v7, m5, sm_90, H200, AVX-512 and `x = 5`\n\n"
                              "1. As sections 7 to 11 and [a link](x/15.html) say, each 5x5\n"
                              "window has 25\ncells.\n\n```\n17 ms\n```\n\n    H = 15\n\n")
        self.assertEqual(self.run_tool("--check"), (0, ""))

    def test_a_constant_is_not_part_of_another_number(self):
        self.add("README.md", "\n15x5 and 125 cells.\n")
        self.assert_finds("'15x5'")
        self.assert_finds("'125'")

    def test_a_constant_is_not_the_beginning_of_another_word(self):
        for phrase, text, found in (("5x5", "a 5x5.", True), ("5x5", "5x55", False),
                                    ("5x5", "5x5.3", False), ("25 cells", "25\n cells,", True),
                                    ("25 cells", "25 cellshape", False), ("sm_", "sm_90", True)):
            self.assertEqual(bool(pattern_of(phrase).search(text)), found, (phrase, text))

    def test_constants_need_a_word_and_a_reason(self):
        self.add("tools/report/constants.txt", "\n[prose]\n15 | bare\n16 levels\n[else]\n")
        wrong = "\n".join(Constants(self.root).wrong)
        for words in ("'15' is not", "'16 levels' has no reason", "no section [else]"):
            self.assertIn(words, wrong)
        self.assert_finds("constants.txt:", "'15' is not")

    def test_a_picture_that_is_not_there(self):
        self.add("report.md", "\n![x](results/box/plots/none.svg)\n")
        self.assert_finds("report.md:", "no picture results/box/plots/none.svg")

    def test_a_picture_that_no_document_shows(self):
        for name in ("more.svg", "more.png"):
            path = self.root / "results/box" / name
            path.write_text("a picture")
            self.assert_finds(f"results/box/{name}:1:", "no document shows")
            path.unlink()

    def test_revisions_that_differ(self):
        self.replace("results/box/fast_study/environment.txt", "abcdef0123", "abcdef9999")
        self.assert_finds("fast_study/environment.txt:2:", "abcdef9999")

    def test_a_stage_of_another_revision_waits_and_is_named(self):
        self.replace("results/box/record.csv", "parts,abcdef0123", "parts,abcdef9999")
        self.run_tool()
        self.assertIn("abcdef9999: parts (stages that are of that revision)",
                      self.text("report.md"))
        self.assertEqual(self.run_tool("--check")[0], 0)
        status, said = self.run_tool("--check", "--complete")
        self.assertEqual(status, 1)
        self.assertIn("results/box/record.csv:3: parts is not measured yet", said)

    def test_a_round_of_another_revision(self):
        self.replace("results/box/record.csv", "parts,abcdef0123", "round2,abcdef9999")
        self.run_tool()
        self.assert_finds("results/box/record.csv:3:", "abcdef9999")

    def test_a_log_of_another_revision(self):
        self.replace("screen.log", "abcdef0", "0123456")
        self.assert_finds("screen.log:2:", "0123456")

    def test_a_revision_of_changed_sources(self):
        self.replace("results/box/environment.txt", "abcdef0123", "abcdef0123-modified")
        self.assert_finds("environment.txt:4:", "had changes")
        self.replace("results/box/environment.txt", "revision:   abcdef0123-modified", "")
        self.assert_finds("environment.txt:1:", "names no revision")

    def test_another_machine_may_have_its_own_revision(self):
        self.replace("results/other/environment.txt", "1234567", "7654321")
        self.run_tool()  # a table tells it
        self.assertEqual(self.run_tool("--check"), (0, ""))

    def test_measured_times_in_comments(self):
        for comment in ("// It takes 15.2 ms.", "// It takes 15.2\n// ms.", "/* 3 GB/s */",
                        "// 2.5 times faster than v0", "// Measured: a lot", "// 7 Mcell/s"):
            with self.subTest(comment):
                path = self.root / "sources/entropy/core.h"
                path.write_text(f"int x;\n{comment}\n")
                self.assert_finds("sources/entropy/core.h:2:", "belongs into results/")

    def test_they_are_found_in_sources_of_every_kind_and_at_their_line(self):
        for name in ("x.cu", "x.h", "x.cpp", "x.cuh"):
            for before in ("// One\n// two.\n// It", "/* One\n * two.\n * It"):
                path = self.root / "sources/entropy" / name
                path.write_text(f"int x;\n\n{before} takes 15.2 ms. */\n")
                self.assert_finds(f"sources/entropy/{name}:5:", "'15.2 ms'", "belongs into")
                path.unlink()

    def test_code_and_text_in_quotes_are_no_comments(self):
        (self.root / "sources/entropy/core.h").write_text(
            'const char *text = "// 15 ms"; // or so\n')
        self.assertEqual(self.run_tool("--check"), (0, ""))

    def test_another_machine_that_is_not_named(self):
        self.replace("README.md", "On `other` it", "There it")
        self.assert_finds("README.md:", "is of other", "does not say so")
        self.replace("README.md", "There it", "There, on the other machine, it")
        self.assertEqual(self.run_tool("--check"), (0, ""))

    def test_a_condition_of_another_machine_that_is_not_named(self):
        self.add("README.md", '\nThere it is quick.<!-- holds: kernel("v0", 1000, machine="other") '
                 '< kernel("v0", 1000) -->\n')
        self.assert_finds("README.md:", 'kernel("v0", 1000, machine="other") <', "is of other")
        self.replace("README.md", "There it is", "On `other` it is")
        self.assertEqual(self.run_tool("--check"), (0, ""))

    def test_documents_of_several_records(self):
        self.replace("README.md", "results/box -->", "results/other -->")
        self.assert_finds("README.md:1:", "several records")

    def test_a_document_without_a_record(self):
        self.replace("README.md", "<!-- record: results/box -->\n", "")
        self.assert_finds("README.md:1:", "no line <!-- record")

    def test_markers_that_cannot_be_read(self):
        for marker, words in (
                ("<!-- table: nothing -->\n<!-- end of table -->", "there is no table nothing"),
                ("<!-- table: times -->\n<!-- end of table -->", "column"),
                ("<!-- table: times kernel_median_ms -->\n", "belongs to no pair"),
                ("It is <!--= kernel( | ms --><!--/-->.", "kernel("),
                ('It is <!--= kernel("v0", 1000) --><!--/-->.', "no format"),
                ('It is <!--= kernel("v0", 1000) | ells --><!--/-->.', "no format ells"),
                ('It is <!--= kernel("v0", 1000) | ms -->', "belongs to no pair"),
                ('<!--= kernel("v0", 1000) | ms -->10.0 ms<!--/-->', "HTML to Markdown")):
            with self.subTest(marker):
                before = self.text("README.md")
                self.add("README.md", f"\n{marker}\n")
                self.assert_finds("README.md:", words)
                (self.root / "README.md").write_text(before)


class NotMeasuredYet(Tree):
    def test_a_new_table_waits_and_only_complete_minds(self):
        self.add("report.md", "\n<!-- table: times total_median_ms in=none -->\n"
                              "<!-- end of table -->\n")
        self.assertEqual(self.run_tool()[0], 0)
        self.assertIn("in=none -->\nnot measured yet\n<!-- end", self.text("report.md"))
        status, said = self.run_tool("--check")
        self.assertEqual(status, 0, said)
        self.assertIn("there is no results/box/none/times.csv", said)
        self.assertEqual(self.run_tool("--check", "--complete")[0], 1)

    def test_a_table_whose_file_is_gone(self):
        (self.root / "results/box/gpus.csv").unlink()
        self.assert_finds("report.md:", "there is no results/box/gpus.csv")
        before = self.text("report.md")
        self.assertEqual(self.run_tool()[0], 1)
        self.assertEqual(self.text("report.md"), before)

    def test_a_new_number_waits(self):
        self.add("README.md", '\nIt is <!--= kernel("v99", 1000) | ms --><!--/-->.\n')
        self.assertEqual(self.run_tool()[0], 0)
        self.assertIn("| ms -->not measured yet<!--/-->", self.text("README.md"))
        status, said = self.run_tool("--check")
        self.assertEqual(status, 0, said)
        self.assertIn("no v99 at 1000x1000", said)
        self.assertEqual(self.run_tool("--check", "--complete")[0], 1)

    def test_a_number_whose_file_is_gone(self):
        (self.root / "results/box/parts.csv").unlink()
        self.assert_finds("README.md:", "'3.00 ms'", "not measured yet")


class Command(Tree):
    def test_other_arguments_are_refused(self):
        self.assertEqual(self.run_tool("--nonsense")[0], 2)
        self.assertEqual(self.run_tool("--complete")[0], 2)
        status, said = self.run_tool("--help")
        self.assertEqual(status, 0)
        self.assertIn("--check", said)


if __name__ == "__main__":
    unittest.main()
