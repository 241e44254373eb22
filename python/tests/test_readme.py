"""The pages of the package: what they show is run as written, and does what they say."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

import local_entropy
from files import convert
from local_entropy import diversity, entropy
from local_entropy.command.options import EXAMPLES, parser
from test_cucim import gpu

HERE = pathlib.Path(__file__).resolve().parent
PAGE, CLUSTER = HERE.parent / "README.md", HERE.parent / "CLUSTER.md"
if not PAGE.is_file():
    pytest.skip("the README is not beside these tests", allow_module_level=True)
PACKAGE = pathlib.Path(local_entropy.__file__).parent

RANDOM = np.random.default_rng(2)
SCENE = RANDOM.integers(0, 200, (2, 60, 70), dtype=np.uint8)
HEIGHTS = RANDOM.uniform(-50, 3100, (60, 70)).astype(np.float32)
COVER = RANDOM.integers(0, 6, (70, 60), dtype=np.uint8)
CELLS = RANDOM.integers(0, 50, (2, 3, 40, 50), dtype=np.uint16)
IMAGE = RANDOM.integers(0, 256, (50, 40), dtype=np.uint8)
NAN = float("nan")


# ---- what is on the pages ----------------------------------------------------------------------


def blocks(page, language):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    return [block for name, block in found if name == language]


def shell_lines(page):
    """What a shell would run: without comments."""
    lines = [shlex.split(line, comments=True) for block in blocks(page, "")
             for line in block.splitlines()]
    return [shlex.join(words) for words in lines if words]


def commands_of_the_help():
    return [shlex.join(line.split()) for line in EXAMPLES.splitlines()
            if line.startswith("  local-entropy ")]


def is_command(line):
    return line.startswith("local-entropy ")


# ---- the command -------------------------------------------------------------------------------


def disk(size):
    """Cells whose centres are in the circle that fills the window."""
    y, x = np.mgrid[:size, :size] - (size - 1) / 2
    return np.hypot(y, x) <= size / 2


def of_skimage(image):
    filters = pytest.importorskip("skimage.filters", reason="needs scikit-image")
    return filters.rank.entropy(image, np.ones((9, 9)))


# A command, and what its output holds: by the functions, whose values other tests look at.
RESULTS = {
    "local-entropy scene.tif entropy.tif":
        lambda: entropy(SCENE, 9),
    "local-entropy scene.tif entropy.tif --size 9 --mode reflect":
        lambda: entropy(SCENE, 9, mode="reflect"),
    "local-entropy scene.tif entropy.tif --size 21 --mode reflect --compress zstd":
        lambda: entropy(SCENE, 21, mode="reflect"),
    "local-entropy scene.tif entropy.tif --driver COG --compress deflate":
        lambda: entropy(SCENE, 9),
    "local-entropy heights.tif texture.tif --levels 64 --range 0 3000 --clip":
        lambda: entropy(HEIGHTS, 9, levels=64, range=(0, 3000), clip=True),
    "local-entropy cover.tif diversity.tif --index hill --q 2 --nodata 0 --size 51":
        lambda: np.where(COVER == 0, NAN, diversity(COVER, 51, "hill", q=2, nodata=0, empty=NAN)),
    "local-entropy photo.jpg entropy.npy --band 2 --preview entropy.png":
        lambda: entropy(read("photo.jpg")[1], 9),
    "local-entropy cells.ome.tif texture.ome.tif --size 5 --footprint disk":
        lambda: entropy(CELLS, footprint=disk(5)),
    "local-entropy image.png same.npy --size 9 --like-skimage":
        lambda: of_skimage(IMAGE),
}


def make(name):
    """The input that a command of the pages names."""
    if name == "cells.ome.tif":
        pytest.importorskip("tifffile", reason="pip install tifffile").imwrite(
            name, CELLS, metadata={"axes": "TCYX"})
        return
    rasterio = pytest.importorskip("rasterio", reason="pip install rasterio")
    colours = RANDOM.integers(0, 256, (3, 64, 80), dtype=np.uint8)
    bands = {"scene.tif": SCENE, "heights.tif": HEIGHTS[None], "cover.tif": COVER[None],
             "photo.jpg": colours, "image.png": IMAGE[None]}[name]
    drivers = {".tif": "GTiff", ".jpg": "JPEG", ".png": "PNG"}
    with rasterio.open(name, "w", driver=drivers[name[-4:]], count=len(bands),
                       height=bands.shape[1], width=bands.shape[2], dtype=bands.dtype) as file:
        file.write(bands)


def read(name):
    if name.endswith(".npy"):
        return np.load(name)
    if name.endswith(".ome.tif"):
        return pytest.importorskip("tifffile").imread(name)
    with pytest.importorskip("rasterio").open(name) as file:
        return file.read()


@pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
@pytest.mark.parametrize("line", dict.fromkeys(
    [*filter(is_command, shell_lines(PAGE)), *commands_of_the_help()]))
def test_commands(line, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    _, source, target, *options = shlex.split(line)
    if "--preview" in options:
        pytest.importorskip("matplotlib", reason="needs matplotlib")
    make(source)
    convert(capfd, source, target, *options)
    found, expected = read(target), RESULTS[line]()
    assert found.dtype == (np.float64 if "--like-skimage" in options else np.float32)
    if "--like-skimage" in options:
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected.reshape(found.shape))
    assert ("--preview" in options) == (tmp_path / "entropy.png").is_file()


@pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
def test_the_files_that_the_commands_write(tmp_path, monkeypatch, capfd):
    """A smaller file, and a cloud optimized GeoTIFF."""
    rasterio = pytest.importorskip("rasterio", reason="pip install rasterio")
    monkeypatch.chdir(tmp_path)
    make("scene.tif")
    structure = {}
    for line in filter(lambda line: "--compress" in line, RESULTS):
        convert(capfd, *shlex.split(line)[1:])
        with rasterio.open("entropy.tif") as file:
            structure[line] = (file.compression.name, file.tags(ns="IMAGE_STRUCTURE").get("LAYOUT"))
    assert list(structure.values()) == [("zstd", None), ("deflate", "COG")]


def test_every_argument_is_one_that_there_is():
    """In the text, too; `-v` and the like are pip's."""
    known = {option for action in parser()._actions for option in action.option_strings}
    own = re.sub(r"```.*?```", "", PAGE.read_text(), flags=re.DOTALL)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", own))
    of_scripts = {"--output", "--csv"}
    assert named - known == of_scripts


