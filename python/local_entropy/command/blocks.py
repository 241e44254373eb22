"""An image as blocks: which there are, and the cells around each that its windows reach."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Callable, Iterator, List, NamedTuple, Tuple

import numpy as np

from .._host import Ndarray
from .kinds import Part, Sink, Source

_CELLS = 6 << 20              # of a usual block: some milliseconds of work, few tens of megabytes
_AROUND_EACH_CELL = 6         # copies of an input cell on its way: in the cache, assembled, levels
_RESULTS = 3                  # results on their way
_MOST_INTERLEAVED = 16        # planes whose cells are read together


# ---- which blocks ------------------------------------------------------------------------------


class Plan(NamedTuple):
    """Blocks of so many rows and columns; the last ones may be smaller."""

    rows: int
    columns: int
    planes_inside: bool  # a block of all planes comes before the next block

    def parts(self, height: int, width: int) -> Iterator[Part]:
        """Down each band of columns, so that a row that is read stays for the next block."""
        for left in range(0, width, self.columns):
            for top in range(0, height, self.rows):
                yield Part(top, min(top + self.rows, height), left, min(left + self.columns, width))

    def blocks(self, height: int, width: int, planes: int) -> Iterator[Tuple[int, Part]]:
        """All of them: the plane's number, and the part."""
        if self.planes_inside:
            for part in self.parts(height, width):
                for plane in range(planes):
                    yield plane, part
        else:
            for plane in range(planes):
                for part in self.parts(height, width):
                    yield plane, part


def plan_for(source: Source, sink: Sink, planes: int, dtype: np.dtype[np.generic],
             memory: int) -> Plan:
    """Whole rows of tiles or strips of both files, of a usual size; narrower where `memory`, in
    bytes, says so."""
    inside = source.interleaved and 1 < planes <= _MOST_INTERLEAVED
    cell = source.dtype.itemsize + any(source.has_mask(plane) for plane in range(source.planes))
    each = cell * _AROUND_EACH_CELL * (planes if inside else 1) + dtype.itemsize * _RESULTS
    most = max(1, memory // each)
    strips = source.block[1] in (0, source.width)
    high = source.block[0] if not strips or source.block[0] * source.width <= most else 1
    unit = _multiple(high, sink.block[0])
    columns = source.width
    if unit * columns > most:
        across = _multiple(*(1 if block[1] in (0, source.width) else block[1]
                             for block in (source.block, sink.block)))
        columns = min(source.width, max(1, most // unit // across) * across)
    rows = max(1, min(_CELLS, most) // columns // unit) * unit
    return Plan(min(rows, source.height), columns, inside)


def _multiple(first: int, second: int) -> int:
    """The least length that both divide, unless it is too long to be of use."""
    both = math.lcm(first, second)
    return both if both <= max(2048, first, second) else max(first, second)


# ---- what a block reads ------------------------------------------------------------------------


class Reach(NamedTuple):
    """The rows (or columns) that windows of some rows read, in order: `before` and `after` stand
    for rows beyond the image's edges, and are rows of the image themselves."""

    before: Tuple[int, ...]
    first: int
    last: int  # one behind
    after: Tuple[int, ...]
    offset: int  # of the block in them

    @property
    def size(self) -> int:
        return len(self.before) + self.last - self.first + len(self.after)

    def row(self, i: int) -> int:
        """The row of the image that the i-th one is."""
        inner = i - len(self.before)
        if inner < 0:
            return self.before[i]
        if inner < self.last - self.first:
            return self.first + inner
        return self.after[inner - (self.last - self.first)]


def reach(start: int, stop: int, up: int, down: int, size: int, mode: str) -> Reach:
    """What the windows of rows `start` to `stop` read, that reach `up` and `down` rows further.

    The library knows the edge of the image by the edge of the array. Of a part, it is right where
    nothing is beyond it, or a constant, or the row itself again. Other borders take rows that a
    part may not have: they are put where they are read.
    """
    if start == 0 and stop == size:
        return Reach((), 0, size, (), 0)
    first, last = max(0, start - up), min(size, stop + down)
    before: Tuple[int, ...] = ()
    after: Tuple[int, ...] = ()
    if mode in ("reflect", "mirror", "wrap"):
        before = tuple(_inside(i, size, mode) for i in range(start - up, 0))
        after = tuple(_inside(i, size, mode) for i in range(size, stop + down))
    return Reach(before, first, last, after, len(before) + start - first)


def _inside(i: int, size: int, mode: str) -> int:
    """The row that stands for row `i`, by the rules of SciPy. A single row never asks: it is all."""
    if mode == "wrap":
        return i % size
    if mode == "reflect":  # c b a | a b c | c b a
        i %= 2 * size
        return min(i, 2 * size - 1 - i)
    i %= 2 * size - 2      # d c b | a b c d | c b a
    return min(i, 2 * size - 2 - i)


class Around:
    """Reads a plane's blocks with what is around them. Rows that were read lately are kept, in
    strips as high as a block, so that none is read twice on the way down."""

    def __init__(self, read: Callable[[Part], Ndarray], rows: int, height: int) -> None:
        self._read, self._rows, self._height = read, rows, height
        self._strips: OrderedDict[Tuple[Reach, int], Ndarray] = OrderedDict()

    def block(self, down: Reach, across: Reach) -> Ndarray:
        """The cells of those rows and columns."""
        result = None
        at = 0
        for first, last in _runs(down, self._rows):
            strip = self._strip(first // self._rows, across)
            top = first - first // self._rows * self._rows
            if result is None:
                if last - first == down.size:
                    self._forget(1)
                    return strip[top:top + down.size]
                result = np.empty((down.size, across.size), strip.dtype)
            result[at:at + last - first] = strip[top:top + last - first]
            at += last - first
        assert result is not None
        self._forget(-(-down.size // self._rows))
        return result

    def _strip(self, number: int, across: Reach) -> Ndarray:
        key = (across, number)
        if key not in self._strips:
            top = number * self._rows
            self._strips[key] = self._columns(top, min(top + self._rows, self._height), across)
        self._strips.move_to_end(key)
        return self._strips[key]

    def _columns(self, top: int, bottom: int, across: Reach) -> Ndarray:
        inner = self._read(Part(top, bottom, across.first, across.last))
        if not across.before and not across.after:
            return inner
        parts: List[Ndarray] = [inner]
        for columns, place in ((across.before, 0), (across.after, len(parts) + 1)):
            if columns:
                left, right = min(columns), max(columns) + 1
                cells = self._read(Part(top, bottom, left, right))
                parts.insert(place, cells[:, np.array(columns) - left])
        return np.concatenate(parts, axis=1)

    def _forget(self, kept: int) -> None:
        while len(self._strips) > kept:
            self._strips.popitem(last=False)


def _runs(down: Reach, rows: int) -> Iterator[Tuple[int, int]]:
    """The rows as runs of neighbours, none of which leaves a strip."""
    for i in down.before:
        yield i, i + 1
    at = down.first
    while at < down.last:
        stop = min(down.last, (at // rows + 1) * rows)
        yield at, stop
        at = stop
    for i in down.after:
        yield i, i + 1
