"""Block by block is as the whole, whatever the blocks."""

import threading
import time

import numpy as np
import pytest

from local_entropy import LevelError, _question, diversity, entropy
from local_entropy.command import pipeline
from local_entropy.command.blocks import Plan, plan_for, reach
from local_entropy.command.kinds import FileError
from local_entropy.command.kinds.base import About, Sink, Source
from local_entropy.command.pipeline import _Blocks, Task, run

RANDOM = np.random.default_rng(5)
MODES = ["crop", "constant", "nearest", "reflect", "mirror", "wrap"]


class Held(Source):
    """A stack in memory, that counts what is read of it."""

    def __init__(self, planes, mask=None, nodata=None, interleaved=False):
        self.array, self.mask, self._nodata = planes, mask, nodata
        self.lead, (self.height, self.width) = planes.shape[:-2], planes.shape[-2:]
        self.dtype, self.about, self.interleaved = planes.dtype, About(), interleaved
        self.rows_read = self.cells_read = 0

    def nodata(self, plane):
        return self._nodata

    def has_mask(self, plane):
        return self.mask is not None

    def read(self, plane, part):
        self.rows_read += part.bottom - part.top
        self.cells_read += part.shape[0] * part.shape[1]
        assert 0 <= part.top < part.bottom <= self.height
        assert 0 <= part.left < part.right <= self.width
        planes = self.array.reshape(-1, self.height, self.width)
        return planes[plane, part.top:part.bottom, part.left:part.right].copy()

    def read_mask(self, plane, part):
        return self.mask[part.top:part.bottom, part.left:part.right].copy()


class Kept(Sink):
    def __init__(self, shape, dtype):
        self.array = np.full((int(np.prod(shape[:-2])), *shape[-2:]), -1, dtype)
        self.finished = False

    def write(self, plane, part, values):
        place = self.array[plane, part.top:part.bottom, part.left:part.right]
        assert (place == -1).all()
        place[...] = values

    def finish(self):
        self.finished = True


def request(size=5, index=None, q=None, footprint=None, origin=0, **named):
    usual = {"levels": None, "range": None, "clip": False, "nodata": None, "mode": "crop",
             "cval": 0.0, "empty": 0.0, "dtype": np.dtype("float32"), "device": "auto",
             "threads": None, "progress": None}
    measure = _question.entropy_in(2) if index is None else _question.index_of(index, q, 2)
    return _question.Request(_question.window_of(size, footprint, origin), measure,
                             **{**usual, **named})


def by_blocks(source, rows, columns, *, inside=False, keep_holes=False, **named):
    wanted = request(**named)
    sink = Kept((*source.lead, source.height, source.width), wanted.dtype)
    planes = tuple(range(source.planes))
    run(Task(source, planes, tuple(map(source.nodata, planes)), sink, Plan(rows, columns, inside),
             wanted, keep_holes), lambda done: None)
    assert sink.finished
    return sink.array.reshape(source.array.shape)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(23, 31), (4, 31), (23, 3), (1, 9), (9, 1), (1, 1)])
@pytest.mark.parametrize("size", [(1, 1), (3, 7), (9, 9), (12, 4), (31, 25)])
def test_every_mode(mode, shape, size):
    image = RANDOM.integers(0, 6, shape, dtype=np.uint8)
    more = {"cval": 3.0} if mode == "constant" else {}
    expected = entropy(image, size, mode=mode, **more)
    for rows, columns in [(1, 99), (2, 99), (5, 99), (22, 99), (99, 99), (1, 1), (3, 2), (99, 1),
                          (4, 30), (7, 13)]:
        rows, columns = min(rows, shape[0]), min(columns, shape[1])
        found = by_blocks(Held(image), rows, columns, size=size, mode=mode, **more)
        np.testing.assert_array_equal(found, expected, f"{rows} x {columns}")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("origin", [(2, 2), (-2, -2), (2, -1), (0, 1)])
def test_windows_beside_their_cells(mode, origin):
    image = RANDOM.integers(0, 5, (13, 11), dtype=np.uint8)
    expected = entropy(image, 5, origin=origin, mode=mode)
    for rows, columns in [(1, 11), (3, 11), (13, 2), (2, 3)]:
        found = by_blocks(Held(image), rows, columns, size=5, origin=origin, mode=mode)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["uint16", "int16", "int32", "uint32", "int8", "bool", "float32",
                                  "float64", "float16", ">u2", ">f4"])
