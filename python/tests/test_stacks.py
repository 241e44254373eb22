"""Stacks of microscopes, through tifffile."""

import os
import sys

import numpy as np
import pytest

from files import convert, refused
from local_entropy import entropy
from local_entropy.command.kinds import FileError, Layout, open_source, stack
from local_entropy.command.kinds.base import About, is_installed
from local_entropy.command.main import main

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
            "--memory", memory, "--levels", "9")  # cells whose bytes are turned are no levels
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


def test_chosen_planes_of_two_axes_have_one_without_a_meaning(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.ome.tif", STACK, metadata={"axes": "TCYX"})
    for bands, axes in (("2,4,6", "QYX"), ("2", "YX")):
        convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.tif", "--band", bands)
        assert read(tmp_path / "out.tif")[1] == axes


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


@pytest.mark.parametrize("axes, shape, found", [
    ("YXS", (20, 10, 3), "CYX"), ("ZYXS", (2, 20, 10, 3), "ZCYX"),
    ("CYXS", (2, 20, 10, 3), "QQYX")])
def test_colours_are_channels_of_ome(tmp_path, capfd, axes, shape, found):
    image = RANDOM.integers(0, 9, shape, dtype=np.uint8)
    tifffile.imwrite(tmp_path / "in.ome.tif", image, photometric="rgb", metadata={"axes": axes})
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.ome.tif")
    cells, axes, _ = read(tmp_path / "out.ome.tif")
    np.testing.assert_array_equal(cells, entropy(np.moveaxis(image, -1, -3)))
    assert axes == found or found == "QQYX"
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.tif")
    np.testing.assert_array_equal(read(tmp_path / "out.tif")[0], cells)


@pytest.mark.parametrize("kind", ["ome", "imagej"])
def test_a_single_plane_that_does_not_say_so_by_its_name(tmp_path, capfd, kind):
    pytest.importorskip("rasterio", reason="reads other TIFF files")
    named = {"ome": kind == "ome", "imagej": kind == "imagej"}
    tifffile.imwrite(tmp_path / "in.tif", STACK[0, 0], **named, resolution=(4.0, 2.0),
                     metadata={"axes": "YX", "unit": "nm"} if kind == "imagej" else
                     {"axes": "YX", "PhysicalSizeX": 0.25, "PhysicalSizeXUnit": "nm",
                      "PhysicalSizeY": 0.5, "PhysicalSizeYUnit": "nm"})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.ome.tif")
    pixels = tifffile.xml2dict(read(tmp_path / "out.ome.tif")[2].ome_metadata)
    pixels = pixels["OME"]["Image"]["Pixels"]
    assert (pixels["PhysicalSizeX"], pixels["PhysicalSizeXUnit"]) == (0.25, "nm")
    assert (pixels["PhysicalSizeY"], pixels["PhysicalSizeYUnit"]) == (0.5, "nm")


def test_sizes_of_cells(tmp_path, capfd):
    """Of the first of two images."""
    sizes = {"PhysicalSizeX": 250.0, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 0.5,
             "PhysicalSizeYUnit": "mm", "PhysicalSizeZ": 2.0, "PhysicalSizeZUnit": "cm"}
    with tifffile.TiffWriter(tmp_path / "in.ome.tif", ome=True) as file:
        file.write(STACK[:, 0], metadata={"axes": "ZYX", **sizes})
        file.write(STACK[0, 0], metadata={"axes": "YX", "PhysicalSizeX": 9.0, "Name": "label"})
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.OME.TIFF")
    found, axes, file = read(tmp_path / "out.OME.TIFF")
    pixels = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]["Pixels"]
    assert {key: pixels[key] for key in sizes} == sizes and axes == "ZYX"
    source = open_source(str(tmp_path / "in.ome.tif"))
    assert source.about.cell_size == (250.0, "nm")
    source.close()


@pytest.mark.parametrize("unit, found", [("micron", "µm"), ("\\u00B5m", "µm"), ("nm", "nm")])
def test_units_of_imagej(tmp_path, unit, found):
    tifffile.imwrite(tmp_path / "in.tif", STACK[0], imagej=True, resolution=(4.0, 2.0),
                     metadata={"axes": "CYX", "unit": unit})
    source = open_source(str(tmp_path / "in.tif"))
    assert source.about.cell_size == (0.25, found)
    source.close()
    assert source._file.filehandle.closed


