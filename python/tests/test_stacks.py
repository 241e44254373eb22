"""Stacks of microscopes, through tifffile."""

import os
import sys

import numpy as np
import pytest

from files import convert, refused
from local_entropy import entropy

tifffile = pytest.importorskip("tifffile", reason="pip install tifffile")

RANDOM = np.random.default_rng(4)
STACK = RANDOM.integers(0, 9, (3, 2, 70, 61), dtype=np.uint16)


def read(path):
    with tifffile.TiffFile(path) as file:
        series = file.series[0]
        return series.asarray(), series.axes, file


@pytest.mark.parametrize("memory", ["512M", "20K"])
@pytest.mark.parametrize("options", [{}, {"compression": "zlib"}, {"tile": (16, 32)},
                                     {"compression": "zlib", "rowsperstrip": 9},
                                     {"compression": "zlib", "tile": (32, 16), "predictor": 2},
                                     {"byteorder": ">"}, {"bigtiff": True}])
def test_ome(tmp_path, capfd, options, memory):
    more = {key: options[key] for key in ("byteorder", "bigtiff") if key in options}
    rest = {key: value for key, value in options.items() if key not in more}
    with tifffile.TiffWriter(tmp_path / "in.ome.tif", ome=True, **more) as file:
        file.write(STACK, metadata={"axes": "TCYX", "PhysicalSizeX": 0.25,
                                    "PhysicalSizeXUnit": "µm",
                                    "TimeIncrement": 1.5, "TimeIncrementUnit": "s",
                                    "Channel": {"Name": ["DAPI", "GFP"]}}, **rest)
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.ome.tif", "--mode", "mirror",
            "--memory", memory)
    found, axes, file = read(tmp_path / "out.ome.tif")
    assert axes == "TCYX" and file.is_ome
    np.testing.assert_array_equal(found, entropy(STACK, mode="mirror"))
    pixels = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]["Pixels"]
    assert pixels["PhysicalSizeX"] == 0.25 and pixels["Type"] == "float"
    assert pixels["TimeIncrement"] == 1.5 and pixels["TimeIncrementUnit"] == "s"
    assert [channel["Name"] for channel in pixels["Channel"]] == ["DAPI", "GFP"]
    assert sorted(os.listdir(tmp_path)) == ["in.ome.tif", "out.ome.tif"]


def test_microns_of_imagej_are_of_another_name_in_ome(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.tif", STACK, imagej=True, resolution=(4.0, 4.0),
                     metadata={"axes": "ZCYX", "unit": "micron"})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.ome.tif")
    pixels = tifffile.xml2dict(read(tmp_path / "out.ome.tif")[2].ome_metadata)
    assert pixels["OME"]["Image"]["Pixels"]["PhysicalSizeXUnit"] == "µm"


def test_imagej(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.tif", STACK, imagej=True, resolution=(4.0, 4.0),
                     metadata={"axes": "ZCYX", "spacing": 2.5, "unit": "um"})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif")
    found, axes, file = read(tmp_path / "out.tif")
    assert axes == "ZCYX" and file.is_imagej
    np.testing.assert_array_equal(found, entropy(STACK))
    assert file.imagej_metadata["spacing"] == 2.5 and file.imagej_metadata["unit"] == "um"
    assert file.pages[0].tags["XResolution"].value == (4, 1)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.ome.tif")
    pixels = tifffile.xml2dict(read(tmp_path / "out.ome.tif")[2].ome_metadata)
    assert pixels["OME"]["Image"]["Pixels"]["PhysicalSizeX"] == 0.25


def test_the_time_between_frames_of_imagej(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.tif", STACK, imagej=True,
                     metadata={"axes": "TCYX", "finterval": 0.5, "fps": 2.0, "loop": True})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif")
    found = read(tmp_path / "out.tif")[2].imagej_metadata
    assert (found["finterval"], found["fps"], found["loop"]) == (0.5, 2.0, True)


