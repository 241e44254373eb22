"""Files of GDAL, through rasterio."""

import logging
import os
import resource
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from files import convert, refused
from local_entropy import entropy
from local_entropy.command.kinds import About, FileError, Layout, gdal, open_source
from local_entropy.command.kinds.raster import Created
from local_entropy.command.main import main

rasterio = pytest.importorskip("rasterio", reason="pip install rasterio")
from rasterio.control import GroundControlPoint  # noqa: E402
from rasterio.crs import CRS  # noqa: E402
from rasterio.enums import ColorInterp  # noqa: E402
from rasterio.rpc import RPC  # noqa: E402
from rasterio.transform import from_origin  # noqa: E402

RANDOM = np.random.default_rng(9)
IMAGE = RANDOM.integers(0, 9, (150, 130), dtype=np.uint8)
UTM = CRS.from_epsg(32632)
PLACE = from_origin(500_000, 5_300_000, 10, 10)

pytestmark = pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")


def make(path, bands, driver="GTiff", **named):
    bands = bands if bands.ndim == 3 else bands[None]
    profile = {"driver": driver, "count": len(bands), "height": bands.shape[1],
               "width": bands.shape[2], "dtype": bands.dtype, **named}
    with rasterio.open(path, "w", **profile) as file:
        file.write(bands)
    return path


def bands_of(path):
    with rasterio.open(path) as file:
        return file.read()


TILED = {"tiled": True, "blockxsize": 32, "blockysize": 48}


@pytest.mark.parametrize("profile", [
    {}, {"blockysize": 7}, {"blockysize": 150}, TILED, {**TILED, "compress": "deflate"},
    {"compress": "lzw", "predictor": 2}, {"BIGTIFF": "YES"}, {**TILED, "blockxsize": 512,
                                                             "blockysize": 512}])
@pytest.mark.parametrize("memory", ["512M", "20K"])
def test_geotiff(tmp_path, capfd, profile, memory):
    make(tmp_path / "in.tif", IMAGE, crs=UTM, transform=PLACE, **profile)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--mode", "wrap", "--memory", memory)
    with rasterio.open(tmp_path / "out.tif") as file:
        np.testing.assert_array_equal(file.read(1), entropy(IMAGE, mode="wrap"))
        assert (file.dtypes, file.count, file.crs, file.transform) == (("float32",), 1, UTM, PLACE)
        if profile == TILED:
            assert file.block_shapes == [(48, 32)]
        assert file.nodata is None
    assert sorted(os.listdir(tmp_path)) == ["in.tif", "out.tif"]


@pytest.mark.parametrize("driver, extension", [("PNG", "png"), ("GTiff", "tif"), ("HFA", "img"),
                                               ("ENVI", "bin"), ("GIF", "gif")])
def test_formats_that_are_read(tmp_path, capfd, driver, extension):
    path = make(tmp_path / f"in.{extension}", IMAGE, driver)
    convert(capfd, path, tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(IMAGE))


def test_jpeg(tmp_path, capfd):
    path = make(tmp_path / "in.jpg", np.stack([IMAGE * 20, IMAGE * 9, IMAGE]), "JPEG")
    convert(capfd, path, tmp_path / "out.tif", "--size", "5")
    np.testing.assert_array_equal(bands_of(tmp_path / "out.tif"), entropy(bands_of(path), 5))


@pytest.mark.parametrize("words, extension, driver", [
    ([], "img", "HFA"), (["--driver", "ENVI"], "bin", "ENVI"),
    (["--driver", "COG"], "tif", "GTiff"),
    (["--driver", "COG", "--compress", "zstd", "--co", "BLOCKSIZE=128"], "tif", "GTiff"),
    (["--compress", "zstd"], "tif", "GTiff"), (["--compress", "deflate"], "tif", "GTiff"),
    (["--co", "TILED=YES", "--co", "compress=LZW"], "tif", "GTiff")])
