"""The binding and the header say the same."""

import ctypes
import pathlib
import re
import subprocess
import sys

import pytest

from local_entropy import LevelError, synchronize
from local_entropy import _library as library

HEADER = pathlib.Path(__file__).parents[2] / "sources/local_entropy/local_entropy.h"
TYPES = {"size_t": ctypes.c_size_t, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64,
         "double": ctypes.c_double}
STRUCTS = {"le_filter": library.Filter, "le_image": library.Array, "le_result": library.Array,
           "le_region": library.Region,
           "le_engine_options": library.EngineOptions, "le_run_options": library.RunOptions}


@pytest.fixture(scope="module")
def header():
    if not HEADER.exists():
        pytest.skip("needs the sources of the library")
    return re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)


def fields(header, name):
    body = re.search(rf"typedef struct {name}\s*{{(.*?)}} {name};", header, re.DOTALL)[1]
    body = re.sub(r"int \(\*(\w+)\)\([^)]*\)", r"void *\1", body)
    for declared in filter(str.strip, body.split(";")):
        kind, names = re.fullmatch(r"\s*((?:const )?\w+ ?\**)\s*(.*)", declared, re.DOTALL).groups()
        for field in names.split(","):
            pointer = "*" in kind or "*" in field
            yield field.strip(" *\n"), None if pointer else TYPES[kind.strip()]


@pytest.mark.parametrize("name", STRUCTS)
def test_structs(header, name):
    declared = list(fields(header, name))
    mine = STRUCTS[name]._fields_
    assert [field for field, _ in mine] == [field for field, _ in declared]
    for (field, kind), (_, expected) in zip(mine, declared):
        if expected is None:
            assert kind in (ctypes.c_void_p, ctypes.c_char_p), field
        else:
            assert kind is expected, field


def test_enumerators(header):
    names = dict(re.findall(r"\bLE_(\w+) = (\d+)", header))
    mine = {"ENTROPY", "SIMPSON", "RICHNESS", "HILL", "CUT", "UINT8", "FLOAT64", "BAD_LEVEL"}
    assert mine <= set(names)
    for name, number in names.items():
        assert getattr(library, name) == int(number), name


def test_version(header):
    assert library.version() == re.search(r'LE_VERSION "(.*)"', header)[1]


def test_the_version_is_the_last_that_changes_are_listed_of(header):
    changes = (HEADER.parent / "CHANGELOG.md").read_text()
    assert re.search(r"^## (.*)$", changes, re.MULTILINE)[1] == library.version()


def test_defaults():
    made = library.default_filter()
    assert (made.width, made.height, made.levels, made.order) == (5, 5, 256, 1)


def test_a_package_without_its_library(monkeypatch, tmp_path):
    monkeypatch.setattr(library, "__file__", str(tmp_path / "_library.py"))
    with pytest.raises(ImportError, match="does not load: .*; it is built by pip install"):
        library._load()


@pytest.mark.parametrize("sentence, kind", [
    (b"no memory", MemoryError),
    (b"no host memory for the tables of entropies", MemoryError),
    (b"cudaMalloc: out of memory", MemoryError),
    (b"more than 2^30 columns or rows are not computed in the memory of a GPU", RuntimeError),
    (b"needs a GPU with more shared memory", RuntimeError),
])
def test_what_is_not_available(monkeypatch, sentence, kind):
    monkeypatch.setattr(library._library, "le_last_error", lambda: sentence)
    with pytest.raises(kind, match=re.escape(sentence.decode())):
        library._fail(library.UNAVAILABLE)


@pytest.mark.parametrize("sentence, message, index", [
    ("the cell at x 7, y 5 is 300, expected an integer 0..255",
     "image[2, 5, 7] is 300, expected an integer 0..255", (2, 5, 7)),
    ("the cell at x 7, y 5 of an image that was put into a stream is not a level",
     "the cell [5, 7] of an image that was put into a stream is not a level", (5, 7)),
    ("a cell is not a level", "a cell is not a level", None),
])
def test_cells_that_are_no_levels(monkeypatch, sentence, message, index):
    monkeypatch.setattr(library._library, "le_last_error", sentence.encode)
    with pytest.raises(LevelError) as caught:
        library._fail(library.BAD_LEVEL, (2,))
    assert str(caught.value) == message and caught.value.index == index


def test_what_synchronize_finds(monkeypatch):
    monkeypatch.setattr(library, "_engines", {library.ON_GPUS: 1})
    monkeypatch.setattr(library._library, "le_synchronize", lambda engine: library.BAD_LEVEL)
    monkeypatch.setattr(library._library, "le_last_error", lambda:
                        b"the cell at x 7, y 5 of an image that was put into a stream is none")
    with pytest.raises(LevelError, match=r"the cell \[5, 7\] of an image"):
        synchronize()


def test_no_other_package_is_imported():
    """For images in host memory: each looks whether one of its own can be there, which needs no
    import of it, and is right where it is not imported."""
    others = ("cupy", "dask", "matplotlib", "numba", "rasterio", "skimage", "tifffile", "torch",
              "xarray", "zarr")
    code = f"""
import sys
import numpy as np
import local_entropy
import local_entropy.skimage, local_entropy.cucim
cells = [[1, 2], [3, 4]]
image = np.array(cells, np.uint8)
for kind in (list, np.array, np.ma.array, np.asmatrix):
    for mask in (None, cells, np.ma.array(cells), np.asmatrix(cells)):
        assert (local_entropy.entropy(kind(cells), 3, mask=mask) == 2).all()
assert (local_entropy.entropy(memoryview(image), 3) == 2).all()
assert (local_entropy.skimage.entropy(image, np.ones((3, 3))) == 2).all()
print(*(set({others!r}) & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")
