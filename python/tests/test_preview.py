"""Pictures of results."""

import os
import re
import sys

import numpy as np
import pytest

from files import convert, refused
from local_entropy import entropy
from local_entropy.command.kinds import Part
from local_entropy.command.main import main
from local_entropy.command.options import parser, unit_of
from local_entropy.command.preview import round_length

matplotlib = pytest.importorskip("matplotlib", reason="pip install matplotlib")
import matplotlib.figure  # noqa: E402
import matplotlib.pyplot  # noqa: E402

from local_entropy.command.preview import Preview, _draw_length  # noqa: E402

RANDOM = np.random.default_rng(6)


def test_a_picture(tmp_path, capfd):
    image = RANDOM.integers(0, 9, (2, 300, 400), dtype=np.uint8)
    image[:, :, :150] = 3
    np.save(tmp_path / "in.npy", image)
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--preview", tmp_path / "out.png",
            "--memory", "300K")
    assert sorted(os.listdir(tmp_path)) == ["in.npy", "out.npy", "out.png"]
    picture = matplotlib.image.imread(tmp_path / "out.png")
    assert picture.shape[0] > 400 and picture.shape[1] > 600
    colours = {tuple(colour) for colour in (picture[..., :3] * 255).astype(int).reshape(-1, 3)}
    assert len(colours) > 100  # of the map, and not only of the text
    darkest = [68, 1, 84]      # viridis at 0, the flat part
    assert (np.abs(picture[..., :3] * 255 - darkest).max(-1) < 2).mean() > 0.1
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(image))


@pytest.mark.parametrize("shape", [(1, 1), (3000, 1250), (1201, 2400)])
def test_every_nth_cell(shape):
    values = RANDOM.random(shape, np.float32)
    preview = Preview("out.png", *shape, "magma")
    for top in range(0, shape[0], 7):
        for left in range(0, shape[1], 500):
            part = Part(top, min(top + 7, shape[0]), left, min(left + 500, shape[1]))
            preview.see(0, part, values[part.top:part.bottom, part.left:part.right])
            preview.see(1, part, values[part.top:part.bottom, part.left:part.right] * 0)
    step = -(-max(shape) // 1200)
    np.testing.assert_array_equal(preview._cells, values[::step, ::step])


@pytest.mark.parametrize("shape", [(1, 1), (1, 900), (900, 1)])
def test_pictures_of_any_shape(tmp_path, capfd, shape):
    np.save(tmp_path / "in.npy", np.zeros(shape, np.uint8))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--preview", tmp_path / "out.png")
    assert (tmp_path / "out.png").exists()


def texts(path):
    """What is written in a picture; matplotlib draws it as curves, and says beside what it is."""
    return re.findall(r"<!-- (.*?) -->", path.read_text())


def test_what_is_written_in_a_picture(tmp_path, capfd):
    """Of every third cell; the bar is as long as cells are in the file."""
    np.save(tmp_path / "in.npy", np.zeros((2500, 1200), np.uint8))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--size", "3x5", "--preview",
            tmp_path / "out.svg")
    said = texts(tmp_path / "out.svg")
    assert {"Entropy of in.npy, 3 x 5 cells", "bits", "200 cells"} <= set(said), said


def test_the_bar_is_as_long_as_it_says():
    figure = matplotlib.figure.Figure()
    axes = figure.subplots()
    _draw_length(axes, 900, 400, 3.0, "m")
    assert list(axes.lines[0].get_xdata()) == [0, pytest.approx(200 / 3)]
    assert [text.get_text() for text in axes.texts] == ["200 m"]


@pytest.mark.parametrize("code, bar", [(32632, "1 km"), (2263, "200 m"), (4326, "100 cells")])
def test_metres_of_a_raster(tmp_path, capfd, code, bar):
    """Cells of 10 by 25 units of the reference system, which are turned. Degrees are no length."""
    rasterio = pytest.importorskip("rasterio", reason="pip install rasterio")
    with rasterio.open(tmp_path / "in.tif", "w", driver="GTiff", width=400, height=40, count=1,
                       dtype="uint8", crs=rasterio.crs.CRS.from_epsg(code),
                       transform=rasterio.Affine(6, 20, 9, 8, -15, 9)) as file:
        file.write(np.zeros((1, 40, 400), np.uint8))
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.npy", "--preview", tmp_path / "out.svg")
    assert bar in texts(tmp_path / "out.svg")