@pytest.mark.parametrize("mode", ["crop", "mirror"])
def test_types(kind, mode):
    image = RANDOM.integers(0, 9, (17, 19)).astype(kind)
    more = {"levels": 4, "range": (0.0, 9.0)} if image.dtype.kind == "f" else {}
    if image.dtype.kind == "f":
        image[3, 3:9] = np.nan
    expected = entropy(image, 5, mode=mode, **more)
    for rows, columns in [(1, 19), (4, 19), (5, 6)]:
        found = by_blocks(Held(image), rows, columns, mode=mode, **more)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind, nodata", [
    ("float16", 0.1), ("float32", 0.1), ("float32", -3.4028235e38), ("float32", 1e300),
    ("float64", 0.1), ("uint8", -1), ("int64", 2.0**63), ("int64", 0.5)])
def test_holes_are_the_cells_that_do_not_count(kind, nodata):
    image = RANDOM.integers(0, 2, (17, 19)).astype(kind)
    top = np.inf if image.dtype.kind == "f" else np.iinfo(kind).max
    with np.errstate(over="ignore"):
        image[4, 4:9] = top if nodata >= 2.0**63 or kind == "uint8" else nodata
    more = {"levels": 4, "range": (0.0, 1.0), "clip": True, "empty": np.nan}
    found = by_blocks(Held(image, nodata=nodata), 4, 19, keep_holes=True, **more)
    has = image[4, 4] != top and image.dtype.kind == "f"
    expected = entropy(image, 5, mask=image != image[4, 4] if has else None, **more)
    np.testing.assert_array_equal(found, np.where(has & (image == image[4, 4]), np.nan, expected))


def test_other_measures():
    image = RANDOM.integers(0, 9, (17, 19), dtype=np.uint8)
    disk = np.hypot(*np.mgrid[-3:4, -3:4]) <= 3
    np.testing.assert_array_equal(
        by_blocks(Held(image), 3, 19, size=None, footprint=disk, mode="wrap", index="hill", q=2.0),
        diversity(image, footprint=disk, mode="wrap", index="hill", q=2.0))
    np.testing.assert_array_equal(
        by_blocks(Held(image), 3, 7, index="simpson", dtype=np.dtype("float64")),
        diversity(image, 5, "simpson", dtype=np.float64))


@pytest.mark.parametrize("mode", MODES)
def test_masks_and_holes(mode):
    image = RANDOM.integers(0, 9, (17, 19), dtype=np.uint8)
    mask = RANDOM.integers(0, 2, image.shape, dtype=np.uint8) * 255
    mask[:6, :8] = 0
    expected = entropy(image, 5, mode=mode, mask=mask, nodata=4, empty=np.nan)
    for rows, columns in [(1, 19), (4, 19), (5, 6)]:
        more = {"mode": mode, "empty": float("nan")}
        source = Held(image, mask, 4)
        found = by_blocks(source, rows, columns, **more)
        np.testing.assert_array_equal(found, expected)
        found = by_blocks(source, rows, columns, keep_holes=True, **more)
        holes = (mask == 0) | (image == 4)
        np.testing.assert_array_equal(found, np.where(holes, np.nan, expected))


@pytest.mark.parametrize("inside", [False, True])
def test_stacks(inside):
    stack = RANDOM.integers(0, 9, (2, 3, 17, 19), dtype=np.uint8)
    found = by_blocks(Held(stack), 4, 7, mode="wrap", inside=inside)
    np.testing.assert_array_equal(found, entropy(stack, 5, mode="wrap"))


class Slow(Kept):
    def write(self, plane, part, values):
        time.sleep(0.002)
        super().write(plane, part, values)


class SlowlyRead(Held):
    def read(self, plane, part):
        time.sleep(0.002)
        return super().read(plane, part)


@pytest.mark.parametrize("source_kind, sink_kind", [(Held, Slow), (SlowlyRead, Kept)])
def test_any_of_the_three_may_be_slow(source_kind, sink_kind):
    image = RANDOM.integers(0, 9, (90, 19), dtype=np.uint8)
    sink = sink_kind((90, 19), np.float32)
    run(Task(source_kind(image), (0,), (None,), sink, Plan(1, 19, False), request()),
        lambda done: None)
    np.testing.assert_array_equal(sink.array[0], entropy(image, 5))


