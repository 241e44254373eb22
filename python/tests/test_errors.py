"""What is refused, and what the sentences say."""

import numpy as np
import pytest

from local_entropy import diversity, entropy

IMAGE = np.zeros((5, 6), np.uint8)

REFUSED = [
    ({"size": 0}, r"size is 0 x 0 \(rows x columns\), expected 1 to 255 each"),
    ({"size": (3, 256)}, "size is 3 x 256"),
    ({"size": 1 << 40}, "size is 1099511627776 x 1099511627776"),
    ({"size": (3, 3, 3)}, r"size is \(3, 3, 3\), expected"),
    ({"size": 3, "footprint": np.ones((3, 3))}, "size and footprint are both given"),
    ({"footprint": np.ones(3)}, "footprint has 1 dimensions, expected 2"),
    ({"footprint": np.ones((2, 3, 3))}, "footprint has 3 dimensions, expected 2"),
    ({"footprint": np.zeros((3, 3))}, "no cell of the footprint counts"),
    ({"footprint": np.eye(64)}, r"footprint is 64 x 64 .*, expected 1 to 63 each, or all"),
    ({"footprint": np.ones((3, 0))}, "footprint is 3 x 0"),
    ({"footprint": [[1, 1], [1]]}, "the footprint is a list of rows of different lengths, expect"),
    ({"mask": ([1, 1], [1])}, "the mask is a tuple of rows of different lengths, expected"),
    ({"footprint": np.ones((3, 256))}, "footprint is 3 x 256 .*, expected 1 to 255 each$"),
    ({"size": 3, "origin": 2}, "origin has 2 for a side of 3, expected -1 to 1"),
    ({"size": (3, 4), "origin": (0, -3)}, "origin has -3 for a side of 4, expected -2 to 1"),
    ({"size": 4, "origin": 2}, "origin has 2 for a side of 4, expected -2 to 1"),
    ({"levels": 1}, "levels is 1, expected 2 to 65536"),
    ({"levels": 65537}, "levels is 65537, expected 2 to 65536"),
    ({"range": (0, 1)}, "range is given without levels"),
    ({"levels": 4, "range": (1, 2, 3)}, r"range is \(1, 2, 3\), expected two numbers"),
    ({"levels": 4, "range": (0, 10**400)}, r"range is \(0, 1000+\), expected two numbers"),
    ({"levels": 4, "range": (1, 1)}, r"range is \(1, 1\), expected finite numbers, low below high"),
    ({"levels": 4, "range": (0, np.inf)}, r"range is \(0, inf\), expected finite"),
    ({"levels": 4, "range": (-1e308, 1e308)}, r"range is \(-1e\+308, 1e\+308\), expected finite"),
    ({"levels": 4, "range": (np.nan, 1)}, r"range is \(nan, 1\), expected finite"),
    ({"mask": np.ones((5, 5))}, r"the mask has the shape \(5, 5\), the image \(5, 6\)"),
    ({"mask": np.ones(6)}, r"the mask has the shape \(6,\), the image \(5, 6\)"),
    ({"mode": "same"}, "mode is 'same', expected 'crop', 'constant', .* or 'wrap'"),
    ({"mode": "constant", "cval": 300}, "cval is 300, expected a cell that has a level"),
    ({"mode": [1]}, r"mode is \[1\], expected 'crop', 'constant'"),
    ({"nodata": 10**400}, "nodata is 1000+, expected a number of double precision"),
    ({"base": 3}, "base is 3, expected 2, 10 or math.e"),
    ({"base": [2]}, r"base is \[2\], expected 2, 10 or math.e"),
    ({"out": np.zeros((5, 5), np.float32)}, r"out has the shape \(5, 5\), the image \(5, 6\)"),
    ({"out": np.zeros((5, 6), np.int32)}, "out is int32, expected float32 or float64"),
    ({"out": np.zeros((5, 6)), "dtype": np.float32},
     "out is float64, dtype float32, expected the same$"),
    ({"out": np.zeros((5, 6), ">f8"), "dtype": "<f8"},
     "out is >f8, dtype float64, expected the same: their byte order differs$"),
    ({"out": np.broadcast_to(np.float32(0), (5, 6))}, "out is read-only"),
    ({"dtype": np.float16}, "dtype is float16, expected float32 or float64"),
    ({"device": "gpu"}, "device is 'gpu', expected 'auto' or 'cpu'"),
    ({"threads": 0}, "threads is 0, expected 1 to 2147483647"),
    ({"threads": 1 << 32}, "threads is 4294967296, expected 1 to 2147483647"),
]


