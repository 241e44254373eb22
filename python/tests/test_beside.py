"""Formats of several files: which ones they may replace, and what is left when they cannot."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from files import convert, open_files
from local_entropy.command import main as command
from local_entropy.command.kinds import FileError, Part, flat, gdal
from local_entropy.command.kinds import raster as kind
from local_entropy.command.kinds.base import About, Layout
from local_entropy.command.main import main
from local_entropy.command.options import parser
from local_entropy.command.output import Output

rasterio = pytest.importorskip("rasterio", reason="pip install rasterio")

IMAGE = np.random.default_rng(17).integers(0, 9, (20, 30), dtype=np.uint8)

pytestmark = pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")


def raster(path, driver="GTiff", **named):
    with rasterio.open(path, "w", driver=driver, width=30, height=20, count=1, dtype="uint8",
                       **named) as file:
        file.write(IMAGE, 1)
    return path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refusal(capfd, status, *words):
    assert main([str(word) for word in words]) == status
    said = capfd.readouterr().err
    assert said.startswith("local-entropy: ") and said.count("\n") == status
    return said


@pytest.fixture
def nothing_is_computed(monkeypatch):
    monkeypatch.setattr(command, "run", lambda *_: pytest.fail("it was begun"))


@pytest.mark.parametrize("name, out, driver, part", [
    ("scene.img", "scene.dat", "ENVI", "scene.hdr"), ("eh.bil", "eh.flt", "EHdr", "eh.hdr"),
    ("x", "x.ers", "ERS", "x"), ("x.bil", "x.asc", "AAIGrid", "x.prj")])
@pytest.mark.parametrize("old", [False, True])
def test_what_is_read_stays(tmp_path, capfd, nothing_is_computed, name, out, driver, part, old):
    """An old OUTPUT that has the same part changes nothing."""
    raster(tmp_path / name, {"AAIGrid": "EHdr", "ERS": "GTiff"}.get(driver, driver),
           crs="EPSG:32632")
    if old:
        (tmp_path / out).write_bytes((tmp_path / name).read_bytes())
    before = contents(tmp_path)
    assert f"{out} has a part of its own in {tmp_path}/{part}, which is read" in refusal(
        capfd, 2, tmp_path / name, tmp_path / out, "--driver", driver)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("out, driver, part", [
    ("x.dat", "ENVI", "x.hdr"), ("x.flt", "EHdr", "x.hdr"), ("x.ers", "ERS", "x"),
    ("x.asc", "AAIGrid", "x.prj")])
@pytest.mark.parametrize("old", [False, True])
def test_the_files_of_others_stay(tmp_path, capfd, nothing_is_computed, out, driver, part, old):
    """Those beside an old OUTPUT that is damaged, too."""
    raster(tmp_path / "in.tif", crs="EPSG:32632")
    if old:
        (tmp_path / out).write_text("damaged")
    (tmp_path / part).write_text("another's")
    before = contents(tmp_path)
    assert f"{tmp_path}/{part}, which is there and may be another's" in refusal(
        capfd, 2, tmp_path / "in.tif", tmp_path / out, "--driver", driver)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("out, driver, part", [("x.dat", "ENVI", "x.hdr"), ("x.ers", "ERS", "x")])
def test_the_parts_of_the_old_output_are_replaced(tmp_path, capfd, out, driver, part):
    raster(tmp_path / "in.tif")
    for size in (3, 9):
        convert(capfd, tmp_path / "in.tif", tmp_path / out, "--driver", driver, "--size", size)
    assert part in os.listdir(tmp_path)
    (tmp_path / "again").mkdir()
    convert(capfd, tmp_path / "in.tif", tmp_path / "again" / out, "--driver", driver)
    for name in (out, part):
        assert (tmp_path / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_what_comes_while_it_is_computed_stays(tmp_path, capfd, monkeypatch):
    raster(tmp_path / "in.tif")
    run = command.run
    monkeypatch.setattr(command, "run", lambda *words: (run(*words), (
        tmp_path / "x.hdr").write_text("another's")))
    assert "x.hdr, which is there and may be another's" in refusal(
        capfd, 1, tmp_path / "in.tif", tmp_path / "x.dat", "--driver", "ENVI")
    assert sorted(os.listdir(tmp_path)) == ["in.tif", "x.hdr"]
    assert (tmp_path / "x.hdr").read_text() == "another's"


def test_what_is_read_is_not_deleted_as_what_was_beside(tmp_path, capfd):
    raster(tmp_path / "x.tif.ovr")
    before = contents(tmp_path)
    assert "x.tif.ovr, which is read" in refusal(capfd, 2, tmp_path / "x.tif.ovr",
                                                 tmp_path / "x.tif")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["x.tfw", "x.tifw", "x.TFW", "x.wld", "x.WLD"])
@pytest.mark.parametrize("old", [False, True])
def test_a_stale_world_file_gives_no_place(tmp_path, capfd, name, old):
    """One that may be of another file, such as x.png, goes only where GDAL says it is the old's."""
    raster(tmp_path / "in.tif")
    if old:
        raster(tmp_path / "x.tif")
    (tmp_path / name).write_text("10\n0\n0\n-10\n500000\n5000000\n")
    if name.lower() == "x.wld" and not old:
        assert f"{tmp_path}/{name}, which is there and may be another's" in refusal(
            capfd, 2, tmp_path / "in.tif", tmp_path / "x.tif")
        convert(capfd, tmp_path / "in.tif", tmp_path / "x.npy")
        raster(tmp_path / "in.tif", crs="EPSG:32632", transform=rasterio.Affine(2, 0, 5, 0, -2, 5))
        convert(capfd, tmp_path / "in.tif", tmp_path / "x.tif")  # has a place of its own
        assert sorted(os.listdir(tmp_path)) == sorted(["in.tif", "x.npy", "x.tif", name])
    else:
        convert(capfd, tmp_path / "in.tif", tmp_path / "x.tif")
        assert sorted(os.listdir(tmp_path)) == ["in.tif", "x.tif"]
        with rasterio.open(tmp_path / "x.tif") as file:
            assert file.transform.is_identity


