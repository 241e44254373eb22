"""Which level a cell is, and cells that are none."""

import numpy as np
import pytest

from local_entropy import LevelError, _levels, diversity, entropy

RANDOM = np.random.default_rng(6)


def cell_is_none(image, index, match, **arguments):
    with pytest.raises(LevelError, match=match) as caught:
        entropy(image, 3, **arguments)
    assert caught.value.index == index
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "int8", "int32", "int64", "uint64"])
def test_an_integer_beyond_is_named(dtype):
    image = np.zeros((5, 6), dtype)
    image[3, 4] = image[4, 0] = 16  # the first of them
    cell_is_none(image, (3, 4), r"image\[3, 4\] is 16, expected an integer 0\.\.15", levels=16)
    cell_is_none(np.stack([image * 0, image]), (1, 3, 4), r"image\[1, 3, 4\] is 16", levels=16)
    cell_is_none(image, (3, 4), r"is 16, expected 0 to 10", levels=4, range=(0, 10))
    entropy(image, 3, levels=17)
    entropy(image, 3, levels=16, mask=image == 0)
    entropy(image, 3, levels=16, nodata=16)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("cell", [1.5, -0.25, np.inf, -np.inf])
def test_a_real_number_beyond_is_named(dtype, cell):
    image = np.zeros((5, 6), dtype)
    image[0, 5] = cell
    cell_is_none(image, (0, 5), rf"image\[0, 5\] is {cell}, expected 0 to 1", levels=4,
                 range=(0, 1))
    clipped = entropy(image, 3, levels=4, range=(0, 1), clip=True)
    np.testing.assert_array_equal(clipped, entropy(np.clip(image, 0, 1), 3, levels=4, range=(0, 1)))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "int64"])
def test_clipped_integers(dtype):
    image = RANDOM.integers(-20, 100, (9, 9)).astype(dtype)
    np.testing.assert_array_equal(entropy(image, 3, levels=16, clip=True),
                                  entropy(np.clip(image, 0, 15), 3))
    np.testing.assert_array_equal(
        entropy(image, 3, levels=5, range=(10, 20), clip=True),
        entropy(np.clip(image, 10, 20), 3, levels=5, range=(10, 20)))


def test_bins_are_those_of_the_definition():
    edges = np.linspace(0.1, 0.9, 8)  # 7 bins, the numbers between them as near as doubles are
    image = np.tile(edges, (2, 1))
    found = diversity(image, (1, 2), "richness", levels=7, range=(edges[0], edges[-1]))
    level = np.minimum(np.floor((edges - edges[0]) * (7 / (edges[-1] - edges[0]))), 6)
    np.testing.assert_array_equal(found[0, 1:], 1 + (np.diff(level) != 0))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float16", "float32", "float64"])
def test_the_upper_limit_is_in_the_last_bin(dtype):
    image = np.array([[9, 12]], dtype)
    assert diversity(image, 3, "richness", levels=4, range=(0, 12)).max() == 1


def test_rows_far_below(monkeypatch):
    """Cells are converted some rows at a time."""
    monkeypatch.setattr(_levels, "_CELLS_AT_ONCE", 20)
    image = RANDOM.random((2, 30, 7))
    bins = {"levels": 8, "range": (0, 1)}
    np.testing.assert_array_equal(entropy(image, 3, **bins),
                                  entropy((image * 8).astype(np.uint8), 3))
    image[1, 22, 6] = 2
    cell_is_none(image, (1, 22, 6), r"image\[1, 22, 6\] is 2.0", **bins)


def test_doubles_are_binned_as_doubles():
    image = np.array([[0.5, np.nextafter(0.5, 0)]])  # one number as float32
    assert diversity(image, 3, "richness", levels=2, range=(0, 1)).max() == 2


def test_nodata_of_wide_integers_is_exact():
    image = np.array([[0, 1, 2, 1, 2]]) + 2**60
    np.testing.assert_array_equal(entropy(image, 3, nodata=2.0**60),
                                  entropy(image, 3, mask=image != 2**60))


def test_wide_integers_are_exact():
    image = np.array([[2**60, 2**60 + 1, 2**60 + 2]])  # one number as float64
    assert diversity(image, 3, "richness").max() == 3
    assert diversity(image.astype(np.uint64), 3, "richness").max() == 3