@pytest.mark.parametrize("kind", ["imagej", "ome"])
def test_microns_of_a_stack(tmp_path, capfd, kind):
    tifffile = pytest.importorskip("tifffile", reason="pip install tifffile")
    stack, path = np.zeros((2, 40, 400), np.uint8), tmp_path / "in.tif"
    if kind == "imagej":
        tifffile.imwrite(path, stack, imagej=True, resolution=(4.0, 5.0),
                         metadata={"axes": "ZYX", "unit": "micron"})
    else:
        path = tmp_path / "in.ome.tif"
        tifffile.imwrite(path, stack, metadata={"axes": "ZYX", "PhysicalSizeX": 0.25})
    convert(capfd, path, tmp_path / "out.npy", "--preview", tmp_path / "out.svg")
    assert "20 µm" in texts(tmp_path / "out.svg")


@pytest.fixture
def figures(monkeypatch):
    """Those that are drawn, in place of files of them."""
    drawn = []
    monkeypatch.setattr(matplotlib.figure.Figure, "savefig",
                        lambda figure, path, **_: drawn.append(figure) or open(path, "x").close())
    return drawn


def test_what_is_drawn(tmp_path, capfd, figures):
    image = RANDOM.integers(0, 9, (2, 20, 30), dtype=np.uint8)
    matplotlib.use("svg")
    np.save(tmp_path / "in.npy", image)
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--preview", tmp_path / "OUT.PNG",
            "--colors", "magma", "--band", "2", "--nodata", "3", "--base", "e")
    axes, scale = figures[0].axes
    shown = axes.images[0]
    assert (shown.get_cmap().name, shown.get_interpolation()) == ("magma", "nearest")
    np.testing.assert_array_equal(shown.get_array().filled(np.nan), np.load(tmp_path / "out.npy"))
    assert (axes.get_xlim(), axes.get_ylim()) == ((-0.5, 29.5), (19.5, -0.5))
    assert scale.get_ylabel() == "nats" and not axes.axison
    assert axes.lines[0].get_solid_capstyle() == "butt"  # others would make it longer
    assert axes.get_title() == "Entropy of in.npy, 9 x 9 cells"
    assert matplotlib.pyplot.get_fignums() == []
    assert matplotlib.get_backend().lower() == "agg"  # needs no screen


@pytest.mark.parametrize("shape, size", [((100, 900), (10.6, 2.6)), ((600, 300), (6.1, 9.6))])
def test_a_picture_has_the_shape_of_the_image_and_the_bar_is_below(tmp_path, figures, shape, size):
    Preview("out.png", *shape, "viridis").save(str(tmp_path / "out.png"), "", "bits", None)
    assert tuple(figures[0].get_size_inches()) == pytest.approx(size)
    assert figures[0].get_constrained_layout()  # or words would be cut off
    bar, said = figures[0].axes[0].lines[0], figures[0].axes[0].texts[0]
    assert shape[0] - 0.5 < bar.get_ydata()[0] < said.get_position()[1]
    assert not bar.get_clip_on() and not said.get_clip_on()


def test_a_picture_that_cannot_be_written(tmp_path, capfd, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", full)
    np.save(tmp_path / "in.npy", np.zeros((9, 9), np.uint8))
    said = refused(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--preview",
                   tmp_path / "out.png")
    assert said == (f"local-entropy: {tmp_path}/out.png cannot be written: No space left on device "
                    f"({tmp_path}/out.npy is whole)\n")
    assert sorted(os.listdir(tmp_path)) == ["in.npy", "out.npy"]
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.zeros((9, 9)))


@pytest.mark.parametrize("error, said", [(ValueError("two\nlines"), "two lines"),
                                         (MemoryError(), "MemoryError")])
