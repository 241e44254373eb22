"""Reads, computes and writes block by block, all three at the same time."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import (Any, Callable, Deque, Dict, Iterator, List, NamedTuple, Optional, Tuple,
                    TypeVar)

import numpy as np

from .._host import Ndarray, compute_region
from .._levels import as_cell
from .._library import LevelError
from .._question import Request
from .blocks import Around, Plan, Reach, reach
from .kinds import ArgumentError, CellError, Part, Sink, Source

_T = TypeVar("_T")
_AHEAD = 2  # blocks that are read before they are needed, and results that wait to be written


class Task(NamedTuple):
    """Which planes of a source become those of a sink, by which blocks."""

    source: Source
    planes: Tuple[int, ...]
    nodata: Tuple[Optional[float], ...]  # of these planes
    sink: Sink
    plan: Plan
    request: Request          # of each plane, its nodata apart
    keep_holes: bool = False  # a cell that does not count has no result: NaN


class Read(NamedTuple):
    """A block, with the cells around it."""

    plane: int  # of the sink
    part: Part
    down: Reach
    across: Reach
    cells: Ndarray
    mask: Optional[Ndarray]


def refuse_unknown_levels(request: Request, dtype: np.dtype[Any], name: str) -> None:
    """Each block would have levels of its own: a result, or none, would depend on how large they
    are."""
    if request.levels is None and dtype.kind in "iu" and dtype.itemsize > 2:
        raise ArgumentError(f"{name} has cells of {dtype}, which are not all seen before they are "
                            "computed: expected --levels, such as --levels 256, or with bins, "
                            "--levels 64 --range 0 3000")


def _awaited(future: "Future[_T]") -> _T:
    """What it comes to. A signal that another thread has taken, or that comes just before a wait,
    does not end that wait: only between two waits is it seen."""
    while not wait([future], timeout=0.1).done:
        pass
    return future.result()


def run(task: Task, progress: Callable[[float], None],
        see: Optional[Callable[[int, Part, Ndarray], None]] = None) -> None:
    """Fills the sink, and finishes it. `progress` is called with the number of cells that are done;
    `see` with every result."""
    reader, writer = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
    try:
        _walk(task, reader, writer, progress, see)
        _awaited(writer.submit(task.sink.finish))
    except BaseException:
        task.sink.stop()
        raise
    finally:
        for pool in (reader, writer):
            pool.shutdown(wait=True, cancel_futures=True)


def _walk(task: Task, reader: ThreadPoolExecutor, writer: ThreadPoolExecutor,
          progress: Callable[[float], None],
          see: Optional[Callable[[int, Part, Ndarray], None]]) -> None:
    source = task.source
    blocks = _Blocks(task)
    reads: Deque["Future[Optional[Read]]"] = deque(reader.submit(blocks.next)
                                                   for _ in range(_AHEAD))
    writes: Deque["Future[Ndarray]"] = deque()
    rows, columns = min(task.plan.rows, source.height), min(task.plan.columns, source.width)
    spare: List[Ndarray] = [np.empty(rows * columns, task.request.dtype) for _ in range(_AHEAD)]
    done = 0
    while True:
        block = _awaited(reads.popleft())
        if block is None:
            break
        reads.append(reader.submit(blocks.next))
        if len(writes) == _AHEAD:
            spare.append(_awaited(writes.popleft()))
        room = spare.pop()
        values = room[:block.part.shape[0] * block.part.shape[1]].reshape(block.part.shape)
        _compute(task, block, values, lambda part: progress(done + part * values.size))
        done += values.size
        writes.append(writer.submit(_write, task, block, values, room, see))
    for write in writes:
        _awaited(write)


class _Blocks:
    """The task's blocks in order, read by one thread."""

    def __init__(self, task: Task) -> None:
        source, window = task.source, task.request.window
        self._task = task
        self._blocks: Iterator[Tuple[int, Part]] = task.plan.blocks(
            source.height, source.width, len(task.planes))
        self._up = window.height // 2 + window.origin[0]
        self._left = window.width // 2 + window.origin[1]
        self._around: Dict[Tuple[int, bool], Around] = {}

    def next(self) -> Optional[Read]:
        """None behind the last one."""
        found = next(self._blocks, None)
        if found is None:
            return None
        plane, part = found
        task, source, window = self._task, self._task.source, self._task.request.window
        down = reach(part.top, part.bottom, self._up, window.height - 1 - self._up, source.height,
                     task.request.mode)
        across = reach(part.left, part.right, self._left, window.width - 1 - self._left,
                       source.width, task.request.mode)
        number = task.planes[plane]
        cells = self._of(plane, False).block(down, across)
        mask = self._of(plane, True).block(down, across) if source.has_mask(number) else None
        return Read(plane, part, down, across, cells, mask)

    def _of(self, plane: int, mask: bool) -> Around:
        key = (plane, mask)
        if key not in self._around:
            if not self._task.plan.planes_inside:  # the planes before are done
                self._around = {old: kept for old, kept in self._around.items() if old[0] == plane}
            source, number = self._task.source, self._task.planes[plane]
            read = source.read_mask if mask else source.read
            self._around[key] = Around(lambda part: read(number, part), self._task.plan.rows,
                                       source.height)
        return self._around[key]


def _compute(task: Task, block: Read, values: Ndarray, progress: Callable[[float], None]) -> None:
    top, left = block.down.offset, block.across.offset
    request = task.request._replace(nodata=task.nodata[block.plane], progress=progress)
    try:
        compute_region(block.cells, block.mask, (top, top + values.shape[0]),
                       (left, left + values.shape[1]), values, request)
    except LevelError as error:
        if error.index is None:
            raise
        row, column = error.index
        plane = f" of plane {task.planes[block.plane] + 1}" if task.source.planes > 1 else ""
        raise CellError(f"the cell in row {block.down.row(row)}, column "
                        f"{block.across.row(column)}{plane} (from 0) {error.reason}") from None


def _write(task: Task, block: Read, values: Ndarray, room: Ndarray,
           see: Optional[Callable[[int, Part, Ndarray], None]]) -> Ndarray:
    """Gives back the room of the values."""
    if task.keep_holes:
        _make_holes(block, values, task.nodata[block.plane])
    task.sink.write(block.plane, block.part, values)
    if see is not None:
        see(block.plane, block.part, values)
    return room


def _make_holes(block: Read, values: Ndarray, nodata: Optional[float]) -> None:
    """No result where the cell itself does not count."""
    place = tuple(slice(axis.offset, axis.offset + size)
                  for axis, size in zip((block.down, block.across), values.shape))
    cells = block.cells[place]
    if block.mask is not None:
        values[block.mask[place] == 0] = np.nan
    value = None if nodata is None else as_cell(nodata, cells.dtype)
    if value is not None:
        values[cells == value] = np.nan
    if cells.dtype.kind == "f":
        values[np.isnan(cells)] = np.nan
