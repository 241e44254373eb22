"""Ctrl-C while the command imports its libraries ends it quietly, as it ends other programs."""

import os
import signal
import sys


def _is_the_command() -> bool:
    """Whether this process was started as such, and not as another program that imports this."""
    name = os.path.basename((getattr(sys, "argv", None) or [""])[0])
    words = list(getattr(sys, "orig_argv", ()))  # from Python 3.10 on
    of_module = words[words.index("-m") + 1:][:1] if "-m" in words else []
    return name == "local-entropy" or name == "-m" and of_module == ["local_entropy"]


if signal.getsignal(signal.SIGINT) is signal.default_int_handler and _is_the_command():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
