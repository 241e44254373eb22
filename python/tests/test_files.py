"""What the command does with its files and its process, whatever their kind."""

import os
import re
import shutil
import signal
import threading

import numpy as np
import pytest

from files import convert, refused
from local_entropy import entropy
from local_entropy.command import main as command
from local_entropy.command import pipeline
from local_entropy.command.kinds import npy
from local_entropy.command.main import main
from local_entropy.command.options import UsageError, _disk, parser, request_of
from local_entropy.command.output import Output

RANDOM = np.random.default_rng(11)
IMAGE = RANDOM.integers(0, 9, (20, 30), dtype=np.uint8)


@pytest.fixture
def image(tmp_path):
    np.save(tmp_path / "in.npy", IMAGE)
    return tmp_path / "in.npy"


def parsed(*words):
    return parser().parse_args(["in.npy", "out.npy", *words])


# ---- arguments ---------------------------------------------------------------------------------


def test_defaults():
    arguments = parsed()
    assert (arguments.memory, arguments.colors) == (512 << 20, "viridis")


@pytest.mark.parametrize("text", ["-3.4e38", "-1E+2", "-.5", "-7", "-inf", "-Infinity", "-nan"])
def test_numbers_below_zero(text):
    """All that Python reads as one, not only those without an exponent."""
    arguments = parsed("--nodata", text, "--range", text, "1e2", "--cval", text)
    for number in (arguments.nodata, arguments.range[0], arguments.cval):
        np.testing.assert_equal(number, float(text))


def test_a_word_that_begins_like_a_number():
    with pytest.raises(UsageError, match="unrecognized arguments: -info$"):
        parser().parse_args(["-info", "in.npy", "out.npy"])


def test_words():
    assert parsed("--size", "5,8").size == (5, 8)
    assert parsed("--co", "A=B=C").co == [("A", "B=C")]


@pytest.mark.parametrize("words, match", [
    ("--level 4", "unrecognized"), ("--size 5x8x9", "'5x8x9', expected one number"),
    ("--memory 1GiB", "'1GiB', expected a number"), ("--memory 0", "'0', expected a number"),
    ("--co =YES", "'=YES', expected NAME=VALUE"), ("--threads 0", "--threads is 0, expected 1"),
    ("--size 3x300 --footprint disk", "size is 3 x 300"),
    ("--range 0 1", "--range is given without --levels"),
    *((f"--like-skimage {word}", f"{word.split()[0]} is given with --like-skimage") for word in
      ("--mode wrap", "--base 2", "--q 1", "--levels 4", "--range 0 1", "--dtype float32")),
    ("--like-skimage --index simpson", "expected no --index and no --clip"),
    ("--like-skimage --clip", "expected no --index and no --clip")])
def test_wrong_words(words, match):
    with pytest.raises(UsageError, match=match):
        request_of(parsed(*words.split()))


@pytest.mark.parametrize("rows", [
    ["1"], ["11111"], [".##.", "####", "####", ".##."],
    [".#######.", "#########", ".#######."],
    [".####.", "######", "######", "######", "######", ".####."]])
def test_disks(rows):
    expected = np.array([[cell in "1#" for cell in row] for row in rows])
    np.testing.assert_array_equal(_disk(expected.shape), expected)
    np.testing.assert_array_equal(_disk(expected.T.shape), expected.T)


@pytest.mark.parametrize("words, holes", [([], False), (["--nodata", "none"], False),
                                          (["--nodata", "8"], True)])
def test_like_skimage_has_no_holes(tmp_path, capfd, words, holes):
    image = IMAGE.copy()
    image[:, :12] = 8
    np.save(tmp_path / "in.npy", image)
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--like-skimage", "--size", "3",
            *words)
    expected = entropy(image, 3, nodata=8 if holes else None, dtype=np.float64)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)
    assert (expected[:, 3] == 0).all()


@pytest.mark.parametrize("words", [("--q", 2), ("--range", 0, 9)])
def test_like_skimage_says_what_it_is(image, tmp_path, capfd, words):
    said = refused(capfd, image, tmp_path / "out.npy", "--like-skimage", *words)
    assert f"{words[0]} is given with --like-skimage, which says what it is" in said


def test_a_range_that_does_not_begin_at_0(image, tmp_path, capfd):
    convert(capfd, image, tmp_path / "out.npy", "--levels", "2", "--range", "3", "8", "--clip")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"),
                                  entropy(IMAGE, levels=2, range=(3, 8), clip=True))
    np.save(tmp_path / "in.npy", IMAGE + 3)  # 0 would be no level
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--levels", "2", "--range", "3", "12")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"),
                                  entropy(IMAGE + 3, levels=2, range=(3, 12)))