def test_a_world_file_that_is_asked_for(tmp_path, capfd):
    raster(tmp_path / "in.tif", transform=rasterio.Affine(2, 0, 5, 0, -2, 5))
    for _ in range(2):  # the second time it is there
        convert(capfd, tmp_path / "in.tif", tmp_path / "x.tif", "--co", "TFW=YES")
        assert sorted(os.listdir(tmp_path)) == ["in.tif", "x.tfw", "x.tif"]


def test_what_a_copy_is_made_of_is_seen_nowhere(tmp_path, capfd):
    """Nor what GDAL puts beside it, such as a coordinate system that a GeoTIFF has no place for."""
    raster(tmp_path / "in.tif", transform=rasterio.Affine(.1, 0, -28, 0, -.1, 22),
           crs="+proj=ob_tran +o_proj=longlat +o_lon_p=-162 +o_lat_p=39.25 +lon_0=180")
    (tmp_path / ".parts.tif").write_text("another's")
    for _ in range(2):
        convert(capfd, tmp_path / "in.tif", tmp_path / "x.tif", "--driver", "COG")
        assert {name.replace(".aux.xml", "") for name in os.listdir(tmp_path)} == {
            ".parts.tif", "in.tif", "x.tif"}


def test_a_picture_in_the_place_of_a_part(tmp_path, capfd):
    pytest.importorskip("matplotlib", reason="pip install matplotlib")
    raster(tmp_path / "in.tif")
    assert f"{tmp_path}/x.png, which is read or written as well" in refusal(
        capfd, 2, tmp_path / "in.tif", tmp_path / "x.png.ers", "--driver", "ERS", "--preview",
        tmp_path / "x.png")
    assert f"{tmp_path}/x.png.ovr, which is read or written as well" in refusal(
        capfd, 2, tmp_path / "in.tif", tmp_path / "x.png.ovr", "--driver", "GTiff", "--preview",
        tmp_path / "x.png")
    assert os.listdir(tmp_path) == ["in.tif"]


