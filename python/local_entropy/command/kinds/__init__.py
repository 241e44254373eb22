"""The kinds of files. A new one is a module like these, and a place in the list."""

from __future__ import annotations

import os
import re
from types import ModuleType
from typing import Tuple

from . import npy, raster, stack, zarr_array
from .base import (About, ArgumentError, CellError, FileError, Layout, Part, Sink, Source,
                   is_out_of_threads)

__all__ = ["About", "ArgumentError", "CellError", "FileError", "Layout", "Part", "Sink", "Source",
           "create", "is_out_of_threads", "open_source"]

# The first that says it reads or writes a file does so: raster is asked last, it takes all.
KINDS: Tuple[ModuleType, ...] = (npy, zarr_array, stack, raster)

_NOT_A_PATH = re.compile(r"/vsi|[A-Za-z0-9_]{2,}:")  # but a name that GDAL knows


def open_source(path: str) -> Source:
    """The image in a file."""
    if path == "-" and not os.path.exists(path):
        raise FileError("- is no file: the image is not read from the standard input, since it is "
                        "not read from its beginning to its end")
    if not (os.path.exists(path) or zarr_array.in_archive(path) or _NOT_A_PATH.match(path)):
        raise FileError(f"{path} does not exist")
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise FileError(f"{path} is a device or a pipe, expected a file: the image is not read from "
                        "its beginning to its end")
    try:
        kind = next(kind for kind in KINDS if kind.reads(path))
        source: Source = kind.Opened(path)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    if source.dtype.kind not in "buif":
        source.close()
        raise FileError(f"{path} has cells of {source.dtype}, expected integers or real numbers")
    return source


def create(path: str, layout: Layout) -> Sink:
    """A file for a result, of the kind that its name says."""
    kind = next(kind for kind in KINDS if kind.writes(path, layout))
    sink: Sink = kind.Created(path, layout)
    return sink