def test_planes_that_are_done_are_forgotten():
    stack = RANDOM.integers(0, 9, (9, 12, 7), dtype=np.uint8)
    source = Held(stack, np.ones((12, 7), np.uint8))
    blocks = _Blocks(Task(source, tuple(range(9)), (None,) * 9, None, Plan(4, 7, False), request()))
    while blocks.next() is not None:
        assert len(blocks._around) <= 2  # cells and mask of one plane


@pytest.mark.parametrize("mode", ["crop", "reflect"])
@pytest.mark.parametrize("rows", [1, 3, 8, 40])
def test_no_row_is_read_twice(mode, rows):
    source = Held(RANDOM.integers(0, 9, (40, 19), dtype=np.uint8))
    by_blocks(source, rows, 19, size=9, mode=mode)
    assert source.rows_read == 40


def test_columns_that_a_border_repeats_are_read_without_the_others():
    source = Held(np.zeros((6, 100), np.uint8))
    by_blocks(source, 6, 10, size=5, mode="reflect")
    assert source.cells_read == 6 * (100 + 9 * 4 + 2 * 2)


def test_a_block_has_the_cells_that_its_windows_reach():
    source = Held(np.zeros((40, 19), np.uint8))
    blocks = _Blocks(Task(source, (0,), (None,), None, Plan(8, 5, False), request((4, 6))))
    shapes = {(read.part.top, read.part.left): read.cells.shape
              for read in iter(blocks.next, None)}
    assert shapes[8, 5] == (8 + 3, 5 + 5)


@pytest.mark.parametrize("mode", ["crop", "reflect", "wrap"])
def test_a_cell_that_is_no_level_is_named(mode):
    image = np.zeros((30, 20), np.int16)
    image[17, 5] = 300
    with pytest.raises(FileError, match=r"the cell in row 17, column 5 \(from 0\) is 300, "):
        by_blocks(Held(image), 4, 3, mode=mode, levels=256)
    with pytest.raises(FileError, match=r"row 17, column 5 of plane 2 \(from 0\) is 300"):
        by_blocks(Held(np.stack([image * 0, image])), 4, 20, mode=mode, levels=256)
    by_blocks(Held(image), 4, 3, mode=mode, levels=256, clip=True)


@pytest.mark.parametrize("mode", ["reflect", "mirror", "wrap"])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_rows_beyond_the_edges(mode, size):
    names = {"reflect": "symmetric", "mirror": "reflect", "wrap": "wrap"}
    padded = np.pad(np.arange(size), 9, mode=names[mode])
    for start in range(size):
        for stop in range(start + 1, size + (start > 0)):
            found = reach(start, stop, 9, 9, size, mode)
            rows = [found.row(i) for i in range(found.size)]
            assert rows == padded[start:stop + 18].tolist()
            assert rows[found.offset:found.offset + stop - start] == list(range(start, stop))


class Blocked(Sink):
    def __init__(self, block):
        self.block = block


def planned(height, width, block, sink_block, kind="uint8", memory=512 << 20, planes=1, **named):
    source = Held(np.broadcast_to(np.zeros((), kind), (height, width)), **named)
    source.block = block
    return plan_for(source, Blocked(sink_block), planes, np.dtype("float32"), memory)


def test_what_failed_ends_when_nothing_is_written_any_more():
    class Broken(Held):
        def read(self, plane, part):
            if part.top >= 4:
                assert sink.begun.wait(60)
                raise FileError("the disk is gone")
            return super().read(plane, part)

    class Slow(Kept):
        begun, stopped, ended = threading.Event(), threading.Event(), 0

        def write(self, plane, part, values):
            self.begun.set()
            assert self.stopped.wait(10)
            time.sleep(0.2)
            self.ended += 1

        def stop(self):
            self.stopped.set()

    sink = Slow((6, 9), np.float32)
    with pytest.raises(FileError, match="the disk is gone"):
        run(Task(Broken(np.zeros((6, 9), np.uint8)), (0,), (None,), sink, Plan(2, 9, False),
                 request(1)), lambda done: None)
    assert sink.ended == 1  # what had begun, and not the next


