"""Arrays of Zarr."""

import asyncio
import json
import os
import sys

import numpy as np
import pytest

from files import convert, refused
from local_entropy import entropy
from local_entropy.command.kinds import FileError, Layout, Part, open_source, zarr_array
from local_entropy.command.kinds.base import About
from local_entropy.command.main import main

zarr = pytest.importorskip("zarr", reason="pip install zarr")

RANDOM = np.random.default_rng(8)
STACK = RANDOM.integers(0, 9, (2, 70, 61), dtype=np.uint8)


def make(path, array, chunks=(1, 16, 32), **named):
    made = zarr.open(str(path), mode="w", shape=array.shape, dtype=array.dtype,
                     chunks=chunks[-array.ndim:], **named)
    made[...] = array
    return made


@pytest.mark.parametrize("memory", ["512M", "20K", "2K"])
def test_arrays(tmp_path, capfd, memory):
    make(tmp_path / "in.zarr", STACK).attrs.update(sensor="MSI", units="m")
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr", "--mode", "reflect", "--memory",
            memory)
    found = zarr.open(str(tmp_path / "out.zarr"), mode="r")
    np.testing.assert_array_equal(found[...], entropy(STACK, mode="reflect"))
    assert found.chunks == (1, 16, 32) and found.dtype == np.float32
    assert dict(found.attrs) == {"sensor": "MSI"}
    assert sorted(os.listdir(tmp_path)) == ["in.zarr", "out.zarr"]


@pytest.mark.parametrize("name", ["_FillValue", "nodata"])
def test_nodata(tmp_path, capfd, name):
    make(tmp_path / "in.zarr", STACK).attrs[name] = 4
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    found = zarr.open(str(tmp_path / "out.zarr"), mode="r")
    expected = np.where(STACK == 4, np.nan, entropy(STACK, nodata=4, empty=np.nan))
    np.testing.assert_array_equal(found[...], expected)
    assert np.isnan(found.fill_value)


def test_a_georeference(tmp_path, capfd):
    rasterio = pytest.importorskip("rasterio", reason="pip install rasterio")
    crs = rasterio.crs.CRS.from_epsg(32633)
    make(tmp_path / "in.zarr", STACK[0]).attrs.update(crs_wkt=crs.to_wkt(),
                                                      transform=[10, 0, 500, 0, -10, 900])
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.crs == crs and tuple(file.transform)[:6] == (10, 0, 500, 0, -10, 900)


def test_names_of_axes(tmp_path, capfd):
    if zarr.__version__.startswith("2."):
        pytest.skip("Zarr 3 names axes")
    make(tmp_path / "in.zarr", STACK, dimension_names=("time", "y", "x"))
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    found = zarr.open(str(tmp_path / "out.zarr"), mode="r")
    assert tuple(found.metadata.dimension_names) == ("time", "y", "x")
    make(tmp_path / "in.zarr", STACK, dimension_names=("time", None, "x"))
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    found = zarr.open(str(tmp_path / "out.zarr"), mode="r")
    assert not any(found.metadata.dimension_names or ())


def test_a_folder_that_is_called_as_an_archive(tmp_path, capfd):
    make(tmp_path / "in.zarr.zip", STACK)
    convert(capfd, tmp_path / "in.zarr.zip", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK))


def test_a_folder_that_is_called_as_a_stack(tmp_path, capfd):
    make(tmp_path / "in.ome.tif", STACK)
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK))