def test_a_picture_that_cannot_be_drawn(tmp_path, capfd, monkeypatch, error, said):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(matplotlib.figure.Figure, "colorbar", fail)
    np.save(tmp_path / "in.npy", np.zeros((9, 9), np.uint8))
    assert f"out.png cannot be written: {said} ({tmp_path}/out.npy is whole)\n" in refused(
        capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--preview", tmp_path / "out.png")
    assert sorted(os.listdir(tmp_path)) == ["in.npy", "out.npy"]


def test_names_are_no_formulas(tmp_path, capfd):
    name = "x$\\frac$.npy"
    np.save(tmp_path / name, np.zeros((9, 9), np.uint8))
    convert(capfd, tmp_path / name, tmp_path / "out.npy", "--preview", tmp_path / "out.svg")
    assert f"Entropy of {name}, 9 x 9 cells" in texts(tmp_path / "out.svg")
    axes = matplotlib.figure.Figure().subplots()
    _draw_length(axes, 9, 9, 1.0, "$\\frac$")
    assert not axes.texts[0].get_parse_math()


def test_a_preview_is_no_raster(tmp_path, capfd):
    np.save(tmp_path / "in.npy", np.zeros((9, 9), np.uint8))
    assert "out.tif, expected a name that ends in .png" in refused(
        capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--preview", tmp_path / "out.tif")


@pytest.mark.parametrize("words", [["--preview", "p.foo"],
                                   ["--preview", "p.png", "--colors", "no"]])
def test_a_wrong_picture_is_a_wrong_argument(tmp_path, capfd, words):
    np.save(tmp_path / "in.npy", np.zeros((9, 9), np.uint8))
    assert main([str(tmp_path / "in.npy"), str(tmp_path / "out.npy"), *words]) == 2
    assert "expected" in capfd.readouterr().err and os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("words, name, unit", [
    ([], "Entropy", "bits"), (["--base", "10"], "Entropy", "decimal digits"),
    (["--base", "e"], "Entropy", "nats"),
    (["--index", "hill", "--q", "1.5"], "Hill number of order 1.5", "effective levels"),
    (["--index", "simpson"], "Gini-Simpson index", "probability"),
    (["--index", "richness"], "Richness", "levels")])
def test_units(words, name, unit):
    assert unit_of(parser().parse_args(["in.npy", "out.npy", *words])) == (name, unit)


def test_nothing_is_left_of_a_picture_that_failed(tmp_path, capfd):
    np.save(tmp_path / "in.npy", np.full((9, 9), 7, np.uint8))
    assert "is 7, expected" in refused(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--levels",
                                       "4", "--preview", tmp_path / "out.png")
    assert os.listdir(tmp_path) == ["in.npy"]


def test_lengths():
    assert round_length(2500, "m") == (2000, "2 km")
    assert round_length(1000, "m") == (1000, "1 km")
    assert round_length(999, "m") == (500, "500 m")
    assert round_length(2500, "µm") == (2000, "2000 µm")
    assert round_length(0.37, "µm") == (pytest.approx(0.2), "0.2 µm")
    assert round_length(7, "cells") == (5, "5 cells")
    assert round_length(0.3 / 3, "m") == (pytest.approx(0.1), "0.1 m")
    assert round_length(5, "m") == (5, "5 m")
    assert round_length(1, "cells") == (1, "1 cell")


def test_errors(tmp_path, capfd, monkeypatch):
    np.save(tmp_path / "in.npy", np.zeros((9, 9), np.uint8))
    words = [tmp_path / "in.npy", tmp_path / "out.npy", "--preview", tmp_path / "out.png"]
    assert "--colors is nothing, expected a colour map" in refused(capfd, *words, "--colors",
                                                                   "nothing")
    for name in ("out", "out.tif"):
        assert "that ends in .png (or" in refused(capfd, *words[:3], tmp_path / name)

    def full(self, *arguments, **named):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(matplotlib.figure.Figure, "savefig", full)
        assert "out.png cannot be written: No space left on device" in refused(capfd, *words)
    os.remove(tmp_path / "out.npy")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "--preview needs matplotlib, which is not installed" in refused(capfd, *words)
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [b"\xe6\x97\xa5.npy", b"\xff.npy"])
@pytest.mark.parametrize("picture", ["picture.png", "picture.svg"])
def test_names_that_the_font_or_utf_8_has_not(tmp_path, capfd, name, picture):
    path = tmp_path / os.fsdecode(name)
    np.save(path, np.zeros((9, 9), np.uint8))
    convert(capfd, path, tmp_path / "out.npy", "--preview", tmp_path / picture)
    assert (tmp_path / picture).stat().st_size > 1000
