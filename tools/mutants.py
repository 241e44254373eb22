#!/usr/bin/env python3
"""Plants bugs, one at a time, and looks whether the tests see them: see tools/mutants/README.md."""

import sys

sys.dont_write_bytecode = True  # nothing but results belongs into the tree

from mutants.command import main  # noqa: E402  (the package beside this file)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
