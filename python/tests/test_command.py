"""The command, as a process: arguments, exit status, sentences, what is left on the disk."""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import local_entropy
from files import convert, refused
from local_entropy import _library, diversity, entropy
from local_entropy.command import pipeline, progress
from local_entropy.command.main import main
from local_entropy.command.options import parser
from local_entropy.command.output import Output
from local_entropy.command.progress import Bar, clock, line

RANDOM = np.random.default_rng(3)
IMAGE = RANDOM.integers(0, 9, (60, 50), dtype=np.uint8)
PACKAGE = str(pathlib.Path(local_entropy.__file__).parents[1])


def started(*words, **named):
    environment = {**os.environ, "PYTHONPATH": PACKAGE, **named.pop("environment", {})}
    return subprocess.Popen([sys.executable, "-m", "local_entropy", *map(str, words)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                            **named)


def command(*words, **named):
    """The exit status, and what it said."""
    process = started(*words, **named)
    out, error = process.communicate(timeout=120)
    return process.returncode, out + error


def good(*words, **named):
    status, said = command(*words, **named)
    assert (status, said) == (0, "")


@pytest.fixture
def image(tmp_path):
    np.save(tmp_path / "image.npy", IMAGE)
    return tmp_path / "image.npy"


def names(folder):
    return sorted(os.listdir(folder))


# ---- what is computed --------------------------------------------------------------------------


@pytest.mark.parametrize("words, arguments", [
    ([], {}),
    (["--size", "5", "--mode", "reflect"], {"size": 5, "mode": "reflect"}),
    (["--size", "5x8", "--mode", "wrap", "--base", "e"], {"size": (5, 8), "mode": "wrap",
                                                          "base": "e"}),
    (["--mode", "constant", "--cval", "3"], {"mode": "constant", "cval": 3}),
    (["--levels", "4", "--clip", "--base", "10"], {"levels": 4, "clip": True, "base": 10}),
    (["--levels", "3", "--range", "0", "8", "--dtype", "float64"],
     {"levels": 3, "range": (0, 8), "dtype": np.float64}),
    (["--nodata", "4", "--fill"], {"nodata": 4, "empty": np.nan}),
    (["--threads", "1", "--device", "cpu", "--memory", "1K"], {}),
])
def test_arguments(image, tmp_path, words, arguments):
    good(image, tmp_path / "out.npy", *words)
    found, expected = np.load(tmp_path / "out.npy"), entropy(IMAGE, **arguments)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert names(tmp_path) == ["image.npy", "out.npy"]


@pytest.mark.parametrize("words, engine", [
    ([], (True, 0)), (["--threads", "3"], (True, 3)), (["--device", "cpu"], (False, 0))])
def test_threads_and_devices(image, tmp_path, capfd, monkeypatch, words, engine):
    asked, made = set(), _library.engine

    def noted(devices, threads):
        asked.add((devices, threads))
        return made(devices, threads)

    monkeypatch.setattr(_library, "engine", noted)
    convert(capfd, image, tmp_path / "out.npy", *words)
    assert asked == {engine}


@pytest.mark.parametrize("words, arguments", [
    (["--index", "hill", "--q", "2"], {"index": "hill", "q": 2}),
    (["--index", "hill", "--q", "inf", "--size", "3"], {"index": "hill", "q": np.inf, "size": 3}),
    (["--index", "simpson"], {"index": "simpson"}),
    (["--index", "richness"], {"index": "richness"}),
])
def test_indices(image, tmp_path, words, arguments):
    good(image, tmp_path / "out.npy", *words)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), diversity(IMAGE, **arguments))


def test_a_disk(image, tmp_path):
    good(image, tmp_path / "out.npy", "--size", "7", "--footprint", "disk")
    disk = np.hypot(*np.mgrid[-3:4, -3:4]) <= 3.5
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(IMAGE, footprint=disk))