def test_dots_per_inch(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.tif", STACK[:, 0], photometric="minisblack",
                     resolution=(300, 200), resolutionunit=2)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif")
    tags = read(tmp_path / "out.tif")[2].pages[0].tags
    assert (tags["XResolution"].value, tags["YResolution"].value) == ((300, 1), (200, 1))
    assert tags["ResolutionUnit"].value == 2


def test_what_ends_as_a_stack(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tifffile", None)
    for name in ("in.ome.tif", "in.OME.TIFF", "in.ome.btf", "in.LSM", "in.stk", "in.qptiff",
                 "in.scn"):
        assert stack.reads(name)
    assert not stack.reads("in.tif") and not stack.reads("in.png")


def test_what_is_no_stack(tmp_path, capfd):
    """GDAL knows the bands of a page; other pages may be smaller pictures."""
    pytest.importorskip("rasterio", reason="reads other TIFF files")
    tifffile.imwrite(tmp_path / "bands.tif", STACK[:, 0], photometric="minisblack",
                     planarconfig="separate", metadata=None)
    assert not stack.reads(str(tmp_path / "bands.tif"))
    with tifffile.TiffWriter(tmp_path / "photo.tif") as file:
        for side in (64, 16):
            file.write(np.zeros((side, side, 3), np.uint8), photometric="rgb")
    assert not stack.reads(str(tmp_path / "photo.tif"))
    with tifffile.TiffWriter(tmp_path / "photo.tif") as file:
        file.write(np.zeros((64, 64, 3), np.uint8), photometric="rgb")
    assert not stack.reads(str(tmp_path / "photo.tif"))
    tifffile.imwrite(tmp_path / "in.tif", np.zeros((20, 30, 5), np.uint8),
                     photometric="minisblack", metadata={"axes": "YXQ"})
    assert "in.tif has the axes YXQ, expected rows and columns as the last" in refused(
        capfd, tmp_path / "in.tif", tmp_path / "out.npy")


def test_a_stack_of_one_page(tmp_path, capfd):
    """Where planes lie one behind the other, tifffile may say so on the first page alone."""
    tifffile.imwrite(tmp_path / "in.tif", STACK[:, 0], photometric="minisblack", truncate=True)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK[:, 0]))


def test_how_cells_lie_together(tmp_path):
    colours = np.zeros((2, 40, 50, 3), np.uint8)
    for options, block, interleaved in [
            ({"compression": "zlib", "rowsperstrip": 7}, (7, 0), True),
            ({"tile": (16, 32)}, (16, 32), True)]:
        tifffile.imwrite(tmp_path / "in.ome.tif", colours, photometric="rgb", **options)
        source = open_source(str(tmp_path / "in.ome.tif"))
        assert (source.block, source.interleaved) == (block, interleaved)
        source.close()
    tifffile.imwrite(tmp_path / "in.ome.tif", colours[..., 0])
    source = open_source(str(tmp_path / "in.ome.tif"))
    assert (source.block, source.interleaved) == ((1, 0), False)
    source.close()


def test_tiles_that_were_never_written(tmp_path, capfd):
    rasterio = pytest.importorskip("rasterio", reason="leaves tiles out")
    with rasterio.open(tmp_path / "in.ome.tif", "w", driver="GTiff", width=48, height=32, count=1,
                       dtype="uint16", tiled=True, blockxsize=16, blockysize=16, SPARSE_OK=True,
                       compress="deflate", crs="EPSG:32632",
                       transform=rasterio.Affine(1, 0, 0, 0, -1, 9)) as file:
        file.write(STACK[0, 0, :16, :16], 1, window=rasterio.windows.Window(16, 16, 16, 16))
    expected = np.zeros((32, 48), np.uint16)
    expected[16:, 16:32] = STACK[0, 0, :16, :16]
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(expected))


@pytest.mark.parametrize("imagej, rows, found", [
    (False, 26_000, (False, False)), (False, 27_000, (True, False)), (True, 27_000, (False, True)),
    (True, 36_000, (True, False))])
def test_large_stacks(tmp_path, imagej, rows, found):
    """Of which nothing is written: 3.1, 3.2 and 4.3 GB."""
    about = About(axes="CYX", stack={"imagej": True} if imagej else {})
    made = stack.Created(str(tmp_path / "out.tif"), Layout((1,), rows, 30_000,
                         np.dtype(np.float32), (1, 0), False, about))
    made.drop()
    with tifffile.TiffFile(tmp_path / "out.tif") as file:
        assert (file.is_bigtiff, file.is_imagej) == found
    os.remove(tmp_path / "out.tif")


