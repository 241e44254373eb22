"""Which rows a table of tools/report is made from, and where its rules begin and end."""

import pathlib
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
sys.path.insert(0, str(HERE))

from report import check, evidence, launch_tables, results  # noqa: E402
from report.documents import KINDS, Document  # noqa: E402
from tree import Tree  # noqa: E402


class Rows(Tree):
    def table(self, kind, *words, at=None):
        record = Document(self.root, "report.md").record
        return KINDS[kind](record.at(at) if at else record, *words)

    def test_threads_are_compared_on_random_cells(self):
        before = self.table("cpu_scaling", "avx2", "1000x1000")
        self.add("results/box/cpu.csv", "avx2,natural,1000,1000,1,8,7.9,125,1\n")
        self.assertEqual(self.table("cpu_scaling", "avx2", "1000x1000"), before)

    def test_runs_of_a_batch_are_those_of_their_input(self):
        self.add("results/box/memory_study/batch.csv", "managed,9x9,1,8\nmanaged,9x9,2,9\n")
        self.assertIn("| managed | 0.600 (0.500 to 0.700) | 8.50 (8.00 to 9.00) |",
                      self.table("batch", at="memory_study"))

    def test_flags_are_compared_with_the_first_ones(self):
        self.add("results/box/flags.csv", "v1,clang++,-O2,1000,1000,17,16,2.5,2.4,\n")
        self.assertIn("| clang++ | `-O2` | 2.50 (2.00) |", self.table("flags"))


class Rules(Tree):
    def test_the_revision_is_the_records_own_whatever_its_studies_are_called(self):
        (self.root / "results/box/a_study").mkdir()
        (self.root / "results/box/a_study/environment.txt").write_text("revision:   fedcba9876\n")
        self.assert_finds("a_study/environment.txt:1: revision fedcba9876, but results/box/env")

    def test_a_heading_names_the_machine_of_its_table(self):
        marker = "<!-- table: text results/other/environment.txt -->\n<!-- end of table -->\n"
        self.add("README.md", f"\nOn other:\n\n{marker}")
        self.assertEqual(self.run_tool()[0], 0)
        self.assertEqual(self.run_tool("--check"), (0, ""))
        self.replace("README.md", "On other:", "There:")
        self.assert_finds("README.md:", "is of other")

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_what_git_knows_and_is_gone_counts_as_gone(self):
        for words in (["init", "-q"], ["add", "results"]):
            subprocess.run(["git", *words], cwd=self.root, check=True)
        known = check.committed(self.root, "results")
        (self.root / known[0]).unlink()
        self.assertEqual(check.committed(self.root, "results"), known[1:])


class Values(unittest.TestCase):
    def test_an_aim_that_is_just_reached_is_met(self):
        for value, limit, said in ((1, {"least": 1}, "met"), (0.5, {"least": 1}, "50 % of it"),
                                   (2, {"most": 2}, "met"), (3, {"most": 2}, "missed")):
            self.assertEqual(launch_tables.verdict(value, **limit), said)

    def test_of_two_metrics_the_first_is_shown(self):
        self.assertEqual(evidence.percentage("a", "b")({"a": 1, "b": 2}), "1 %")
        self.assertEqual(evidence.percentage("a", "b")({"b": 2}), "2 %")
        self.assertEqual(evidence.percentage("a", "b")({}), "-")

    def test_sectors_are_of_loads_and_stores(self):
        found = {evidence.memory("sectors", "global", access): number * evidence.CELLS
                 for access, number in (("ld", 1), ("st", 2))}
        self.assertEqual(evidence.sectors_a_cell("global")(found), "3.00")

    def test_numbers_are_the_same_however_they_are_written(self):
        for cell, wanted, is_same in (("400", 400.0, True), ("400.0", "400", True),
                                      ("v1", "v1", True), ("v1", 1, False), ("4", 400, False)):
            self.assertEqual(results.same(cell, wanted), is_same, (cell, wanted))


if __name__ == "__main__":
    unittest.main()