def test_formats_that_are_written(tmp_path, capfd, words, extension, driver):
    make(tmp_path / "in.tif", np.stack([IMAGE, IMAGE // 2]), crs=UTM, transform=PLACE)
    (tmp_path / "to").mkdir()
    out = tmp_path / f"to/out.{extension}"
    convert(capfd, tmp_path / "in.tif", out, *words)
    with rasterio.open(out) as file:
        np.testing.assert_array_equal(file.read(), entropy(np.stack([IMAGE, IMAGE // 2])))
        assert file.driver == driver and file.transform == PLACE
        assert file.crs.to_epsg() == 32632
        asked = [word.lower() for word in words if word in ("zstd", "deflate", "compress=LZW")]
        if asked:
            assert file.compression.value.lower() == asked[0].replace("compress=", "")
        else:
            assert file.compression is None or driver != "GTiff" or "COG" in words
        if "COG" in words:
            assert file.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        beside = {os.path.basename(path) for path in file.files}
    assert set(os.listdir(tmp_path / "to")) == beside
    assert oct(out.stat().st_mode & 0o777) == oct(0o666 & ~current_umask())


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- what is carried over ----------------------------------------------------------------------


def test_tags_and_names(tmp_path, capfd):
    path = make(tmp_path / "in.tif", np.stack([IMAGE, IMAGE]), crs=UTM, transform=PLACE)
    with rasterio.open(path, "r+") as file:
        file.update_tags(SENSOR="MSI", STATISTICS_MEAN="3", AREA_OR_POINT="Point")
        file.descriptions = ("red", "infrared")
    convert(capfd, path, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.tags()["SENSOR"] == "MSI" and file.tags()["AREA_OR_POINT"] == "Point"
        assert "STATISTICS_MEAN" not in file.tags()
        assert file.descriptions == ("red", "infrared")
        assert file.transform == PLACE
    convert(capfd, path, tmp_path / "out.tif", "--band", "2")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert (file.count, file.descriptions) == (1, ("infrared",))


def test_control_points_and_polynomials(tmp_path, capfd):
    points = [GroundControlPoint(row, column, x, y, 0) for row, column, x, y in
              [(0, 0, 10, 50), (0, 130, 11, 50), (150, 0, 10, 49), (150, 130, 11.1, 49)]]
    path = make(tmp_path / "in.tif", IMAGE)
    with rasterio.open(path, "r+") as file:
        file.gcps = (points, CRS.from_epsg(4326))
    convert(capfd, path, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        found, crs = file.gcps
    assert crs == CRS.from_epsg(4326)
    assert [(p.row, p.col, p.x, p.y) for p in found] == [(p.row, p.col, p.x, p.y) for p in points]

    numbers = [float(i) for i in range(20)]
    rpc = RPC(1.0, 2.0, 3.0, 4.0, numbers, numbers, 5.0, 6.0, 7.0, 8.0, numbers, numbers, 9.0, 10.0)
    make(path, IMAGE, rpcs=rpc)
    convert(capfd, path, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.rpcs.line_num_coeff == numbers and file.rpcs.height_off == 1.0


def test_the_georeference_goes_through_zarr(tmp_path, capfd):
    pytest.importorskip("zarr", reason="pip install zarr")
    make(tmp_path / "in.tif", IMAGE, crs=UTM, transform=PLACE)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.zarr")
    convert(capfd, tmp_path / "out.zarr", tmp_path / "out.tif", "--levels", "4", "--range", 0, 9)
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.crs.to_epsg() == 32632 and file.transform == PLACE
        assert "crs_wkt" not in file.tags()


def test_names_of_bands_go_into_zarr(tmp_path, capfd):
    zarr = pytest.importorskip("zarr", reason="pip install zarr")
    make(tmp_path / "in.tif", np.stack([IMAGE, IMAGE]))
    with rasterio.open(tmp_path / "in.tif", "r+") as file:
        file.descriptions = ("red", "infrared")
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.zarr")
    assert zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs["names"] == ["red", "infrared"]


@pytest.mark.parametrize("said", ["ImageJ=1.53", "<?xml version='1.0'?><OME xmlns=''>",
                                  "<OME xmlns=''>", '{"shape": [150, 130]}', "a field"])
@pytest.mark.parametrize("place", [{}, {"crs": UTM, "transform": PLACE}])
def test_descriptions(tmp_path, capfd, said, place):
    """Not those of stacks, which the result is none of; what GDAL wrote is none in any case."""
    path = make(tmp_path / "in.tif", IMAGE, **place)
    with rasterio.open(path, "r+") as file:
        file.update_tags(TIFFTAG_IMAGEDESCRIPTION=said, TIFFTAG_MINSAMPLEVALUE="0",
                         TIFFTAG_MAXSAMPLEVALUE="8", SENSOR="MSI")
    convert(capfd, path, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.tags().get("TIFFTAG_IMAGEDESCRIPTION") == ("a field" if said == "a field"
                                                               else None)
        assert not [tag for tag in file.tags() if "SAMPLEVALUE" in tag]
        assert file.tags()["SENSOR"] == "MSI" and file.crs == place.get("crs")


def test_a_geotiff_that_looks_like_a_stack(tmp_path, capfd):
    """It has a place, no tags of GDAL, and a description of another writer."""
    path = make(tmp_path / "in.tif", IMAGE, crs=UTM, transform=PLACE)
    with rasterio.open(path, "r+") as file:
        file.update_tags(TIFFTAG_IMAGEDESCRIPTION="ImageJ=1.53")
    convert(capfd, path, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert (file.crs, file.transform) == (UTM, PLACE)


def test_a_picture_has_no_place(tmp_path):
    about = open_source(str(make(tmp_path / "in.tif", IMAGE))).about
    assert about.transform is None and about.cell_size is None and about.crs is None


def test_how_cells_lie_together(tmp_path):
    bands = np.stack([IMAGE, IMAGE])
    for options, interleaved in [({"interleave": "pixel"}, True), ({"interleave": "band"}, False)]:
        source = open_source(str(make(tmp_path / "in.tif", bands, **TILED, **options)))
        assert (source.block, source.interleaved) == ((48, 32), interleaved)
    assert not open_source(str(make(tmp_path / "in.tif", IMAGE, **TILED))).interleaved


# ---- cells that do not count -------------------------------------------------------------------


def expected_of(counts, **named):
    return np.where(counts, entropy(IMAGE, mask=counts, empty=np.nan, **named), np.nan)


@pytest.mark.parametrize("memory", ["512M", "20K"])
@pytest.mark.parametrize("nodata", [0, 255])
def test_nodata(tmp_path, capfd, nodata, memory):
    make(tmp_path / "in.tif", IMAGE, nodata=nodata)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--memory", memory)
    with rasterio.open(tmp_path / "out.tif") as file:
        assert np.isnan(file.nodata)
        np.testing.assert_array_equal(file.read(1), expected_of(IMAGE != nodata))
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--nodata", "3", "--memory", memory)
    np.testing.assert_array_equal(bands_of(tmp_path / "out.tif")[0], expected_of(IMAGE != 3))
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--nodata", "none")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.nodata is None
        np.testing.assert_array_equal(file.read(1), entropy(IMAGE))
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--fill")
    with rasterio.open(tmp_path / "out.tif") as file:  # where no cell of a window counts
        assert np.isnan(file.nodata)
        np.testing.assert_array_equal(file.read(1), entropy(IMAGE, nodata=nodata, empty=np.nan))
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--like-skimage")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.nodata is None


def test_nodata_that_no_cell_can_be(tmp_path, capfd):
    heights = RANDOM.uniform(0, 9, IMAGE.shape).astype(np.float32)
    heights[:20, :20], heights[70] = -9999, np.nan
    make(tmp_path / "in.tif", heights, nodata=-9999)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--levels", "8", "--range", "0", "9")
    counts = ~np.isnan(heights) & (heights != -9999)
    expected = entropy(heights, levels=8, range=(0, 9), nodata=-9999, empty=np.nan)
    np.testing.assert_array_equal(bands_of(tmp_path / "out.tif")[0],
                                  np.where(counts, expected, np.nan))
    convert(capfd, make(tmp_path / "in.tif", IMAGE), tmp_path / "out.tif", "--nodata", "-9999")
    np.testing.assert_array_equal(bands_of(tmp_path / "out.tif")[0], entropy(IMAGE))


@pytest.mark.parametrize("memory", ["512M", "20K"])
def test_a_mask_of_the_file(tmp_path, capfd, memory):
    counts = RANDOM.integers(0, 5, IMAGE.shape) > 0
    make(tmp_path / "in.tif", IMAGE, **TILED)
    with rasterio.open(tmp_path / "in.tif", "r+") as file:
        file.write_mask(counts)
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif", "--memory", memory)
    with rasterio.open(tmp_path / "out.tif") as file:
        assert np.isnan(file.nodata)
        np.testing.assert_array_equal(file.read(1), expected_of(counts))


def test_real_numbers_may_have_holes(tmp_path, capfd):
    np.save(tmp_path / "in.npy", np.where(IMAGE == 4, np.nan, IMAGE))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.tif", "--levels", "9", "--range", 0, 9)
    with rasterio.open(tmp_path / "out.tif") as file:
        assert np.isnan(file.nodata)
        np.testing.assert_array_equal(file.read(1), expected_of(IMAGE != 4))


def test_alpha(tmp_path, capfd):
    counts = RANDOM.integers(0, 5, IMAGE.shape) > 0
    alpha = np.where(counts, 255, 0).astype(np.uint8)
    path = make(tmp_path / "in.png", np.stack([IMAGE, IMAGE, IMAGE, alpha]), "PNG")
    with rasterio.open(path) as file:
        assert file.colorinterp[3] == ColorInterp.alpha
    convert(capfd, path, tmp_path / "out.tif")
    found = bands_of(tmp_path / "out.tif")
    assert len(found) == 3
    np.testing.assert_array_equal(found[1], expected_of(counts))
    for bands, holes in (("4", False), ("4,1", True)):  # alpha has no mask of its own
        convert(capfd, path, tmp_path / "out.tif", "--band", bands)
        with rasterio.open(tmp_path / "out.tif") as file:
            assert (file.nodata is not None) == holes
            np.testing.assert_array_equal(file.read(1), entropy(alpha))
            if holes:
                np.testing.assert_array_equal(file.read(2), expected_of(counts))


@pytest.mark.parametrize("bands", [1, 3, 4])
def test_alpha_beside_nodata(tmp_path, capfd, bands):
    """Of which GDAL's masks say nothing."""
    counts = RANDOM.integers(0, 5, IMAGE.shape) > 0
    alpha = np.where(counts, 7, 0).astype(np.uint8)
    path = make(tmp_path / "in.tif", np.stack([*[IMAGE] * bands, alpha]), nodata=3)
    with rasterio.open(path, "r+") as file:
        file.colorinterp = [ColorInterp.gray] * bands + [ColorInterp.alpha]
    for nodata, there in (((), counts & (IMAGE != 3)), (("--nodata", "none"), counts),
                          (("--nodata", "5"), counts & (IMAGE != 5))):
        convert(capfd, path, tmp_path / "out.tif", *nodata)
        found = bands_of(tmp_path / "out.tif")
        assert len(found) == bands
        for band in found:
            np.testing.assert_array_equal(band, expected_of(there))


@pytest.mark.parametrize("dtype, hole", [(np.int64, -(2**63) + 2), (np.uint64, 2**64 - 2),
                                         (np.int64, 2**63 - 1)])
def test_nodata_of_64_bits(tmp_path, capfd, dtype, hole):
    """More than a float has: its neighbours are other cells."""
    zarr = pytest.importorskip("zarr", reason="pip install zarr")
    cells = IMAGE.astype(dtype)
    there = RANDOM.integers(0, 5, IMAGE.shape) > 0
    cells[~there] = hole
    expected = np.where(there, entropy(cells, levels=8, range=(0, 256), mask=there), np.nan)
    made = zarr.open(str(tmp_path / "in.zarr"), mode="w", shape=cells.shape, dtype=cells.dtype)
    made[...] = cells
    bins = ("--levels", "8", "--range", "0", "256")
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.npy", *bins, "--nodata", hole)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)
    made.attrs["_FillValue"] = hole
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.npy", *bins)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)
    made.attrs["missing_value"] = hole - 1
    assert "expected one value for cells" in refused(capfd, tmp_path / "in.zarr",
                                                     tmp_path / "o.npy", *bins)


@pytest.mark.parametrize("ending", ["aux.xml", "ovr", "msk"])
def test_a_stale_sidecar_goes(tmp_path, capfd, ending):
    make(tmp_path / "in.tif", IMAGE)
    (tmp_path / f"out.tif.{ending}").write_text("<PAMDataset/>")
    (tmp_path / f"out.tif.{ending}.mine").write_text("stays")
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif")
    assert sorted(os.listdir(tmp_path)) == ["in.tif", "out.tif", f"out.tif.{ending}.mine"]


def vrt(path, bands):
    (path / "in.vrt").write_text("<VRTDataset rasterXSize='3' rasterYSize='2'>" + "".join(
        f"<VRTRasterBand dataType='{kind}' band='{i + 1}'>{more}</VRTRasterBand>"
        for i, (kind, more) in enumerate(bands)) + "</VRTDataset>")
    return path / "in.vrt"


def test_alpha_of_16_bits(tmp_path, capfd):
    """Of two the first, whose cells end in a byte of 0."""
    counts = RANDOM.random(IMAGE.shape) < 0.7
    alpha = np.where(counts, 256, 0)
    path = make(tmp_path / "in.tif", np.stack([IMAGE, alpha, IMAGE * 0]).astype(np.uint16),
                nodata=3)
    with rasterio.open(path, "r+") as file:
        file.colorinterp = [ColorInterp.gray, ColorInterp.alpha, ColorInterp.alpha]
    convert(capfd, path, tmp_path / "out.npy", "--band", "1")
    np.testing.assert_array_equal(
        np.load(tmp_path / "out.npy"),
        expected_of(counts & (IMAGE != 3)))


def test_nothing_but_alpha(tmp_path, capfd):
    path = vrt(tmp_path, [("Byte", "<ColorInterp>Alpha</ColorInterp>")])
    convert(capfd, path, tmp_path / "out.npy", "--fill")
    assert np.load(tmp_path / "out.npy").shape == (2, 3)


# ---- errors ------------------------------------------------------------------------------------


def test_errors(tmp_path, capfd):
    path = make(tmp_path / "in.tif", IMAGE)
    out = tmp_path / "out.tif"
    before = sorted(os.listdir(tmp_path))
    assert "PNG does not hold real numbers" in refused(capfd, path, tmp_path / "out.png")
    assert "writes no format of the extension .xyzw" in refused(capfd, path, tmp_path / "out.xyzw")
    assert "no extension" in refused(capfd, path, tmp_path / "out")
    assert "does not write Nothing" in refused(capfd, path, out, "--driver", "Nothing")
    assert "rasterio does not write netCDF" in refused(capfd, path, tmp_path / "out.nc")
    assert "cannot be written" in refused(capfd, path, out, "--driver", "JPEG")
    assert "--compress is of GeoTIFF" in refused(capfd, path, tmp_path / "out.img", "--compress",
                                                 "lzw")
    assert "cannot be created" in refused(capfd, path, out, "--co", "TILED=YES", "--co",
                                          "BLOCKXSIZE=17")
    assert sorted(os.listdir(tmp_path)) == before
    (tmp_path / "text.tif").write_text("no image")
    assert "text.tif cannot be read" in refused(capfd, tmp_path / "text.tif", out)
    assert "cannot be read" in refused(capfd, "/vsimem/nothing.tif", out)
    make(tmp_path / "complex.tif", IMAGE.astype(np.complex64))
    assert "has cells of complex64" in refused(capfd, tmp_path / "complex.tif", out)


@pytest.mark.parametrize("name, words", [
    ("o.npy", ["--compress", "zstd"]), ("o.npy", ["--driver", "GTiff"]), ("o.npy", ["--co", "A=B"]),
    ("o.tif", ["--driver", "NOPE"]), ("o.nc", []), ("o.png", []), ("o.foo", []), ("o", []),
    ("o.img", ["--compress", "lzw"])])
def test_formats_that_cannot_be_are_wrong_arguments(tmp_path, capfd, name, words):
    np.save(tmp_path / "in.npy", IMAGE)
    assert main([str(tmp_path / "in.npy"), str(tmp_path / name), *words]) == 2
    assert "expected" in capfd.readouterr().err and os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("option, said", [
    ("FOO=BAR", "GTiff does not support creation option FOO"),
    ("COMPRESS=BAR", "'BAR' is an unexpected value for COMPRESS creation option")])
def test_an_option_that_gdal_does_not_know(tmp_path, capfd, option, said):
    np.save(tmp_path / "in.npy", IMAGE)
    assert main([str(tmp_path / "in.npy"), str(tmp_path / "o.tif"), "--co", option]) == 2
    found = capfd.readouterr().err
    assert "o.tif: " in found and said in found and "CPLE" not in found
    assert os.listdir(tmp_path) == ["in.npy"]
    assert "COG does not support creation option FOO" in refused(
        capfd, tmp_path / "in.npy", tmp_path / "o.tif", "--driver", "COG", "--co", "FOO=BAR")


def test_a_folder_is_no_image(tmp_path, capfd):
    (tmp_path / "in").mkdir()
    said = refused(capfd, tmp_path / "in", tmp_path / "out.npy")
    assert said == (f"local-entropy: {tmp_path}/in is a folder, and no array of Zarr, expected a "
                    "file\n")


def test_a_file_that_ends_early(tmp_path, capfd):
    path = make(tmp_path / "in.tif", IMAGE, compress="deflate", blockysize=8)
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)
    said = refused(capfd, path, tmp_path / "out.tif", "--memory", "20K")
    assert "in.tif cannot be read at row" in said
    make(path, np.stack([IMAGE, IMAGE]), compress="deflate", blockysize=150, interleave="band")
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) - 1000)
    said = refused(capfd, path, tmp_path / "out.tif")
    assert "in.tif cannot be read at row 0 of band 2: " in said
    assert sorted(os.listdir(tmp_path)) == ["in.tif"]


@pytest.mark.parametrize("bands", [1, 3])
@pytest.mark.parametrize("lost", [13, 65, 1000, 20_000])
def test_a_picture_that_ends_early(tmp_path, capfd, bands, lost):
    """All of it is one block: GDAL would decode it at once, and not see the end."""
    cells = RANDOM.integers(0, 9, (bands, 300, 400), np.uint8)
    path = make(tmp_path / "in.png", cells, "PNG")
    os.truncate(path, os.path.getsize(path) - lost)
    assert "in.png cannot be read at row 0 of band 1: " in refused(capfd, path, tmp_path / "o.npy")
    assert os.listdir(tmp_path) == ["in.png"]


@pytest.mark.parametrize("size", [1 << 16, 30_000])
@pytest.mark.parametrize("words", [[], ["--compress", "deflate"], ["--driver", "COG"]])
def test_a_full_disk(tmp_path, words, size):
    """As one is, for a file of which only so many bytes can be written."""
    make(tmp_path / "in.tif", RANDOM.integers(0, 256, (300, 400), dtype=np.uint8))
    code = "import sys; from local_entropy.command.main import main; sys.exit(main(sys.argv[1:]))"

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    ended = subprocess.run([sys.executable, "-c", code, tmp_path / "in.tif", tmp_path / "out.tif",
                            *words], preexec_fn=limit, stderr=subprocess.PIPE, text=True,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert ended.returncode == 1, ended.stderr
    assert "out.tif cannot be written" in ended.stderr and ended.stderr.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == ["in.tif"]


def test_libtiff_is_made_quiet_once(monkeypatch):
    """GDAL may have put a handler of its own there since."""
    gdal.rasterio_for("in.tif")
    monkeypatch.setattr(gdal.ctypes, "CDLL", lambda name: pytest.fail("once more"))
    gdal.rasterio_for("in.tif")


@pytest.mark.parametrize("free, said", [(4096, ", the disk of its folder has 4096 bytes free: "),
                                        (1 << 20, ": ")])
def test_a_full_disk_is_said(tmp_path, monkeypatch, free, said):
    made = Created(str(tmp_path / "out.tif"), Layout((), 9, 9, np.dtype("f4"), (1, 0), False,
                                                     About()))
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: (
        shutil._ntuple_diskusage(0, 0, free) if folder == str(tmp_path) else None))

    def fail():
        logging.getLogger("rasterio").error("said before it failed")
        raise RuntimeError("TIFFAppendToStrip:Write error")

    with pytest.raises(FileError, match=f"out.tif cannot be written{said}TIFFAppendToStrip"):
        made._must(fail)
    made.drop()


def test_bands_of_several_types(tmp_path, capfd):
    said = refused(capfd, vrt(tmp_path, [("Byte", ""), ("UInt16", "")]), tmp_path / "out.npy")
    assert "in.vrt has bands of several types, uint8, uint16: expected one type" in said


def test_a_file_of_several_images(tmp_path, capfd):
    path = tmp_path / "in.gpkg"
    for name, more in (("red", {}), ("nir", {"APPEND_SUBDATASET": "YES"})):
        make(path, IMAGE, "GPKG", crs=UTM, transform=PLACE, RASTER_TABLE=name, **more)
    assert main([str(path), str(tmp_path / "out.npy")]) == 1
    assert capfd.readouterr().err == (
        f"local-entropy: {path} has no image of its own, but contains\n"
        f"  GPKG:{path}:red\n  GPKG:{path}:nir\n")
    convert(capfd, f"GPKG:{path}:nir", tmp_path / "out.npy", "--band", "1")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy").shape, IMAGE.shape)


@pytest.mark.parametrize("driver", ["GTiff", "NITF"])
def test_a_file_of_several_pages(tmp_path, capfd, driver):
    """GDAL would read the first."""
    path = tmp_path / "in.img"
    if driver == "NITF":
        make(path, IMAGE, driver, NUMI="2")
    for more in ({}, {"APPEND_SUBDATASET": "YES"}) if driver == "GTiff" else ():
        make(path, IMAGE, crs=UTM, transform=PLACE, **more)
    start = {"GTiff": "GTIFF_DIR:{}:", "NITF": "NITF_IM:{}:"}[driver]
    first, second = (start.format(n + (driver == "GTiff")) + str(path) for n in range(2))
    assert main([str(path), str(tmp_path / "out.npy")]) == 1
    assert capfd.readouterr().err == (f"local-entropy: {path} has several images, expected the "
                                      f"name of one:\n  {first}\n  {second}\n")
    convert(capfd, first, tmp_path / "out.npy")


def test_a_smaller_page_is_no_image_of_its_own(tmp_path, capfd):
    path = make(tmp_path / "in.tif", IMAGE, crs=UTM, transform=PLACE)
    make(path, IMAGE[:-1, :-1], APPEND_SUBDATASET="YES")
    convert(capfd, path, tmp_path / "out.npy")
    make(path, IMAGE[:-1], APPEND_SUBDATASET="YES")
    assert main([str(path), str(tmp_path / "out.npy")]) == 1
    assert capfd.readouterr().err.count("GTIFF_DIR:") == 2


@pytest.mark.parametrize("extension", ["jpg", "jpeg", "gif", "bmp", "webp"])
def test_pictures_hold_no_real_numbers(tmp_path, capfd, extension):
    path = make(tmp_path / "in.tif", IMAGE)
    assert f"{extension.upper()} does not hold real numbers" in refused(
        capfd, path, tmp_path / f"out.{extension}")
    convert(capfd, path, tmp_path / f"out.{extension}", "--driver", "GTiff")


def test_what_is_beside_a_file_is_kept(tmp_path, capfd):
    path = make(tmp_path / "in.tif", IMAGE, nodata=3)
    for _ in range(2):  # the second time it is there
        convert(capfd, path, tmp_path / "out.rst", "--driver", "RST")
        assert {"out.rst", "out.rdc", "out.rst.aux.xml"} < set(os.listdir(tmp_path))


def test_without_the_library(tmp_path, capfd, monkeypatch):
    path = make(tmp_path / "in.png", IMAGE, "PNG")
    monkeypatch.setitem(sys.modules, "rasterio", None)
    said = refused(capfd, path, tmp_path / "out.npy")
    assert "in.png needs rasterio, which is not installed: pip install rasterio" in said


def test_an_unknown_format_without_the_library(tmp_path, capfd, monkeypatch):
    """What is known comes first, then what knows more; names that GDAL alone knows need it."""
    monkeypatch.setitem(sys.modules, "rasterio", None)
    (tmp_path / "in.foo").write_text("cells")
    np.save(tmp_path / "in.npy", IMAGE)
    (tmp_path / "folder").mkdir()
    said = refused(capfd, tmp_path / "folder", tmp_path / "out.npy")
    assert "folder is a folder, and no array of Zarr" in said
    known = ".foo is no format that is known here, expected .npy, .zarr, .ome.tif or .tif"
    said = refused(capfd, tmp_path / "in.foo", tmp_path / "out.npy")
    assert f"in.foo: {known}; rasterio reads more: pip install rasterio" in said
    said = refused(capfd, tmp_path / "in.npy", tmp_path / "out.foo")
    assert f"out.foo: {known}; rasterio writes more: pip install rasterio" in said
    for words in [["NETCDF:in.foo:depth", tmp_path / "out.npy"],
                  [tmp_path / "in.npy", tmp_path / "out.foo", "--driver", "ENVI"]]:
        assert "needs rasterio, which is not installed" in refused(capfd, *words)


def test_bands_may_have_nodata_of_their_own(tmp_path, capfd):
    cells = RANDOM.integers(0, 5, (2, 20, 30), dtype=np.uint8)
    make(tmp_path / "in.tif", cells)
    bands = "".join(f"<VRTRasterBand dataType='Byte' band='{band}'><NoDataValue>{nodata}"
                    f"</NoDataValue><SimpleSource><SourceFilename relativeToVRT='1'>in.tif"
                    f"</SourceFilename><SourceBand>{band}</SourceBand></SimpleSource>"
                    f"</VRTRasterBand>" for band, nodata in ((1, 3), (2, 4)))
    (tmp_path / "in.vrt").write_text(
        f"<VRTDataset rasterXSize='30' rasterYSize='20'>{bands}</VRTDataset>")
    convert(capfd, tmp_path / "in.vrt", tmp_path / "out.npy")
    expected = [np.where(band == nodata, np.nan, entropy(band, nodata=nodata, empty=np.nan))
                for band, nodata in zip(cells, (3, 4))]
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)
    text = (tmp_path / "in.vrt").read_text()
    (tmp_path / "in.vrt").write_text(text.replace("<NoDataValue>3</NoDataValue>", ""))
    convert(capfd, tmp_path / "in.vrt", tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:  # of one band only
        assert np.isnan(file.nodata)
        np.testing.assert_array_equal(file.read(), [entropy(cells[0]), expected[1]])


@pytest.mark.parametrize("said, expected", [(None, "256"), ("64", "64")])
def test_memory_of_gdal(tmp_path, capfd, monkeypatch, said, expected):
    monkeypatch.setenv("GDAL_CACHEMAX", said or "")  # so that it is as before in the end
    if said is None:
        monkeypatch.delenv("GDAL_CACHEMAX")
    convert(capfd, make(tmp_path / "in.tif", IMAGE), tmp_path / "out.npy")
    assert os.environ["GDAL_CACHEMAX"] == expected


def test_what_the_user_says_of_a_tiff_comes_before_what_the_command_does(tmp_path, capfd):
    np.save(tmp_path / "in.npy", np.eye(40, dtype=np.uint8))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.tif", "--compress", "deflate", "--co",
            "compress=lzw")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.compression.name == "lzw"