def test_stacks_that_imagej_does_not_hold(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.tif", STACK[0], imagej=True, metadata={"axes": "ZYX"})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--dtype", "float64")
    found, axes, file = read(tmp_path / "out.tif")
    assert found.dtype == np.float64 and axes == "ZYX" and not file.is_imagej
    colours = RANDOM.integers(0, 9, (2, 20, 10, 3), dtype=np.uint8)
    tifffile.imwrite(tmp_path / "in.tif", colours, imagej=True, photometric="rgb",
                     metadata={"axes": "ZYXS"})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif")
    found, axes, file = read(tmp_path / "out.tif")
    assert axes == "ZSYX" and not file.is_imagej


def test_a_driver_of_a_stack(tmp_path, capfd):
    rasterio = pytest.importorskip("rasterio", reason="writes COG")
    tifffile.imwrite(tmp_path / "in.tif", STACK[0], imagej=True, metadata={"axes": "ZYX"})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--driver", "COG")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        np.testing.assert_array_equal(file.read(), entropy(STACK[0]))


def test_what_tifffile_does_not_write(tmp_path, capfd, monkeypatch):
    def refuse(*_, **__):
        raise ValueError("it is odd")

    np.save(tmp_path / "in.npy", STACK[0, 0])
    monkeypatch.setattr(tifffile, "TiffWriter", refuse)
    assert "out.ome.tif cannot be written: it is odd" in refused(capfd, tmp_path / "in.npy",
                                                                 tmp_path / "out.ome.tif")


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


