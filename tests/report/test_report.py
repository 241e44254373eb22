"""tools/report on the small results of fixture/: the values of its markers, and where they come from.
Run by `make test`, or python3 -m unittest discover -s tests/report."""

import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
sys.path.insert(0, str(HERE))

from report.documents import Document  # noqa: E402
from report.evidence import ROWS  # noqa: E402
from report.formats import grouped, shown, written  # noqa: E402
from report.launch_aims import Asked  # noqa: E402
from report.results import NotMeasured, Rounds, Wrong, size_of  # noqa: E402
from report.source_code import Source, comments, difference  # noqa: E402
from tree import Tree  # noqa: E402


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

    def test_changes_far_apart_in_one_function_are_parted(self):
        lines = "int one() {\n  a();\n  b();\n  c();\n  d();\n}"
        self.assertEqual(difference(lines, lines.replace("a(", "x(").replace("d(", "y("), ["v1"]),
                         "@@ one @@\n-  a();\n+  x();\n ...\n-  d();\n+  y();\n")

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


if __name__ == "__main__":
    unittest.main()