def test_plans_are_of_whole_tiles_and_strips():
    plan = planned(100_000, 100_000, (256, 256), (256, 256))
    assert plan.rows % 256 == 0 and plan.columns == 100_000
    plan = planned(100_000, 100_000, (512, 512), (512, 512), memory=256 << 20)
    assert plan.rows == 512 and plan.columns % 512 == 0 and 512 <= plan.columns < 100_000
    plan = planned(10_000, 10_000, (1, 10_000), (6, 10_000))
    assert plan.rows % 6 == 0 and plan.columns == 10_000 and plan.rows * 10_000 < 8 << 20
    assert planned(50, 40, (256, 256), (256, 256))[:2] == (50, 40)
    # A file that is a single strip: a block need not be as high.
    plan = planned(90_000, 90_000, (90_000, 90_000), (1, 90_000))
    assert plan.columns == 90_000 and plan.rows < 1000
    plan = planned(10, 4_000_000_000, (1, 4_000_000_000), (1, 4_000_000_000))
    assert plan.rows == 1 and plan.columns < 100_000_000


def test_plans_fit_into_the_memory():
    """Six copies of what is read of a cell, three of a result."""
    rows = {"height": 100_000, "width": 1000, "block": (1, 1000), "sink_block": (1, 1000)}
    assert planned(**rows, memory=18 * 500_000)[:2] == (500, 1000)
    assert planned(**rows, memory=24 * 500_000, kind="uint16")[:2] == (500, 1000)
    assert planned(**rows, memory=24 * 500_000, mask=np.ones(1))[:2] == (500, 1000)
    assert planned(**rows, memory=30 * 500_000, interleaved=True, planes=3)[:2] == (500, 1000)
    assert planned(**rows, memory=18 * 500_000, interleaved=True)[:2] == (500, 1000)
    assert planned(**rows, memory=8 << 30)[:2] == (6291, 1000)  # no more than is of use
    assert planned(**rows, memory=1)[:2] == (1, 1)


def test_plans_of_planes_that_lie_together():
    rows = {"height": 100, "width": 100, "block": (1, 100), "sink_block": (1, 100)}
    assert [planned(**rows, planes=planes, interleaved=True).planes_inside
            for planes in (1, 2, 16, 17)] == [False, True, True, False]
    assert not planned(**rows, planes=2).planes_inside


@pytest.mark.parametrize("columns", [0, 1000])
def test_plans_of_high_strips(columns):
    """A strip is decoded once where it fits into the memory, and row by row where not."""
    strips = {"height": 5000, "width": 1000, "block": (8, columns), "sink_block": (1, 1000)}
    assert planned(**strips, memory=18 * 9000)[:2] == (8, 1000)
    assert planned(**strips, memory=18 * 8000)[:2] == (8, 1000)
    assert planned(**strips, memory=18 * 7999)[:2] == (7, 1000)


def test_plans_of_tiles_that_differ():
    assert planned(10_000, 1000, (48, 48), (64, 64)).rows % 192 == 0
    assert planned(100_000, 1000, (500, 500), (512, 512))[:2] == (6144, 1000)  # none is in both
    tiles = {"height": 100_000, "width": 100_000, "block": (512, 256), "sink_block": (512, 384)}
    assert planned(**tiles, memory=256 << 20)[:2] == (512, 28_416)
    assert planned(**tiles, memory=1)[:2] == (512, 768)


def test_the_order_of_blocks():
    """Down a band of columns; plane by plane, unless all of a place lie together."""
    parts = [(0, 2, 0, 2), (2, 3, 0, 2), (0, 2, 2, 3), (2, 3, 2, 3)]
    assert list(Plan(2, 2, False).blocks(3, 3, 2)) == [(plane, part) for plane in (0, 1)
                                                       for part in parts]
    assert list(Plan(2, 2, True).blocks(3, 3, 2)) == [(plane, part) for part in parts
                                                      for plane in (0, 1)]


@pytest.mark.parametrize("size, most", [((1, 9), 1), ((9, 9), 4)])
def test_rows_that_are_done_are_forgotten(size, most):
    source = Held(np.zeros((40, 19), np.uint8))
    blocks = _Blocks(Task(source, (0,), (None,), None, Plan(4, 19, False), request(size)))
    while blocks.next() is not None:
        assert all(len(around._strips) <= most for around in blocks._around.values())