# ---- Python ------------------------------------------------------------------------------------


def test_the_functions():
    code, = (block for block in blocks(PAGE, "python") if "hill" in block)
    made = {}
    exec(compile(code, str(PAGE), "exec"), made)
    image, bits = made["image"], made["bits"]
    assert bits.dtype == np.float32 and bits.shape == image.shape == (2000, 3000)
    part = np.s_[:40, :50]
    around = image[:44, :54]
    np.testing.assert_array_equal(bits[part], entropy(around, (9, 9), mode="crop")[part])
    assert made["disk"].shape == image.shape
    near, (y, x) = image[:45, :55], np.mgrid[:11, :11] - 5
    hypot = np.sqrt(x * x + y * y)
    np.testing.assert_array_equal(
        made["disk"][part], entropy(near, footprint=hypot <= 5, mode="reflect")[part])
    sixteen = image[:50, :60] // 16
    np.testing.assert_array_equal(made["hill"][part],
                                  diversity(sixteen, 21, "hill", q=2, levels=16)[part])


@pytest.mark.parametrize("package", ["NumPy", "CuPy"])
def test_arrays_of_a_gpu(package, monkeypatch):
    """With NumPy in the place of CuPy everywhere, and by CuPy itself where there is a GPU."""
    if package == "NumPy":
        monkeypatch.setitem(sys.modules, "cupy", np)
    elif gpu() is None:
        pytest.skip("needs CuPy and a GPU")
    code, = (block for block in blocks(PAGE, "python") if "cupy" in block)
    made = {}
    exec(compile(code, str(PAGE), "exec"), made)
    image, bits = (each.get() if hasattr(each, "get") else each
                   for each in (made["image"], made["bits"]))
    assert type(made["bits"]) is type(made["image"])
    np.testing.assert_array_equal(bits, entropy(image, 9, levels=200))


