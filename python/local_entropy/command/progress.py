"""A line on a terminal: how much is done, how fast, and how long it still takes."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

_EVERY = 0.1       # seconds
_REMEMBERS = 10.0  # seconds that the rate is of


class Bar:
    """Of `total` cells. On what is no terminal, nothing is written."""

    def __init__(self, total: int, shown: bool, to: TextIO = sys.stderr) -> None:
        self._total, self._shown, self._to = total, shown, to
        self._start = self._seen = time.monotonic()
        self._marks = [(self._start, 0.0)]

    def __call__(self, done: float) -> None:
        now = time.monotonic()
        if not self._shown or now - self._seen < _EVERY:
            return
        self._seen = now
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[1][0] > _REMEMBERS:
            self._marks.pop(0)
        (then, before) = self._marks[0]
        rate = (done - before) / (now - then)
        self._write(line(done, self._total, rate, now - self._start))

    def _write(self, text: str) -> None:
        self._to.write(f"\r{text}\x1b[K")
        self._to.flush()

    def end(self, done: bool) -> None:
        """The line remains if all was done."""
        if not self._shown:
            return
        seconds = time.monotonic() - self._start
        if done:
            self._write(line(self._total, self._total, self._total / max(seconds, 1e-9), seconds))
            self._to.write("\n")
        else:
            self._to.write("\r\x1b[K")
        self._to.flush()


def cells(rate: float) -> str:
    """Such as "118 Mcells", of less than a million "40 kcells"."""
    return f"{rate / 1e6:.0f} Mcells" if rate >= 0.9995e6 else f"{rate / 1e3:.0f} kcells"


def line(done: float, total: int, rate: float, seconds: float) -> str:
    """Such as " 42% [########    ] 118 Mcells/s, 0:31 left"."""
    part = done / total
    if done < total:
        left = clock((total - done) / rate) if rate > 0 else "?"
        end = f"{cells(rate)}/s, {left} left"
    else:
        end = f"{cells(rate)}/s, {clock(seconds)}"
    width = max(5, min(40, shutil.get_terminal_size().columns - len(end) - 12))
    full = int(part * width)
    return f"{int(part * 100):3d}% [{'#' * full}{' ' * (width - full)}] {end}"


def clock(seconds: float) -> str:
    """Hours, minutes and seconds: "1:02:03"."""
    whole = int(seconds + 0.5)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