def test_groups(tmp_path, capfd):
    group = zarr.open_group(str(tmp_path / "in.zarr"), mode="w")
    make(tmp_path / "in.zarr/red", STACK)
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK))
    make(tmp_path / "in.zarr/nir", STACK // 2)
    assert "group with the images nir, red: expected" in refused(capfd, tmp_path / "in.zarr",
                                                                 tmp_path / "out.npy")
    convert(capfd, tmp_path / "in.zarr/nir", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK // 2))
    del group


@pytest.mark.parametrize("kind", ["array", "group"])
def test_archives(tmp_path, capfd, kind):
    store = zarr.storage.ZipStore(str(tmp_path / "in.zarr.zip"), mode="w")
    if kind == "array":
        made = zarr.open(store, mode="w", shape=STACK.shape, dtype=STACK.dtype, chunks=(1, 16, 32))
        made[...] = STACK
    else:
        group = zarr.open_group(store, mode="w")
        for name, array in (("red", STACK), ("nir", STACK // 2)):
            group[name] = array
    store.close()
    if kind == "array":
        convert(capfd, tmp_path / "in.zarr.zip", tmp_path / "out.npy", "--memory", "20K")
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK))
        return
    convert(capfd, tmp_path / "in.zarr.zip/nir", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK // 2))
    said = refused(capfd, tmp_path / "in.zarr.zip", tmp_path / "out.npy")
    assert "in.zarr.zip is a group with the images nir, red: expected" in said
    assert "not an array of Zarr" in refused(capfd, tmp_path / "in.zarr.zip/no", tmp_path / "o.npy")


def test_an_archive_that_is_none(tmp_path, capfd):
    (tmp_path / "in.zarr.zip").write_text("no archive")
    assert "in.zarr.zip is not an array of Zarr" in refused(capfd, tmp_path / "in.zarr.zip",
                                                            tmp_path / "out.npy")
    assert "no.zarr.zip does not exist" in refused(capfd, tmp_path / "no.zarr.zip",
                                                   tmp_path / "out.npy")


def test_names_of_planes(tmp_path, capfd):
    """Those of the planes that are chosen; names of another number are an attribute as others."""
    make(tmp_path / "in.zarr", STACK).attrs["names"] = ["red", "nir"]
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr", "--band", "2")
    assert zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs["names"] == ["nir"]
    make(tmp_path / "in.zarr", STACK).attrs["names"] = ["a", "b", "c"]
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr", "--band", "2")
    assert zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs["names"] == ["a", "b", "c"]


def test_a_group_is_not_replaced_by_the_result_of_its_array(tmp_path, capfd):
    zarr.open_group(str(tmp_path / "in.zarr"), mode="w")
    make(tmp_path / "in.zarr/red", STACK)
    assert "in.zarr/red lies in" in refused(capfd, tmp_path / "in.zarr/red", tmp_path / "in.zarr")
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "in.zarr/red"), mode="r")[...], STACK)
    make(tmp_path / "out.npy.zarr", STACK)  # no folder of that name
    convert(capfd, tmp_path / "out.npy.zarr", tmp_path / "out.npy")


FORMATS = [2] if zarr.__version__.startswith("2.") else [2, 3]