def test_holes(image, tmp_path):
    good(image, tmp_path / "out.npy", "--nodata", "4")
    expected = np.where(IMAGE == 4, np.nan, entropy(IMAGE, nodata=4, empty=np.nan))
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_holes_of_real_numbers(tmp_path, capfd, kind):
    cells = RANDOM.random((30, 40)).astype(kind)
    cells[5:9, 20:], cells[17] = np.nan, np.nan
    np.save(tmp_path / "in.npy", cells)
    bins = ["--levels", 8, "--range", 0, 1]
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", *bins)
    filled = entropy(cells, levels=8, range=(0, 1), empty=np.nan)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"),
                                  np.where(np.isnan(cells), np.nan, filled))
    convert(capfd, tmp_path / "in.npy", tmp_path / "out.npy", *bins, "--fill")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), filled)


def test_bands_of_a_stack(tmp_path):
    stack = RANDOM.integers(0, 9, (2, 2, 12, 11), dtype=np.uint8)
    np.save(tmp_path / "in.npy", stack)
    good(tmp_path / "in.npy", tmp_path / "all.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "all.npy"), entropy(stack))
    good(tmp_path / "in.npy", tmp_path / "one.npy", "--band", "3")
    np.testing.assert_array_equal(np.load(tmp_path / "one.npy"), entropy(stack[1, 0]))
    good(tmp_path / "in.npy", tmp_path / "two.npy", "--band", "4,1", "--band", "2")
    np.testing.assert_array_equal(np.load(tmp_path / "two.npy"),
                                  entropy(stack.reshape(4, 12, 11)[[3, 0, 1]]))
    good(tmp_path / "in.npy", tmp_path / "four.npy", "--band", "4,3,2,1")
    np.testing.assert_array_equal(np.load(tmp_path / "four.npy"),
                                  entropy(stack.reshape(4, 12, 11)[::-1]))


@pytest.mark.parametrize("kind", ["uint8", "uint16"])
def test_like_skimage(tmp_path, kind):
    rank = pytest.importorskip("skimage.filters.rank", reason="compares with scikit-image")
    np.save(tmp_path / "in.npy", IMAGE.astype(kind))
    for size in (5, 4):
        good(tmp_path / "in.npy", tmp_path / "out.npy", "--size", size, "--like-skimage")
        found = np.load(tmp_path / "out.npy")
        expected = rank.entropy(IMAGE.astype(kind), np.ones((size, size), np.uint8))
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_orders_of_bytes_and_of_axes(tmp_path):
    np.save(tmp_path / "in.npy", np.asfortranarray(IMAGE.astype(">u2")))
    good(tmp_path / "in.npy", tmp_path / "out.npy", "--memory", "10K", "--levels", "9")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(IMAGE))


# ---- help and progress -------------------------------------------------------------------------


@pytest.mark.parametrize("text, bytes_of", [("1K", 1024), ("1.5m", 3 << 19), ("2GB", 2 << 30),
                                            ("7", 7)])
def test_memory_is_counted_in_powers_of_two(text, bytes_of):
    assert parser().parse_args(["in.npy", "out.npy", "--memory", text]).memory == bytes_of


def test_help():
    status, said = command("--help")
    assert status == 0 and "examples:" in said and "--like-skimage" in said
    from local_entropy.command import options
    made = options.parser()
    for example in re.findall(r"^  local-entropy (.*)$", said, re.MULTILINE):
        options.request_of(made.parse_args(example.split()))
    assert command("--version") == (0, f"local-entropy {local_entropy.__version__}\n")


