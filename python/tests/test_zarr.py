"""Arrays of Zarr."""

import os
import sys

import numpy as np
import pytest

from files import convert, refused
from local_entropy import entropy

zarr = pytest.importorskip("zarr", reason="pip install zarr")

RANDOM = np.random.default_rng(8)
STACK = RANDOM.integers(0, 9, (2, 70, 61), dtype=np.uint8)


def make(path, array, chunks=(1, 16, 32), **named):
    made = zarr.open(str(path), mode="w", shape=array.shape, dtype=array.dtype,
                     chunks=chunks[-array.ndim:], **named)
    made[...] = array
    return made


@pytest.mark.parametrize("memory", ["512M", "20K"])
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


def test_an_array_takes_the_place_of_another(tmp_path, capfd):
    make(tmp_path / "in.zarr", STACK)
    make(tmp_path / "out.zarr", STACK[0])
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
    make(tmp_path / "row.zarr", STACK[0, 0], (9,))
    assert "has 1 dimensions" in refused(capfd, tmp_path / "row.zarr", tmp_path / "out.npy")
    monkeypatch.setitem(sys.modules, "zarr", None)
    assert "out.zarr needs zarr, which is not installed: pip install zarr" in refused(
        capfd, tmp_path / "in.npy", tmp_path / "out.zarr")
    assert not [name for name in os.listdir(tmp_path) if "out" in name]