def test_arrays_with_coordinates(tmp_path, monkeypatch):
    xarray = pytest.importorskip("xarray", reason="pip install xarray")
    pytest.importorskip("zarr", reason="pip install zarr")
    pytest.importorskip("dask.array", reason="pip install dask[array]")
    monkeypatch.chdir(tmp_path)
    xarray.DataArray(COVER, dims=("y", "x"), coords={"y": np.arange(70) * 10.0}, name="cover",
                     attrs={"source": "a survey"}).to_dataset().to_zarr("cover.zarr")
    code, = (block for block in blocks(CLUSTER, "python") if "open_zarr" in block)
    exec(compile(code, str(CLUSTER), "exec"), {})
    hill = xarray.open_zarr("hill.zarr").hill
    np.testing.assert_array_equal(
        hill, diversity(COVER, 21, "hill", q=2, mask=COVER != 0, empty=NAN))
    assert hill.attrs == {"source": "a survey"} and (hill.y == np.arange(70) * 10).all()


def test_a_cluster_of_this_machine(tmp_path):
    """The script, in a process of its own: its workers start from it."""
    zarr = pytest.importorskip("zarr", reason="pip install zarr")
    pytest.importorskip("dask.array", reason="pip install dask[array]")
    pytest.importorskip("distributed", reason="pip install dask[distributed]")
    code, = (block for block in blocks(CLUSTER, "python") if "LocalCluster(" in block)
    (tmp_path / "script.py").write_text(code)
    zarr.open(str(tmp_path / "scene.zarr"), mode="w", shape=COVER.shape, chunks=(32, 32),
              dtype=COVER.dtype)[...] = COVER
    ended = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, timeout=120, text=True,
                           env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert ended.returncode == 0, ended.stderr
    found = zarr.open(str(tmp_path / "entropy.zarr"), mode="r")[...]
    np.testing.assert_array_equal(found, entropy(COVER, 9, mode="reflect"))


# ---- the rest of the pages ---------------------------------------------------------------------


def test_nothing_is_shown_that_no_test_runs():
    """What compiles is run by `make python`, scripts by test_examples.py; of the page about
    clusters, code that needs a queue or GPUs by test_cluster.py, as far as it can be here."""
    others = [line for line in shell_lines(PAGE) if not is_command(line)]
    compiles = re.compile(r"(CUDA=0 )?pip install '?\./python")
    scripts = [line for line in others if not compiles.match(line)
               and line != "pip install matplotlib scikit-image"]
    assert [line.split()[1] for line in scripts] == [
        f"python/examples/{name}.py" for name in ("texture", "defects", "land_cover", "compare")]
    assert len(blocks(PAGE, "python")) == 2  # test_the_functions, test_arrays_of_a_gpu
    assert all(compiles.match(line) for line in shell_lines(CLUSTER))
    elsewhere = [block for block in blocks(CLUSTER, "python")
                 if "open_zarr" not in block and "LocalCluster(" not in block]
    assert all(re.search("SLURMCluster|CUDA_VISIBLE_DEVICES", block) for block in elsewhere)


def test_every_module_is_in_the_list_of_what_is_where():
    text = PAGE.read_text().partition("**What is where.**")[2]
    there = {path.name for folder in (PACKAGE, PACKAGE / "command")
             for path in folder.glob("*.py")}
    named = set(re.findall(r"`(\w+\.py)`", text))
    assert named == there - {"__init__.py", "__main__.py"}


def test_links_and_files_that_are_named_are_there():
    root = HERE.parents[1]
    for page in (PAGE, CLUSTER):
        text = page.read_text()
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (page.parent / link).exists(), link
        for tool in re.findall(r"tools/\w+\.py", text):
            assert not (root / "tools").is_dir() or (root / tool).is_file(), tool


def test_extras_that_are_named_are_those_that_there_are():
    text = (HERE.parent / "pyproject.toml").read_text()
    block = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    named = set(re.findall(r"\[([a-z]+)\]", PAGE.read_text() + CLUSTER.read_text()))
    assert named | {"test"} == set(re.findall(r"^(\w+) = ", block, re.MULTILINE))