class Terminal:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_progress():
    assert re.fullmatch(r" 25% \[#+ +\] 2 Mcells/s, 0:38 left", line(25e6, 100_000_000, 2e6, 9))
    assert re.fullmatch(r"100% \[#+\] 10 Mcells/s, 0:10", line(1e8, 100_000_000, 1e7, 10))
    assert line(1e8, 100_000_000, 999_500, 100).endswith("] 1 Mcells/s, 1:40")
    assert line(1e8, 100_000_000, 999_400, 100).endswith("] 999 kcells/s, 1:40")
    assert line(1e6, 2_000_000, 2000, 9).endswith("] 2 kcells/s, 8:20 left")
    assert "? left" in line(0, 10, 0, 1)
    assert [clock(0.4), clock(59.6), clock(3661)] == ["0:00", "1:00", "1:01:01"]
    terminal = Terminal()
    bar = Bar(10, True, terminal)
    time.sleep(0.15)
    bar(5)
    bar.end(True)
    assert " 50%" in terminal.text and terminal.text.endswith("\x1b[K\n")
    silent = Terminal()
    Bar(10, False, silent).end(True)
    assert silent.text == ""


def test_the_bar_is_of_the_last_seconds(monkeypatch):
    clock_of = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock_of[0])
    terminal = Terminal()
    bar = Bar(100_000_000, True, terminal)
    for second in range(1, 41):
        clock_of[0] = float(second)
        for _ in range(9):  # once is enough
            bar(1e6 * second if second <= 20 else 20e6 + 2e6 * (second - 20))
    assert terminal.text.count("\r") == 40
    assert terminal.text.endswith(" 2 Mcells/s, 0:20 left\x1b[K")
    bar.end(False)
    assert terminal.text.endswith("\r\x1b[K"), "the line of what was not done stays"
    assert line(99.6e6, 100_000_000, 1e6, 1).startswith(" 99% ")


def test_progress_on_a_terminal(image, tmp_path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "local_entropy", image, tmp_path / "out.npy"],
                               stderr=theirs, env={**os.environ, "PYTHONPATH": PACKAGE})
    assert process.wait(60) == 0
    os.close(theirs)
    said = os.read(ours, 10_000).decode()
    os.close(ours)
    assert re.search(r"100% \[#+\] \d+ [Mk]cells/s, 0:00", said)


def test_a_terminal_is_spared_on_request(image, tmp_path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "local_entropy", "--quiet", image,
                                tmp_path / "out.npy"],
                               stderr=theirs, env={**os.environ, "PYTHONPATH": PACKAGE})
    assert process.wait(60) == 0
    os.write(theirs, b"end")
    said = os.read(ours, 10_000)
    os.close(theirs)
    os.close(ours)
    assert said == b"end"


def test_in_another_thread(image, tmp_path, capfd):
    thread = threading.Thread(target=convert, args=(capfd, image, tmp_path / "out.npy"))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(IMAGE))


# ---- errors ------------------------------------------------------------------------------------

WRONG = [
    ("--size 0", r"size is 0 x 0"),
    ("--size 300", r"size is 300 x 300"),
    ("--size a", r"--size: 'a', expected one number"),
    ("--size 5x7y", r"--size: '5x7y', expected one number"),
    ("--size 65 --footprint disk", r"footprint is 65 x 65"),
    ("--size 255 --footprint disk", r"footprint is 255 x 255"),
    ("--size 1000000000 --footprint disk", r"size is 1000000000 x 1000000000"),
    ("--mode same", r"--mode: invalid choice"),
    ("--levels 1", r"levels is 1, expected 2 to 65536"),
    ("--levels 4 --range 3 3", r"range is \(3, 3\), expected finite numbers"),
    ("--range 0 1", r"--range is given without --levels"),
    ("--clip", r"--clip is given without --levels"),
    ("--cval 3", r"--cval is given without --mode constant"),
    ("--index hill", r"q is missing"),
    ("--q 2", r"--q is given for --index shannon"),
    ("--index hill --q -1", r"order of a Hill number is -1|expected one argument"),
    ("--index simpson --base 2", r"--base is given for --index simpson"),
    ("--band 2", r"--band is 2 for \S+image.npy, expected 1: it has one band"),
    ("--band 0", r"--band is 0 for \S+image.npy, expected 1"),
    ("--band x", r"--band: 'x', expected numbers"),
    ("--nodata x", r"--nodata: 'x', expected a number or none"),
    ("--like-skimage --mode wrap", r"--mode is given with --like-skimage"),
    ("--threads 0", r"--threads is 0, expected 1 to 2147483647"),
    ("--threads 4294967297", r"--threads is 4294967297, expected 1 to 2147483647"),
    ("--memory 0", r"--memory: '0', expected a number of bytes"),
    ("--memory " + "9" * 400, r"--memory: '9+', expected a number of bytes"),
    ("--co x", r"--co: 'x', expected NAME=VALUE"),
    ("--no-such", r"unrecognized arguments"),
]