@pytest.mark.parametrize("planes", [{"planarconfig": "contig"}, {"planarconfig": "separate"}])
@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("memory", ["512M", "20K"])
def test_colours(tmp_path, capfd, planes, compression, memory):
    image = RANDOM.integers(0, 9, (4, 50, 40, 3), dtype=np.uint8)
    stored = image if planes["planarconfig"] == "contig" else np.moveaxis(image, -1, 1)
    tifffile.imwrite(tmp_path / "in.tif", stored, photometric="rgb", compression=compression,
                     rowsperstrip=7, **planes)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.npy", "--memory", memory)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"),
                                  entropy(np.moveaxis(image, -1, 1)))


@pytest.mark.parametrize("options", [{}, {"tile": (32, 16)}, {"rowsperstrip": 16}])
def test_jpeg(tmp_path, capfd, options):
    """Its decoder reads of the file when it is made."""
    pytest.importorskip("imagecodecs", reason="decodes JPEG")
    smooth = np.add.outer(np.arange(50), np.arange(40)).astype(np.uint8)
    stack = np.stack([smooth, 200 - smooth])
    tifffile.imwrite(tmp_path / "in.tif", stack, compression="jpeg", photometric="minisblack",
                     **options)
    cells = read(tmp_path / "in.tif")[0]
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.npy", "--memory", "4K")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(cells))


def test_tables_of_jpeg(tmp_path, capfd):
    """GDAL writes them once for all tiles."""
    pytest.importorskip("imagecodecs", reason="decodes JPEG")
    rasterio = pytest.importorskip("rasterio", reason="writes tables of JPEG")
    smooth = np.add.outer(np.arange(50), np.arange(40)).astype(np.uint8)
    with rasterio.open(tmp_path / "in.ome.tif", "w", driver="GTiff", compress="jpeg", tiled=True,
                       blockxsize=16, blockysize=16, count=1, height=50, width=40, dtype="uint8",
                       crs="EPSG:32632", transform=rasterio.Affine(1, 0, 0, 0, -1, 9)) as file:
        file.write(smooth, 1)
    cells, _, file = read(tmp_path / "in.ome.tif")
    assert file.pages[0].jpegtables is not None
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(cells))


def channels(path):
    found = tifffile.xml2dict(read(path)[2].ome_metadata)["OME"]["Image"]["Pixels"]["Channel"]
    return [channel.get("Name") for channel in (found if isinstance(found, list) else [found])]


@pytest.mark.parametrize("axes, stack", [("YX", STACK[0, 0]), ("ZYX", STACK[:, 0]),
                                         ("TCYX", STACK[:, :1])])
def test_the_name_of_the_only_channel(tmp_path, capfd, axes, stack):
    tifffile.imwrite(tmp_path / "in.ome.tif", stack, metadata={"axes": axes, "Channel":
                                                               {"Name": ["DAPI"]}})
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.ome.tif")
    assert channels(tmp_path / "out.ome.tif") == ["DAPI"]


@pytest.mark.parametrize("axes, bands, names", [
    ("CYX", "2,1", ["GFP", "DAPI"]), ("CYX", "2", ["GFP"]), ("TCYX", "2,4,6", ["GFP"]),
    ("TCYX", "2,3", [None])])
def test_names_are_those_of_the_chosen_channels(tmp_path, capfd, axes, bands, names):
    """None where planes of several channels have become a stack without channels."""
    tifffile.imwrite(tmp_path / "in.ome.tif", STACK[0] if axes == "CYX" else STACK,
                     metadata={"axes": axes, "Channel": {"Name": ["DAPI", "GFP"]}})
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.ome.tif", "--band", bands)
    assert channels(tmp_path / "out.ome.tif") == names


