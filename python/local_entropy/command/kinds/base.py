"""What a kind of file is: a Source that is read and a Sink that is written, part by part."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, field
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from ..._host import Ndarray


class FileError(Exception):
    """What is wrong with a file, or missing to read it: one sentence for the user."""


class CellError(FileError):
    """A cell of the file that is no level."""


class ArgumentError(FileError):
    """What a file cannot be asked for, whatever is in it."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether that is what a library met, and not what it found in a file."""
    return isinstance(error, MemoryError) or is_out_of_threads(error)


def is_out_of_threads(error: BaseException) -> bool:
    return "start new thread" in str(error)  # Python's own words


class Part(NamedTuple):
    """Rows and columns of a plane, the first and one behind the last."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def shape(self) -> Tuple[int, int]:
        return self.bottom - self.top, self.right - self.left


@dataclass
class About:
    """What a file says of its cells, and a result inherits. A kind uses what it has a place for."""

    crs: Optional[str] = None                 # WKT
    transform: Optional[Tuple[float, ...]] = None  # x = a * column + b * row + c, ...: a b c d e f
    gcps: Tuple[Any, ...] = ()                # ground control points of rasterio
    gcps_crs: Optional[str] = None
    rpcs: Any = None                          # rational polynomial coefficients of rasterio
    tags: Dict[str, Any] = field(default_factory=dict)
    names: Tuple[Optional[str], ...] = ()     # of the planes
    plane_tags: Tuple[Dict[str, str], ...] = ()
    dimensions: Tuple[str, ...] = ()          # names of all axes, as Zarr has them
    axes: str = ""                            # of a stack, in letters of tifffile: "TCYX"
    stack: Dict[str, Any] = field(default_factory=dict)  # sizes of cells, units: see stack.py
    cell_size: Optional[Tuple[float, str]] = None        # width of a cell, and the unit of it


class Source:
    """An image, or a stack of planes of one shape. Only one thread uses it at a time."""

    lead: Tuple[int, ...] = ()       # the shape of the stack; () of a single plane
    height: int
    width: int
    dtype: np.dtype[Any]
    block: Tuple[int, int] = (1, 0)  # rows and columns that lie together; 0 columns: whole rows
    interleaved: bool = False        # cells of all planes lie together
    files: Tuple[str, ...] = ()      # what it reads, where that is not the file of its name alone
    about: About

    @property
    def planes(self) -> int:
        return math.prod(self.lead)

    def usual_planes(self) -> Tuple[int, ...]:
        """Those that are images, not masks of the others."""
        return tuple(range(self.planes))

    def nodata(self, plane: int) -> Optional[float]:
        return None

    def has_mask(self, plane: int) -> bool:
        return False

    def read(self, plane: int, part: Part) -> Ndarray:
        raise NotImplementedError

    def read_mask(self, plane: int, part: Part) -> Ndarray:
        """0 where a cell does not count."""
        raise NotImplementedError

    def close(self) -> None:
        pass


class Layout(NamedTuple):
    """The result, as a Sink has to make it."""

    lead: Tuple[int, ...]
    height: int
    width: int
    dtype: np.dtype[Any]
    block: Tuple[int, int]       # of the source
    has_holes: bool              # NaN stands for no data
    about: About
    compress: Optional[str] = None
    driver: Optional[str] = None
    options: Tuple[Tuple[str, str], ...] = ()  # of the driver

    @property
    def planes(self) -> int:
        return math.prod(self.lead)

    @property
    def bytes(self) -> int:
        return self.planes * self.height * self.width * self.dtype.itemsize


class Sink:
    """A file that is written. Only one thread uses it at a time."""

    block: Tuple[int, int] = (1, 0)  # parts that begin at multiples of it, and end there, are best
    beside: Tuple[str, ...] = ()     # names of files that will lie beside it
    stale: Tuple[str, ...] = ()      # names of files that would say what is not true of it

    def write(self, plane: int, part: Part, values: Ndarray) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        """The file is whole after this."""
        raise NotImplementedError

    def stop(self) -> None:
        """Nobody waits for finish() any more: it ends soon, in another thread."""

    def drop(self) -> None:
        """The file will be deleted: frees what the sink holds. After finish(), too."""


def is_installed(module: str) -> bool:
    """One that does not load is: needed() says why, and no other kind takes its files."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        return not _is_missing(error, module)
    return True


def _is_missing(error: ImportError, module: str) -> bool:
    """And not another that it imports, or its own code that finds no memory to be mapped."""
    return isinstance(error, ModuleNotFoundError) and error.name is not None and \
        error.name.partition(".")[0] == module.partition(".")[0]


def needed(module: str, path: str) -> Any:
    """A library that is installed for some kinds of files only."""
    name = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if not _is_missing(error, module):
            raise FileError(f"{path} needs {name}, which does not load: {error}") from None
        raise FileError(f"{path} needs {name}, which is not installed: pip install {name}") \
            from None


def refuse_settings(layout: Layout, path: str, what: str) -> None:
    """Of kinds that neither compress nor have drivers."""
    if layout.compress not in (None, "none"):
        raise ArgumentError(f"{path}: {what} is written without compression, expected no "
                            "--compress")
    if layout.driver is not None or layout.options:
        raise ArgumentError(f"{path}: {what} is not written by GDAL, expected no --driver and no "
                            "--co")
