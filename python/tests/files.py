"""The command in this process, as tests of kinds of files use it."""

import os

from local_entropy.command.main import main


def convert(capfd, *words):
    """Runs the command, which must succeed and say nothing."""
    status = main([str(word) for word in words])
    assert (status, *capfd.readouterr()) == (0, "", "")


def refused(capfd, *words):
    """What it says when it fails: one sentence."""
    status = main([str(word) for word in words])
    out, said = capfd.readouterr()
    assert status in (1, 2) and out == "" and said.startswith("local-entropy: "), said
    assert said.count("\n") == status
    return said


def open_files():
    """The names of this process's open files."""
    links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    return [os.readlink(link) for link in links if os.path.lexists(link)]
