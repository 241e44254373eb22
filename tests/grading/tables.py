"""What the grader writes: its table, its page and its CSV file."""

import os
import shutil
import sys
import unittest.mock

from grading.scene import Part


class Tables(Part):
    """tools/grade/report.py by itself."""

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

    def test_what_a_core_wrote_does_nothing_to_a_terminal_or_a_page(self):
        import report
        row = {**self.ROW, "core": "a\x1b[2J\u202e.cu", "message": "\x07<b>", "log": "x\x1b\ty\n"}
        self.assertIn("a?[2J?.cu ", report.as_table([row]))
        self.assertIn("?<b>", report.as_table([row]))
        page = report.as_page([row], [("data", "a\x1b<i>")])
        for sign in ("\x1b", "\x07", "\u202e", "<b>", "<i>"):
            self.assertNotIn(sign, page)
        self.assertIn("<pre>x\ufffd\ty\n</pre>", page)

    def test_the_titles_are_explained(self):
        import report
        self.assertIn("x reference: total ms as a multiple of v7's;", report.legend("v7"))
        self.assertNotIn("x reference", report.legend(""))
        for title in ("groups", "error", "slowest", "x reference"):
            self.assertIn(f"  {title} (", report.columns_help())
