"""The drop-ins in tests that scikit-image and cuCIM ship of their own filter, as these are: they
import its module, in which the drop-in takes the place of the filter."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

from test_cucim import gpu

# A plugin of pytest, since it is imported before the tests are. They download the values that they
# compare with; here scikit-image itself computes them, as it once did.
PLUGIN = """
import types
import warnings
import numpy as np
import skimage._shared.testing as testing
from skimage.filters import rank
from skimage.morphology import ball, disk
import {original} as module
import {ours} as ours

FOLDER = {folder!r}


def random(*shape):
    np.random.seed(0)
    return np.random.rand(*shape)


def keep(name, filters, image, footprint):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.savez(FOLDER + "/" + name,
                 **{{each: getattr(rank, each)(image, footprint) for each in filters}})


keep("rank_filter_tests.npz", rank.__all__, random(25, 25), disk(1))
keep("rank_filters_tests_3d.npz", getattr(rank, "__3Dfilters"), random(10, 10, 10), ball(1))
testing.fetch = lambda name: FOLDER + name[name.index("/"):]
if {original!r}.startswith("cucim"):  # what the drop-in hands on goes to the filter itself
    kept, others = types.SimpleNamespace(entropy=module.entropy), ours._from_cucim
    ours._from_cucim = lambda name, for_what: (
        kept if name == "filters.rank" else others(name, for_what))
module.entropy = ours.entropy
"""


def run_of(original, ours, folder):
    """What pytest says of the tests of `original` whose names have the filter's."""
    spec = importlib.util.find_spec(original)
    path = pathlib.Path(spec.origin).parent / "tests/test_rank.py"
    if not path.is_file():
        pytest.skip(f"this {original.partition('.')[0]} ships no tests")
    (folder / "drop_in.py").write_text(PLUGIN.format(original=original, ours=ours,
                                                     folder=str(folder)))
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "drop_in", "-p", "no:cacheprovider", "-c",
         os.devnull, "--rootdir", folder, "-k", "entropy", path], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])})
    assert ended.returncode == 0, ended.stdout[-4000:]
    return ended.stdout


def test_those_of_scikit_image(tmp_path):
    pytest.importorskip("skimage", reason="needs scikit-image")
    said = run_of("skimage.filters.rank", "local_entropy.skimage", tmp_path)
    assert int(re.search(r"(\d+) passed", said)[1]) >= 15, said


def test_those_of_cucim(tmp_path):
    if gpu() is None or importlib.util.find_spec("cucim") is None:
        pytest.skip("needs cuCIM and a GPU")
    said = run_of("cucim.skimage.filters.rank", "local_entropy.cucim", tmp_path)
    assert int(re.search(r"(\d+) passed", said)[1]) >= 8, said
