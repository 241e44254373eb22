"""How arrays may lie, and what comes back."""

import numpy as np
import pytest

import local_entropy
from local_entropy import diversity, entropy
from reference import reference

RANDOM = np.random.default_rng(5)
IMAGE = RANDOM.integers(0, 9, (17, 23), dtype=np.uint8)
EXPECTED = entropy(IMAGE.copy(), 3)

LAYOUTS = {
    "transposed": lambda a: np.asfortranarray(a),
    "upside down": lambda a: a[::-1].copy()[::-1],
    "mirrored": lambda a: a[:, ::-1].copy()[:, ::-1],
    "every other column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "part of a larger one": lambda a: np.pad(a, 4)[4:-4, 4:-4],
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "not aligned": lambda a: np.frombuffer(b"x" + a.tobytes(), a.dtype, offset=1).reshape(a.shape),
    "field of a record": lambda a: record(a)["cell"],
    "a list": lambda a: [[int(cell) for cell in row] for row in a],
    "other bytes first": lambda a: a.astype(a.dtype.newbyteorder("S")),
}


def record(cells):
    array = np.zeros(cells.shape, [("before", "u1"), ("cell", cells.dtype)])
    array["cell"] = cells
    return array


def filtered(image, **arguments):
    if np.asarray(image).dtype.kind == "f":
        arguments.update(levels=9, range=(0, 9))
    return entropy(image, 3, **arguments)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "int32", "float32", "float64"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout(layout, dtype):
    np.testing.assert_array_equal(filtered(LAYOUTS[layout](IMAGE.astype(dtype))), EXPECTED)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "a list"])
def test_layout_of_a_mask(layout):
    for mask in (IMAGE % 3, (IMAGE % 3).astype(np.int16)):
        np.testing.assert_array_equal(entropy(IMAGE, 3, mask=LAYOUTS[layout](mask)),
                                      entropy(IMAGE, 3, mask=mask != 0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in (
    "a list", "read-only", "not aligned")])
def test_layout_of_out(layout, dtype):
    out = LAYOUTS[layout](np.full(IMAGE.shape, 7, dtype))
    assert entropy(IMAGE, 3, out=out) is out
    np.testing.assert_array_equal(out, entropy(IMAGE, 3, dtype=dtype))


def as_struct(plane):
    struct = local_entropy._host._struct(plane)
    assert struct is not None
    return struct


def test_gaps_between_rows_of_out_stay():
    around = np.full((21, 31), 7, np.float32)
    entropy(IMAGE, 3, out=around[2:-2, 4:-4])
    inside = np.zeros(around.shape, bool)
    inside[2:-2, 4:-4] = True
    assert (around[~inside] == 7).all()
    np.testing.assert_array_equal(around[2:-2, 4:-4], EXPECTED)


def test_rows_are_read_without_a_copy(monkeypatch):
    monkeypatch.setattr(local_entropy._host, "_read", lambda plane: (as_struct(plane), plane))
    np.testing.assert_array_equal(entropy(np.pad(IMAGE, 4)[4:-4, 4:-4], 3), EXPECTED)
    upside_down = IMAGE[::-1][:1]  # one row, whose stride says nothing
    assert upside_down.strides[0] < 0
    np.testing.assert_array_equal(entropy(upside_down, 3), entropy(IMAGE[-1:].copy(), 3))
    stack = np.moveaxis(np.zeros((17, 4, 23), np.uint8), 1, 0)  # planes of rows that interleave
    stack[2] = IMAGE
    assert not stack.flags.c_contiguous
    np.testing.assert_array_equal(entropy(stack, 3)[2], EXPECTED)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (255, 2)])
@pytest.mark.parametrize("dtype", ["uint8", "int32"])
def test_thin_images(shape, dtype):
    image = RANDOM.integers(0, 4, shape).astype(dtype)
    np.testing.assert_allclose(entropy(image, 5), reference(image, np.ones((5, 5))), rtol=1e-6,
                               atol=1e-15)


@pytest.mark.parametrize("lead", [(3,), (2, 3), (1, 1, 2)])
def test_stacks(lead):
    stack = RANDOM.integers(0, 9, (*lead, 11, 13)).astype(np.uint16)
    mask = RANDOM.random(stack.shape) < 0.8
    found = entropy(stack, 5, mask=mask)
    assert found.shape == stack.shape
    for place in np.ndindex(lead):
        np.testing.assert_array_equal(found[place], entropy(stack[place], 5, mask=mask[place]))
    one_for_all = entropy(stack, 5, mask=mask[(0,) * len(lead)])
    np.testing.assert_array_equal(one_for_all[(0,) * len(lead)], found[(0,) * len(lead)])
    backwards = np.empty(stack.shape, np.float32)[::-1]
    np.testing.assert_array_equal(entropy(stack[::-1], 5, mask=mask[::-1], out=backwards),
                                  found[::-1])


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 3, 3), (2, 0, 3)])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "bool"])
def test_no_cells(shape, dtype):
    found = entropy(np.zeros(shape, dtype), 3)
    assert found.shape == shape and found.dtype == np.float32


