"""What the command refuses before it has computed anything."""

import gzip
import json
import os
import sys
import zipfile

import numpy as np
import pytest

from files import convert, open_files, refused
from local_entropy import entropy
from local_entropy.command import main as command
from local_entropy.command.kinds import FileError, open_source
from local_entropy.command.kinds import raster as raster_kind
from local_entropy.command.main import main

RANDOM = np.random.default_rng(13)
IMAGE = RANDOM.integers(0, 9, (20, 30), dtype=np.uint8)

pytestmark = pytest.mark.filterwarnings("ignore:Dataset has no geotransform")


@pytest.fixture
def image(tmp_path):
    np.save(tmp_path / "in.npy", IMAGE)
    return tmp_path / "in.npy"


@pytest.fixture
def nothing_is_computed(monkeypatch):
    monkeypatch.setattr(command, "run", lambda *_: pytest.fail("it was begun"))


def raster(rasterio, path, image=IMAGE, driver="GTiff", **named):
    with rasterio.open(path, "w", driver=driver, width=image.shape[1], height=image.shape[0],
                       count=1, dtype=image.dtype, **named) as file:
        file.write(image, 1)
    return path


# ---- drivers that only copy --------------------------------------------------------------------


@pytest.mark.parametrize("option, status, said", [
    ("FOO=BAR", 2, "COG does not support creation option FOO"),
    ("COMPRESS=BAR", 2, "'BAR' is an unexpected value for COMPRESS creation option"),
    ("BLOCKSIZE=0", 2, "BLOCKSIZE is 0, expected a number"),
    ("blocksize=x", 2, "BLOCKSIZE is x, expected a number"),
    ("TILING_SCHEME=no", 1, "o.tif cannot be written: ")])
def test_options_of_a_cog(image, tmp_path, capfd, rasterio, nothing_is_computed, option, status,
                          said):
    assert main([str(image), str(tmp_path / "o.tif"), "--driver", "COG", "--co", option]) == status
    found = capfd.readouterr().err
    assert "o.tif" in found and said in found and found.count("\n") == status
    assert os.listdir(tmp_path) == ["in.npy"]


def test_a_driver_without_real_numbers(image, tmp_path, capfd, rasterio, nothing_is_computed):
    assert "o.jpg cannot be written: " in refused(capfd, image, tmp_path / "o.jpg", "--driver",
                                                  "JPEG")


@pytest.mark.parametrize("name, words, said", [
    ("o.tif", "--driver MEM", "o.tif: the driver MEM makes no file, expected one"),
    ("o.tif", "--driver Zarr", "o.tif: the driver Zarr makes a folder, expected one that makes"),
    ("o.tif", "--co COMPRESS=JPEG", "o.tif cannot be written: JPEGSetupEncode:BitsPerSample 32"),
    ("o.tif", "--driver COG --co COMPRESS=JPEG", "o.tif cannot be written: JPEGSetupEncode"),
    ("o.vrt", "", "o.vrt cannot be written: Writing through VRTSourcedRasterBand"),
    ("o.jp2", "", "o.jp2 cannot be written: JP2")])
def test_a_driver_that_writes_no_such_file(image, tmp_path, capfd, rasterio, nothing_is_computed,
                                           name, words, said):
    with rasterio.Env() as env:
        if name == "o.jp2" and "JP2OpenJPEG" not in env.drivers() or \
                "Zarr" in words and "Zarr" not in env.drivers():
            pytest.skip("a GDAL without that driver")
    assert said in refused(capfd, image, tmp_path / name, *words.split())
    assert os.listdir(tmp_path) == ["in.npy"]


# ---- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [
    ["", "o.npy"], ["in.npy", ""], ["in.npy", "o.tif", "--driver", ""],
    ["in.npy", "o.npy", "--preview", ""],
    ["in.npy", "o.npy", "--preview", "o.png", "--colors", ""]])