def test_labels_of_imagej(tmp_path, capfd):
    """A name for each plane. In OME it is that of a channel."""
    tifffile.imwrite(tmp_path / "in.tif", STACK[0], imagej=True,
                     metadata={"axes": "CYX", "Labels": ["DAPI", "GFP"]})
    for bands, labels in [("1,2", ["DAPI", "GFP"]), ("2,1", ["GFP", "DAPI"]), ("2", "GFP")]:
        convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--band", bands)
        assert read(tmp_path / "out.tif")[2].imagej_metadata["Labels"] == labels
    convert(capfd, tmp_path / "out.tif", tmp_path / "out.ome.tif", "--levels", 4, "--range", 0, 9)
    assert channels(tmp_path / "out.ome.tif") == ["GFP"]


def test_labels_of_colours(tmp_path, capfd):
    zarr = pytest.importorskip("zarr", reason="holds names of planes")
    image = RANDOM.integers(0, 9, (2, 20, 10, 3), dtype=np.uint8)
    tifffile.imwrite(tmp_path / "in.tif", image, imagej=True, photometric="rgb",
                     metadata={"axes": "ZYXS", "Labels": ["low", "high"]})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.zarr")
    assert zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs["names"] == \
        ["low"] * 3 + ["high"] * 3


def test_pages(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.tif", STACK[:, 0], compression="zlib", photometric="minisblack")
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--band", "2")
    found, axes, _ = read(tmp_path / "out.tif")
    assert axes == "YX"
    np.testing.assert_array_equal(found, entropy(STACK[1, 0]))
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.ome.tif", "--band", "3,1")
    np.testing.assert_array_equal(read(tmp_path / "out.ome.tif")[0], entropy(STACK[[2, 0], 0]))


def test_what_tifffile_says_of_a_raster_is_not_carried_over(tmp_path, capfd):
    pytest.importorskip("rasterio", reason="reads single pages")
    tifffile.imwrite(tmp_path / "in.tif", STACK[:, 0], photometric="rgb", planarconfig="separate")
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--band", "2")
    np.testing.assert_array_equal(read(tmp_path / "out.tif")[0], entropy(STACK[1, 0]))


@pytest.mark.parametrize("extension", ["tif", "ome.tif"])
def test_arrays_become_stacks(tmp_path, capfd, monkeypatch, extension):
    np.save(tmp_path / "in.npy", STACK)
    if extension == "tif":
        monkeypatch.setitem(sys.modules, "rasterio", None)
    convert(capfd, tmp_path / "in.npy", tmp_path / f"out.{extension}")
    np.testing.assert_array_equal(read(tmp_path / f"out.{extension}")[0], entropy(STACK))


def test_errors(tmp_path, capfd, monkeypatch):
    tifffile.imwrite(tmp_path / "in.ome.tif", STACK)
    assert "written without compression" in refused(
        capfd, tmp_path / "in.ome.tif", tmp_path / "out.ome.tif", "--compress", "lzw")
    (tmp_path / "text.ome.tif").write_text("no image")
    assert "text.ome.tif cannot be read" in refused(capfd, tmp_path / "text.ome.tif",
                                                    tmp_path / "out.npy")
    tifffile.imwrite(tmp_path / "short.ome.tif", STACK, compression="zlib")
    with open(tmp_path / "short.ome.tif", "r+b") as file:
        file.seek(-3000, os.SEEK_END)
        file.write(bytes(2000))
    assert "short.ome.tif cannot be read" in refused(capfd, tmp_path / "short.ome.tif",
                                                     tmp_path / "out.npy")
    monkeypatch.setitem(sys.modules, "tifffile", None)
    assert "in.ome.tif needs tifffile, which is not installed: pip install tifffile" in refused(
        capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")
    assert not [name for name in os.listdir(tmp_path) if "out" in name]


def test_a_stack_that_does_not_say_so_by_its_name(tmp_path, capfd, monkeypatch):
    pytest.importorskip("rasterio", reason="reads other TIFF files")
    tifffile.imwrite(tmp_path / "in.tif", STACK, imagej=True, metadata={"axes": "ZCYX"})
    monkeypatch.setitem(sys.modules, "tifffile", None)
    assert "in.tif needs tifffile" in refused(capfd, tmp_path / "in.tif", tmp_path / "out.npy")
