"""take_objects.py on two builds of three files: python3 -B -m unittest discover -s .ci"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().with_name("take_objects.py")
MAKEFILE = """\
BUILD ?= build
ifeq ($(LESS),1)
  WORDS_two = -DLESS
endif
tested: $(addprefix $(BUILD)/,one.o two.o deep/three.o four)
$(BUILD)/compiler.stamp $(BUILD)/tests/compiler.stamp $(BUILD)/tests/setup.stamp:
	@mkdir -p $(@D) && touch $@
$(BUILD)/%.o: %.c $(BUILD)/compiler.stamp
	@mkdir -p $(@D)
	cc $(WORDS_$*) -MD -MP -c $< -o $@
# Nothing says what its object depends on.
$(BUILD)/four: two.c
	cc -DFOUR -c $< -o $@.o
	touch $@
"""


class TakeObjects(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / "deep").mkdir()
        self.write("Makefile", MAKEFILE)
        self.write("shared.h", "")
        for name in ("one", "two", "deep/three"):
            self.write(f"{name}.c", '#include "shared.h"\n' if name == "one" else "int cells;\n")
        for file in self.root.rglob("*.*"):
            os.utime(file, (1e9, 1e9))
        self.run_in("make", "BUILD=first", "LESS=1", "tested")

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def run_in(self, *words):
        return subprocess.run(words, cwd=self.root, check=True, capture_output=True,
                              text=True).stdout

    def taken(self):
        """Objects of the second build after the tool has run."""
        said = self.run_in(sys.executable, "-B", str(TOOL), "first", "second", "LESS=1")
        second = self.root / "second"
        found = sorted(str(path.relative_to(second)) for path in second.rglob("*.o"))
        self.assertIn(f"{len(found)} of 3 objects of second", said)
        return found

    def test_what_the_same_words_compile_is_taken_and_not_compiled_again(self):
        self.assertEqual(self.taken(), ["deep/three.o", "one.o"])
        self.assertIn("second/one.o: one.c", (self.root / "second/one.d").read_text())
        compiled = self.run_in("make", "BUILD=second", "tested")
        self.assertIn("two.c", compiled)
        self.assertNotIn("one.c", compiled)
        self.assertNotIn("three.c", compiled)

    def test_what_is_older_than_a_header_is_left(self):
        self.write("shared.h", "int more;\n")
        self.assertEqual(self.taken(), ["deep/three.o"])


if __name__ == "__main__":
    unittest.main()
