"""What a result has from its source where the source says it in part, or oddly."""

import logging
import os
import sys
import threading

import numpy as np
import pytest

from files import convert, open_files, refused
from local_entropy import entropy
from local_entropy.command.kinds import FileError, gdal, npy, open_source
from local_entropy.command.kinds.tiff import listener, reading, reason

RANDOM = np.random.default_rng(15)
IMAGE = RANDOM.integers(0, 9, (20, 30), dtype=np.uint8)
STACK = RANDOM.integers(0, 9, (2, 3, 20, 30), dtype=np.uint8)


def raster(rasterio, path, *bands, **named):
    with rasterio.open(path, "w", driver="GTiff", width=30, height=20, count=len(bands),
                       dtype="uint8", **named) as file:
        file.write(np.stack(bands))
    return path


# ---- rasters -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
def test_control_points_without_a_coordinate_system(tmp_path, capfd, rasterio):
    points = [rasterio.control.GroundControlPoint(row, column, column, row) for row in (0, 20)
              for column in (0, 30)]
    path = raster(rasterio, tmp_path / "in.tif", IMAGE)
    with rasterio.open(path, "r+") as file:
        file.gcps = (points, rasterio.crs.CRS())
    convert(capfd, path, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert len(file.gcps[0]) == 4 and not file.gcps[1]


@pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
def test_a_band_without_a_name(tmp_path, capfd, rasterio, zarr):
    path = raster(rasterio, tmp_path / "in.tif", IMAGE, IMAGE)
    with rasterio.open(path, "r+") as file:
        file.set_band_description(2, "red")
    convert(capfd, path, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.descriptions == (None, "red")
    convert(capfd, path, tmp_path / "out.zarr")
    assert zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs["names"] == [None, "red"]


def test_tags_of_bands(tmp_path, capfd, rasterio):
    """But not what they say of the cells, which are no longer these."""
    of_cells = {"STATISTICS_MEAN": "4", "units": "K", "scale_factor": "2", "add_offset": "1",
                "_FillValue": "0", "valid_min": "0", "valid_range": "0,9", "actual_range": "0,8"}
    path = raster(rasterio, tmp_path / "in.tif", IMAGE, IMAGE, IMAGE,
                  transform=rasterio.Affine(2, 0, 0, 0, -2, 9))
    with rasterio.open(path, "r+") as file:
        file.update_tags(1, WL="650", units_of="nm", **of_cells)
        file.update_tags(3, WL="850")
    for name, bands, expected in (
            ("all.tif", None, [{"WL": "650", "units_of": "nm"}, {}, {"WL": "850"}]),
            ("some.tif", "3,2", [{"WL": "850"}, {}])):
        convert(capfd, path, tmp_path / name, *(("--band", bands) if bands else ()))
        with rasterio.open(tmp_path / name) as file:
            assert [file.tags(band) for band in file.indexes] == expected


def test_only_texts_become_tags(tmp_path, capfd, rasterio, zarr):
    made = zarr.open(str(tmp_path / "in.zarr"), mode="w", shape=IMAGE.shape, dtype="u1")
    made.attrs.update(sensor="MSI", version=3, bands=[1, 2])
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert {key: value for key, value in file.tags().items() if key.islower()} == \
            {"sensor": "MSI"}


def test_a_rotated_raster_needs_rasterio(tmp_path, capfd, monkeypatch, rasterio, tifffile):
    raster(rasterio, tmp_path / "in.tif", IMAGE, transform=rasterio.Affine(2, 1, 0, 1, -2, 9))
    monkeypatch.setitem(sys.modules, "rasterio", None)
    assert "in.tif has a georeference" in refused(capfd, tmp_path / "in.tif", tmp_path / "o.npy")


# ---- stacks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("XResolution", "YResolution"), ("YResolution",)])
@pytest.mark.parametrize("resolution", [(0, 1), (1, 0), (0, 0)])
def test_a_resolution_of_nothing(tmp_path, capfd, tifffile, resolution, names):
    """Numerator and denominator, of which tifffile writes none of these."""
    path = tmp_path / "in.tif"
    tifffile.imwrite(path, STACK[0], imagej=True, resolution=(7.0, 7.0),
                     metadata={"axes": "ZYX", "unit": "um"})
    with tifffile.TiffFile(path) as file:
        places = [page.tags[name].valueoffset for page in file.pages
                  for name in names]
    whole = bytearray(path.read_bytes())
    for at in places:
        whole[at:at + 8] = np.array(resolution, file.byteorder + "u4").tobytes()
    path.write_bytes(whole)
    with tifffile.TiffFile(path) as file:
        assert file.pages[0].tags["YResolution"].value == resolution
    source = open_source(str(path))
    source.close()
    assert source.about.cell_size == (None if len(names) == 2 else (1 / 7, "um"))
    convert(capfd, path, tmp_path / "out.tif")
    convert(capfd, path, tmp_path / "out.ome.tif")


def test_a_unit_without_a_resolution(tmp_path, capfd, tifffile):
    """tifffile writes both: here the resolution's tags are renamed to one that nobody knows."""
    path = tmp_path / "in.tif"
    tifffile.imwrite(path, STACK[0], imagej=True, metadata={"axes": "ZYX", "unit": "um"})
    with tifffile.TiffFile(path) as file:
        places = [page.tags[name].offset for page in file.pages
                  for name in ("XResolution", "YResolution")]
    whole = bytearray(path.read_bytes())
    for at in places:
        whole[at:at + 2] = np.array(65000, file.byteorder + "u2").tobytes()
    path.write_bytes(whole)
    source = open_source(str(path))
    source.close()
    assert source.about.stack["unit"] == "um" and "resolution" not in source.about.stack
    assert source.about.cell_size is None
    convert(capfd, path, tmp_path / "out.ome.tif")


def test_an_error_that_says_nothing():
    """Its type is said instead."""
    assert reason(ValueError("odd\n bytes")) == "odd bytes"
    assert reason(OSError(28, "No space")) == "No space"
    assert reason(ValueError()) == "it is damaged (ValueError: )"
    assert reason(KeyError("C")) == "it is damaged (KeyError: 'C')"


def test_errors_that_rasterio_logs_in_its_own_words(rasterio):
    """Not as GDAL's, behind msg=. What is no error is left out, but for creation options."""
    logger = logging.getLogger("rasterio._err")
    with gdal.listener.errors(gdal.rasterio_for("in.tif")) as errors:
        logger.error("a full disk")
        logger.info("GDAL signalled an error: err_no=3, msg='no tile'")
        logger.warning("CPLE_NotSupported in driver GTiff has no creation option X")
        logger.warning("a warning")
    assert errors == ["a full disk", "'no tile'", "driver GTiff has no creation option X"]


def test_a_resolution_of_no_unit(tmp_path, capfd, tifffile):
    tifffile.imwrite(tmp_path / "in.tif", STACK[0], imagej=True, resolution=(7.0, 7.0),
                     metadata={"axes": "ZYX"})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.ome.tif")
    with tifffile.TiffFile(tmp_path / "out.ome.tif") as file:
        assert "PhysicalSizeX" not in file.ome_metadata


@pytest.mark.parametrize("labels", [["low", ""], ["", "high"]])
def test_labels_of_some_planes(tmp_path, capfd, tifffile, labels):
    tifffile.imwrite(tmp_path / "in.tif", STACK[:, 0], imagej=True,
                     metadata={"axes": "ZYX", "Labels": labels})
    convert(capfd, tmp_path / "in.tif", tmp_path / "out.tif")
    with tifffile.TiffFile(tmp_path / "out.tif") as file:
        assert "Labels" not in file.imagej_metadata


def test_cells_at_the_end_of_the_file(tmp_path, capfd, tifffile):
    path = tmp_path / "in.tif"
    tifffile.imwrite(path, STACK[0], photometric="minisblack", truncate=True)
    with tifffile.TiffFile(path) as file:
        end = file.series[0].dataoffset + STACK[0].nbytes
    os.truncate(path, end)
    convert(capfd, path, tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK[0]))


# ---- what tifffile says ------------------------------------------------------------------------


def test_errors_while_a_stack_is_read():
    with pytest.raises(MemoryError), reading("in.tif"):
        raise MemoryError
    listener.attach()
    with pytest.raises(FileError, match="in.tif cannot be read: index out of range$"):
        with reading("in.tif"):
            logging.getLogger("tifffile").warning("index out of range")
            raise KeyError("odd")
    with pytest.raises(FileError, match="in.tif .*, it is damaged or ends early: incompletely"):
        with reading("in.tif"):
            logging.getLogger("tifffile").warning("incompletely written file")
    assert reason(OSError(5, "Input/output error", "in.tif")) == "Input/output error"


def test_what_is_logged_within_and_afterwards():
    logger = logging.getLogger("tifffile")
    listener.attach()
    with listener.heard() as outer:
        logger.warning("missing data 1")
        with pytest.raises(KeyError), listener.heard() as inner:
            logger.warning("missing data 2")
            raise KeyError
        logger.warning("missing data 3")
    logger.warning("missing data 4")
    assert (outer, inner) == (["missing data 1", "missing data 3"], ["missing data 2"])


def test_what_is_logged_is_heard_once_and_by_its_thread():
    """Whatever is logged elsewhere meanwhile."""
    logger = logging.getLogger("tifffile")
    for _ in range(2):
        listener.attach()
    other = threading.Thread(target=logger.warning, args=("index out of range, elsewhere",))
    with listener.heard() as damage:
        other.start()
        other.join()
        logger.warning("index out of range")
    assert damage == ["index out of range"] and logger.handlers.count(listener) == 1


# ---- arrays ------------------------------------------------------------------------------------


def test_stacks_of_stacks_of_zarr(tmp_path, capfd, zarr):
    made = zarr.open(str(tmp_path / "in.zarr"), mode="w", shape=STACK.shape, dtype="u1")
    made[...] = STACK
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK))
    np.save(tmp_path / "in.npy", STACK)
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.zarr")
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "out.zarr"), mode="r")[...],
                                  entropy(STACK))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--band", "6,5,4,3,2,1")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"),
                                  entropy(STACK.reshape(6, 20, 30)[::-1]))


