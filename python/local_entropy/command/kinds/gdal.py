"""GDAL, through rasterio: its settings, and what it says of errors."""

from __future__ import annotations

import ctypes
import logging
import os
import re
import warnings
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Callable, Dict, Iterator, List, Optional

from .base import needed
from .listening import Listener

_CODE = re.compile(r"CPLE_\w+ in ")
_CACHE_MB = "256"  # GDAL's own is a twentieth of the machine's memory
_LOUD = 0x42  # GDAL_OF_VERBOSE_ERROR, GDAL_OF_RASTER
_FAILURE = 3  # CE_Failure
_PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.c_char_p, ctypes.c_void_p)


class _Listener(Listener):
    """Hears the errors of GDAL that rasterio logs, and does not always raise: of a full disk, those
    of a thread that compresses, and when a file is closed."""

    def sentence_of(self, record: logging.LogRecord) -> Optional[str]:
        text = record.getMessage()
        if record.levelno >= logging.ERROR or text.startswith("GDAL signalled an error"):
            return text.partition("msg=")[2] or text
        if "creation option" in text:  # one that is not known, or of a wrong value
            return _CODE.sub("", text)
        return None

    @contextmanager
    def errors(self, rasterio: Any) -> Iterator[List[str]]:
        """Those of this thread, while this lasts."""
        with self.heard() as errors, rasterio.Env():
            yield errors


listener = _Listener("rasterio", logging.INFO)


def rasterio_for(path: str) -> Any:
    """The library, which the file needs; it warns of nothing and logs to the listener."""
    os.environ.setdefault("GDAL_CACHEMAX", _CACHE_MB)
    # A PNG that GDAL decodes at once, and not by rows, is garbage where it ends early: no error.
    os.environ["GDAL_PNG_WHOLE_IMAGE_OPTIM"] = "NO"
    rasterio: Any = needed("rasterio", path)
    needed("rasterio.shutil", path)
    listener.attach()
    _quiet_libtiff(rasterio._base.__file__)
    warnings.filterwarnings("ignore", category=rasterio.errors.NotGeoreferencedWarning)
    return rasterio


@lru_cache(maxsize=None)  # once, before the first file: GDAL may put its own handler there then
def _quiet_libtiff(library: str) -> None:
    """It prints that a disk is full, for each write, besides the error that GDAL hears."""
    for name in ("TIFFSetErrorHandler", "gdal_TIFFSetErrorHandler"):  # GDAL may have its own one
        with suppress(AttributeError, OSError):
            getattr(ctypes.CDLL(library), name)(None)


def copy(rasterio: Any, old: str, new: str, driver: str, options: Dict[str, Any],
         goes_on: Optional[Callable[[], bool]] = None) -> None:
    """rasterio.shutil.copy, but it ends where goes_on() says no. Not for the main thread, where what
    a signal raises within goes_on() would be lost."""
    gdal = ctypes.CDLL(rasterio._base.__file__)
    if not hasattr(gdal, "GDALCreateCopy"):  # it is inside rasterio, and not seen
        rasterio.shutil.copy(old, new, driver=driver, strict=True, **options)
        return
    for function in (gdal.GDALOpenEx, gdal.GDALGetDriverByName, gdal.GDALCreateCopy):
        function.restype = ctypes.c_void_p
    gdal.CPLGetLastErrorMsg.restype = ctypes.c_char_p
    said = [os.fsencode(f"{key.upper()}={value}") for key, value in options.items()]
    words = (ctypes.c_char_p * (len(said) + 1))(*said)  # the last is NULL
    progress = None if goes_on is None else _PROGRESS(lambda part, text, data: int(goes_on()))
    gdal.CPLErrorReset()
    made, opened = None, gdal.GDALOpenEx(os.fsencode(old), _LOUD, None, None, None)
    if opened:
        made = gdal.GDALCreateCopy(
            ctypes.c_void_p(gdal.GDALGetDriverByName(driver.encode())), os.fsencode(new),
            ctypes.c_void_p(opened), 1, words, progress, None)
        for dataset in (made, opened):
            gdal.GDALClose(ctypes.c_void_p(dataset))
    if not made or gdal.CPLGetLastErrorType() >= _FAILURE:
        said_last = gdal.CPLGetLastErrorMsg().decode(errors="replace")
        raise RuntimeError(said_last or f"no {driver} was made")


def sentence(error: BaseException) -> str:
    """What GDAL says, without the chain of exceptions that rasterio makes of it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