@pytest.mark.parametrize("memory", ["512M", "512K"])
def test_levels_that_only_all_cells_could_tell(tmp_path, capfd, memory):
    """Blocks of a few rows would have a result, all cells together none."""
    np.save(tmp_path / "ramp.npy", np.repeat(np.arange(0, 400000, 100, np.int32)[:, None], 100, 1))
    said = refused(capfd, tmp_path / "ramp.npy", tmp_path / "out.npy", "--memory", memory)
    assert "ramp.npy has cells of int32, which are not all seen" in said and said.count("\n") == 2
    assert "expected --levels, such as --levels 256, or with bins" in said
    convert(capfd, tmp_path / "ramp.npy", tmp_path / "out.npy", "--levels", 99, "--clip")
    np.save(tmp_path / "short.npy", IMAGE.astype(np.int16))
    convert(capfd, tmp_path / "short.npy", tmp_path / "out.npy")


def test_levels_that_the_cells_have_not(image, tmp_path, capfd):
    said = refused(capfd, image, tmp_path / "out.npy", "--levels", 2)
    assert said.endswith(" (--clip takes the nearest level, --range puts cells into bins)\n")
    said = refused(capfd, image, tmp_path / "out.npy", "--levels", 2, "--range", 0, 3)
    assert said.endswith(" (--clip takes the nearest level)\n")


# ---- the output --------------------------------------------------------------------------------


def test_the_file_in_whose_place_it_comes_is_closed(image, tmp_path, capfd, monkeypatch):
    closed = []
    monkeypatch.setattr(npy.Opened, "close", lambda source: closed.append(source._path))
    convert(capfd, image, tmp_path / "out.npy")
    (tmp_path / "out.npy.msk").write_text("a part of the old one")
    convert(capfd, image, tmp_path / "out.npy")
    assert str(tmp_path / "out.npy") in closed


def test_what_grows_is_the_users_own_and_of_one_command(tmp_path):
    outputs = [Output(str(tmp_path / "out.npy")) for _ in range(2)]
    for output in outputs:
        output.begin()
    modes = [os.stat(tmp_path / folder).st_mode & 0o777 for folder in os.listdir(tmp_path)]
    assert modes == [0o700] * 2
    for output in outputs:
        output.drop()
    assert os.listdir(tmp_path) == []


def test_an_output_that_is_a_link(image, tmp_path, capfd):
    (tmp_path / "to").mkdir()
    (tmp_path / "out.npy").symlink_to(tmp_path / "to/real.npy")
    convert(capfd, image, tmp_path / "out.npy")
    assert (tmp_path / "out.npy").is_symlink() and os.listdir(tmp_path / "to") == ["real.npy"]
    np.testing.assert_array_equal(np.load(tmp_path / "to/real.npy"), entropy(IMAGE))


