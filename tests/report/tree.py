"""A copy of the small results of fixture/, for the tests of tools/report."""

import contextlib
import io
import pathlib
import shutil
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))

from report import command  # noqa: E402


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
