"""GDAL, through rasterio: its settings, and what it says of errors."""

from __future__ import annotations

import logging
import os
import re
import threading
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, List

from .base import needed

_CODE = re.compile(r"CPLE_\w+ in ")
_CACHE_MB = "256"  # GDAL's own is a twentieth of the machine's memory


class Listener(logging.Handler):
    """Keeps the errors of GDAL that rasterio logs, and does not always raise: of a full disk, those
    of a thread that compresses, and when a file is closed."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._threads = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.levelno >= logging.ERROR or text.startswith("GDAL signalled an error"):
            getattr(self._threads, "errors", []).append(text.partition("msg=")[2] or text)
        elif "creation option" in text:  # one that is not known, or of a wrong value
            getattr(self._threads, "errors", []).append(_CODE.sub("", text))

    @contextmanager
    def errors(self, rasterio: Any) -> Iterator[List[str]]:
        """Those of this thread, while this lasts."""
        self._threads.errors = []
        with rasterio.Env():
            yield self._threads.errors


listener = Listener()


def rasterio_for(path: str) -> Any:
    """The library, which the file needs; it warns of nothing and logs to the listener."""
    os.environ.setdefault("GDAL_CACHEMAX", _CACHE_MB)
    # A PNG that GDAL decodes at once, and not by rows, is garbage where it ends early: no error.
    os.environ["GDAL_PNG_WHOLE_IMAGE_OPTIM"] = "NO"
    rasterio: Any = needed("rasterio", path)
    needed("rasterio.shutil", path)
    logger = logging.getLogger("rasterio")
    if listener not in logger.handlers:
        logger.addHandler(listener)
        logger.setLevel(logging.INFO)
        logger.propagate = False
    warnings.filterwarnings("ignore", category=rasterio.errors.NotGeoreferencedWarning)
    return rasterio


def sentence(error: BaseException) -> str:
    """What GDAL says, without the chain of exceptions that rasterio makes of it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