@pytest.mark.parametrize("version", FORMATS)
def test_folders_of_another_name(tmp_path, capfd, version):
    named = {} if FORMATS == [2] else {"zarr_format": version}
    make(tmp_path / "array", STACK, **named)
    zarr.open_group(str(tmp_path / "group"), mode="w", **named)
    make(tmp_path / "group/red", STACK, **named)
    for name in ("array", "array/", "group", "group/red"):
        convert(capfd, f"{tmp_path}/{name}", tmp_path / "out.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK))


def test_an_archive_is_closed(tmp_path):
    store = zarr.storage.ZipStore(str(tmp_path / "in.zarr.zip"), mode="w")
    zarr.open(store, mode="w", shape=STACK.shape, dtype=STACK.dtype)[...] = STACK
    store.close()
    before = len(os.listdir("/proc/self/fd"))
    source = open_source(str(tmp_path / "in.zarr.zip"))
    assert len(os.listdir("/proc/self/fd")) > before
    source.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_chunks_of_the_source(tmp_path):
    make(tmp_path / "in.zarr", STACK)
    assert open_source(str(tmp_path / "in.zarr")).block == (16, 32)
    if FORMATS == [2]:
        return
    zarr.create_array(str(tmp_path / "shards.zarr"), shape=STACK.shape, dtype=STACK.dtype,
                      chunks=(1, 8, 16), shards=(2, 32, 64))
    assert open_source(str(tmp_path / "shards.zarr")).block == (32, 64)


@pytest.mark.parametrize("shape, chunks, found", [
    ((70, 61), (16, 61), (70, 61)), ((700, 600), (1, 8), (512, 512)), ((700, 6), (8, 1), (512, 6)),
    ((4200, 9), (4096, 8), (4096, 8)), ((4200, 9), (4097, 8), (512, 9))])
def test_chunks_of_the_result(tmp_path, shape, chunks, found):
    made = zarr_array.Created(str(tmp_path / "out.zarr"), Layout(
        (3, 2), *shape, np.dtype(np.float32), chunks, False, About()))
    assert made.block == found
    assert zarr.open(str(tmp_path / "out.zarr"), mode="r").chunks == (1, 1, *found)


@pytest.mark.parametrize("attributes, nodata", [
    ({"_FillValue": 4, "nodata": 5}, 4), ({"_FillValue": None, "nodata": 2.5}, 2.5),
    ({"_FillValue": None}, None), ({"fill_value": 3}, None), ({"missing_value": 6}, 6),
    ({"missing_value": 6, "nodata": 5}, 6), ({"_FillValue": 4, "missing_value": 4.0}, 4)])
def test_which_nodata(tmp_path, attributes, nodata):
    make(tmp_path / "in.zarr", STACK).attrs.update(attributes)
    assert open_source(str(tmp_path / "in.zarr")).nodata(0) == nodata


@pytest.mark.parametrize("dtype, value", [("uint64", 2**64 - 1), ("bool", True)])
def test_nodata_of_other_types(tmp_path, dtype, value):
    make(tmp_path / "in.zarr", STACK.astype(dtype)).attrs["_FillValue"] = value
    assert open_source(str(tmp_path / "in.zarr")).nodata(0) == value


@pytest.mark.parametrize("value", [False, "x", "AAAA", "!AAAAAICHw8A=", [4], "-9999", {}, 2**64])
@pytest.mark.parametrize("dtype", ["uint16", "float32"])
def test_nodata_that_is_damaged(tmp_path, capfd, value, dtype):
    make(tmp_path / "in.zarr", STACK.astype(dtype)).attrs["_FillValue"] = value
    bins = ["--levels", "9", "--range", "0", "9"]
    assert f"in.zarr has the attribute _FillValue {value!r}, expected a number" in refused(
        capfd, tmp_path / "in.zarr", tmp_path / "out.npy", *bins)
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.npy", "--nodata", "none", *bins)


def test_two_values_of_no_data_that_are_one_cell(tmp_path, capfd):
    cells = STACK.astype(np.float32)
    make(tmp_path / "in.zarr", cells).attrs.update(_FillValue=1.0000000200408773e20,
                                                   missing_value=1e20)
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.npy", "--levels", "9", "--range", 0, 256)


def test_two_values_of_no_data(tmp_path, capfd):
    """Both of CF's count; a result of one of them would take the other's cells for levels."""
    make(tmp_path / "in.zarr", STACK).attrs.update(_FillValue=4, missing_value=5)
    assert "in.zarr has _FillValue 4 and missing_value 5, expected" in refused(
        capfd, tmp_path / "in.zarr", tmp_path / "out.npy")
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.npy", "--nodata", "4")


@pytest.mark.parametrize("text, value", [("AAAAAICHw8A=", -9999), ("NaN", np.nan),
                                         ("Infinity", np.inf), ("-Infinity", -np.inf)])
def test_nodata_in_words(tmp_path, text, value):
    make(tmp_path / "in.zarr", STACK.astype(np.float32)).attrs["_FillValue"] = text
    np.testing.assert_equal(open_source(str(tmp_path / "in.zarr")).nodata(0), value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("dtype, nodata", [("float32", -9999), ("float64", 0.1), ("float32", 0.1),
                                           ("int16", -1), ("uint8", 255), ("uint8", None)])
def test_nodata_and_axes_of_xarray(tmp_path, capfd, version, dtype, nodata):
    xarray = pytest.importorskip("xarray", reason="pip install xarray")
    cells = (STACK % 5).astype(dtype)
    holes = np.zeros(cells.shape, bool) if nodata is None else STACK % 7 == 0
    if nodata is not None:
        cells[holes] = nodata
    made = xarray.DataArray(cells, dims=("t", "y", "x"), name="v")
    if nodata is not None:
        made.encoding["_FillValue"] = cells.dtype.type(nodata)
    try:
        made.to_dataset().to_zarr(tmp_path / "in.zarr", zarr_format=version)
    except (TypeError, ValueError, ImportError):
        pytest.skip("an xarray that does not write this format here")
    bins = {"levels": 5, "range": (0, 5), "clip": True}
    expected = np.where(holes, np.nan, entropy(cells, 3, mask=~holes, empty=np.nan, **bins))
    for words, planes, names in (([], slice(None), "tyx"), (["--band", "2"], 1, "yx")):
        convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr", "--size", 3, "--levels", 5,
                "--range", 0, 5, "--clip", *words)
        found = zarr.open(str(tmp_path / "out.zarr"), mode="r")
        np.testing.assert_array_equal(found[...], expected[planes])
        said = found.attrs.get("_ARRAY_DIMENSIONS") if FORMATS == [2] else \
            found.metadata.dimension_names
        assert "".join(said) == names and \
            list(found.attrs) == (["_ARRAY_DIMENSIONS"] if FORMATS == [2] else [])


def test_version_2_names_axes_as_xarray_does(tmp_path, monkeypatch, capfd):
    make(tmp_path / "in.zarr", STACK).attrs["_ARRAY_DIMENSIONS"] = ["time", "y", "x"]
    monkeypatch.setattr(zarr, "__version__", "2.18.3")
    opened, fills = zarr.open, []
    monkeypatch.setattr(zarr, "open", lambda *words, **named: fills.append(
        named.get("fill_value", "the source's")) or opened(*words, **named))
    for options, names in (((), ["time", "y", "x"]), (("--band", "2"), ["y", "x"])):
        convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr", *options)
        found = zarr.open(str(tmp_path / "out.zarr"), mode="r")
        assert found.attrs["_ARRAY_DIMENSIONS"] == names
        assert getattr(found.metadata, "dimension_names", None) is None
    assert fills[1] is None  # xarray would take a 0 for no data


@pytest.mark.parametrize("version", FORMATS)
def test_the_fill_value_is_no_data_in_format_2(tmp_path, version):
    """Where xarray named the axes; in format 3 it is only that of chunks that are not there."""
    named = {} if FORMATS == [2] else {"zarr_format": version}
    made = make(tmp_path / "in.zarr", STACK, fill_value=3, **named)
    assert open_source(str(tmp_path / "in.zarr")).nodata(0) is None
    made.attrs["_ARRAY_DIMENSIONS"] = ["t", "y", "x"]
    assert open_source(str(tmp_path / "in.zarr")).nodata(0) == (3 if version == 2 else None)
    for name in ("_FillValue", "nodata"):
        made.attrs[name] = 4
        assert open_source(str(tmp_path / "in.zarr")).nodata(0) == 4
        del made.attrs[name]


def test_axes_of_xarray_that_are_damaged(tmp_path, capfd):
    """They are an attribute as others; those of a part of the planes are not known."""
    for names in ("tyx", ["y", "x"], ["t", "y", 1]):
        make(tmp_path / "in.zarr", STACK).attrs["_ARRAY_DIMENSIONS"] = names
        convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
        assert zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs["_ARRAY_DIMENSIONS"] == names


def test_attributes(tmp_path, capfd):
    """Not those that are true of the source's cells alone."""
    make(tmp_path / "in.zarr", STACK).attrs.update(
        _FillValue=77, missing_value=77, scale_factor=2, add_offset=1, valid_min=0, valid_max=9,
        valid_range=[0, 9], units="m", long_name="height", standard_name="height", nodata=77,
        sensor="MSI", transform=[1, 2], version=3)
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    found = dict(zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs)
    assert found == {"sensor": "MSI", "transform": [1, 2], "version": 3}
    assert open_source(str(tmp_path / "in.zarr")).about.transform is None


@pytest.mark.parametrize("text", ["[]", "{"])
def test_a_result_takes_no_damaged_folders_place(tmp_path, capfd, text):
    make(tmp_path / "in.zarr", STACK)
    (tmp_path / "out.zarr").mkdir()
    (tmp_path / "out.zarr/zarr.json").write_text(text)
    assert "out.zarr is a group of Zarr, expected" in refused(capfd, tmp_path / "in.zarr",
                                                              tmp_path / "out.zarr")


def test_the_row_of_a_chunk_that_is_damaged(tmp_path):
    make(tmp_path / "in.zarr", STACK)
    source = open_source(str(tmp_path / "in.zarr"))
    source._array = {}  # no place is in it
    with pytest.raises(FileError, match="in.zarr cannot be read at row 16: "):
        source.read(0, Part(16, 20, 0, 9))


def test_a_chunk_that_is_damaged(tmp_path, capfd):
    make(tmp_path / "in.zarr", STACK)
    for folder, _, names in os.walk(tmp_path / "in.zarr"):
        for name in names:
            if "json" not in name and not name.startswith("."):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(b"no chunk")
    assert "in.zarr cannot be read at row 0: " in refused(capfd, tmp_path / "in.zarr",
                                                          tmp_path / "out.npy")


@pytest.mark.skipif(FORMATS == [2], reason="a Zarr without a loop of its own")
def test_no_task_is_left(tmp_path, capfd):
    """It would print, as the process ends, that it was destroyed."""
    loop = zarr.core.sync._get_loop()
    make(tmp_path / "in.zarr", STACK)
    opened = [open_source(str(tmp_path / "in.zarr"))]
    opened.append(zarr_array.Created(str(tmp_path / "out.zarr"), Layout(
        (), 9, 9, np.dtype(np.float32), (1, 0), False, About())))
    other = asyncio.run_coroutine_threadsafe(asyncio.sleep(99), loop)  # begun before the next
    while not asyncio.all_tasks(loop):
        pass
    opened.append(open_source(str(tmp_path / "in.zarr")))
    opened.pop().close()
    assert not other.cancelled()
    other.cancel()
    for end in (opened[0].close, opened[1].drop):
        asyncio.run_coroutine_threadsafe(asyncio.sleep(9), loop)
        while not asyncio.all_tasks(loop):
            pass
        end()
        assert not asyncio.all_tasks(loop)


@pytest.mark.parametrize("error", [MemoryError("no room"), RuntimeError("can't start new thread")])
def test_a_lack_of_memory_is_no_damage(tmp_path, capfd, monkeypatch, error):
    def fail(*_, **__):
        raise error

    make(tmp_path / "in.zarr", STACK)
    with monkeypatch.context() as patched:
        patched.setattr(type(zarr.open(str(tmp_path / "in.zarr"))), "__getitem__", fail)
        assert "cannot be read" not in refused(capfd, tmp_path / "in.zarr", tmp_path / "out.npy")
    monkeypatch.setattr(zarr, "open", fail)
    assert "not an array" not in refused(capfd, tmp_path / "in.zarr", tmp_path / "out.npy")


@pytest.mark.parametrize("version", FORMATS)
def test_a_group_is_not_replaced(tmp_path, capfd, version):
    named = {} if FORMATS == [2] else {"zarr_format": version}
    make(tmp_path / "in.zarr", STACK)
    zarr.open_group(str(tmp_path / "out.zarr"), mode="w", **named)
    (tmp_path / "out.zarr" / "notes.txt").write_text("mine")
    assert "out.zarr is a group of Zarr, expected the name" in refused(
        capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    assert (tmp_path / "out.zarr" / "notes.txt").read_text() == "mine"


def test_coordinates_are_no_images(tmp_path, capfd):
    zarr.open_group(str(tmp_path / "in.zarr"), mode="w")
    make(tmp_path / "in.zarr/x", STACK[0, 0], (61,))
    assert "in.zarr is a group with the images none: expected" in refused(
        capfd, tmp_path / "in.zarr", tmp_path / "out.npy")
    make(tmp_path / "in.zarr/red", STACK)
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK))


