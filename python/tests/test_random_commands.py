"""The command with random arguments and random files, from a fixed seed: whatever they are, it ends
with a status and a sentence. COMMANDS=N tries more of them."""

import io
import os
import random

import numpy as np
import pytest

from local_entropy.command.main import main

COMMANDS = int(os.environ.get("COMMANDS", "300"))
VALUES = ["", "0", "1", "2", "3", "5", "16", "255", "256", "-1", "-0", "1e400", "nan", "inf",
          "-inf", "1e-320", "3x5", "5x", "0x0", "64", "65536", "99999", "9" * 20, "9" * 400,
          "9" * 5000, "1G", "1.5K", "9" * 17 + "G", "200x200", "none", "1,2", "1,", "hill", "disk",
          "constant", "reflect", "wrap", "e", "2.5", "--", "-", "a=b", "=", "\u0663", "\udcff",
          "viridis", "GTiff", "float64"]
FLAGS = ["--clip", "--fill", "--quiet", "--like-skimage"]
NUMBERS = ["--size", "--cval", "--q", "--levels", "--nodata", "--band", "--threads", "--memory"]
NAMES = ["--footprint", "--mode", "--index", "--base", "--dtype", "--compress", "--driver", "--co",
         "--preview", "--colors", "--device", "--unknown"]
RIGHT = {"--size": ["3", "5x4", "7"], "--levels": ["2", "16", "300"], "--q": ["0", "2", "0.5"],
         "--mode": ["reflect", "constant", "wrap"], "--index": ["hill", "simpson", "richness"],
         "--footprint": ["disk"], "--dtype": ["float64"], "--base": ["2", "10", "e"],
         "--memory": ["1K", "1M"], "--threads": ["1", "2"], "--nodata": ["3", "none"],
         "--band": ["1"]}


def words_of(draw):
    words = []
    for _ in range(draw.randrange(5)):
        name = draw.choice(NUMBERS + NAMES)
        words += [name, draw.choice(RIGHT.get(name, VALUES) if draw.random() < 0.5 else VALUES)]
        if draw.random() < 0.2:
            words.append(draw.choice(FLAGS))
        if draw.random() < 0.1:
            words += ["--range", draw.choice(VALUES), draw.choice(VALUES)]
    return words


def array_of(draw):
    """The bytes of an .npy file that is right."""
    kind = draw.choice(["u1", "<u2", "<i2", "<f4", "?", "<f8", "<i8", ">u2", "<c8", "S3"])
    shape = tuple(draw.randrange(1, 9) for _ in range(draw.randrange(2, 4)))
    cells = np.frombuffer(draw.randbytes(8 * int(np.prod(shape))), "u1")[:np.prod(shape)] % 5
    file = io.BytesIO()
    np.save(file, (cells.reshape(shape) % 2 if kind == "?" else cells.reshape(shape)).astype(kind))
    return file.getvalue()


def spoiled(draw, whole):
    kind = draw.randrange(5)
    if kind == 0:
        return draw.randbytes(draw.randrange(200))
    if kind == 1:
        return whole[:draw.randrange(len(whole) + 1)]
    if kind == 2:
        return draw.choice([b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"\x93NUMPY"]) \
            + draw.randbytes(draw.randrange(9))
    made = bytearray(whole)
    for _ in range(draw.randrange(1, 4)):
        made[draw.randrange(len(made) if kind == 3 else 80)] = draw.choice(
            [draw.randrange(256), *b"0123456789()[]{}',:<>|"])
    return bytes(made)


def ended(words, capfd):
    """It said one sentence, and no Python came through."""
    try:
        status = main(words)
    except SystemExit as end:  # --help, --version
        status = end.code
    said = capfd.readouterr().err
    assert status in (0, 1, 2), words
    assert (status == 0) == (said == ""), (words, said)
    assert said.startswith("local-entropy: ") or not said, (words, said)


@pytest.mark.filterwarnings("ignore")
def test_random_arguments(tmp_path, capfd):
    for seed in range(COMMANDS):
        draw = random.Random(seed)
        (tmp_path / "in.npy").write_bytes(array_of(draw))
        words = [str(tmp_path / "in.npy"), str(tmp_path / "out.npy"), *words_of(draw)]
        if draw.random() < 0.1:
            draw.shuffle(words)
        ended(words, capfd)


@pytest.mark.filterwarnings("ignore")
def test_random_files(tmp_path, capfd):
    for seed in range(COMMANDS):
        draw = random.Random(seed)
        (tmp_path / "in.npy").write_bytes(spoiled(draw, array_of(draw)))
        ended([str(tmp_path / "in.npy"), str(tmp_path / "out.npy"), "--quiet"], capfd)
