#!/usr/bin/env python3
"""Fills the tables and numbers of the documents, draws the plots: see tools/report/command.py."""

import sys

sys.dont_write_bytecode = True  # nothing but results belongs into the tree

from report.command import main  # noqa: E402  (the package beside this file)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