@pytest.mark.parametrize("version", FORMATS)
def test_an_array_takes_the_place_of_another(tmp_path, capfd, version):
    make(tmp_path / "in.zarr", STACK)
    make(tmp_path / "out.zarr", STACK[0], **({} if FORMATS == [2] else {"zarr_format": version}))
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "out.zarr"), mode="r")[...],
                                  entropy(STACK))
    assert sorted(os.listdir(tmp_path)) == ["in.zarr", "out.zarr"]


def test_what_cannot_be_replaced_stays(tmp_path, capfd, monkeypatch):
    make(tmp_path / "in.zarr", STACK)
    make(tmp_path / "out.zarr", STACK[0])
    replace = os.replace

    def refuse(source, to):
        if str(to).endswith("out.zarr"):
            raise PermissionError(13, "Permission denied", str(to))
        replace(source, to)

    monkeypatch.setattr(os, "replace", refuse)
    assert "out.zarr: Permission denied" in refused(capfd, tmp_path / "in.zarr",
                                                    tmp_path / "out.zarr")
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "out.zarr"), mode="r")[...], STACK[0])
    assert sorted(os.listdir(tmp_path)) == ["in.zarr", "out.zarr"]


def test_errors(tmp_path, capfd, monkeypatch):
    (tmp_path / "mine.zarr").mkdir()
    (tmp_path / "mine.zarr/thesis.txt").write_text("do not delete")
    np.save(tmp_path / "in.npy", STACK)
    assert "mine.zarr is a folder" in refused(capfd, tmp_path / "in.npy", tmp_path / "mine.zarr")
    assert "is not an array of Zarr" in refused(capfd, tmp_path / "mine.zarr", tmp_path / "o.npy")
    (tmp_path / "file.zarr").write_text("mine")
    assert "file.zarr is a file, not a folder" in refused(capfd, tmp_path / "in.npy",
                                                          tmp_path / "file.zarr")
    make(tmp_path / "folder.npy", STACK[0])
    assert "folder.npy is a folder" in refused(capfd, tmp_path / "in.npy",
                                               tmp_path / "folder.npy")
    assert "is not an array of Zarr" in refused(capfd, f"{tmp_path}/mine.zarr/", tmp_path / "o.npy")
    make(tmp_path / "none.zarr", STACK[:, :0], (1, 1, 1))
    assert "none.zarr has no cells: its shape is (2, 0, 61)" in refused(
        capfd, tmp_path / "none.zarr", tmp_path / "o.npy")
    make(tmp_path / "row.zarr", STACK[0, 0], (9,))
    assert "has 1 dimensions" in refused(capfd, tmp_path / "row.zarr", tmp_path / "out.npy")
    monkeypatch.setitem(sys.modules, "zarr", None)
    assert "out.zarr needs zarr, which is not installed: pip install zarr" in refused(
        capfd, tmp_path / "in.npy", tmp_path / "out.zarr")
    assert not [name for name in os.listdir(tmp_path) if "out" in name]