@pytest.mark.parametrize("words, match", WRONG)
def test_wrong_arguments(image, tmp_path, words, match):
    status, said = command(image, tmp_path / "out.npy", *words.split())
    assert status == 2 and re.search(match, said), said
    assert said.startswith("local-entropy: ") and "Traceback" not in said
    assert names(tmp_path) == ["image.npy"]


def failed(tmp_path, match, *words, status=1, **named):
    before = names(tmp_path)
    found, said = command(*words, **named)
    assert re.search(match, said), said
    assert found == status and "Traceback" not in said and said.startswith("local-entropy: ")
    assert said.count("\n") == status  # one sentence
    assert names(tmp_path) == before


def test_failures(image, tmp_path):
    out = tmp_path / "out.npy"
    failed(tmp_path, r"nothing.npy does not exist", tmp_path / "nothing.npy", out)
    failed(tmp_path, r"there is no folder .*/no$", image, tmp_path / "no/out.npy")
    (tmp_path / "folder.npy").mkdir()
    failed(tmp_path, r"folder.npy is a folder", image, tmp_path / "folder.npy")
    whole = image.read_bytes()
    for bad in (b"no array", b"", b"PK\x03\x04archive", b"PK\x05\x06" + bytes(18), whole[:60],
                whole.replace(b"(", b"{"), whole.replace(b"{", b"\n"), whole[:-1]):
        (tmp_path / "bad.npy").write_bytes(bad)
        failed(tmp_path, r"bad.npy is not an array of NumPy", tmp_path / "bad.npy", out)
    (tmp_path / "short.npy").write_bytes(whole[:-1])
    failed(tmp_path, r"it ends before the last cell", tmp_path / "short.npy", out)
    np.save(tmp_path / "row.npy", IMAGE[0])
    failed(tmp_path, r"row.npy has 1 dimensions", tmp_path / "row.npy", out)
    np.save(tmp_path / "none.npy", IMAGE[:, :0])
    failed(tmp_path, r"none.npy has no cells: its shape is \(\d+, 0\)", tmp_path / "none.npy", out)
    np.save(tmp_path / "complex.npy", IMAGE * 1j)
    failed(tmp_path, r"has cells of complex128", tmp_path / "complex.npy", out)
    np.save(tmp_path / "real.npy", IMAGE / 2)
    failed(tmp_path, r"float64, which are put into bins: expected --levels and --range",
           tmp_path / "real.npy", out, status=2)
    failed(tmp_path, r"uint8 or uint16 for --like-skimage", tmp_path / "real.npy", out,
           "--like-skimage", status=2)
    failed(tmp_path, r"given twice", image, image, status=2)
    (tmp_path / "link.npy").symlink_to(image)
    failed(tmp_path, r"link.npy is given twice", image, tmp_path / "link.npy", status=2)
    failed(tmp_path, r"given twice", image, out, "--preview", image, status=2)
    failed(tmp_path, r"given twice", image, out, "--preview", out, status=2)
    failed(tmp_path, r"an .npy file is written without compression", image, out, "--compress",
           "zstd", status=2)
    failed(tmp_path, r"--preview is picture, expected a name", image, out, "--preview", "picture",
           status=2)
    failed(tmp_path, r"/dev/stdout is a device or a pipe", image, "/dev/stdout")


