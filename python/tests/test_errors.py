"""What is refused, and what the sentences say."""

import numpy as np
import pytest

from local_entropy import diversity, entropy

IMAGE = np.zeros((5, 6), np.uint8)

REFUSED = [
    ({"size": 0}, r"size is 0 x 0 \(rows x columns\), expected 1 to 255 each"),
    ({"size": (3, 256)}, "size is 3 x 256"),
    ({"size": 1 << 40}, "size is 1099511627776 x 1099511627776"),
    ({"size": 3.0}, "size is 3.0, expected an integer or two"),
    ({"size": (3, 3, 3)}, r"size is \(3, 3, 3\), expected"),
    ({"size": "9"}, "size is '9', expected"),
    ({"size": 3, "footprint": np.ones((3, 3))}, "size and footprint are both given"),
    ({"footprint": np.ones(3)}, "footprint has 1 dimensions, expected 2"),
    ({"footprint": np.zeros((3, 3))}, "no cell of the footprint counts"),
    ({"footprint": np.eye(64)}, r"footprint is 64 x 64 .*, expected 1 to 63 each, or all"),
    ({"footprint": np.ones((3, 0))}, "footprint is 3 x 0"),
    ({"footprint": np.ones((3, 256))}, "footprint is 3 x 256 .*, expected 1 to 255 each$"),
    ({"size": 3, "origin": 2}, "origin has 2 for a side of 3, expected -1 to 1"),
    ({"size": (3, 4), "origin": (0, -3)}, "origin has -3 for a side of 4, expected -2 to 1"),
    ({"size": 4, "origin": 2}, "origin has 2 for a side of 4, expected -2 to 1"),
    ({"size": 3, "origin": "no"}, "origin is 'no', expected an integer or two"),
    ({"levels": 1}, "levels is 1, expected 2 to 65536"),
    ({"levels": 65537}, "levels is 65537, expected 2 to 65536"),
    ({"range": (0, 1)}, "range is given without levels"),
    ({"levels": 4, "range": 1}, r"range is 1, expected two numbers"),
    ({"levels": 4, "range": (1, 1)}, r"range is \(1, 1\), expected finite numbers, low below high"),
    ({"levels": 4, "range": (0, np.inf)}, r"range is \(0, inf\), expected finite"),
    ({"levels": 4, "range": (np.nan, 1)}, r"range is \(nan, 1\), expected finite"),
    ({"mask": np.ones((5, 5))}, r"the mask has the shape \(5, 5\), the image \(5, 6\)"),
    ({"mask": np.ones(6)}, r"the mask has the shape \(6,\), the image \(5, 6\)"),
    ({"mode": "same"}, "mode is 'same', expected 'crop', 'constant', .* or 'wrap'"),
    ({"mode": "constant", "cval": 300}, "the constant of the border, 300, is not a cell"),
    ({"base": 3}, "base is 3, expected 2, 10 or math.e"),
    ({"base": [2]}, r"base is \[2\], expected 2, 10 or math.e"),
    ({"out": np.zeros((5, 5), np.float32)}, r"out has the shape \(5, 5\), the image \(5, 6\)"),
    ({"out": np.zeros((5, 6), np.int32)}, "out is int32, expected float32 or float64"),
    ({"out": np.zeros((5, 6)), "dtype": np.float32}, "out is float64, dtype float32"),
    ({"out": np.broadcast_to(np.float32(0), (5, 6))}, "out is read-only"),
    ({"dtype": np.float16}, "dtype is float16, expected float32 or float64"),
    ({"device": "gpu"}, "device is 'gpu', expected 'auto' or 'cpu'"),
    ({"threads": 0}, "threads is 0, expected 1 or more"),
    ({"threads": 1 << 32}, "threads is 4294967296, expected"),
]


@pytest.mark.parametrize("arguments, match", REFUSED)
def test_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        entropy(IMAGE, **arguments)
    entropy(IMAGE)  # what was refused is not remembered


@pytest.mark.parametrize("image", [np.zeros((2, 2), complex), np.array([["a", "b"]]),
                                   np.array([[{}]]), np.zeros((2, 2), "M8[s]")])
def test_cells_that_are_no_numbers(image):
    with pytest.raises(TypeError, match="expected bool, integers or real numbers"):
        entropy(image)


@pytest.mark.parametrize("image", [7, [1, 2, 3], np.zeros(0)])
def test_images_without_rows(image):
    with pytest.raises(ValueError, match=r"dimensions, expected \(..., rows, columns\)"):
        entropy(image)


@pytest.mark.parametrize("index, q, match", [
    ("hill", None, "q is missing"),
    ("simpson", 2, "q is given for the index 'simpson'"),
    ("gini", None, "index is 'gini', expected 'shannon', 'simpson', 'richness' or 'hill'"),
    ("hill", -1, "order of a Hill number is -1, expected 0 or more"),
    ("hill", np.nan, "order of a Hill number is nan"),
])
def test_refused_indices(index, q, match):
    with pytest.raises(ValueError, match=match):
        diversity(IMAGE, 3, index, q=q)


def test_an_out_of_another_kind():
    with pytest.raises(TypeError, match="out is a list, expected a NumPy array"):
        entropy(IMAGE, out=[[0.0]])
