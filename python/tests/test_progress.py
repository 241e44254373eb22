"""The line on a terminal, with a clock of the test."""

import os
import shutil

import pytest

from local_entropy.command import progress
from local_entropy.command.progress import Bar, clock, line


class Terminal:
    def __init__(self):
        self.text = self.seen = ""

    def write(self, text):
        self.text += text

    def flush(self):
        self.seen = self.text


@pytest.fixture
def now(monkeypatch):
    """The time, in a list."""
    time = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: time[0])
    return time


def test_the_rate_is_that_of_the_last_seconds(now):
    terminal = Terminal()
    bar = Bar(1_000_000_000, True, terminal)
    for second in range(1, 31):  # 10 million cells in each, then 30
        now[0] = 100.0 + second
        bar(second * 10e6 if second <= 20 else 200e6 + (second - 20) * 30e6)
    last = terminal.text.split("\r")[-1]
    assert last.startswith(" 50% [") and last.endswith("] 28 Mcells/s, 0:18 left\x1b[K")
    now[0] = 150.0
    bar.end(True)
    last = terminal.text.split("\r")[-1]
    assert last.startswith("100% [") and last.endswith("] 20 Mcells/s, 0:50\x1b[K\n")
    assert terminal.seen == terminal.text


def test_a_line_is_not_written_at_each_call(now):
    terminal = Terminal()
    bar = Bar(10, True, terminal)
    for passed, lines in [(0.05, 0), (0.15, 1), (0.2, 1), (0.3, 2)]:
        now[0] = 100.0 + passed
        bar(5)
        assert terminal.text.count("\r") == lines
        assert terminal.seen == terminal.text


def test_nothing_remains_of_what_failed(now):
    terminal = Terminal()
    bar = Bar(10, True, terminal)
    now[0] = 101.0
    bar(5)
    bar.end(False)
    assert terminal.text.endswith("\r\x1b[K") and terminal.seen == terminal.text


@pytest.mark.parametrize("columns, width", [(200, 40), (60, 27), (10, 5)])
def test_the_width_of_a_terminal(monkeypatch, columns, width):
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((columns, 24)))
    text = line(50, 100, 1e6, 9)
    bar = text[text.index("[") + 1:text.index("]")]
    assert bar == "#" * (width // 2) + " " * (width - width // 2)
    assert columns < 20 or len(text) < columns


def test_numbers():
    assert line(996, 1000, 1e6, 9).startswith(" 99%")
    assert line(25e6, 100_000_000, 2e6, 9).endswith("] 2 Mcells/s, 0:38 left")
    assert line(5, 10, 0, 9).endswith("? left")
    assert [clock(5), clock(65), clock(3660)] == ["0:05", "1:05", "1:01:00"]