@pytest.mark.parametrize("extension", ["tif", "ome.tif", "ome.tiff"])
@pytest.mark.parametrize("stack", [STACK, STACK[:, 0], STACK[0, 0]])
def test_arrays_become_stacks(tmp_path, capfd, monkeypatch, extension, stack):
    np.save(tmp_path / "in.npy", stack)
    if extension == "tif":
        monkeypatch.setitem(sys.modules, "rasterio", None)
    convert(capfd, tmp_path / "in.npy", tmp_path / f"out.{extension}")
    found, _, file = read(tmp_path / f"out.{extension}")
    np.testing.assert_array_equal(found, entropy(stack))
    assert file.pages[0].photometric == tifffile.PHOTOMETRIC.MINISBLACK


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
    for more in (False, True):
        with monkeypatch.context() as patch:
            if more:
                patch.setitem(sys.modules, "imagecodecs", None)
            said = refused(capfd, tmp_path / "short.ome.tif", tmp_path / "out.npy")
        assert "short.ome.tif cannot be read" in said
        if more or is_installed("imagecodecs"):
            assert said.endswith(" (pip install imagecodecs reads more)\n") == more
    monkeypatch.setitem(sys.modules, "tifffile", None)
    assert "in.ome.tif needs tifffile, which is not installed: pip install tifffile" in refused(
        capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")
    assert not [name for name in os.listdir(tmp_path) if "out" in name]


# ---- damage ------------------------------------------------------------------------------------


def cut(path, size):
    path.write_bytes(path.read_bytes()[:size])
    return path


@pytest.mark.parametrize("name, options", [
    ("in.tif", {"imagej": True}), ("in.tif", {"imagej": True, "compression": "zlib"}),
    ("in.ome.tif", {}), ("in.ome.tif", {"compression": "zlib"}),
    ("in.tif", {"ome": True}), ("in.tif", {"photometric": "minisblack"}),
    ("in.tif", {"photometric": "minisblack", "compression": "zlib"}),
    ("in.tif", {"photometric": "minisblack", "compression": "zlib", "metadata": None})])
@pytest.mark.parametrize("part", [0, 5e-5, 0.003, 0.02, 0.1, 0.2, 0.5, 0.8, 0.95])
def test_a_stack_that_ends_early(tmp_path, capfd, name, options, part):
    """One sentence: no fewer planes, and nothing of what tifffile logs."""
    if name == "in.tif":
        pytest.importorskip("rasterio", reason="reads the first page of what is no stack")
    tifffile.imwrite(tmp_path / name, STACK[:, 0], **{"metadata": {"axes": "ZYX"}, **options})
    path = cut(tmp_path / name, int(part * os.path.getsize(tmp_path / name)))
    assert f"{path} cannot be read" in refused(capfd, path, tmp_path / "out.npy")
    assert os.listdir(tmp_path) == [name]


def test_a_segment_that_ends_early(tmp_path, capfd):
    """No matter what the codec says of it, or that it says nothing."""
    path = tmp_path / "in.lsm"
    tifffile.imwrite(path, STACK[:, 0], photometric="minisblack", compression="zlib", metadata=None)
    cut(path, os.path.getsize(path) - 1)
    assert f"{path} cannot be read: it ends before the last cell" in \
        refused(capfd, path, tmp_path / "out.npy")


@pytest.mark.parametrize("name", ["in.tif", "in.ome.tif"])
@pytest.mark.parametrize("tag, value", [(256, 0), (257, 0), (258, 0), (259, 99), (277, 0), (278, 0),
                                        (279, 0xffffffff), (273, 0xffffffff), (256, None)])
def test_tags_that_make_no_sense(tmp_path, capfd, name, tag, value):
    """A sentence with the name of the file, or its cells; never an error of Python. None: the tag
    is another one."""
    tifffile.imwrite(tmp_path / name, STACK[:, 0], photometric="minisblack", compression="zlib",
                     metadata={"axes": "ZYX"})
    bad = bytearray((tmp_path / name).read_bytes())
    at = bad.index(tag.to_bytes(2, "little"), 10)
    if value is None:
        bad[at:at + 2] = b"\xf0\xff"
    else:
        bad[at + 8:at + 12] = value.to_bytes(4, "little")
    (tmp_path / name).write_bytes(bad)
    status = main([str(tmp_path / name), str(tmp_path / "out.npy"), "--size", "1"])
    said = capfd.readouterr().err
    assert said.count("\n") == status and (
        status == 0 or said.startswith(f"local-entropy: {tmp_path / name} ")), said


@pytest.mark.parametrize("size", [0.0, -1.0, float("inf"), float("nan")])
def test_a_size_that_no_cell_has(tmp_path, size):
    tifffile.imwrite(tmp_path / "in.ome.tif", STACK[0, 0], metadata={"axes": "YX",
                                                                     "PhysicalSizeX": size})
    source = open_source(str(tmp_path / "in.ome.tif"))
    source.close()
    assert source.about.cell_size is None


def test_a_stack_that_is_refused_is_closed(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.tif", np.zeros((20, 30, 5), np.uint8),
                     photometric="minisblack", metadata={"axes": "YXQ"})
    refused(capfd, tmp_path / "in.tif", tmp_path / "out.npy")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(FileError) as error:  # keeps the frames, and what they hold
        open_source(str(tmp_path / "in.tif"))
    assert len(os.listdir("/proc/self/fd")) == before and error


# ---- without libraries -------------------------------------------------------------------------


def test_a_raster_is_not_read_as_a_stack(tmp_path, capfd, monkeypatch):
    """Without rasterio, its place and its nodata value would be lost unseen."""
    rasterio = pytest.importorskip("rasterio", reason="writes GeoTIFF")
    profile = {"driver": "GTiff", "width": 61, "height": 70, "count": 1, "dtype": "uint16"}
    for more in ({"crs": "EPSG:32632"}, {"transform": rasterio.Affine(2, 0, 0, 0, -2, 9)},
                 {"nodata": 0}):
        with rasterio.open(tmp_path / "in.tif", "w", **profile, **more) as file:
            file.write(STACK[0, 0], 1)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "rasterio", None)
            said = refused(capfd, tmp_path / "in.tif", tmp_path / "out.npy")
        assert "in.tif has a georeference" in said and "pip install rasterio" in said
    tifffile.imwrite(tmp_path / "in.tif", STACK[0, 0])
    monkeypatch.setitem(sys.modules, "rasterio", None)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK[0, 0]))


def test_a_place_is_not_lost_in_a_stack(tmp_path, capfd, monkeypatch):
    zarr = pytest.importorskip("zarr", reason="holds a place")
    made = zarr.open(str(tmp_path / "in.zarr"), mode="w", shape=(9, 9), dtype="uint8",
                     chunks=(9, 9))
    made.attrs.update(crs_wkt='LOCAL_CS["none"]', transform=[1, 0, 0, 0, 1, 0])
    monkeypatch.setitem(sys.modules, "rasterio", None)
    assert "out.tif needs rasterio" in refused(capfd, tmp_path / "in.zarr", tmp_path / "out.tif")


def test_a_tiff_without_any_library(tmp_path, capfd, monkeypatch):
    tifffile.imwrite(tmp_path / "in.tif", STACK[0, 0])
    for name in ("tifffile", "rasterio"):
        monkeypatch.setitem(sys.modules, name, None)
    said = refused(capfd, tmp_path / "in.tif", tmp_path / "out.npy")
    assert "needs rasterio" in said and "tifffile" in said


