"""Random questions, compared with the definition."""

import math

import numpy as np
import pytest

import local_entropy
from reference import reference

MODES = ("crop", "constant", "nearest", "reflect", "mirror", "wrap")
BASES = (2, 10, math.e)
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
REALS = ("float16", "float32", "float64")
QUESTIONS = 400


def side(random):
    return int(random.choice([1, 2, 3, 5, 8, 13, 21]))


class Image:
    """Cells of some type, the arguments that describe them, and their levels by the definition."""

    def __init__(self, random, shape):
        self.type = str(random.choice(("bool", *INTEGERS, *REALS)))
        self.arguments = {}
        if self.type == "bool":
            self.cells = random.random(shape) < 0.3
            self.levels = self.cells.astype(int)
        elif self.type in INTEGERS:
            self.integers(random, shape)
        else:
            self.reals(random, shape)

    def integers(self, random, shape):
        limits = np.iinfo(self.type)
        low = int(random.choice([0, 0, limits.min, limits.max - 99, -3]))
        low = min(max(low, limits.min), limits.max - 99)
        self.cells = (random.integers(0, int(random.choice([1, 2, 7, 99])), shape)
                      .astype(self.type) + np.array(low, self.type))
        self.levels = self.cells.astype(object) - low
        if low == 0 and random.random() < 0.3:
            self.arguments = {"levels": int(random.choice([99, 100, 65536]))}
        elif abs(low) < 1 << 40 and random.random() < 0.2:
            self.bins(random, float(low), float(low) + 99, 8)

    def reals(self, random, shape):
        low, high = (float(x) for x in random.choice([(0, 1), (-5, 3), (1024, 4096)]))
        self.cells = random.uniform(low, high, shape).astype(self.type)
        self.bins(random, low, high, int(random.choice([2, 5, 16, 300])))

    def bins(self, random, low, high, number):
        self.arguments = {"levels": number, "range": (low, high)}
        exact = self.cells.astype(np.float64)  # double precision
        self.levels = np.minimum(np.floor((exact - low) * (number / (high - low))), number - 1)
        if self.cells.dtype.kind == "f" and random.random() < 0.4:
            gone = random.random(self.cells.shape) < 0.2
            self.cells[gone] = np.nan
            self.levels[gone] = -1

    def take_away(self, random):
        """A mask, a value that stands for no data."""
        if random.random() < 0.3:
            mask = random.random(self.cells.shape) < 0.7
            self.levels = np.where(mask, self.levels, -1)
            self.arguments["mask"] = mask if random.random() < 0.5 else mask * np.uint8(7)
        if random.random() < 0.3:
            nodata = self.cells.flat[0]
            self.levels = np.where(self.cells == nodata, -1, self.levels)
            self.arguments["nodata"] = nodata.item()

    def border(self, random):
        """A mode, and the level of cells beyond the edge."""
        self.arguments["mode"] = mode = str(random.choice(MODES))
        inside = self.levels >= 0
        if mode != "constant" or not inside.any():
            self.arguments["mode"] = "crop" if mode == "constant" else mode
            return 0
        self.arguments["cval"] = self.cells[inside][-1].item()
        return int(self.levels[inside][-1])


def window(random):
    """Arguments, and the cells of the window as an array."""
    shape = side(random), side(random)
    origin = tuple(int(random.integers(-(n // 2), (n - 1) // 2 + 1)) for n in shape)
    if random.random() < 0.5:
        return {"size": shape, "origin": origin}, np.ones(shape), origin
    footprint = random.random(shape) < 0.6
    footprint.flat[0] = True
    return {"footprint": footprint, "origin": origin}, footprint, origin


def measure(random):
    index = str(random.choice(["entropy", "shannon", "simpson", "richness", "hill"]))
    base = BASES[random.integers(3)]
    if index == "entropy":
        return local_entropy.entropy, {"base": base}, {"base": base}
    q = float(random.choice([0, 0.5, 1, 2, 3.7, math.inf])) if index == "hill" else None
    mine = {"index": index, "q": q, "base": base}
    return local_entropy.diversity, mine, mine


@pytest.mark.parametrize("seed", range(QUESTIONS))
def test_question(seed):
    random = np.random.default_rng(seed)
    image = Image(random, (int(random.integers(1, 24)), int(random.integers(1, 24))))
    image.take_away(random)
    outside = image.border(random)
    around, footprint, origin = window(random)
    function, kind, of_reference = measure(random)
    empty = float(random.choice([0, -1, math.nan]))
    dtype = random.choice(["float32", "float64"])
    found = function(image.cells, **around, **kind, **image.arguments, empty=empty, dtype=dtype,
                     threads=int(random.integers(1, 3)))
    expected = reference(image.levels, footprint, origin=origin, mode=image.arguments["mode"],
                         outside=outside, empty=empty, **of_reference)
    assert found.dtype == dtype and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "float32" else 1e-12,
                               atol=1e-15)


def test_the_window_unless_told():
    image = np.random.default_rng(5).integers(0, 9, (20, 21), dtype=np.uint8)
    assert np.array_equal(local_entropy.entropy(image), local_entropy.entropy(image, 9))


def test_the_base_e_by_name():
    image = np.random.default_rng(5).integers(0, 9, (20, 21), dtype=np.uint8)
    assert np.array_equal(local_entropy.entropy(image, base="e"),
                          local_entropy.entropy(image, base=math.e))


def test_an_origin_as_a_list():
    image = np.random.default_rng(5).integers(0, 9, (20, 21), dtype=np.uint8)
    assert np.array_equal(local_entropy.entropy(image, 5, origin=[1, -2]),
                          local_entropy.entropy(image, 5, origin=(1, -2)))


def test_zeros_of_both_signs():
    """Equal as keys of what is kept, but not as results."""
    for empty in (0.0, -0.0, 0.0):
        found = local_entropy.entropy(np.zeros((2, 3), np.uint8), mask=np.zeros((2, 3), bool),
                                      empty=empty)
        assert (np.signbit(found) == np.signbit(empty)).all()
