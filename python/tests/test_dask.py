"""Of Dask arrays, and of xarray.DataArray: the same bits as of the whole, whatever the chunks."""

import pickle

import numpy as np
import pytest

from local_entropy import LevelError, _dask, _library, diversity, entropy

da = pytest.importorskip("dask.array", reason="pip install dask[array]")
dask = pytest.importorskip("dask")

RANDOM = np.random.default_rng(9)
MODES = ["crop", "constant", "nearest", "reflect", "mirror", "wrap"]
IMAGE = RANDOM.integers(0, 6, (23, 31), dtype=np.uint8)
CHUNKS = [(23, 31), (1, 31), (23, 1), (4, 5), (9, 9), (10, 11), (22, 30), ((1, 20, 2), (3, 27, 1)),
          ((2, 2, 1, 9, 9), (31,))]


@pytest.fixture(autouse=True)
def scheduler(request):
    """The quickest one, for few cells, unless a test names another."""
    with dask.config.set(scheduler=getattr(request, "param", "synchronous")):
        yield


def same(image, chunks, *words, function=entropy, mask=None, mask_chunks=None, **named):
    """Of the chunks as of the whole, with shape, chunks and type known before."""
    lazy = da.from_array(image, chunks=chunks)
    expected = function(image, *words, mask=mask, **named)
    if mask is not None and mask_chunks is not None:
        mask = da.from_array(mask, chunks=mask_chunks)
    found = function(lazy, *words, mask=mask, **named)
    assert isinstance(found, da.Array)
    assert (found.chunks, found.dtype) == (lazy.chunks, expected.dtype)
    assert type(found._meta) is np.ndarray and found._meta.dtype == expected.dtype
    computed = found.compute()
    assert computed.dtype == expected.dtype
    np.testing.assert_array_equal(computed, expected, f"{chunks}")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [(1, 1), (3, 7), (9, 9), (12, 4), (31, 25)])
def test_every_mode(mode, size):
    for chunks in CHUNKS:
        same(IMAGE, chunks, size, mode=mode, cval=3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size, origin", [(5, (2, 2)), (5, (-2, -2)), (5, (2, -1)), (6, (2, -3)),
                                          ((1, 4), (0, 1)), (3, (-1, 1))])
def test_windows_beside_their_cells(mode, size, origin):
    for chunks in [(1, 31), (2, 2), (3, 4), ((2, 21), (2, 29)), ((21, 2), (29, 2))]:
        same(IMAGE, chunks, size, origin=origin, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 30), (5, 5)])
def test_images_smaller_than_the_window(mode, shape):
    image = RANDOM.integers(0, 6, shape, dtype=np.uint8)
    for chunks in [1, 2, 4, 9]:
        same(image, chunks, (7, 5), mode=mode)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"], indirect=True)
