"""What tests of several files ask for."""

import signal

import pytest


@pytest.fixture
def signals_end():
    """Signals end programs, as on a terminal: a shell has those in the background ignore Ctrl-C,
    nohup has them ignore SIGHUP, and what they start inherits it."""
    before = {number: signal.signal(number, handler) for number, handler in
              ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL))}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def rasterio():
    return pytest.importorskip("rasterio", reason="pip install rasterio")


@pytest.fixture
def tifffile():
    return pytest.importorskip("tifffile", reason="pip install tifffile")


@pytest.fixture
def zarr():
    return pytest.importorskip("zarr", reason="pip install zarr")