def test_a_folder_in_which_nothing_may_be_written(image, tmp_path, capfd, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied", "hidden")

    monkeypatch.setattr(os, "mkdir", refuse)
    said = refused(capfd, image, tmp_path / "out.npy")
    assert said == f"local-entropy: {tmp_path}/out.npy cannot be written: Permission denied\n"


def test_the_room_of_the_disk(image, tmp_path, capfd, monkeypatch):
    """That on which the output grows, unseen, beside its place."""
    asked = []

    def usage(folder):
        asked.append(os.path.split(folder))
        return shutil._ntuple_diskusage(10**15, 10**15 - 10, 10)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    said = refused(capfd, image, tmp_path / "out.npy")
    assert "out.npy takes 2.4e-06 GB, and its disk has 1e-08 GB free" in said
    assert os.listdir(tmp_path) == ["in.npy"]
    for parent, name in asked:
        assert parent == str(tmp_path) and re.fullmatch(r"\.out\.npy\..*\.part", name)


@pytest.mark.parametrize("words", [["--compress", "deflate"], ["--co", "COMPRESS=LZW"],
                                   ["--driver", "COG"], ["--compress", "none"], []])
def test_what_may_become_smaller_is_not_refused(image, tmp_path, capfd, monkeypatch, words):
    pytest.importorskip("rasterio", reason="writes GeoTIFF")
    monkeypatch.setattr(Output, "room", lambda output: 10)
    if "none" in words or not words:
        assert "its disk has" in refused(capfd, image, tmp_path / "out.tif", *words)
    else:
        convert(capfd, image, tmp_path / "out.tif", *words)


@pytest.mark.parametrize("bad", [False, True])
@pytest.mark.parametrize("output", ["out.npy", "out.tif", "out.ome.tif"])
def test_all_files_are_closed(tmp_path, capfd, monkeypatch, output, bad):
    if output != "out.npy":
        pytest.importorskip("rasterio", reason="writes GeoTIFF")
        pytest.importorskip("tifffile", reason="writes stacks")
    np.save(tmp_path / "in.npy", IMAGE)
    closed = []
    monkeypatch.setattr(npy.Opened, "close", lambda source: closed.append(source))
    main([str(tmp_path / "in.npy"), str(tmp_path / f"first-{output}")])  # loads libraries
    before = os.listdir("/proc/self/fd")
    words = ["--levels", "4"] if bad else []
    assert main([str(tmp_path / "in.npy"), str(tmp_path / output), *words]) == bad
    assert len(os.listdir("/proc/self/fd")) == len(before) and len(closed) == 2
    capfd.readouterr()


# ---- progress, errors and signals --------------------------------------------------------------


class Seen:
    """What the command does with its bar."""

    made = []

    def __init__(self, total, shown):
        self.total, self.shown, self.done, self.ends = total, shown, [], []
        self.made.append(self)

    def __call__(self, done):
        self.done.append(done)

    def end(self, done):
        self.ends.append(done)


@pytest.fixture
def bars(monkeypatch):
    monkeypatch.setattr(command, "Bar", Seen)
    monkeypatch.setattr(Seen, "made", [])
    return Seen.made


@pytest.mark.parametrize("words, planes", [([], 3), (["--band", "2,3"], 2)])
def test_the_bar_is_of_all_cells_of_the_chosen_planes(tmp_path, capfd, bars, words, planes):
    np.save(tmp_path / "in.npy", np.stack([IMAGE] * 3))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", "--memory", "5K", *words)
    assert bars[0].total == planes * IMAGE.size and bars[0].ends == [True]
    assert not bars[0].shown  # no terminal


def test_the_memory(image, tmp_path, capfd, monkeypatch):
    asked, plan_for = [], command.plan_for
    monkeypatch.setattr(command, "plan_for", lambda *words: asked.append(words) or plan_for(*words))
    convert(capfd, image, tmp_path / "out.npy", "--memory", "3K", "--dtype", "float64")
    assert asked[0][2:] == (1, np.float64, 3072)


def test_the_bar_after_an_error(image, tmp_path, capfd, bars):
    refused(capfd, image, tmp_path / "out.npy", "--levels", "4")
    assert bars[0].ends == [False]


@pytest.mark.parametrize("error", [RuntimeError, ValueError, TypeError])
def test_an_error_of_the_library(image, tmp_path, capfd, monkeypatch, error):
    def compute(*_):
        raise error("the GPU is gone")

    monkeypatch.setattr(pipeline, "compute_region", compute)
    assert main([str(image), str(tmp_path / "out.npy")]) == 1
    assert capfd.readouterr().err == "local-entropy: the GPU is gone\n"
    assert os.listdir(tmp_path) == ["in.npy"]


def test_a_thread_that_cannot_be_started(image, tmp_path, capfd, monkeypatch):
    def start(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    said = refused(capfd, image, tmp_path / "out.npy")
    assert "no thread can be started, expected more memory or processes (ulimit" in said
    assert os.listdir(tmp_path) == ["in.npy"]


@pytest.mark.parametrize("error, said", [
    (OSError("odd"), "odd"), (OSError(5, "Input/output error"), "Input/output error"),
    (OSError(5, "Input/output error", "out.npy"), "out.npy: Input/output error")])
def test_an_error_of_the_system(image, tmp_path, capfd, monkeypatch, error, said):
    def keep(_):
        raise error

    monkeypatch.setattr(Output, "keep", keep)
    assert main([str(image), str(tmp_path / "out.npy")]) == 1
    assert capfd.readouterr().err == f"local-entropy: {said}\n"
    assert os.listdir(tmp_path) == ["in.npy"]


def test_levels_are_refused_before_anything_is_created(image, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(command, "_write", lambda *_: pytest.fail("it was begun"))
    assert main([str(image), str(tmp_path / "out.npy"), "--levels", "1"]) == 2
    assert "levels is 1, expected" in capfd.readouterr().err


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def handlers():
    return [signal.getsignal(number) for number in SIGNALS]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_second_signal_is_ignored(number, signals_end):
    """Or it would end the clean-up of the first; afterwards all is as before."""
    before = handlers()
    with pytest.raises(command._Ended) as ended, command._signals():
        try:
            signal.raise_signal(number)
        except command._Ended:
            assert handlers() == [signal.SIG_IGN] * 3
            raise
    assert ended.value.number == number and handlers() == before


def test_signals_while_a_file_is_converted(image, tmp_path, capfd, monkeypatch, signals_end):
    """What nohup ignores is ignored; once the outputs are put in their places, all are."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    before, seen = handlers(), []
    compute, keep = pipeline.compute_region, Output.keep
    monkeypatch.setattr(pipeline, "compute_region",
                        lambda *words: seen.append(handlers()) or compute(*words))
    monkeypatch.setattr(Output, "keep", lambda output: seen.append(handlers()) or keep(output))
    convert(capfd, image, tmp_path / "out.npy")
    assert handlers() == before
    (interrupt, terminate, hang_up), at_the_end = seen
    assert callable(interrupt) and interrupt is terminate and interrupt not in before
    assert hang_up == signal.SIG_IGN and at_the_end == [signal.SIG_IGN] * 3