def test_a_cell_that_is_no_level(tmp_path):
    image = IMAGE.astype(np.int16)
    image[41, 7] = -3
    np.save(tmp_path / "in.npy", image)
    failed(tmp_path, r"in.npy: the cell in row 41, column 7 \(from 0\) is -3, expected",
           tmp_path / "in.npy", tmp_path / "out.npy", "--levels", "9", "--memory", "4K")


def test_an_output_that_is_there_is_replaced_when_it_is_whole(image, tmp_path):
    out = tmp_path / "out.npy"
    out.write_text("before")
    np.save(tmp_path / "bad.npy", IMAGE.astype(np.int32) * 1000)
    failed(tmp_path, "expected", tmp_path / "bad.npy", out, "--levels", "9")
    assert out.read_text() == "before"
    good(image, out)
    np.testing.assert_array_equal(np.load(out), entropy(IMAGE))


def limited(size):
    """A process that may write files of at most `size` bytes, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_link_that_leads_nowhere_is_no_folder(image, tmp_path, capfd):
    pytest.importorskip("zarr", reason="pip install zarr")
    (tmp_path / "out.zarr").symlink_to("out.zarr")
    said = refused(capfd, image, tmp_path / "out.zarr")
    assert "out.zarr is a file, not a folder" in said
    assert names(tmp_path) == ["image.npy", "out.zarr"] and (tmp_path / "out.zarr").is_symlink()


def test_a_full_disk(image, tmp_path):
    np.save(tmp_path / "large.npy", np.zeros((2000, 2000), np.uint8))
    failed(tmp_path, r"out.npy cannot be written: File too large", tmp_path / "large.npy",
           tmp_path / "out.npy", preexec_fn=limited(1 << 20))


@pytest.mark.parametrize("words", [[], ["--memory", "4K"]])
def test_a_file_system_that_writes_less_at_once(image, tmp_path, capfd, monkeypatch, words):
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: pwrite(file, data[:77], at))
    convert(capfd, image, tmp_path / "out.npy", *words)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(IMAGE))


@pytest.mark.parametrize("error, sentence", [(MemoryError("no host memory for 9 bytes"),
                                              "no host memory for 9 bytes"),
                                             (MemoryError(), "a smaller --memory takes less")])
def test_too_little_memory(image, tmp_path, capfd, monkeypatch, error, sentence):
    def compute(*_):
        raise error

    monkeypatch.setattr(pipeline, "compute_region", compute)
    assert main([str(image), str(tmp_path / "out.npy")]) == 1
    assert capfd.readouterr().err == f"local-entropy: there is too little memory: {sentence}\n"
    assert names(tmp_path) == ["image.npy"]


def test_more_than_the_disk_has(tmp_path):
    array = np.lib.format.open_memmap(tmp_path / "in.npy", "w+", np.uint8, (1 << 20, 1 << 20))
    del array
    failed(tmp_path, r"takes 4.4e\+03 GB, and its disk has", tmp_path / "in.npy",
           tmp_path / "out.npy")


def test_as_much_as_the_disk_has(image, tmp_path, capfd, monkeypatch):
    room = IMAGE.size * 4
    monkeypatch.setattr(Output, "room", lambda self: room)
    convert(capfd, image, tmp_path / "out.npy")
    room -= 1
    assert "and its disk has" in refused(capfd, image, tmp_path / "other.npy")
    assert names(tmp_path) == ["image.npy", "out.npy"]


# ---- the standard output ------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["-h", "--help", "--version"])
@pytest.mark.parametrize("output", ["/dev/full", None])
def test_text_that_is_lost(capfd, monkeypatch, word, output):
    """Once it is said, Python does not try to write it once more at its end."""
    lost = None if output is None else open(output, "w")
    monkeypatch.setattr(sys, "stdout", lost)
    assert main([word]) == 1 and (lost is None or lost.closed)
    reason = "it is closed" if lost is None else "No space left on device"
    assert capfd.readouterr().err == \
        f"local-entropy: the standard output cannot be written: {reason}\n"


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_streams_that_are_closed(image, tmp_path, closed):
    """Nor does what is said go into the output."""
    out = tmp_path / "out.npy"
    words = f"{sys.executable} -m local_entropy {image} {out} {closed}"
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    assert subprocess.run(words, shell=True, env=environment, timeout=60).returncode == 0
    np.testing.assert_array_equal(np.load(out), entropy(np.load(image)))
    words = f"{sys.executable} -m local_entropy {tmp_path}/no.npy {out} {closed}"
    assert subprocess.run(words, shell=True, env=environment, timeout=60,
                          stderr=subprocess.DEVNULL).returncode == 1


# ---- the end in the middle ---------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("output", ["out.npy", "out.tif"])
def test_a_signal_in_the_middle(tmp_path, number, output, signals_end):
    if output == "out.tif":
        pytest.importorskip("rasterio", reason="writes GeoTIFF")
    np.save(tmp_path / "in.npy", RANDOM.integers(0, 65536, (9000, 9000), dtype=np.uint16))
    process = started(tmp_path / "in.npy", tmp_path / output, "--size", "201", "--threads", "1",
                      "--dtype", "float64")
    wait = time.monotonic() + 60
    while not any(name.endswith(".part") for name in names(tmp_path)):
        assert process.poll() is None and time.monotonic() < wait
        time.sleep(0.01)
    time.sleep(0.3)
    assert output not in names(tmp_path)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == -number
    assert said == "local-entropy: ended by a signal; the output was not written\n"
    assert names(tmp_path) == ["in.npy"]


_WITH_PEAK = """
import pathlib, re, sys
from local_entropy.command.main import main
status = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s*(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
sys.exit(status)
"""


@pytest.mark.parametrize("output", ["out.npy", "out.tif"])
def test_flat_memory(tmp_path, output):
    """Of an image whose result is larger than the memory that is used."""
    if output == "out.tif":
        pytest.importorskip("rasterio", reason="writes GeoTIFF")
    np.lib.format.open_memmap(tmp_path / "in.npy", "w+", np.uint8, (20_000, 12_500)).flush()
    ended = subprocess.run([sys.executable, "-c", _WITH_PEAK, tmp_path / "in.npy",
                            tmp_path / output, "--memory", "128M", "--size", "3"], check=True,
                           env={**os.environ, "PYTHONPATH": PACKAGE, "GDAL_CACHEMAX": "64"},
                           stdout=subprocess.PIPE, text=True)
    size = os.path.getsize(tmp_path / output)
    os.remove(tmp_path / output)
    assert size >= 1_000_000_000 and int(ended.stdout) * 1024 < 0.3 * size, ended.stdout


@pytest.mark.parametrize("started, quiet", [("-m local_entropy", True), ("local-entropy", True),
                                            ("-m package", False), ("another.py", False),
                                            ("-m package local_entropy", False)])
def test_a_signal_while_libraries_are_imported(tmp_path, signals_end, started, quiet):
    """A program that imports the package keeps its KeyboardInterrupt."""
    (tmp_path / "numpy.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    (tmp_path / "package").mkdir()
    for name in ("local-entropy", "another.py", "package/__init__.py", "package/__main__.py"):
        (tmp_path / name).write_text("from local_entropy.command.main import main\n")
    if started == "-m local_entropy" and sys.version_info < (3, 10):
        pytest.skip("a Python that does not say how it was started")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ended = subprocess.run([sys.executable, *started.split()], cwd=tmp_path, capture_output=True,
                           text=True, env={**os.environ, "PYTHONPATH": path})
    assert ended.returncode == -signal.SIGINT and (ended.stderr == "") == quiet