def test_a_fill_value_of_zero(tmp_path, zarr):
    made = zarr.open(str(tmp_path / "in.zarr"), mode="w", shape=IMAGE.shape, dtype="u1")
    made.attrs.update(_FillValue=0, nodata=5)
    assert open_source(str(tmp_path / "in.zarr")).nodata(0) == 0


def test_a_long_header(tmp_path, capfd):
    header = {"descr": "|u1", "fortran_order": False, "shape": IMAGE.shape}
    with open(tmp_path / "in.npy", "wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + (500).to_bytes(4, "little"))
        file.write(repr(header).encode().ljust(499) + b"\n" + IMAGE.tobytes())
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(IMAGE))


def test_no_cells(tmp_path, capfd):
    np.save(tmp_path / "in.npy", IMAGE[:0])
    assert "in.npy has no cells: its shape is (0, 30)" in refused(capfd, tmp_path / "in.npy",
                                                                  tmp_path / "out.npy")


def test_the_other_order_of_bytes(tmp_path, capfd):
    np.save(tmp_path / "in.npy", IMAGE.astype(">u2"))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--levels", "9")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(IMAGE))


# ---- all ---------------------------------------------------------------------------------------


def test_an_error_without_a_number(tmp_path, monkeypatch):
    def refuse(_):
        raise OSError("odd")

    np.save(tmp_path / "in.npy", IMAGE)
    monkeypatch.setattr(npy, "Opened", refuse)
    with pytest.raises(FileError, match="in.npy cannot be read: odd$"):
        open_source(str(tmp_path / "in.npy"))


def test_a_name_with_a_colon(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused(capfd, "a:b.npy", "o.npy") == "local-entropy: a:b.npy does not exist\n"


def test_a_file_of_complex_numbers_is_closed(tmp_path, rasterio):
    path = tmp_path / "in.tif"
    with rasterio.open(path, "w", driver="GTiff", width=30, height=20, count=1,
                       dtype="complex64") as file:
        file.write(IMAGE.astype(np.complex64), 1)
    with pytest.raises(FileError, match="has cells of complex64") as error:
        open_source(str(path))
    assert str(path) not in open_files() and error
