"""Every filter of the list of planted bugs matches tests that there are: others see nothing."""

import fnmatch
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from mutants import listed, stages  # noqa: E402

SOURCES = {"library": "local_entropy/test_*.c*", "all": "test_*.c*",
           "every_call": "faults/test_*.c*"}  # of a study: test_NAME.cpp
ANY = "any"  # in the place of a parameter's name


def tests_in(text):
    """The full names of the tests of a source of GoogleTest."""
    prefixes = {suite: prefix for prefix, suite in
                re.findall(r"^INSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*(\w+),", text, re.M)}
    names = set()
    for kind, suite, test in re.findall(r"^(TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+),\s*(\w+)\)",
                                        text, re.M):
        if kind == "TEST_P":
            names.add(f"{prefixes.get(suite, ANY)}/{suite}.{test}/{ANY}")
        else:
            names.add(f"{suite}/0.{test}" if kind == "TYPED_TEST" else f"{suite}.{test}")
    return names


def sources_of(program):
    """The files of a program's tests."""
    if program != "every_kernel":
        return (ROOT / "tests").glob(SOURCES.get(program, f"test_{program}.cpp"))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    objects = re.search(r"^KERNEL_TESTS := (?:.*\\\n)*.*", makefile, re.M)[0]
    return [ROOT / "tests" / name for name in re.findall(r"([\w/]*test_\w+\.\w+)\.o", objects)]


def unmatched(selection, names):
    """The patterns of a filter, those behind '-' too, that match no test."""
    patterns = [pattern for pattern in re.split(r":|-", selection) if pattern]
    return [pattern for pattern in patterns
            if not fnmatch.filter(names, re.sub(r"/\w+$", "/*", pattern))]


class Filters(unittest.TestCase):
    def test_the_names_of_tests_are_as_googletest_has_them(self):
        text = ("TEST(A, One)\nTEST_F(B, Two)\nTEST_P(C, Three)\nTYPED_TEST(D, Four)\n"
                "INSTANTIATE_TEST_SUITE_P(All, C, values);\n")
        names = tests_in(text)
        self.assertEqual(names, {"A.One", "B.Two", "All/C.Three/any", "D/0.Four"})
        self.assertEqual(unmatched("*", names), [])
        self.assertEqual(unmatched("A.*:*C*/v7:D*-B.Two", names), [])
        self.assertEqual(unmatched("A.*:C*:All/C.Three/v7:D.*-B.Three", names),
                         ["C*", "D.*", "B.Three"])

    def test_each_matches_a_test(self):
        names = {}
        for program in stages.GTEST:
            names[program] = set().union(*(tests_in(path.read_text(encoding="utf-8"))
                                           for path in sources_of(program)))
            self.assertTrue(names[program], program)
        none = []
        for mutant in listed.read_list(unproven=True):
            for line in mutant.by:
                program, _, selection = line.partition(" with ")[0].partition(" ")
                if program == "sanitize":  # a tool, and the tests that it watches
                    tool, _, selection = selection.partition(" ")
                    program = "library" if tool == "thread" else "every_kernel"
                if program in names:
                    none += [f"{mutant.name}: {program} {pattern}"
                             for pattern in unmatched(selection, names[program])]
        self.assertEqual(none, [])


if __name__ == "__main__":
    unittest.main()