@pytest.mark.parametrize("names", ["ab", 7, ["low"]])
def test_names_that_are_not_those_of_planes(tmp_path, capfd, names):
    make(tmp_path / "in.zarr", STACK).attrs["names"] = names
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    assert zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs["names"] == names


# ---- damage ------------------------------------------------------------------------------------


def metadata(path, version):
    """The file of an array's attributes, and what is in it."""
    make(path, STACK, **({} if FORMATS == [2] else {"zarr_format": version})).attrs.update(sensor=1)
    file = path / (".zattrs" if version == 2 else "zarr.json")
    return file, json.loads(file.read_text())


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("attributes", [[], [1], "text", 7, True, None])
def test_attributes_that_are_no_object(tmp_path, capfd, version, attributes):
    file, said = metadata(tmp_path / "in.zarr", version)
    file.write_text(json.dumps(attributes if version == 2 else {**said, "attributes": attributes}))
    if attributes in ([], None):  # which some versions take as none
        main([str(tmp_path / "in.zarr"), str(tmp_path / "out.npy")])
        assert capfd.readouterr().err.count("\n") <= 1
        return
    assert "in.zarr has attributes that are damaged" in refused(capfd, tmp_path / "in.zarr",
                                                                tmp_path / "out.npy")


@pytest.mark.parametrize("version", FORMATS)
def test_metadata_that_is_damaged(tmp_path, capfd, version):
    metadata(tmp_path / "in.zarr", version)
    file = tmp_path / "in.zarr" / (".zarray" if version == 2 else "zarr.json")
    said = json.loads(file.read_text())
    del said["dtype" if version == 2 else "data_type"]
    for text, reason in ((file.read_text()[:-3], ""), ("", ""), ("\0", ""),
                         (json.dumps(said), "its metadata is damaged (KeyError: ")):
        file.write_text(text)
        assert f"in.zarr is not an array of Zarr: {reason}" in refused(capfd, tmp_path / "in.zarr",
                                                                       tmp_path / "out.npy")


