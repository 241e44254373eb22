"""Several processes of dask.distributed, over an image that is larger than their memory."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from local_entropy import LevelError, diversity, entropy

da = pytest.importorskip("dask.array", reason="pip install dask[array]")
distributed = pytest.importorskip("distributed", reason="pip install dask[distributed]")

LIMIT = 320 << 20  # of a worker, in bytes; half of it is Python and its modules
SHAPE, CHUNK = (6250, 8000), (625, 800)
BINS = {"levels": 32, "range": (0.0, 1.0), "mode": "wrap"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=LIMIT,
                                  dashboard_address=None,
                                  local_directory=tmp_path_factory.mktemp("workers")) as cluster, \
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
    future.result(timeout=600)  # on a busy machine, too

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


# ---- the page about clusters -------------------------------------------------------------------

PAGE = pathlib.Path(__file__).parents[1] / "CLUSTER.md"


@pytest.fixture(scope="module")
def examples():
    if not PAGE.exists():
        pytest.skip("needs CLUSTER.md")
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def ran(folder, code, **variables):
    """What the program says, run in that folder."""
    (folder / "example.py").write_text(code)
    ended = subprocess.run([sys.executable, "example.py"], cwd=folder, text=True, timeout=120,
                           env={**os.environ, **variables}, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def test_the_first_example(tmp_path, examples):
    zarr = pytest.importorskip("zarr", reason="pip install zarr")
    image = np.random.default_rng(12).integers(0, 256, (70, 90), dtype=np.uint8)
    zarr.open(str(tmp_path / "scene.zarr"), mode="w", shape=image.shape, chunks=(30, 40),
              dtype="u1")[...] = image
    ran(tmp_path, examples[0])
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "entropy.zarr"), mode="r")[...],
                                  entropy(image, 9, mode="reflect"))


def test_the_example_of_xarray(tmp_path, examples):
    xarray = pytest.importorskip("xarray", reason="pip install xarray")
    pytest.importorskip("zarr", reason="pip install zarr")
    cells = np.random.default_rng(13).integers(0, 9, (70, 90), dtype=np.uint8)
    cover = xarray.DataArray(cells, dims=("y", "x"), coords={"x": np.arange(90)}, name="cover")
    cover.to_dataset().to_zarr(str(tmp_path / "cover.zarr"))
    ran(tmp_path, examples[1])
    hill = xarray.open_zarr(str(tmp_path / "hill.zarr")).hill
    np.testing.assert_array_equal(hill.x, cover.x)
    np.testing.assert_array_equal(hill, diversity(cells, 21, "hill", q=2, mask=cells != 0,
                                                  empty=np.nan))


def test_the_example_of_a_queue(tmp_path, examples):
    """Over commands that stand for those of Slurm."""
    pytest.importorskip("dask_jobqueue", reason="pip install dask-jobqueue")
    for name, does in [("sbatch", 'cp "$1" job.$$; echo Submitted batch job $$'),
                       ("scancel", "exit 0")]:
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    wait = "import glob, time\nwhile len(glob.glob('job.*')) < 4:\n    time.sleep(0.05)\n"
    ran(tmp_path, f"{examples[2]}{wait}client.close()\ncluster.close()\n",
        PATH=f"{tmp_path}:{os.environ['PATH']}")
    jobs = [job.read_text() for job in tmp_path.glob("job.*")]
    assert len(jobs) == 4 and all("--nworkers 32" in job and "--nthreads 1" in job for job in jobs)


def test_the_examples_with_gpus(tmp_path, examples):
    """A worker for each, without asking whether it is there."""
    show = "import os\nprint(client.run(os.getenv, 'CUDA_VISIBLE_DEVICES'))\ncluster.close()\n"
    code = re.sub("^(?=.)", "    ", f"{examples[3]}client.wait_for_workers(4)\n{show}", flags=re.M)
    said = ran(tmp_path, f"if __name__ == '__main__':\n{code}")
    assert sorted(re.findall(r"'(\d)'", said)) == ["0", "1", "2", "3"], said
    compile(examples[4], "CLUSTER.md", "exec")
    assert len(examples) == 5
