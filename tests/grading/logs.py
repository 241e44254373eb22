"""What becomes of verdicts where a core's output or its log is lost."""

import contextlib
import io
import os
import tempfile
import types

from grading.scene import Part


class Logs(Part):
    def setUp(self):
        super().setUp()
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name
        import cores
        self.core = cores.Core.__new__(cores.Core)
        self.core.name, self.core.setup = "a\x1b.cpp", types.SimpleNamespace(lost_logs=[])
        self.core.log, self.output = (os.path.join(self.folder, name) for name in ("log", "output"))

    def add(self):
        """What is said."""
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.core.add_to_log(self.output, {"verdict": "passed", "message": ""}, ())
        return errors.getvalue()

    def test_output_that_cannot_be_read_is_told_and_costs_nothing_else(self):
        os.makedirs(self.output)  # who is root reads what nobody else may
        lost = f"what it printed cannot be read: {self.output}: Is a directory\n"
        self.assertEqual(self.add(), "grade: a?.cpp: " + lost)
        self.assertEqual(self.core.log_text(), "== check: passed  \n" + lost)
        self.assertEqual(self.core.setup.lost_logs, [])

    def test_a_log_that_cannot_be_written_is_told(self):
        os.makedirs(self.core.log)
        self.assertEqual(self.add(), f"grade: a?.cpp: its log cannot be written: {self.core.log}: "
                                     "Is a directory; FRESH=1 grades it again\n")
        self.assertEqual(self.add(), "", "once, though it is checked and timed")
        self.assertEqual(self.core.setup.lost_logs, [self.core.name])

    def test_it_costs_no_verdict_but_the_status(self):
        import grade as grader
        for lost, status in (([], 0), ([self.core.name], 2)):
            batch = grader.Batch.__new__(grader.Batch)
            batch.cores, batch.setup = [], types.SimpleNamespace(lost_logs=lost)
            batch.check_all = batch.time_all = lambda: None
            batch.options = types.SimpleNamespace(grades="grades", page="page", baseline_name="")
            batch.save = lambda: [{"core": "a", "verdict": "passed", "message": "", "warnings": ""}]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(batch.run(), status)
            self.assertIn("1 core: 1 passed", said.getvalue())
