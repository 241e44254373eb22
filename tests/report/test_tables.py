"""tools/report on the small results of fixture/: its tables."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
sys.path.insert(0, str(HERE))

from report.documents import KINDS  # noqa: E402
from report.record import Record  # noqa: E402
from report.launch_aims import SMALL, cells_of_window  # noqa: E402
from report.results import Results  # noqa: E402
from report.tables import table  # noqa: E402
from tree import Tree  # noqa: E402


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

    def test_stages_of_another_revision_stand_below_the_facts(self):
        (self.root / "results/box/record.csv").write_text(
            "stage,revision,seconds\nparts,0123456789,1\nflags,0123456789,2\n")
        self.assertIn("\n0123456789: parts, flags (stages that are of that revision)\n",
                      KINDS["environment"](Record(self.root, "results/box")))

    def test_an_arithmetic_of_which_no_error_is_known_is_left_open(self):
        (self.root / "results/box/precision.csv").write_text(
            "arithmetic,largest_error,decimals,where\nfloat,1e-5,4,everywhere\nothers,,,nowhere\n")
        self.assertTrue(KINDS["precision"](Record(self.root, "results/box")).endswith(
            "| float | 1.0e-05 | 4 | everywhere |\n| others | - |  | nowhere |\n"))

    def test_claims_without_a_verdict_have_no_column_for_it(self):
        record = Record(self.root, "results/box")
        self.assertEqual(KINDS["claims"](record, "registers").splitlines()[0],
                         "| the document says | its figure, on a V100 | here |")

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


if __name__ == "__main__":
    unittest.main()
