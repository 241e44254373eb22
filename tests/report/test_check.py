"""tools/report on the small results of fixture/: each rule of its check finds what breaks it."""

import pathlib
import sys
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
sys.path.insert(0, str(HERE))

import report  # noqa: E402
from report.command import draw as DRAW  # noqa: E402, N812
from report.constants import Constants, pattern_of  # noqa: E402
from report.documents import Document  # noqa: E402
from report.expressions import Expressions  # noqa: E402
from tree import Tree  # noqa: E402


class Check(Tree):
    def test_the_fixture_passes(self):
        self.assertEqual(self.run_tool("--check", "--complete"), (0, ""))

    def test_a_picture_for_another_scheme_of_colours_must_be_there(self):
        self.add("README.md", '\n<source media="(dark)" srcset="results/box/none.svg">\n')
        self.assert_finds("README.md:", "there is no picture results/box/none.svg")

    def test_a_comment_of_the_constants_is_none(self):
        self.add("tools/report/constants.txt", "\n# What is said of them.\n")
        self.assertEqual(self.run_tool("--check", "--complete"), (0, ""))

    def test_who_asks_for_plots_finds_documents_as_they_were(self):
        self.replace("README.md", "-->10.0 ms<!--/-->", "-->9.9 ms<!--/-->")
        before = self.text("README.md")
        self.assertEqual(self.run_tool("--plots-only"), (0, ""))
        self.assertEqual(self.text("README.md"), before)

    def test_plots_of_another_machine_are_drawn_where_a_document_shows_them(self):
        self.add("report.md", "\n![x](results/other/plots/ladder.svg)"
                 "\n![x](results/other/plots/none.svg)\n![x](results/box/plots/ladder.svg)\n")
        plots, diagrams = unittest.mock.Mock(PLOTS={"ladder": 1, "other": 2}), unittest.mock.Mock()
        with unittest.mock.patch.multiple(report, create=True, plots=plots, diagrams=diagrams):
            DRAW(self.root)
        self.assertEqual(plots.draw.mock_calls, [
            unittest.mock.call(self.root / "results/box"),
            unittest.mock.call(self.root / "results/other", names=["ladder"])])
        diagrams.draw_all.assert_called_once_with()

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