@pytest.mark.parametrize("attributes, said", [
    ({"crs_wkt": 4326}, "in.zarr has the attribute crs_wkt 4326, expected a text"),
    *(({"crs_wkt": "", "transform": place}, "in.zarr has the attribute transform ") for place in
      (5, "101010", [1, 2, 3], ["1"] * 6, [None] * 6, [True] * 6, {"a": 1}, [1] * 7))])
def test_a_place_that_is_damaged(tmp_path, capfd, attributes, said):
    make(tmp_path / "in.zarr", STACK).attrs.update(attributes)
    assert said in refused(capfd, tmp_path / "in.zarr", tmp_path / "out.npy")


def test_a_coordinate_system_that_is_damaged(tmp_path, capfd):
    pytest.importorskip("rasterio", reason="pip install rasterio")
    make(tmp_path / "in.zarr", STACK).attrs.update(crs_wkt="no WKT", transform=[1, 0, 0, 0, 1, 0])
    assert refused(capfd, tmp_path / "in.zarr", tmp_path / "out.tif") == \
        "local-entropy: the image has the coordinate system 'no WKT', expected WKT that GDAL " \
        "knows\n"


@pytest.mark.parametrize("names", [[1, 2], ["a", 3], [["a"], "b"]])
def test_names_that_are_no_texts(tmp_path, capfd, names):
    pytest.importorskip("rasterio", reason="pip install rasterio")
    make(tmp_path / "in.zarr", STACK).attrs["names"] = names
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.tif")
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    assert zarr.open(str(tmp_path / "out.zarr"), mode="r").attrs["names"] == names


@pytest.mark.parametrize("value", ["abc", [1, 2, 3], 7, None])
def test_an_attribute_that_is_called_as_the_names_of_axes(tmp_path, capfd, value):
    make(tmp_path / "in.zarr", STACK).attrs["dimension_names"] = value
    convert(capfd, tmp_path / "in.zarr", tmp_path / "out.zarr")
    found = zarr.open(str(tmp_path / "out.zarr"), mode="r")
    assert found.attrs["dimension_names"] == value
    assert not any(getattr(found.metadata, "dimension_names", None) or ())