def test_empty_names(image, tmp_path, capfd, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    said = refused(capfd, *words)
    assert ": '', expected a name\n" in said and said.count("\n") == 2
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("words, argument", [
    (["i\0.npy", "o.npy"], "INPUT"), (["in.npy", "o\0.npy"], "OUTPUT"),
    (["in.npy", "o.npy", "--preview", "o\0.png"], "--preview")])
def test_names_with_nul(image, tmp_path, capfd, monkeypatch, words, argument):
    monkeypatch.chdir(tmp_path)
    assert f"argument {argument}: has a character NUL, expected a name\n" in refused(capfd, *words)
    assert os.listdir(tmp_path) == ["in.npy"]


def test_a_name_that_ends_as_that_of_a_folder(image, tmp_path, capfd):
    said = refused(capfd, image, f"{tmp_path}/o.npy/")
    assert "o.npy/ ends as the name of a folder, expected that of a file" in said
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("words", [["{}.npy"], ["o.npy", "--preview", "{}.png"]])
def test_long_names(image, tmp_path, capfd, monkeypatch, nothing_is_computed, words):
    if "--preview" in words:
        pytest.importorskip("matplotlib", reason="pip install matplotlib")
    monkeypatch.chdir(tmp_path)
    said = refused(capfd, image, *(word.format("ä" * 126) for word in words))
    assert f"{words[-1][2:]} cannot be written: File name too long\n" in said
    assert os.listdir(tmp_path) == ["in.npy"]


def test_the_longest_name(image, tmp_path, capfd):
    name = "ä" * 125 + "o.npy"
    convert(capfd, image, tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["in.npy", name]


def test_the_longest_name_of_a_raster(image, tmp_path, capfd, rasterio):
    """In a folder whose name is whole characters: rasterio takes no others."""
    convert(capfd, image, tmp_path / ("x" + "ä" * 120 + ".tif"))


def test_a_device_is_no_input(tmp_path, capfd):
    """As a pipe is none, which whoever reads it would wait for."""
    assert "null is a device or a pipe, expected a file: the image is not read from its" in refused(
        capfd, "/dev/null", tmp_path / "o.npy")


def test_a_file_that_is_write_protected(image, tmp_path, capfd, monkeypatch):
    (tmp_path / "o.npy").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # who is root may write all
    assert "o.npy is write-protected\n" in refused(capfd, image, tmp_path / "o.npy")
    assert (tmp_path / "o.npy").read_text() == "old"


@pytest.mark.parametrize("order", "<>")
def test_like_scikit_image_in_either_order_of_bytes(tmp_path, capfd, order):
    np.save(tmp_path / "in.npy", np.arange(20, dtype=order + "u2").reshape(4, 5))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--like-skimage", "--size", "3")


def test_cells_that_numpy_has_not(tmp_path, capfd, rasterio):
    with rasterio.open(tmp_path / "in.tif", "w", driver="GTiff", width=9, height=9, count=1,
                       dtype="complex_int16"):
        pass
    assert "in.tif has cells of complex_int16, expected integers or real numbers" in refused(
        capfd, tmp_path / "in.tif", tmp_path / "o.npy")


def test_names_that_begin_like_a_sentence_of_a_cell(image, tmp_path, capfd, monkeypatch, rasterio):
    monkeypatch.chdir(tmp_path)
    said = refused(capfd, image, "the cell o.jpg", "--driver", "JPEG")
    assert "local-entropy: the cell o.jpg cannot be written: " in said and "--clip" not in said


def test_the_extent_of_a_cog_is_that_of_the_whole(tmp_path, capfd, monkeypatch, rasterio):
    """A few cells would be warped into it, with as many cells as the result."""
    path = raster(rasterio, tmp_path / "in.tif", crs="EPSG:32632",
                  transform=rasterio.Affine(10, 0, 500_000, 0, -10, 5_300_000))
    sizes, copy = [], raster_kind.copy

    def noted(library, source, to, *more):
        copy(library, source, to, *more)
        with rasterio.open(to) as file:
            sizes.append(file.shape)

    monkeypatch.setattr(raster_kind, "copy", noted)
    convert(capfd, path, tmp_path / "o.tif", "--driver", "COG", "--co", "TARGET_SRS=EPSG:32632",
            "--co", "RES=10", "--co", "extent=500000,5299000,501000,5300000")
    assert sizes[0] <= (16, 16) and sizes[1] == (100, 100)
    assert sorted(os.listdir(tmp_path)) == ["in.tif", "o.tif"]


# ---- places ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["group", "array"])
@pytest.mark.parametrize("name", ["out", "out.npy", "out.zarr", "new/out"])
def test_nothing_is_written_into_an_array_or_group_of_zarr(image, tmp_path, capfd, zarr, kind,
                                                           name):
    if kind == "group":
        zarr.open_group(str(tmp_path / "g.zarr"), mode="w")
    else:
        zarr.open(str(tmp_path / "g.zarr"), mode="w", shape=(3, 4), dtype="u1", chunks=(3, 4))
    before = sorted(os.listdir(tmp_path / "g.zarr"))
    assert main([str(image), str(tmp_path / "g.zarr" / name)]) == 2
    said = capfd.readouterr().err
    assert f"g.zarr/{name} lies in {tmp_path}/g.zarr, an array or group of Zarr: expected a name " \
        "beside it" in said
    assert sorted(os.listdir(tmp_path / "g.zarr")) == before


def test_a_subdataset_of_the_output(tmp_path, capfd, rasterio):
    path = raster(rasterio, tmp_path / "in.gpkg", driver="GPKG", crs="EPSG:32632",
                  transform=rasterio.Affine(10, 0, 500_000, 0, -10, 5_300_000), RASTER_TABLE="red")
    before = path.read_bytes()
    (tmp_path / "link.gpkg").symlink_to(path)
    for out in (path, tmp_path / "link.gpkg"):
        assert main([f"GPKG:{path}:red", str(out), "--driver", "GTiff"]) == 2
        assert f"{out} is read, as a part of GPKG:{path}:red: expected another name" in \
            capfd.readouterr().err
    assert path.read_bytes() == before


def vrt(path, part):
    path.write_text(
        "<VRTDataset rasterXSize='30' rasterYSize='20'><VRTRasterBand dataType='Byte' band='1'>"
        f"<SimpleSource><SourceFilename relativeToVRT='1'>{part}</SourceFilename></SimpleSource>"
        "</VRTRasterBand></VRTDataset>")


def test_a_part_of_a_vrt(tmp_path, capfd, rasterio):
    path = raster(rasterio, tmp_path / "part.tif")
    vrt(tmp_path / "in.vrt", "part.tif")
    assert "part.tif is read, as a part of" in refused(capfd, tmp_path / "in.vrt", path)
    assert "part.tif is read, as a part of" in refused(
        capfd, tmp_path / "in.vrt", tmp_path / "o.npy", "--preview", path)
    convert(capfd, tmp_path / "in.vrt", tmp_path / "o.tif")


@pytest.mark.parametrize("name, out", [
    ("a.vrt", "x.tif"), ("sub/b", "x.tif"), ("vrt://a.vrt?bands=1", "x.tif"), ("self.vrt", "x.tif"),
    ("y.vrt", "x.tif"), ("v.vrt", "x.tif"),
    ("/vsizip/{z.tif}/x.tif", "z.tif"), ("/vsizip/z.zip/x.tif", "z.zip"), ("z.vrt", "z.tif"),
    ("/vsigzip/g.tif", "g.tif"), ("/vsizip/{/vsigzip/z.gz}/x.tif", "z.gz"),
    ("/vsisubfile/0_9999,x.tif", "x.tif"), ('ZARR:"z.zarr"', "z.zarr")])
def test_what_is_read_by_a_name_of_gdal(tmp_path, capfd, monkeypatch, rasterio, name, out):
    """VRTs of VRTs, one of which reads itself, archives, a folder in whose place OUTPUT were."""
    with rasterio.Env() as env:
        if "ZARR" in name and "Zarr" not in env.drivers():
            pytest.skip("a GDAL without that driver")
    monkeypatch.chdir(tmp_path)
    tiff = raster(rasterio, tmp_path / "x.tif").read_bytes()
    (tmp_path / "sub").mkdir()
    vrt(tmp_path / "sub" / "b", "../x.tif")
    for made, part in (("a", "sub/b"), ("z", "/vsizip/{z.tif}/x.tif"), ("y", "/vsizip/z.zip/a.vrt"),
                       ("v", "vrt://sub/b?bands=1")):
        vrt(tmp_path / f"{made}.vrt", part)
    vrt(tmp_path / "self.vrt", "sub/../self.vrt</SourceFilename></SimpleSource><SimpleSource>"
        "<SourceFilename relativeToVRT='1'>x.tif")
    with zipfile.ZipFile("z.tif", "w") as file:
        file.write("x.tif")
        file.writestr("a.vrt", (tmp_path / "sub" / "b").read_text().replace(
            "'1'>../", f"'0'>{tmp_path}/"))
    archive = (tmp_path / "z.tif").read_bytes()
    (tmp_path / "z.zip").write_bytes(archive)
    (tmp_path / "z.gz").write_bytes(gzip.compress(archive))
    (tmp_path / "g.tif").write_bytes(gzip.compress(tiff))
    (tmp_path / "z.zarr").mkdir()
    (tmp_path / "z.zarr" / "0.0").write_bytes(IMAGE.tobytes())
    (tmp_path / "z.zarr" / ".zarray").write_text(json.dumps({
        "zarr_format": 2, "shape": [20, 30], "chunks": [20, 30], "dtype": "|u1", "order": "C",
        "compressor": None, "filters": None, "fill_value": 0}))
    assert f": {out} is read, as a part of {name}: expected" in refused(capfd, name, out)
    if name != "self.vrt":
        convert(capfd, name, "other.npy")


@pytest.mark.parametrize("name, words", [("o.foo", []), ("o", []), ("o.png", []),
                                         ("folder.foo", [])])
@pytest.mark.parametrize("installed", [True, False])
def test_formats_are_wrong_arguments_without_rasterio_too(image, tmp_path, capfd, monkeypatch, name,
                                                          words, installed):
    if installed:
        pytest.importorskip("rasterio", reason="pip install rasterio")
    else:
        monkeypatch.setitem(sys.modules, "rasterio", None)
    (tmp_path / "here/folder.foo").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")  # where a folder has the name of the output
    assert main([str(image), str(tmp_path / name), *words]) == 2
    said = capfd.readouterr().err
    assert said.startswith(f"local-entropy: {name}") and "expected .npy, .zarr" in said or \
        "expected .tif, .npy" in said


# ---- files that are refused are closed ---------------------------------------------------------


def test_a_raster_that_is_refused_is_closed(tmp_path, rasterio):
    path = tmp_path / "in.gpkg"
    for name, more in (("red", {}), ("nir", {"APPEND_SUBDATASET": "YES"})):
        raster(rasterio, path, driver="GPKG", crs="EPSG:32632",
               transform=rasterio.Affine(10, 0, 500_000, 0, -10, 5_300_000), RASTER_TABLE=name,
               **more)
    with pytest.raises(FileError, match="has no image of its own") as error:  # keeps the frames
        open_source(str(path))
    assert str(path) not in open_files() and error


def test_an_archive_that_is_refused_is_closed(tmp_path, zarr):
    path = tmp_path / "in.zarr.zip"
    store = zarr.storage.ZipStore(str(path), mode="w")
    zarr.open_group(store, mode="w")
    store.close()
    for name in (str(path), f"{path}/no"):
        with pytest.raises(FileError) as error:
            open_source(name)
        assert str(path) not in open_files() and error


def test_results_in_capitals(image, tmp_path, capfd, rasterio, zarr):
    convert(capfd, image, f"{tmp_path}/OUT.ZARR/")
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "OUT.ZARR"))[...], entropy(IMAGE))
    convert(capfd, image, tmp_path / "OUT.TIF")
    with rasterio.open(tmp_path / "OUT.TIF") as file:
        np.testing.assert_array_equal(file.read(1), entropy(IMAGE))
    assert "PNG does not hold real numbers" in refused(capfd, image, tmp_path / "OUT.PNG")