def test_the_progress(monkeypatch):
    """Of blocks of 6 and of 2 cells."""
    def compute(cells, mask, rows, columns, values, asked):
        for part in (0.0, 0.5, 1.0):
            asked.progress(part)

    monkeypatch.setattr(pipeline, "compute_region", compute)
    seen = []
    run(Task(Held(np.zeros((2, 2, 4), np.uint8)), (0, 1), (None, None), Kept((2, 2, 4), np.float32),
             Plan(2, 3, False), request()), seen.append)
    assert seen == [0, 3, 6, 6, 7, 8, 8, 11, 14, 14, 15, 16]


def test_chosen_planes_and_their_masks():
    class OneMask(Held):
        def has_mask(self, plane):
            return plane == 2

    stack = RANDOM.integers(0, 9, (3, 12, 11), dtype=np.uint8)
    mask = RANDOM.integers(0, 2, (12, 11), dtype=np.uint8)
    sink = Kept((2, 12, 11), np.float32)
    run(Task(OneMask(stack, mask), (2, 1), (None, None), sink, Plan(4, 7, False), request()),
        lambda done: None)
    np.testing.assert_array_equal(sink.array, [entropy(stack[2], 5, mask=mask),
                                               entropy(stack[1], 5)])


def test_a_cell_of_a_chosen_plane():
    stack = np.zeros((3, 9, 9), np.int16)
    stack[2, 4, 5] = -1
    with pytest.raises(FileError, match="row 4, column 5 of plane 3 "):
        run(Task(Held(stack), (2,), (None,), Kept((9, 9), np.float32), Plan(4, 9, False),
                 request(levels=4)), lambda done: None)


def test_a_level_error_of_no_cell(monkeypatch):
    def compute(*_):
        raise LevelError("the levels are odd")

    monkeypatch.setattr(pipeline, "compute_region", compute)
    with pytest.raises(LevelError, match="the levels are odd"):
        by_blocks(Held(np.zeros((4, 4), np.uint8)), 2, 4)


def test_the_pipeline_ends_with_what_failed():
    class Broken(Held):
        def read(self, plane, part):
            if part.top >= 8:
                raise FileError("the disk is gone")
            return super().read(plane, part)

    class Full(Kept):
        def write(self, plane, part, values):
            raise OSError(28, "No space left on device")

    image = np.zeros((40, 9), np.uint8)
    with pytest.raises(FileError, match="the disk is gone"):
        by_blocks(Broken(image), 2, 9)
    with pytest.raises(OSError, match="No space left"):
        run(Task(Held(image), (0,), (None,), Full((40, 9), np.float32), Plan(2, 9, False),
                 request()), lambda done: None)
    with pytest.raises(OSError, match="No space left"):  # of the last block
        run(Task(Held(image), (0,), (None,), Full((40, 9), np.float32), Plan(40, 9, False),
                 request()), lambda done: None)


def test_progress_goes_on_from_block_to_block(monkeypatch):
    def halfway(cells, mask, rows, columns, result, wanted):
        wanted.progress(0.5)

    monkeypatch.setattr(pipeline, "compute_region", halfway)  # which says nothing of short work
    said = []
    stack = np.zeros((2, 20, 9), np.uint8)
    run(Task(Held(stack), (0, 1), (None,) * 2, Kept(stack.shape, np.float32), Plan(8, 9, False),
             request()), said.append)
    assert said == [36, 108, 162, 216, 288, 342]


@pytest.mark.parametrize("mask, nodata, holes", [([[0, 1, 255]], None, [[True, False, False]]),
                                                 (None, 255, [[False, False, True]])])
def test_holes_of_a_mask_and_of_the_largest_cell(mask, nodata, holes):
    rows, columns = reach(0, 1, 0, 0, 1, "crop"), reach(0, 3, 0, 0, 3, "crop")
    values = np.zeros((1, 3), np.float32)
    pipeline._make_holes(pipeline.Read(0, pipeline.Part(0, 1, 0, 3), rows, columns,
                                       np.array([[7, 0, 255]], np.uint8),
                                       None if mask is None else np.array(mask, np.uint8)),
                         values, nodata)
    assert np.isnan(values).tolist() == holes