@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_chunks(seed, scheduler):
    random = np.random.default_rng(seed)

    def split(length):
        cuts = random.integers(0, length + 1, random.integers(0, 5))
        return tuple(np.diff([0, *np.sort(cuts), length]).tolist())  # empty chunks, too

    shape = tuple(random.integers(1, 40, 2).tolist())
    lead = tuple(random.integers(1, 4, random.integers(0, 2)).tolist())
    image = random.integers(0, 9, (*lead, *shape), dtype=np.uint8)
    size = random.integers(1, 14, 2).tolist()
    named = {"mode": MODES[seed % 6], "empty": -1,
             "origin": [int(random.integers(-(side // 2), (side - 1) // 2 + 1)) for side in size]}
    if random.integers(2):
        named["footprint"] = random.integers(0, 2, size)
        named["footprint"][0, 0] = 1
    else:
        named["size"] = size
    if random.integers(2):
        whole = lead and random.integers(2)
        named["mask"] = random.integers(0, 2, image.shape if whole else shape).astype(bool)
        named["mask_chunks"] = tuple(map(split, named["mask"].shape))
    same(image, tuple(map(split, image.shape)), **named)


@pytest.mark.parametrize("kind", ["bool", "int8", "uint16", "int16", "int32", "uint64", ">u2",
                                  "float32", "float64", "float16", ">f4"])
def test_types(kind):
    image = RANDOM.integers(0, 9, (17, 19)).astype(kind)
    named = {} if kind in ("bool", "int8") else {"levels": 9}
    if image.dtype.kind == "f":
        image[3, 3:9] = np.nan
        named = {"levels": 4, "range": (0.0, 9.0)}
    for mode in MODES:
        same(image, (4, 6), 5, mode=mode, cval=1, **named)


def test_other_measures_and_results():
    disk = np.hypot(*np.mgrid[-3:4, -3:4]) <= 3
    same(IMAGE, 8, function=diversity, footprint=disk, mode="wrap", index="hill", q=2)
    same(IMAGE, 8, 5, "simpson", function=diversity, dtype=np.float64)
    same(IMAGE, 8, 5, dtype=">f4")
    same(IMAGE, 8)  # 9 x 9
    same(IMAGE, 8, 5, levels=3, clip=True, threads=2, device="cpu")


@pytest.mark.parametrize("mode", MODES)
def test_masks_and_nodata(mode):
    stack = RANDOM.integers(0, 9, (2, 3, 17, 19), dtype=np.uint8)
    mask = RANDOM.integers(0, 2, stack.shape, dtype=np.uint8) * 255
    mask[..., :6, :8] = 0
    for chunks in [(1, 2, 4, 7), (2, 3, 17, 5), (2, 1, 2, 6)]:
        for counts, mask_chunks in [(mask, (2, 1, 5, 19)), (mask, None), (mask[0, 0], (3, 2)),
                                    (mask[0, 0], None), (mask[1, 1] / 2, (17, 6))]:
            same(stack, chunks, 5, mode=mode, mask=counts, mask_chunks=mask_chunks, nodata=4,
                 empty=np.nan)


@pytest.mark.parametrize("mode", MODES)
def test_empty_chunks(mode):
    stack = RANDOM.integers(0, 9, (2, 9, 8), dtype=np.uint8)
    rows, columns = (0, 3, 0, 6), (4, 0, 4)
    for lead in [(0, 1, 0, 1), (0, 2, 0)]:
        same(stack, (lead, rows, columns), 3, mode=mode, mask=stack[0] > 2)
    same(stack[:1], ((0, 1, 0), rows, columns), 3, mode=mode, mask=stack[0] > 2)


def test_masked_arrays():
    image = np.ma.masked_array(IMAGE, RANDOM.integers(0, 2, IMAGE.shape))
    for mode in MODES:
        found = entropy(da.from_array(image, chunks=7), 5, mode=mode)
        np.testing.assert_array_equal(found.compute(), entropy(image, 5, mode=mode))


def test_no_cells():
    for shape in [(0, 5), (5, 0), (0, 3, 3)]:
        image = da.zeros(shape, dtype=np.uint8, chunks=2)
        found = entropy(image, 3)
        assert (found.shape, found.chunks, found.dtype) == (shape, image.chunks, np.float32)
        assert found.compute().shape == shape


def test_a_part_computes_its_chunks_alone():
    read = []

    def cells(block_info):
        (top, bottom), (left, right) = block_info[None]["array-location"]
        read.append((top, left))
        return IMAGE[top:bottom, left:right]

    image = da.map_blocks(cells, chunks=((8, 8, 7), (8, 8, 8, 7)), dtype=np.uint8)
    found = entropy(image, 5)[:8, :8]
    assert not read
    np.testing.assert_array_equal(found.compute(), entropy(IMAGE, 5)[:8, :8])
    assert sorted(read) == [(0, 0), (0, 8), (8, 0), (8, 8)]


def test_a_level_error_of_no_cell(monkeypatch):
    def compute(*_):
        raise LevelError("the levels are odd")

    monkeypatch.setattr(_dask, "compute_region", compute)
    with pytest.raises(LevelError, match="the levels are odd"):
        entropy(da.from_array(IMAGE), 3).compute()


def test_a_task_takes_one_thread_unless_more_are_wanted(monkeypatch):
    asked, engine = [], _library.engine

    def noted(devices, threads):
        asked.append(threads)
        return engine(devices, threads)

    monkeypatch.setattr(_library, "engine", noted)
    for wanted, expected in ((None, 1), (1, 1), (3, 3)):
        asked.clear()
        entropy(da.from_array(IMAGE, chunks=(12, 31)), 3, threads=wanted).compute()
        assert len(asked) >= 2 and set(asked) == {expected}


def test_the_same_question_has_the_same_name():
    image = da.from_array(IMAGE, chunks=8)
    assert entropy(image, 5).name == entropy(image, 5).name != entropy(image, 3).name


# ---- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["int16", "int32", "float64"])
def test_a_cell_that_is_no_level_is_named(mode, kind):
    named = {"levels": 16, "range": (0, 16)} if kind == "float64" else {"levels": 16}
    for index in [(1, 17, 5), (0, 0, 0), (1, 22, 30), (1, 0, 30), (0, 9, 9)]:
        image = np.zeros((2, 23, 31), kind)
        image[index] = 300
        found = entropy(da.from_array(image, chunks=(1, 6, 7)), 5, mode=mode, **named)
        with pytest.raises(LevelError, match="is 300.*, expected ") as caught:
            found.compute()
        assert caught.value.index == index
        assert str(caught.value).startswith("image[{}, {}, {}] is".format(*index))


REFUSED = [
    (IMAGE.astype("int16"), {}, "the image is int16 in a Dask array, .* expected levels"),
    (IMAGE.astype("float32"), {}, "the image is float32, .* expected levels and range"),
    (IMAGE.astype("float32"), {"levels": 8}, "the image is float32, .* expected levels and range"),
    (IMAGE, {"levels": 1}, "levels is 1, expected 2"),
    (IMAGE, {"range": (0, 1)}, "range is given without levels"),
    (IMAGE, {"size": 0}, "size is 0 x 0"),
    (IMAGE, {"mode": "same"}, "mode is 'same'"),
    (IMAGE, {"mode": "constant", "cval": 300}, "cval is 300, expected"),
    (IMAGE / 9, {"levels": 4, "range": (0, 9), "mode": "constant", "cval": 11}, "cval is 11"),
    (IMAGE, {"mask": np.ones((5, 5))}, r"the mask has the shape \(5, 5\), the image \(23, 31\)"),
    (IMAGE, {"mask": da.ones((5, 5))}, r"the mask has the shape \(5, 5\), the image \(23, 31\)"),
    (IMAGE, {"out": np.zeros(IMAGE.shape)}, "out is given, .* to_zarr"),
    (IMAGE, {"progress": print}, r"progress is given, .*\.ProgressBar"),
    (IMAGE, {"dtype": np.float16}, "dtype is float16"),
    (IMAGE, {"threads": 0}, "threads is 0"),
    (IMAGE[0], {}, "the image has 1 dimensions"),
]


@pytest.mark.parametrize("image, arguments, match", REFUSED)
def test_refused_before_anything_is_computed(image, arguments, match):
    with pytest.raises(ValueError, match=match):
        entropy(da.from_array(image, chunks=5), **arguments)


def test_other_arrays_are_refused():
    with pytest.raises(TypeError, match="expected bool, integers or real numbers"):
        entropy(da.zeros((3, 3), dtype=complex))
    image = da.from_array(IMAGE, chunks=5)
    with pytest.raises(TypeError, match="the mask is a str, expected an array of bool"):
        entropy(image, mask="mask.png")
    with pytest.raises(ValueError, match="chunks of unknown size"):
        entropy(image[image[:, 0] > 1])
    stack = da.from_array(np.zeros((4, 5, 6), np.uint8), chunks=2)
    with pytest.raises(ValueError, match="chunks of unknown size"):
        entropy(stack[stack[:, 0, 0] > 1])

    class OnGpu(np.ndarray):
        __cuda_array_interface__ = {}

    image._meta = np.zeros((0, 0), np.uint8).view(OnGpu)
    with pytest.raises(TypeError, match="in the memory of a GPU, expected NumPy"):
        entropy(image)


# ---- other processes ---------------------------------------------------------------------------


def test_pickled():
    image = da.from_array(IMAGE, chunks=8)
    found = entropy(image, footprint=np.eye(3), mode="wrap", mask=image > 1, empty=np.nan)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(found)).compute(),
        entropy(IMAGE, footprint=np.eye(3), mode="wrap", mask=IMAGE > 1, empty=np.nan))


@pytest.mark.parametrize("scheduler", ["processes"], indirect=True)
def test_processes(scheduler):
    same(IMAGE, (4, 31), footprint=np.eye(5), mode="reflect", mask=IMAGE > 1, empty=np.nan)
    image = np.zeros((9, 9), np.int16)
    image[7, 2] = -1
    with pytest.raises(LevelError, match=r"image\[7, 2\] is -1") as caught:
        entropy(da.from_array(image, chunks=3), 3, levels=4).compute()
    assert caught.value.index == (7, 2)


@pytest.mark.parametrize("dtype", [complex, "U1", object, "datetime64[s]"])
def test_a_mask_of_an_impossible_type_is_refused_at_once(dtype):
    image = da.zeros((20, 30), dtype=np.uint8, chunks=10)
    with pytest.raises(TypeError, match="the mask is .*, expected an array of bool"):
        entropy(image, mask=da.zeros((20, 30), dtype=dtype, chunks=10))
