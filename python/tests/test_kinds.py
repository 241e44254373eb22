"""What kinds of files have in common, and what only one of them says."""

import logging
import os
import sys
import warnings

import numpy as np
import pytest

from files import convert, refused
from local_entropy import entropy
from local_entropy.command.kinds import FileError, Layout, Part, npy, open_source
from local_entropy.command.kinds.base import About, is_installed, needed

pytestmark = pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
RANDOM = np.random.default_rng(12)
IMAGE = RANDOM.integers(0, 9, (20, 30), dtype=np.uint8)


def layout(lead=(), height=100, width=200, block=(1, 0), **named):
    return Layout(lead, height, width, np.dtype(np.float32), block, False, About(), **named)


def test_bytes_of_a_layout():
    assert layout((2, 3), 4, 5).bytes == 480


def test_an_array_in_a_file(tmp_path, capfd):
    """Neither its map nor its file is longer than it has to be."""
    np.save(tmp_path / "in.npy", IMAGE)
    assert open_source(str(tmp_path / "in.npy")).read(0, Part(2, 5, 0, 30)).flags.owndata
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy")
    np.save(tmp_path / "expected.npy", entropy(IMAGE))
    assert (tmp_path / "out.npy").read_bytes() == (tmp_path / "expected.npy").read_bytes()


@pytest.mark.parametrize("keep, said", [
    (-1, "it ends before the last cell that its header promises"),
    (40, "EOF: reading array header, expected "), (6, "EOF: reading magic string, expected ")])
def test_what_an_array_that_ends_early_lacks(tmp_path, capfd, keep, said):
    np.save(tmp_path / "in.npy", np.zeros((9, 9), np.uint8))
    (tmp_path / "in.npy").write_bytes((tmp_path / "in.npy").read_bytes()[:keep])
    assert f"in.npy is not an array of NumPy: {said}" in refused(
        capfd, tmp_path / "in.npy", tmp_path / "out.npy")


def test_an_array_is_as_long_as_it_will_be_from_its_beginning(tmp_path):
    """So what is never written is no cell that is missing, and a limit of the system is met
    then."""
    sink = npy.Created(str(tmp_path / "out.npy"), layout((2,), 20, 30))
    assert np.load(tmp_path / "out.npy").shape == (2, 20, 30)
    sink.write(1, Part(18, 20, 3, 30), np.full((2, 27), 2.5, np.float32))
    sink.finish()
    expected = np.zeros((2, 20, 30))
    expected[1, 18:20, 3:30] = 2.5
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)


def test_a_header_too_long_is_refused_in_one_line(tmp_path, capfd):
    (tmp_path / "in.npy").write_bytes(b"\x93NUMPY\x02\0" + (20000).to_bytes(4, "little")
                                      + b" " * 20000)
    assert "in.npy is not an array of NumPy: Header info" in refused(
        capfd, tmp_path / "in.npy", tmp_path / "out.npy")


def test_inputs_that_cannot_be_read(tmp_path, capfd):
    (tmp_path / "in.npy").mkdir()
    said = refused(capfd, tmp_path / "in.npy", tmp_path / "out.npy")
    assert said == f"local-entropy: {tmp_path}/in.npy cannot be read: Is a directory\n"
    assert "- is no file: the image is not read from the standard input" in \
        refused(capfd, "-", tmp_path / "out.npy")
    assert "no.npy does not exist" in refused(capfd, tmp_path / "no.npy", tmp_path / "out.npy")
    np.save(tmp_path / "row.npy", IMAGE[0])
    assert "has 1 dimensions" in refused(capfd, tmp_path / "row.npy", tmp_path / "out.npy")
    np.save(tmp_path / "complex.npy", IMAGE * 1j)
    assert "complex.npy has cells of complex128" in refused(capfd, tmp_path / "complex.npy",
                                                            tmp_path / "out.npy")


def test_names_in_capitals(tmp_path, capfd):
    np.save(tmp_path / "in.npy", IMAGE > 4)
    os.rename(tmp_path / "in.npy", tmp_path / "IN.NPY")
    convert(capfd, tmp_path / "IN.NPY", tmp_path / "OUT.NPY")
    np.testing.assert_array_equal(np.load(tmp_path / "OUT.NPY"), entropy(IMAGE > 4))


@pytest.mark.parametrize("words", [["--driver", "GTiff"], ["--co", "TILED=YES"]])
def test_settings_of_gdal_elsewhere(tmp_path, capfd, words):
    np.save(tmp_path / "in.npy", IMAGE)
    said = refused(capfd, tmp_path / "in.npy", tmp_path / "out.npy", *words)
    assert "out.npy: an .npy file is not written by GDAL, expected no --driver and no --co" in said
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--compress", "none")


