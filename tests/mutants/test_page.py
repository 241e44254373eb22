"""tests/TESTING.md names tests, planted bugs, wrong cores and files: all of them are there."""

import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from mutants import listed  # noqa: E402


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = (ROOT / "tests" / "TESTING.md").read_text(encoding="utf-8")
        sources = [path for suffix in ("cpp", "cu", "h")
                   for path in (ROOT / "tests").rglob("*." + suffix)]
        cls.sources = "".join(path.read_text(encoding="utf-8") for path in sources)

    def test_its_tests_are_there(self):
        named = re.findall(r"`([A-Z]\w+)\.(\w+|\*)`", self.page)
        self.assertGreater(len(named), 30)
        for suite, test in named:
            test = r"\w+" if test == "*" else test
            pattern = rf"TEST(_F|_P)?\({suite},\s*{test}\)"
            self.assertTrue(re.search(pattern, self.sources), f"{suite}.{test}")

    def test_its_planted_bugs_are_listed(self):
        known = {mutant.name for mutant in listed.read_list(unproven=True)}
        named = set(re.findall(r"\*`([a-z0-9-]+)`\*", self.page))
        self.assertGreater(len(named), 30)
        self.assertEqual(named - known, set())

    def test_it_names_every_wrong_core_that_is_wrong(self):
        table = self.page[self.page.index("| attempt |"):self.page.index("What is not tried")]
        named = set(re.findall(r"`([a-z_]+)`", table))
        cores = {path.stem for path in (ROOT / "tests" / "wrong_cores").glob("*.c*")
                 if path.suffix != ".csv"}
        others = {"a right core", "new array", "static_array", "needs_a_gpu", "does_not_build",
                  "uses_all_of_malloc", "rounds_up", "ends_slowly"}
        self.assertEqual(cores - others - named, set())

    def test_its_files_are_there(self):
        rooms = [ROOT / room for room in ("sources", "tests", "tools", "python")]  # no builds
        for name in re.findall(r"`([\w/]+\.(?:cpp|h|py|cu|sh))`", self.page):
            name = pathlib.PurePath(name)
            found = [path for room in rooms for path in room.rglob(name.name)
                     if path.parts[-len(name.parts):] == name.parts]
            self.assertTrue(found, name)
        for link in re.findall(r"\]\(([^)#]+)\)", self.page):
            self.assertTrue((ROOT / "tests" / link).exists(), link)


if __name__ == "__main__":
    unittest.main()
