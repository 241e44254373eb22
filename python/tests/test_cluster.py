"""Several processes of dask.distributed, over an image that is larger than their memory."""

import os
import pathlib
import re
import signal
import time

import numpy as np
import pytest

from local_entropy import LevelError, entropy

da = pytest.importorskip("dask.array", reason="pip install dask[array]")
distributed = pytest.importorskip("distributed", reason="pip install dask[distributed]")

LIMIT = 320 << 20  # of a worker, in bytes; half of it is Python and its modules
SHAPE, CHUNK = (6250, 8000), (625, 800)
BINS = {"levels": 32, "range": (0.0, 1.0), "mode": "wrap"}


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=LIMIT,
                                  dashboard_address=None) as cluster, \
            distributed.Client(cluster) as made:
        yield made


def most_memory():
    """Of this process until now, in bytes."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) << 10


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_worker_is_killed_in_the_middle(client, tmp_path):
    zarr = pytest.importorskip("zarr", reason="pip install zarr")
    image = np.random.default_rng(11).random(SHAPE)
    assert image.nbytes > 1.1 * LIMIT
    zarr.open(str(tmp_path / "in.zarr"), mode="w", shape=SHAPE, chunks=CHUNK,
              dtype="f8")[...] = image
    result = entropy(da.from_zarr(str(tmp_path / "in.zarr")), (9, 21), **BINS)
    target = zarr.open(str(tmp_path / "out.zarr"), mode="w", shape=SHAPE, chunks=CHUNK, dtype="f4",
                       fill_value=np.nan)

    def written():
        return sum(len(names) for _, _, names in os.walk(tmp_path / "out.zarr"))

    started = client.run(os.getpid)
    future = client.compute(da.store(result, target, lock=False, compute=False))
    wait_for(lambda: written() > 20)
    os.kill(next(iter(started.values())), signal.SIGKILL)
    assert not future.done() and written() < 100
    future.result(timeout=120)

    client.wait_for_workers(2, timeout=60)
    assert len(set(client.run(os.getpid).values()) - set(started.values())) == 1
    assert max(client.run(most_memory).values()) < LIMIT
    expected = entropy(image, (9, 21), **BINS)
    np.testing.assert_array_equal(target[...], expected)


def test_a_cell_that_is_no_level(client):
    image = np.zeros((60, 60), np.int16)
    image[41, 7] = 99
    future = client.compute(entropy(da.from_array(image, chunks=13), 5, levels=8))
    with pytest.raises(LevelError, match=r"image\[41, 7\] is 99") as caught:
        future.result(timeout=60)
    assert caught.value.index == (41, 7)
