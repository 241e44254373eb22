"""tools/peers.py: what it asks bench_gpu for is what bench_gpu measures."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
found = importlib.util.spec_from_file_location("peers", ROOT / "tools" / "peers.py")
peers = importlib.util.module_from_spec(found)
found.loader.exec_module(peers)

BENCH = ROOT / "tools" / "bench_gpu.cu"
# Arrays of bench_gpu, with the type of their cells if it is told; its type if not; and its names.
ARRAY = re.compile(r'^    \{"(\S+)", (\d+), (\d+), (\d+)(?:, "(\w+)")?\},$', re.MULTILINE)
DEFAULT = re.compile(r'^    const char \*cells = "(\w+)";$', re.MULTILINE)
NAME = """\
    return {array.cells + std::string(" ") + array.content +
                (" " + bench::sizeOf(array.width, array.height)) + " offset " + offset,
"""


def cases():
    """The names that `bench_gpu --list` prints, by its source: it is built where there is nvcc."""
    source = BENCH.read_text()
    if NAME not in source:
        raise AssertionError("bench_gpu names its cases otherwise: change NAME, and cases()")
    default, = DEFAULT.findall(source)
    return [f"{cells or default} {content} {width}x{height} offset {offset}"
            for content, width, height, offset, cells in ARRAY.findall(source)]


class Listed(peers.Project):
    """bench_gpu with these cases, all of which take two milliseconds."""

    def __init__(self, directory):
        super().__init__("build", directory)
        self.measured = []

    def run(self, program, *arguments, **environment):
        assert program == "bench_gpu", program
        if arguments == ("--list",):
            return "".join(f"{case}\n" for case in cases())
        option, pattern, csv, path = arguments
        assert (option, csv) == ("--cases", "--csv"), arguments
        self.measured = [case for case in cases() if re.search(pattern, case)]
        path.write_text("runs,median_ms,min_ms\n7,2,1\n")
        return ""


class Kernel(unittest.TestCase):
    def test_it_is_a_case_of_bench_gpu_and_that_alone_is_measured(self):
        with tempfile.TemporaryDirectory() as directory:
            for size in (10240, 2560):  # that of a machine with a GPU, and of others
                project = Listed(directory)
                row = project.kernel(size)
                self.assertEqual(project.measured, [f"float random {size}x{size} offset 0"])
                self.assertEqual((row["width"], row["runs"]), (size, 7))

    def test_a_size_that_is_no_case_is_skipped(self):
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaisesRegex(peers.Skipped, "does not measure 77 x 77"):
                Listed(directory).kernel(77)

    def test_the_program_lists_what_its_source_says(self):
        program = ROOT / "build" / "bench_gpu"
        if not program.exists() or program.stat().st_mtime < BENCH.stat().st_mtime:
            self.skipTest("needs a bench_gpu that is built")
        listed = subprocess.run([program, "--list"], capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(listed.stdout.splitlines(), cases())


if __name__ == "__main__":
    unittest.main()