@pytest.mark.parametrize("kind", ["ome", "imagej"])
def test_a_stack_that_does_not_say_so_by_its_name(tmp_path, capfd, monkeypatch, kind):
    pytest.importorskip("rasterio", reason="reads other TIFF files")
    tifffile.imwrite(tmp_path / "in.tif", STACK, **{kind: True}, metadata={"axes": "ZCYX"})
    monkeypatch.setitem(sys.modules, "tifffile", None)
    assert "in.tif needs tifffile" in refused(capfd, tmp_path / "in.tif", tmp_path / "out.npy")


# ---- several images ----------------------------------------------------------------------------


def several(path, shapes, **options):
    """Images of these shapes; `options` are those of all but the first."""
    with tifffile.TiffWriter(path, ome=path.name.endswith(".ome.tif")) as file:
        for number, shape in enumerate(shapes):
            named = {"metadata": {"axes": "ZYX"[-len(shape):], "Name": "AB"[number]}} \
                if path.name.endswith(".ome.tif") else {"metadata": None}
            cells = np.full(shape, number, options.get("dtype", np.uint8) if number else np.uint8)
            more = {key: options[key] for key in options if number and key != "dtype"}
            file.write(cells, photometric="minisblack", **{**named, **more})
    return path


@pytest.mark.parametrize("name, shapes, said", [
    ("two.ome.tif", [(3, 20, 20), (2, 30, 30)], "0 'A' (3, 20, 20), 1 'B' (2, 30, 30)"),
    ("two.ome.tif", [(20, 20), (20, 20)], "0 'A' (20, 20), 1 'B' (20, 20)"),
    ("mix.tif", [(3, 20, 20), (2, 30, 30)], "0 '' (3, 20, 20), 1 '' (2, 30, 30)"),
    ("mix.tif", [(3, 20, 20), (9, 9)], "0 '' (3, 20, 20), 1 '' (9, 9)"),
    ("mix.tif", [(20, 20), (9, 30)], "0 '' (20, 20), 1 '' (9, 30)")])
def test_several_images(tmp_path, capfd, name, shapes, said):
    path = several(tmp_path / name, shapes)
    assert f"{name} has the images {said}: expected one; tifffile.imread(" in refused(
        capfd, path, tmp_path / "out.npy")


@pytest.mark.parametrize("name, shapes, options", [
    ("small.tif", [(3, 20, 20), (10, 10)], {"subfiletype": 1}),
    ("mask.tif", [(3, 20, 20), (20, 20)], {"subfiletype": 4, "dtype": bool}),
    ("label.ome.tif", [(3, 20, 20), (9, 9)], {"metadata": {"axes": "YX", "Name": "Label image"}}),
    ("macro.ome.tif", [(3, 20, 20), (9, 9)], {"metadata": {"axes": "YX", "Name": "macro"}})])
def test_what_belongs_to_an_image(tmp_path, capfd, name, shapes, options):
    convert(capfd, several(tmp_path / name, shapes, **options), tmp_path / "out.npy")
    assert np.load(tmp_path / "out.npy").shape == shapes[0]


def test_smaller_levels_of_a_stack(tmp_path, capfd):
    with tifffile.TiffWriter(tmp_path / "in.ome.tif", ome=True) as file:
        file.write(STACK[0], subifds=1, metadata={"axes": "CYX"})
        file.write(STACK[0, :, ::2, ::2], subfiletype=1)
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK[0]))


def test_a_volume_in_one_page(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.ome.tif", np.zeros((4, 32, 48), np.uint8), ome=False,
                     photometric="minisblack",
                     tile=(2, 16, 16), volumetric=True, metadata={"axes": "ZYX"})
    assert "in.ome.tif has pages of several planes, a volume: expected a page for each plane" in \
        refused(capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")


def test_a_tiff_with_a_place_is_for_rasterio(monkeypatch):
    """Also where that is not installed, which is said then."""
    monkeypatch.setattr(stack, "is_installed", lambda name: name != "rasterio")
    for about, by_tifffile in ((About(), True), (About(crs="x"), False),
                               (About(gcps=("x",)), False),
                               (About(transform=(1, 0, 0, 0, 1, 0)), False)):
        layout = Layout((), 9, 9, np.dtype("f4"), (1, 0), False, about)
        assert stack.writes("out.tif", layout) == by_tifffile