WRONG_TYPES = [
    ({"size": 3.0}, "size is 3.0, expected an integer or two"),
    ({"size": "9"}, "size is '9', expected"),
    ({"size": True}, "size is True, expected an integer or two"),
    ({"size": (3.0, 3)}, r"size is \(3.0, 3\), expected an integer or two"),
    ({"size": (3, np.True_)}, r"size is \(3, .*True.*\), expected an integer or two"),
    ({"size": 3, "origin": "no"}, "origin is 'no', expected an integer or two"),
    ({"footprint": np.ones((3, 3)), "origin": 1.0}, "origin is 1.0, expected an integer or two"),
    ({"footprint": "disk"}, "the footprint is a str, expected an array of bool, integers or real"),
    ({"footprint": [["0"]]}, "the footprint is <U1, expected an array of bool, integers or real"),
    ({"mask": "mask.png"}, "the mask is a str, expected an array of bool, integers or real"),
    ({"mask": np.full((5, 6), None)}, "the mask is object, expected an array of bool, integers"),
    ({"mask": np.ones((5, 6), complex)}, "the mask is complex128, expected an array of bool, int"),
    ({"footprint": np.ones((3, 3), "c8")}, "the footprint is complex64, expected an array of bool"),
    ({"clip": "no"}, "clip is 'no', expected True or False"),
    ({"levels": 4, "clip": 2}, "clip is 2, expected True or False"),
    ({"levels": 2.5}, "levels is 2.5, expected an integer"),
    ({"levels": True}, "levels is True, expected an integer"),
    ({"levels": 4, "range": 1}, r"range is 1, expected two numbers \(low, high\)"),
    ({"levels": 4, "range": (0, "1")}, r"range is \(0, '1'\), expected two numbers"),
    ({"nodata": "5"}, "nodata is '5', expected a real number"),
    ({"nodata": b"5"}, "nodata is b'5', expected a real number"),
    ({"nodata": 1j}, "nodata is 1j, expected a real number"),
    ({"nodata": [1]}, r"nodata is \[1\], expected a real number"),
    ({"cval": "5"}, "cval is '5', expected a real number"),
    ({"cval": None}, "cval is None, expected a real number"),
    ({"empty": "nan"}, "empty is 'nan', expected a real number"),
    ({"empty": np.complex64(1)}, "empty is .*, expected a real number"),
    ({"dtype": "single precision"}, "dtype is 'single precision', expected float32 or float64"),
    ({"out": [1]}, "out is a list, expected a NumPy array as the image is one"),
    ({"threads": "2"}, "threads is '2', expected an integer"),
    ({"threads": 2.5}, "threads is 2.5, expected an integer"),
    ({"threads": True}, "threads is True, expected an integer"),
    ({"progress": 3}, "progress is 3, expected a function"),
    ({"progress": 0}, "progress is 0, expected a function"),
]


@pytest.mark.parametrize("arguments, match", WRONG_TYPES)
def test_arguments_of_a_wrong_type(arguments, match):
    entropy(IMAGE, (3, 3))  # that 3.0 equals 3, and True 1, does not make them sizes
    with pytest.raises(TypeError, match=match):
        entropy(IMAGE, **arguments)


def test_numbers_of_other_types():
    """Integers and real numbers of NumPy are some, too."""
    expected = entropy(IMAGE + 5, 3, levels=4, clip=True, nodata=1, empty=2, threads=1)
    for clip in (1, np.True_, np.uint8(1)):
        found = entropy(IMAGE + 5, np.int8(3), levels=np.array(4), clip=clip, nodata=np.float32(1),
                        empty=np.array(2.0), threads=np.uint16(1))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("arguments, match", REFUSED)
def test_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        entropy(IMAGE, **arguments)
    entropy(IMAGE)  # what was refused is not remembered


def test_a_stack_that_is_read_only():
    with pytest.raises(ValueError, match="out is read-only"):
        entropy(IMAGE[None], out=np.broadcast_to(np.float32(0), (1, 5, 6)))


@pytest.mark.parametrize("image", [np.zeros((2, 2), complex), np.array([["a", "b"]]),
                                   np.array([[{}]]), np.zeros((2, 2), "M8[s]")])
def test_cells_that_are_no_numbers(image):
    with pytest.raises(TypeError, match="expected bool, integers or real numbers"):
        entropy(image)


@pytest.mark.parametrize("dtype, arguments, error, match", [
    ("uint8", {"levels": 1}, ValueError, "levels is 1, expected 2 to 65536"),
    ("uint8", {"footprint": np.zeros((3, 3))}, ValueError, "no cell of the footprint counts"),
    ("float32", {}, ValueError, "expected levels and range"),
    ("complex64", {}, TypeError, "the image is complex64, expected bool, integers or real"),
])
def test_images_without_cells_are_no_excuse(dtype, arguments, error, match):
    with pytest.raises(error, match=match):
        entropy(np.zeros((0, 4), dtype), **arguments)


def test_an_image_of_rows_of_different_lengths():
    with pytest.raises(ValueError, match="the image is a list of rows of different lengths, exp"):
        entropy([[1, 2], [3]])


@pytest.mark.parametrize("image", [7, 1j, [1, 2, 3], np.zeros(0)])
def test_images_without_rows(image):
    with pytest.raises(ValueError, match=r"dimensions, expected \(..., rows, columns\)"):
        entropy(image)


@pytest.mark.parametrize("image, found", [(None, "NoneType"), ({}, "dict"), ("cells", "str")])
def test_images_that_are_no_arrays(image, found):
    with pytest.raises(TypeError, match=rf"the image is a {found}, expected an array \(\.\.\., r"):
        entropy(image)


@pytest.mark.parametrize("index, q, match", [
    ("hill", None, "q is missing"),
    ("simpson", 2, "q is given for the index 'simpson'"),
    ("gini", None, "index is 'gini', expected 'shannon', 'simpson', 'richness' or 'hill'"),
    (["hill"], None, r"index is \['hill'\], expected 'shannon', 'simpson'"),
    ("hill", -1, "order of a Hill number is -1, expected 0 or more"),
    ("hill", np.nan, "order of a Hill number is nan"),
])
def test_refused_indices(index, q, match):
    with pytest.raises(ValueError, match=match):
        diversity(IMAGE, 3, index, q=q)


def test_an_order_that_is_no_number():
    with pytest.raises(TypeError, match="q is '2', expected a real number"):
        diversity(IMAGE, 3, "hill", q="2")


def test_indices_without_a_logarithm_leave_the_base_unseen():
    image = np.arange(30, dtype=np.uint8).reshape(5, 6)
    for index, q in (("simpson", None), ("richness", None), ("hill", 1)):
        np.testing.assert_array_equal(diversity(image, 3, index, q=q, base=10),
                                      diversity(image, 3, index, q=q))
