"""The drop-in beside the original, on the original's own sample images."""

import warnings

import numpy as np
import pytest

rank = pytest.importorskip("skimage.filters.rank", reason="needs scikit-image")
data = pytest.importorskip("skimage.data", reason="needs scikit-image")
morphology = pytest.importorskip("skimage.morphology", reason="needs scikit-image")

from local_entropy.skimage import entropy  # noqa: E402

RANDOM = np.random.default_rng(8)
IMAGE = RANDOM.integers(0, 40, (31, 37), dtype=np.uint8)


def sample(name):
    """An image that scikit-image brings along: bytes, one channel."""
    image = getattr(data, name)()
    return np.ascontiguousarray(image[..., 0] if image.ndim == 3 else image)


def compare(*arguments, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of many levels
        expected = rank.entropy(*arguments, **named)
    found = entropy(*arguments, **named)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("footprint", [morphology.disk(5), np.ones((9, 9)), np.ones((4, 7))],
                         ids=["disk", "square", "even"])
@pytest.mark.parametrize("name", ["camera", "coins", "page", "moon", "text", "astronaut"])
def test_sample_images(name, footprint):
    compare(sample(name), footprint)


@pytest.mark.parametrize("name", ["camera", "coins"])
def test_16_bits(name):
    with pytest.warns(UserWarning, match=r"Bad rank filter performance .* \(40\d\d\)") as warned:
        compare(sample(name).astype(np.uint16) * 16, morphology.disk(3))
    assert [warning.filename for warning in warned] == [__file__]


@pytest.mark.parametrize("largest, expected", [(1023, 0), (1024, 1), (65535, 1)])
def test_many_levels_are_warned_of(largest, expected):
    image = np.array([[largest, 7]], np.uint16)
    for function in (entropy, rank.entropy):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            function(image, np.ones((3, 3)))
        assert ["Bad rank" in str(each.message) for each in warned] == [True] * expected


@pytest.mark.parametrize("mask", [IMAGE > 9, (IMAGE > 9).astype(np.uint8), IMAGE % 4,
                                  (IMAGE > 9).astype(float), IMAGE / 255,
                                  IMAGE / 5000,  # some are 0 as bytes
                                  IMAGE.astype(np.uint16) * 300, IMAGE.astype(np.int64)],
                         ids=lambda mask: mask.dtype.name)
def test_masks(mask):
    compare(IMAGE, morphology.disk(2), mask=mask)


@pytest.mark.parametrize("shift_x, shift_y", [(0, 0), (1, 0), (-2, 1), (2, -1)])
@pytest.mark.parametrize("sides", [(3, 5), (4, 6)])
def test_shifts(sides, shift_x, shift_y):
    compare(IMAGE, RANDOM.random(sides) < 0.7, shift_x=shift_x, shift_y=shift_y)


@pytest.mark.parametrize("image, name", [(IMAGE, "shift_x"), (IMAGE, "shift_y"),
                                         (IMAGE[None], "shift_x"), (IMAGE[None], "shift_z")],
                         ids=lambda value: str(getattr(value, "ndim", value)))
def test_a_shift_that_is_a_truth_warns(image, name):
    footprint = np.ones((3,) * image.ndim)
    with pytest.warns(UserWarning, match=f"`{name}` is boolean and will be interpreted as "
                                         "int") as warned:
        found = entropy(image, footprint, **{name: True})
    assert [warning.filename for warning in warned] == [__file__]
    np.testing.assert_array_equal(found, entropy(image, footprint, **{name: 1}))


def test_a_plane_has_no_shift_z():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = entropy(IMAGE, np.ones((3, 3)), shift_z=True)
    np.testing.assert_array_equal(found, entropy(IMAGE, np.ones((3, 3))))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_out(dtype):
    mine, theirs = np.empty(IMAGE.shape, dtype), np.empty(IMAGE.shape, dtype)
    found = entropy(IMAGE, morphology.disk(2), out=mine)
    assert np.shares_memory(found, mine)
    rank.entropy(IMAGE, morphology.disk(2), out=theirs)
    np.testing.assert_allclose(mine, theirs, rtol=1e-6)


def test_out_of_truths():
    """Cut off as integers are, and so false below 1."""
    image = np.random.default_rng(3).integers(0, 3, (30, 40), dtype=np.uint8)
    mine, theirs = np.empty(image.shape, bool), np.empty(image.shape, bool)
    for footprint in (morphology.disk(1), np.ones((1, 3))):
        values = entropy(image, footprint)
        entropy(image, footprint, out=mine)
        rank.entropy(image, footprint, out=theirs)
        np.testing.assert_array_equal(mine, theirs.view(np.uint8) > 0)
        assert np.any((values > 0) & (values < 1)) and np.any(mine)


def test_out_of_three_dimensions():
    mine, theirs = np.zeros((2, *IMAGE.shape, 1))
    entropy(IMAGE, morphology.disk(2), out=mine)
    rank.entropy(IMAGE, morphology.disk(2), out=theirs)
    np.testing.assert_allclose(mine, theirs, rtol=1e-6)


@pytest.mark.parametrize("image", [IMAGE / 255, IMAGE.astype(np.int8),
                                   IMAGE.astype(np.float32) / 99],
                         ids=lambda image: image.dtype.name)
def test_other_types_become_bytes_with_a_warning(image):
    with pytest.warns(UserWarning, match="Possible precision loss converting image") as warned:
        found = entropy(image, morphology.disk(2))
    assert [warning.filename for warning in warned] == [__file__]  # the line to be changed
    with pytest.warns(UserWarning, match="Possible precision loss converting image"):
        expected = rank.entropy(image, morphology.disk(2))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("footprint", [np.ones((3, 3), kind) for kind in (bool, int, float)] +
                         [np.array([[-1, 2], [0.5, 0]]), np.zeros((3, 3)), np.eye(65)])
def test_footprints(footprint):
    compare(IMAGE, footprint)


def test_footprints_that_the_library_does_not_compute_are_the_originals():
    image = RANDOM.integers(0, 9, (300, 20), dtype=np.uint8)
    for sides in ((255, 3), (256, 3), (301, 2)):
        compare(image, np.ones(sides))
        compare(image.T, np.ones(sides[::-1]))


def test_volumes_are_the_originals():
    volume = RANDOM.integers(0, 9, (5, 6, 7), dtype=np.uint8)
    compare(volume, morphology.ball(1))
    compare(volume, morphology.ball(1), shift_z=1, mask=volume > 2)
    out = np.full(volume.shape, 7.0)
    assert np.shares_memory(entropy(volume, morphology.ball(1), out=out), out)
    np.testing.assert_array_equal(out, rank.entropy(volume, morphology.ball(1)))


def test_in_the_place_of_the_original(monkeypatch):
    volume, ball = RANDOM.integers(0, 9, (3, 6, 7), dtype=np.uint8), morphology.ball(1)
    expected = rank.entropy(volume, ball)
    monkeypatch.setattr(rank, "entropy", entropy)
    np.testing.assert_array_equal(rank.entropy(volume, ball), expected)


def same_error(kind, *arguments, **named):
    with pytest.raises(kind):
        rank.entropy(*arguments, **named)
    with pytest.raises(kind):
        entropy(*arguments, **named)


def test_the_same_errors():
    same_error(ValueError, np.arange(10), morphology.disk(3))
    with pytest.raises(ValueError, match="must have 2 or 3 dimensions, got 1"):
        entropy(np.arange(10), morphology.disk(3))
    same_error(ValueError, IMAGE > 3, morphology.disk(3))
    same_error(ValueError, IMAGE, np.ones((3, 3, 3)))
    same_error(NotImplementedError, IMAGE, morphology.disk(3), out=IMAGE)


def test_without_scikit_image(monkeypatch):
    import local_entropy.skimage as module

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(module.importlib, "import_module", missing)
    found = entropy(IMAGE, np.ones((3, 3)), mask=IMAGE > 3)
    assert found.dtype == np.float64
    with pytest.raises(NotImplementedError, match="needs scikit-image, which is not installed"):
        entropy(np.zeros((3, 3, 3), np.uint8), np.ones((3, 3, 3)))


SQUARE = np.ones((3, 3))
READ_ONLY = np.broadcast_to(0.0, IMAGE.shape)
SAME_ERRORS = [
    ("shift_x is '1', expected an integer", TypeError, IMAGE, SQUARE, {"shift_x": "1"}),
    ("shift_y is nan, expected an integer", ValueError, IMAGE, SQUARE, {"shift_y": np.nan}),
    ("the image has the shape .0, 4., expected one", ValueError, IMAGE[:0, :4], SQUARE, {}),
    ("the image has the shape .0, 4., expected one", ValueError, np.zeros((0, 4)), SQUARE, {}),
    ("out is int32, expected bool, uint8, uint16, float32", TypeError, IMAGE, SQUARE,
     {"out": np.zeros(IMAGE.shape, np.int32)}),
    ("out has the shape .31, 37, 2., the image .31, 37.", ValueError, IMAGE, SQUARE,
     {"out": np.zeros((31, 37, 2))}),
    ("out is read-only", ValueError, IMAGE, SQUARE, {"out": READ_ONLY}),
    ("the footprint is a str, expected an array", ValueError, IMAGE, "disk", {}),
    ("the footprint has the shape .3,., the image .31, 37., expected as many dim", ValueError,
     IMAGE, np.ones(3), {}),
    ("the mask is a str, expected an array", ValueError, IMAGE, SQUARE, {"mask": "m.png"}),
    ("the mask has the shape ..,", ValueError, IMAGE, SQUARE, {"mask": True}),
]


@pytest.mark.parametrize("said, kind, image, footprint, named", SAME_ERRORS)
@pytest.mark.filterwarnings("ignore:Possible precision loss")
def test_the_same_errors_with_a_clear_sentence(said, kind, image, footprint, named):
    same_error(kind, image, footprint, **named)
    with pytest.raises(kind, match=said):
        entropy(image, footprint, **named)


# An assertion of scikit-image, or memory beyond the ends of arrays that it reads and writes.
@pytest.mark.parametrize("footprint", [SQUARE, np.eye(65)], ids=["ours", "original"])
@pytest.mark.parametrize("named, said", [
    ({"shift_x": 33}, "shift_x is 33 for a footprint of (3|65) cells, expected -(1|32) to (1|32)$"),
    ({"shift_y": -33}, "shift_y is -33 for a footprint of (3|65) cells, expected -"),
    ({"out": np.zeros((31, 36))}, "out has the shape .31, 36., the image .31, 37."),
    ({"mask": np.ones((1, 37))}, "the mask has the shape .1, 37., the image .31, 37."),
])
def test_refused_before_scikit_image_sees_it(footprint, named, said):
    with pytest.raises(ValueError, match=said):
        entropy(IMAGE, footprint, **named)


@pytest.mark.parametrize("name, side, shift, least, most", [
    ("shift_x", 4, 2, -2, 1), ("shift_x", 4, -3, -2, 1), ("shift_y", 3, 2, -1, 1),
    ("shift_y", 3, -2, -1, 1)])
def test_the_first_shift_that_leaves_the_footprint_is_refused(name, side, shift, least, most):
    said = f"{name} is {shift} for a footprint of {side} cells, expected {least} to {most}"
    with pytest.raises(ValueError, match=said):
        entropy(IMAGE, np.ones((3, 4)), **{name: shift})
    entropy(IMAGE, np.ones((3, 4)), **{name: min(max(shift, least), most)})


def test_more_that_is_refused():
    with pytest.raises(ValueError, match="the footprint has the shape .0, 3., the image"):
        entropy(IMAGE, SQUARE[:0])
    with pytest.raises(TypeError, match="out is a list, expected a NumPy array"):
        entropy(IMAGE, SQUARE, out=[[0]])


@pytest.mark.parametrize("shift", [1.0, 1.5, -0.5, np.float32(-1.9)])
def test_shifts_that_are_real_numbers_are_cut_off(shift):
    compare(IMAGE, np.ones((5, 4)), shift_x=shift, shift_y=shift)


def test_a_shift_that_is_a_truth_of_numpy_warns():
    with pytest.warns(UserWarning, match="`shift_x` is boolean and will be interpreted as int"):
        found = entropy(IMAGE, SQUARE, shift_x=np.True_)
    np.testing.assert_array_equal(found, entropy(IMAGE, SQUARE, shift_x=1))