def test_a_driver_that_makes_no_file_of_the_name(tmp_path, capfd, nothing_is_computed):
    raster(tmp_path / "in.tif")
    assert "out.mff: the driver MFF makes out.hdr, out.r00, expected one that" in refusal(
        capfd, 2, tmp_path / "in.tif", tmp_path / "out.mff", "--driver", "MFF")
    assert os.listdir(tmp_path) == ["in.tif"]


def test_an_output_that_is_not_there_in_the_end(tmp_path):
    output = Output(str(tmp_path / "out.mff"))
    output.begin()
    (tmp_path / output.path).with_name("out.hdr").write_text("new")
    with pytest.raises(FileError, match=r"out\.mff was not written, but out\.hdr: expected"):
        output.keep()
    output.drop()
    assert os.listdir(tmp_path) == []


def test_all_is_moved_or_nothing(tmp_path, monkeypatch):
    """The last move fails: the parts have what they had, and new ones are gone."""
    raster(tmp_path / "x.dat", "ENVI")
    (tmp_path / "x.dat.aux.xml").write_text("old")
    before = contents(tmp_path)
    output, replace = Output(str(tmp_path / "x.dat")), os.replace
    output.begin()
    for name in ("x.dat", "x.hdr", "x.new"):
        (tmp_path / output.path).with_name(name).write_text("new")

    def fail(old, new):
        if new == str(tmp_path / "x.dat"):
            assert (tmp_path / "x.hdr").read_text() == "new"
            raise OSError(5, "Input/output error")
        replace(old, new)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="Input/output"):
        output.keep()
    output.drop()
    assert contents(tmp_path) == before


@pytest.mark.parametrize("words, masked, holes", [
    ([], False, (3,)), (["--nodata", "5"], False, (5,)), (["--nodata", "none"], False, ()),
    ([], True, (3, 7)), (["--nodata", "5"], True, (5, 7)), (["--nodata", "none"], True, (7,))])
def test_nodata_replaces_the_value_of_the_file_and_no_mask(tmp_path, capfd, words, masked, holes):
    path = raster(tmp_path / "in.tif", nodata=3)
    if masked:
        with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "r+") as file:
            file.write_mask(IMAGE != 7)
    convert(capfd, path, tmp_path / "out.npy", *words)
    np.testing.assert_array_equal(np.isnan(np.load(tmp_path / "out.npy")), np.isin(IMAGE, holes))


def test_the_end_while_the_folder_is_made(tmp_path, monkeypatch):
    make = os.mkdir

    def ended(path, *mode):
        make(path, *mode)
        raise KeyboardInterrupt

    np.save(tmp_path / "in.npy", IMAGE)
    monkeypatch.setattr(os, "mkdir", ended)
    with pytest.raises(KeyboardInterrupt):
        main([str(tmp_path / "in.npy"), str(tmp_path / "x.npy")])
    assert os.listdir(tmp_path) == ["in.npy"]


# ---- the end while a copy is made --------------------------------------------------------------


def test_a_signal_ends_a_copy(tmp_path, monkeypatch, signals_end):
    """Whose first one is the trial, of a few cells. The signal comes to the thread that copies: the
    one that waits for it is not woken."""
    raster(tmp_path / "in.tif")
    copy, calls = kind.copy, []

    def waits(*words):
        calls.append(words)
        if len(calls) == 2:
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            end = time.monotonic() + 20
            while words[-1]() and time.monotonic() < end:
                time.sleep(0.01)
            calls.append(words[-1]())
        copy(*words)

    monkeypatch.setattr(kind, "copy", waits)
    with pytest.raises(KeyboardInterrupt):
        command._convert(parser().parse_args([str(tmp_path / "in.tif"), str(tmp_path / "x.tif"),
                                              "--driver", "COG"]))
    assert calls[0][-1] is None  # in the main thread, a signal would be lost in what GDAL calls
    assert calls[2:] == [False] and os.listdir(tmp_path) == ["in.tif"]


