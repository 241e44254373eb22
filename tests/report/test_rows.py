"""tools/report/rows.py: what the plots read."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "report"))

import rows  # noqa: E402


class Rows(unittest.TestCase):
    def test_sizes_are_width_by_height(self):
        ladder, lab = {"width": "30", "height": "20"}, {"rows": "256", "columns": "1024"}
        self.assertEqual([rows.named(rows.size_of(row)) for row in (ladder, lab)],
                         ["30x20", "1024x256"])
        self.assertEqual(rows.sizes_of([lab, ladder, lab]), [(1024, 256), (30, 20)])

    def test_a_row_is_the_median_of_its_rounds_and_their_range(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "times.csv").write_text(
                "round,version,platform,width,height,ms,note\n"
                "1,v1,CUDA,5,4,3,\n1,v2,CUDA,5,4,9,x\n2,v1,CUDA,5,4,1,\n3,v1,CUDA,5,4,7,\n")
            one, two = rows.read(folder, "times.csv")
        self.assertEqual((one["version"], one["ms"], one["range"]["ms"]), ("v1", 3, (1, 7)))
        self.assertEqual((two["version"], two["ms"], two["range"]["ms"]), ("v2", 9, (9, 9)))
        self.assertEqual((one["width"], two["note"]), ("5", "x"))

    def test_what_did_not_run_has_no_time(self):
        row = {"ms": 1.5, "none": 0.0, "text": "1.5"}
        self.assertEqual([rows.positive(row, column) for column in ("ms", "none", "text", "other")],
                         [1.5, None, None, None])

    def test_families(self):
        for version, family in (("v14", "CUDA"), ("v15", "engine"), ("v17", "engine"),
                                ("m15", "CUDA")):
            self.assertEqual(rows.family_of({"version": version, "platform": "CUDA"}), family)

    def test_the_machine_in_a_few_words(self):
        with tempfile.TemporaryDirectory() as folder:
            directory = pathlib.Path(folder)
            self.assertEqual(rows.environment(directory), "no GPU")
            (directory / "environment.txt").write_text(
                "threads:    16 used of 32\n"
                "GPU 0:      NVIDIA X, 5 GB\nGPU 1:      NVIDIA X, 5 GB\n"
                "revision:   0123456789abcdef\n")
            (directory / "record.csv").write_text("stage,revision\nscaling,fedcba98765\n")
            start = "2 NVIDIA X, 16 CPU threads, revision "
            self.assertEqual(rows.environment(directory), start + "0123456789")
            self.assertEqual(rows.environment(directory / "study"), start + "0123456789")
            self.assertEqual(rows.environment(directory, "scaling"), start + "fedcba9876")
            self.assertEqual(rows.environment(directory, "parts"), start + "0123456789")

    def test_ideas_are_short(self):
        for idea, text in (("baseline: a thread a cell", "v1  a thread a cell"),
                           ("v0 + log table", "v1  + log table"), ("v9 - tiles", "v1  - tiles"),
                           ("on the CPU, like v0", "v1  on the CPU"), ("", "v1")):
            self.assertEqual(rows.idea_of({"version": "v1", "idea": idea}), text)


if __name__ == "__main__":
    unittest.main()