def test_a_library_that_does_not_load(tmp_path, capfd, monkeypatch):
    (tmp_path / "tifffile.py").write_text("import no_such_library")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "tifffile", raising=False)
    (tmp_path / "in.ome.tif").touch()
    assert is_installed("tifffile")  # or another kind would take its files
    assert "in.ome.tif needs tifffile, which does not load: No module named 'no_such_library'" in \
        refused(capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")


def test_a_library_that_lacks_a_part(tmp_path, monkeypatch):
    (tmp_path / "half.py").write_text("import half.gone")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(FileError, match="in.x needs half, which is not installed: .* half$"):
        needed("half.part", "in.x")
    (tmp_path / "torn.py").write_text("from torn import gone")
    with pytest.raises(FileError, match="in.x needs torn, which does not load: cannot import"):
        needed("torn", "in.x")


# ---- GDAL --------------------------------------------------------------------------------------


def test_gdal_says_what_fails(rasterio):
    from local_entropy.command.kinds.gdal import listener, rasterio_for
    rasterio_for("in.tif")
    logger = logging.getLogger("rasterio")
    assert not logger.propagate
    with listener.errors(rasterio) as errors:
        logging.getLogger("rasterio._env").info("all is well")
        logging.getLogger("rasterio._env").error("the disk is gone")
        logging.getLogger("rasterio._err").info("GDAL signalled an error: err_no=3, msg=it is full")
    assert errors == ["the disk is gone", "it is full"]
    with listener.errors(rasterio) as errors:
        pass
    assert errors == []
    logger.error("nobody listens")


def test_gdal_sentences():
    gdal = pytest.importorskip("local_entropy.command.kinds.gdal")
    error = RuntimeError("see previous exception")
    error.__cause__ = ValueError("it is\n  full.")
    assert gdal.sentence(error) == "it is full"
    assert gdal.sentence(ValueError()) == "ValueError"


def test_gdal_warns_of_nothing(tmp_path, capfd, rasterio):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        with rasterio.open(tmp_path / "in.png", "w", driver="PNG", width=30, height=20, count=1,
                           dtype="uint8") as file:
            file.write(IMAGE, 1)
        given.clear()
        convert(capfd, tmp_path / "in.png", tmp_path / "out.tif")
    assert not [str(warning.message) for warning in given]


def test_tiff_tiles_and_strips(rasterio):
    from local_entropy.command.kinds.raster import _tiff_options

    def found(given=(), **named):
        options = _tiff_options(layout(height=5000, width=5000, **named), given)
        assert options.pop("BIGTIFF") == "IF_SAFER" and options.pop("INTERLEAVE") == "BAND"
        return options

    strips = {"BLOCKYSIZE": 13}  # of 256 KB
    assert found(block=(1, 0)) == found(block=(1, 5000)) == found(block=(64, 0)) == strips
    assert found(block=(48, 32)) == {"TILED": "YES", "BLOCKXSIZE": 32, "BLOCKYSIZE": 48}
    usual = {"TILED": "YES", "BLOCKXSIZE": 512, "BLOCKYSIZE": 512}
    for block in ((100, 100), (100, 48), (48, 100), (2048, 16), (1, 64)):
        assert found(block=block) == usual
    assert found((("tiled", "YES"),), block=(48, 32)) == {"TILED": "YES"}
    assert found((("blockysize", "8"),)) == {"BLOCKYSIZE": "8"}
    assert found(compress="none") == strips
    assert found(compress="lzw") == {**strips, "COMPRESS": "LZW", "NUM_THREADS": "ALL_CPUS",
                                     "PREDICTOR": 3}
    assert found(compress="zstd")["ZSTD_LEVEL"] == 1
    assert _tiff_options(layout(height=7), ())["BLOCKYSIZE"] == 7
    assert _tiff_options(layout(width=1 << 20), ())["BLOCKYSIZE"] == 1


def test_tiff_that_is_cloud_optimized(tmp_path, monkeypatch, rasterio):
    from local_entropy.command.kinds.raster import Created, _options
    assert _options("out.tif", "COG", layout(compress="zstd", options=(("COMPRESS", "LZW"),))) == \
        {"BIGTIFF": "IF_SAFER", "NUM_THREADS": "ALL_CPUS", "COMPRESS": "LZW"}
    asked, opened = [], rasterio.open
    monkeypatch.setattr(rasterio, "open",
                        lambda *words, **named: asked.append(named) or opened(*words, **named))
    made = Created(str(tmp_path / "out.tif"), layout(compress="lzw", driver="COG"))
    assert asked[0]["driver"] == "GTiff" and "COMPRESS" not in asked[0]  # until it is copied
    made.drop()
    assert made._file.closed


@pytest.mark.parametrize("compress, version, threads", [
    ("deflate", "3.6.4", "1"), ("deflate", "3.9.0", "ALL_CPUS"), ("deflate", "3.10.1", "ALL_CPUS"),
    (None, "3.10.1", "1")])
def test_tiff_is_decoded_by_threads_that_say_what_fails(tmp_path, monkeypatch, rasterio, compress,
                                                        version, threads):
    with rasterio.open(tmp_path / "in.tif", "w", driver="GTiff", width=30, height=20, count=1,
                       dtype="uint8", compress=compress) as file:
        file.write(IMAGE, 1)
    asked, opened = [], rasterio.open
    monkeypatch.setattr(rasterio, "__gdal_version__", version)
    monkeypatch.setattr(rasterio, "open",
                        lambda *words, **named: asked.append(named) or opened(*words, **named))
    open_source(str(tmp_path / "in.tif")).close()
    assert asked[-1] == {"NUM_THREADS": threads}