def test_a_copy_that_ends(tmp_path):
    raster(tmp_path / "in.tif")
    seen = []
    with gdal.listener.errors(rasterio), \
            pytest.raises(RuntimeError, match="terminated|no COG was made"):
        gdal.copy(rasterio, str(tmp_path / "in.tif"), str(tmp_path / "x.tif"), "COG", {},
                  lambda: bool(seen.append(1)))
    assert seen == [1]


def test_a_trial_copies_a_few_cells(tmp_path, capfd, monkeypatch):
    """By one thread, unless it is told otherwise; not with what says how large a copy is."""
    raster(tmp_path / "in.tif")
    copy, asked = kind.copy, []
    monkeypatch.setattr(kind, "copy", lambda library, old, new, driver, options, *more: (
        asked.append(options), copy(library, old, new, driver, {})))
    for words in ((), ("--co", "EXTENT=0,0,9,9", "--co", "res=1", "--co", "NUM_THREADS=2")):
        convert(capfd, tmp_path / "in.tif", tmp_path / "x.tif", "--driver", "COG", *words)
    usual, size = {"BIGTIFF": "IF_SAFER"}, {"EXTENT": "0,0,9,9", "res": "1"}
    assert asked == [{**usual, "NUM_THREADS": "1"}, {**usual, "NUM_THREADS": "ALL_CPUS"},
                     {**usual, "NUM_THREADS": "2"}, {**usual, **size, "NUM_THREADS": "2"}]


def test_a_copy_after_one_that_failed(tmp_path):
    """It is not of it that GDAL tells; nor is what GDAL only warns of a failure."""
    raster(tmp_path / "in.tif")
    with gdal.listener.errors(rasterio):
        with pytest.raises(RuntimeError, match="no.tif"):
            gdal.copy(rasterio, str(tmp_path / "no.tif"), str(tmp_path / "x.tif"), "COG", {})
        gdal.copy(rasterio, str(tmp_path / "in.tif"), str(tmp_path / "x.tif"), "COG",
                  {"FOO": "BAR"})
    assert (tmp_path / "x.tif").exists()


def test_a_copy_where_gdal_is_hidden(tmp_path, monkeypatch):
    raster(tmp_path / "in.tif")
    gdal.rasterio_for("x.tif")
    for name in ("x.tif", "y.tif"):
        gdal.copy(rasterio, str(tmp_path / "in.tif"), str(tmp_path / name), "COG",
                  {"COMPRESS": "LZW"}, lambda: True)
        assert not {str(tmp_path / "in.tif"), str(tmp_path / name)} & set(open_files())
        monkeypatch.setattr(gdal.ctypes, "CDLL", lambda name: None)
    assert (tmp_path / "x.tif").read_bytes() == (tmp_path / "y.tif").read_bytes()


def test_a_file_that_cannot_be_made_long_enough_is_closed(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "truncate", full)
    layout = Layout((), 9, 9, np.dtype("f4"), (1, 0), False, About())
    with pytest.raises(OSError, match="No space") as error:  # keeps the frames
        flat.Writer(str(tmp_path / "out"), 0, layout)
    assert str(tmp_path / "out") not in open_files() and error


def test_writes_of_which_the_system_does_a_part(tmp_path, monkeypatch):
    write, values = os.pwrite, np.arange(99, dtype="f4").reshape(9, 11)
    monkeypatch.setattr(os, "pwrite", lambda file, cells, place: write(file, cells[:100], place))
    file = flat.Writer(str(tmp_path / "out"), 3, Layout((), 9, 11, values.dtype, (1, 0), False,
                                                        About()))
    file.write(0, Part(0, 9, 0, 11), values)
    file.close()
    assert (tmp_path / "out").read_bytes() == bytes(3) + values.tobytes()
