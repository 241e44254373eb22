"""python -m local_entropy: the command local-entropy."""

import sys

from .command.main import main

if __name__ == "__main__":
    sys.exit(main())