@pytest.mark.parametrize("dtype", ["uint16", "int16", "int32"])
def test_nodata_is_not_among_the_levels(dtype):
    image = RANDOM.integers(0, 9, (9, 9)).astype(dtype)
    image[4] = nodata = np.iinfo(dtype).min if dtype != "uint16" else 65535
    np.testing.assert_array_equal(entropy(image, 3, nodata=nodata),
                                  entropy(image, 3, mask=image != nodata))
    assert (entropy(np.full((3, 3), nodata), 3, nodata=nodata, empty=-1) == -1).all()
    image = image.astype(np.int64)
    image[2] = 2**40
    np.testing.assert_array_equal(entropy(image, 3, nodata=nodata, mask=image != 2**40),
                                  entropy(image, 3, mask=(image != 2**40) & (image != nodata)))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("nodata", [0.1, -3.4028235e38, 65504.0])
def test_nodata_is_rounded_as_the_cells_are(dtype, nodata):
    """A limit of a type as NumPy prints it is that limit; infinity is nothing that is finite."""
    image = np.full((6, 6), 0.5, dtype)
    with np.errstate(over="ignore"):
        image[2, 2] = nodata
    image[4, 4] = -np.inf
    bins = {"levels": 4, "range": (0, 1), "clip": True}
    np.testing.assert_array_equal(entropy(image, 3, nodata=nodata, **bins),
                                  entropy(image, 3, mask=image != image[2, 2], **bins)
                                  if np.isfinite(image[2, 2]) else entropy(image, 3, **bins))
    border = {"mode": "constant", "cval": nodata, "nodata": nodata, **bins}
    if np.isfinite(image[2, 2]):
        np.testing.assert_array_equal(entropy(image, 3, **border),
                                      entropy(image, 3, nodata=nodata, **bins))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64"])
@pytest.mark.parametrize("nodata", [-40000.0, 0.5, np.inf, 2.0**63, 300])
def test_nodata_that_the_type_has_not(dtype, nodata):
    image = RANDOM.integers(0, 2, (9, 9)).astype(dtype)
    if dtype == "int64":
        image += np.iinfo(dtype).max - 1
    bare = entropy(image, 3)
    np.testing.assert_array_equal(entropy(image, 3, nodata=nodata), bare)
    if dtype == "uint8":
        np.testing.assert_array_equal(  # the cells beyond the edge are of it
            entropy(image, 3, nodata=nodata, mode="constant", cval=nodata), bare)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint64"])
def test_an_image_of_which_no_cell_counts(dtype):
    image = np.full((3, 3), 7, dtype)
    for arguments in ({"mask": image != 7}, {"nodata": 7},
                      {"nodata": 7, "mode": "constant", "cval": 7}):
        np.testing.assert_array_equal(entropy(image, 3, **arguments, empty=-1), -1)


# However far it is from the levels: it is none.
def test_no_data_beyond_the_edge_is_no_level():
    image = RANDOM.integers(10**6, 10**6 + 9, (9, 9)).astype(np.int32)
    np.testing.assert_array_equal(
        entropy(image, 3, mode="constant", cval=-9999, nodata=-9999), entropy(image, 3))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32"])
def test_cells_below_0_are_levels(dtype):
    image = RANDOM.integers(-128, 128, (9, 9)).astype(dtype)
    above = (image.astype(int) + 128).astype(np.uint8)
    np.testing.assert_array_equal(entropy(image, 3), entropy(above, 3))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_does_not_count(dtype):
    image = RANDOM.random((9, 9)).astype(dtype)
    bins = {"levels": 8, "range": (0, 1)}
    expected = entropy(image, 3, mask=image < 0.8, **bins)
    np.testing.assert_array_equal(entropy(np.where(image < 0.8, image, np.nan).astype(dtype), 3,
                                          **bins), expected)


def test_masked_cells_are_not_among_the_levels():
    image = np.array([[0, 1, 2**31 - 1]], np.int32)
    np.testing.assert_array_equal(entropy(image, (1, 3), mask=[[1, 1, 0]]), [[1, 1, 0]])


def test_a_span_that_is_too_long():
    with pytest.raises(ValueError, match=r"int32 with cells from -1 to 65535, expected at most"):
        entropy(np.array([[-1, 65535]], np.int32), 3)
    entropy(np.array([[0, 65535]], np.int32), 3)
    with pytest.raises(ValueError, match="int16 with cells and cval from 3 to 70000, expected"):
        entropy(np.array([[3, 4]], np.int16), 3, mode="constant", cval=70000)


@pytest.mark.parametrize("dtype, cval", [(np.uint32, -5), (np.uint64, -1), (np.int32, -2**31 - 1),
                                         (np.uint32, 2**32)])