@pytest.mark.parametrize("dtype, factor", [("float32", 1), ("float64", 1), ("int64", 512),
                                           ("int8", 2)])
def test_cells_of_a_mask_count_unless_they_are_0(dtype, factor):
    mask = (IMAGE % 3 * 0.5 * factor).astype(dtype)
    assert {0, mask.max() / 2} < set(mask.flat)
    np.testing.assert_array_equal(entropy(IMAGE, 3, mask=mask), entropy(IMAGE, 3, mask=mask != 0))


def test_masked_arrays_hide_what_is_masked():
    hidden = IMAGE == 4
    masked = np.ma.array(IMAGE, mask=hidden)
    np.testing.assert_array_equal(entropy(masked, 3), entropy(IMAGE, 3, mask=~hidden))
    other = IMAGE != 5
    np.testing.assert_array_equal(entropy(masked, 3, mask=other),
                                  entropy(IMAGE, 3, mask=~hidden & other))
    assert type(entropy(masked, 3)) is np.ndarray


@pytest.mark.parametrize("shape", [(), (23,), (1, 23), (17, 1), (17, 22), (2, 17, 23)])
def test_masked_arrays_whose_own_mask_has_another_shape(shape):
    masked = np.ma.array(IMAGE, mask=False)
    masked._mask = np.ones(shape, bool)
    for mask in (None, np.ones(IMAGE.shape, bool)):
        with pytest.raises(ValueError, match=r"masked array's own mask has the shape \(.*\), its "
                                             r"cells \(17, 23\), expected the same"):
            entropy(masked, 3, mask=mask)


def test_masks_that_do_not_fit_a_masked_array():
    masked = np.ma.array(IMAGE, mask=IMAGE == 4)
    for shape in ((23,), (1, 23), (17, 1)):  # each stretches to the image's
        with pytest.raises(ValueError, match=r"the mask has the shape \(.*\), the image"):
            entropy(masked, 3, mask=np.ones(shape))


class Subclass(np.ndarray):
    pass


def test_subclasses_become_arrays():
    found = entropy(IMAGE.view(Subclass), 3)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, EXPECTED)


@pytest.mark.parametrize("order", [1, -1])
def test_a_result_over_the_image(order):
    stack = RANDOM.random((3, 8, 9)).astype(np.float32)
    bins = {"levels": 5, "range": (0, 1)}
    expected = entropy(stack, 3, **bins)
    out = stack[::order]
    assert entropy(stack, 3, out=out, **bins) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_result_over_the_mask(dtype):
    floats = RANDOM.random(IMAGE.shape).astype(dtype)
    mask = floats.view(np.uint8)[:, 3:3 + IMAGE.shape[1]]
    expected = entropy(IMAGE, 3, mask=mask.copy(), dtype=dtype)
    np.testing.assert_array_equal(entropy(IMAGE, 3, mask=mask, out=floats), expected)


def test_types_of_results():
    assert entropy(IMAGE).dtype == np.float32
    assert entropy(IMAGE, dtype=float).dtype == np.float64
    assert diversity(IMAGE, dtype="f8").dtype == np.float64
    out = np.empty(IMAGE.shape)
    np.testing.assert_array_equal(entropy(IMAGE, 3, out=out, dtype=np.float64),
                                  entropy(IMAGE, 3, dtype=np.float64))


def test_nine_is_the_usual_size():
    np.testing.assert_array_equal(entropy(IMAGE), entropy(IMAGE, (9, 9)))
    np.testing.assert_array_equal(entropy(IMAGE), entropy(IMAGE, footprint=np.ones((9, 9))))


def test_size_is_rows_and_columns():
    np.testing.assert_allclose(entropy(IMAGE, (3, 7)), reference(IMAGE, np.ones((3, 7))), rtol=1e-6)
    np.testing.assert_array_equal(entropy(IMAGE, [3, 7]), entropy(IMAGE, np.array([3, 7])))
    np.testing.assert_array_equal(entropy(IMAGE, np.int64(3)), entropy(IMAGE, np.array(3)))
    np.testing.assert_array_equal(entropy(IMAGE, 201),
                                  entropy(IMAGE, footprint=np.ones((201, 201))))


def test_size_and_origin_may_be_lists_or_arrays():
    expected = entropy(IMAGE, (3, 6), origin=(1, -3))
    for kind in (list, np.array):
        np.testing.assert_array_equal(entropy(IMAGE, kind((3, 6)), origin=kind((1, -3))), expected)


def test_cells_of_a_footprint_count_unless_they_are_0():
    footprint = np.array([[0, 1, 0], [-1, 1, 0.5]])
    for order in "CF":
        np.testing.assert_array_equal(entropy(IMAGE, footprint=footprint.copy(order)),
                                      entropy(IMAGE, footprint=footprint != 0))


def test_version_is_the_librarys():
    assert local_entropy.__version__.split(".")[0] == "1"
