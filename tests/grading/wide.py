"""Groups of wide rows, beside which there is as much room; and the reference solution beside
cores."""

import os
import subprocess
import tempfile

from grading import scene
from grading.scene import Folder, brief, copy_cores, grade

# Right, but for a cell that it changes a few rows away from its sample.
WRITES = """
#include "entropy/core.h"
#include "entropy/reference.h"
#include <algorithm>
#include <cstdlib>
void cudaCallback(int width, int height, float *sample, float **result)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    *result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), *result);
    static_cast<volatile float *>(sample)[PLACE] = 99;
}
"""


class Wide(Folder):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="grade-test-")
        os.makedirs(os.path.join(cls.folder, "data"))
        subprocess.run([os.path.join(scene.BUILD, "make_data"), "20000x2", "random",
                        os.path.join(cls.folder, "data", "data.bin")], check=True,
                       stdout=subprocess.DEVNULL)

    def test_writes_some_rows_away_are_seen(self):
        """Where a core may read too far and find levels, as it does beside a narrow group."""
        cores = os.path.join(self.folder, "cores")
        os.makedirs(cores)
        for name, place in (("above", "-4 * width"), ("below", "(height + 4) * width - 1")):
            with open(os.path.join(cores, name + ".cpp"), "w", encoding="utf-8") as file:
                file.write(WRITES.replace("PLACE", place))
        outcome = grade(self.folder)
        self.assertEqual(outcome.returncode, 0, brief(outcome.stderr))
        self.assertEqual([(row["verdict"], row["message"]) for row in self.table()],
                         2 * [("wrong", "group 1 of 1, 20000 x 2: it wrote outside its sample")])


class Baseline(Folder):
    def test_the_reference_solution_is_right_and_timed_beside_a_core(self):
        """As the grader is built to call it; of groups that are no squares."""
        copy_cores(self.folder, ["a right core.cpp"])
        program = os.path.join(scene.BUILD, "grade", "baseline_v12")
        outcome = grade(self.folder, "--baseline", program, "--baseline-name", "v12")
        self.assertEqual(outcome.returncode, 0, brief(outcome.stderr))
        self.assertNotIn("did not pass", outcome.stderr)
        row, = self.table()
        self.assertGreater(float(row["times_reference"]), 0)
        self.assertHolds(outcome.stdout, "x reference: total ms as a multiple of v12's")