def test_a_border_that_no_cell_can_be(dtype, cval):
    image = np.array([[3, 4]], dtype)
    with pytest.raises(ValueError, match="cval is .*, expected a cell of the image, which is "
                                         f"{np.dtype(dtype)}"):
        entropy(image, 3, mode="constant", cval=cval)
    np.testing.assert_array_equal(entropy(image, 3, cval=cval), entropy(image, 3))
    np.testing.assert_array_equal(  # what does not count needs no level
        entropy(image, 3, mode="constant", cval=cval, nodata=cval), entropy(image, 3))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_what_is_said_of_a_span_that_is_too_long_helps(dtype):
    limits = np.iinfo(dtype)
    image = np.array([[limits.min, limits.max]], dtype)
    with pytest.raises(ValueError, match=rf"levels=256, range=\({limits.min}, {limits.max}\) puts"):
        entropy(image, 3)
    np.testing.assert_allclose(
        entropy(image, 3, levels=256, range=(limits.min, limits.max), base=2), 1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_real_numbers_need_bins(dtype):
    image = np.zeros((3, 3), dtype)
    for arguments in ({}, {"levels": 4}):
        with pytest.raises(ValueError, match=f"the image is {dtype}, .* expected levels and range"):
            entropy(image, 3, **arguments)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "int32", "float32", "float64"])
def test_the_cell_beyond_the_edge(dtype):
    image = RANDOM.integers(0, 4, (6, 7)).astype(dtype)
    bins = {"levels": 301, "range": (0, 301)} if image.dtype.kind == "f" else {}
    found = entropy(image, 3, mode="constant", cval=250, **bins)
    np.testing.assert_array_equal(found, entropy(np.pad(image, 1, constant_values=250), 3,
                                                 **bins)[1:-1, 1:-1])
    gone = entropy(image, 3, mode="constant", cval=250, nodata=250, **bins)
    np.testing.assert_array_equal(gone, entropy(image, 3, **bins))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64"])
def test_a_cell_beyond_the_edge_that_is_no_level(dtype):
    bins = {"levels": 4, "range": (0, 4)}
    with pytest.raises(ValueError, match="5"):
        entropy(np.zeros((3, 3), dtype), 3, mode="constant", cval=5, **bins)
    entropy(np.zeros((3, 3), dtype), 3, mode="crop", cval=5, **bins)


@pytest.mark.parametrize("dtype, said", [
    ("uint8", r"cval is 2\.5, expected a cell that has a level"),
    ("int32", r"cval is 2\.5, expected an integer 0\.\.15"),
    ("int64", r"cval is 2\.5, expected an integer 0\.\.15")])
def test_a_cell_beyond_the_edge_between_levels(dtype, said):
    with pytest.raises(ValueError, match=said):
        entropy(np.arange(9, dtype=dtype).reshape(3, 3), 3, mode="constant", cval=2.5)


def test_a_cell_beyond_the_edge_that_is_infinite_among_the_images_own_levels():
    with pytest.raises(ValueError, match="cval is inf, expected a cell that has a level"):
        entropy(np.zeros((3, 3), np.int16), 3, mode="constant", cval=np.inf)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "int16", "int32", "uint64"])
def test_a_cell_beyond_the_edge_that_is_nan(dtype):
    image = np.zeros((3, 3), dtype)
    with pytest.raises(ValueError, match=f"cval is nan, expected a cell .*, which is {dtype}"):
        entropy(image, 3, mode="constant", cval=np.nan)
    entropy(image, 3, mode="nearest", cval=np.nan)
    if dtype != "bool":
        bins = {"levels": 4, "range": (0, 4)}
        np.testing.assert_array_equal(
            entropy(image.astype("f4"), 3, mode="constant", cval=np.nan, **bins),
            entropy(image, 3, **bins))


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float16", "float64"])
def test_stacks_of_stacks_of_other_types(dtype):
    """Types that the library does not read: each plane is computed, and named, as one by itself."""
    stack = RANDOM.integers(0, 9, (2, 3, 7, 8)).astype(dtype)
    bins = {"levels": 5, "range": (0, 8)}
    found = entropy(stack, 3, **bins)
    for place in np.ndindex(2, 3):
        np.testing.assert_array_equal(found[place], entropy(stack[place], 3, **bins))
    stack[1, 2, 4, 5] = 9
    cell_is_none(stack, (1, 2, 4, 5), r"image\[1, 2, 4, 5\] is 9", **bins)


def test_rows_longer_than_what_is_converted_at_once():
    """Real numbers become levels in parts of whole rows, however long one is."""
    longest = _levels._CELLS_AT_ONCE + 1
    image = np.zeros((2, longest))
    image[1, -2:] = 1, 2
    found = diversity(image, 3, "richness", levels=4, range=(0, 3))
    np.testing.assert_array_equal(found[:, -4:], [[1, 2, 3, 3]] * 2)
    image[1, -1] = 4
    cell_is_none(image, (1, longest - 1), "is 4", levels=4, range=(0, 3))
