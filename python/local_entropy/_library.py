"""The C interface of the library (local_entropy.h), by ctypes: structs, engines, calls, errors."""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import threading
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, \
    c_size_t, c_void_p, py_object, sizeof
from types import GeneratorType
from typing import Any, Callable, Dict, Generator, List, NoReturn, Optional, Tuple

# Enumerators of local_entropy.h.
OK, BAD_ARGUMENT, BAD_LEVEL, UNAVAILABLE, CANCELLED, INTERNAL = range(6)
CUT, CONSTANT, NEAREST, REFLECT, MIRROR, WRAP = range(6)
ENTROPY, SIMPSON, RICHNESS, HILL = range(4)
BASE_E, BASE_2, BASE_10 = range(3)
UINT8, UINT16, INT16, FLOAT32, BOOL, FLOAT64 = range(6)

Progress = Callable[[float], object]


class LevelError(ValueError):
    """A cell of the image is not a level.

    Attributes
    ----------
    index : tuple of int or None
        Where the cell is in the image, so that ``image[error.index]`` is the cell. Of what
        `synchronize` found: where it is in its 2-D image.
    """

    def __init__(self, message: str, index: Optional[Tuple[int, ...]] = None,
                 reason: str = "") -> None:
        super().__init__(message)
        self.index, self.reason = index, reason  # the message without the place

    @classmethod
    def at(cls, index: Tuple[int, ...], rest: str) -> LevelError:
        """Of the cell at `index`; `rest` says what it is, and what was expected."""
        return cls(f"image[{', '.join(map(str, index))}] {rest}", index, rest)


# ---- structs -----------------------------------------------------------------------------------


class Filter(ctypes.Structure):
    """le_filter."""

    _fields_ = [("struct_size", c_size_t),
                ("width", c_int32), ("height", c_int32),
                ("origin_x", c_int32), ("origin_y", c_int32),
                ("footprint", c_void_p),
                ("levels", c_int32), ("binned", c_int32),
                ("low", c_double), ("high", c_double),
                ("clamp", c_int32), ("border", c_int32), ("constant", c_double),
                ("measure", c_int32), ("base", c_int32), ("order", c_double),
                ("empty", c_double),
                ("has_nodata", c_int32), ("nan_is_error", c_int32), ("nodata", c_double)]


class Array(ctypes.Structure):
    """le_image and le_result, which are laid out alike. The stride is in elements."""

    _fields_ = [("data", c_void_p), ("type", c_int32),
                ("width", c_int64), ("height", c_int64), ("stride", c_int64)]


class Region(ctypes.Structure):
    """le_region."""

    _fields_ = [("x", c_int64), ("y", c_int64), ("width", c_int64), ("height", c_int64)]


class EngineOptions(ctypes.Structure):
    """le_engine_options."""

    _fields_ = [("struct_size", c_size_t), ("threads", c_int32), ("devices", c_int32),
                ("path", c_char_p), ("method", c_char_p)]


class RunOptions(ctypes.Structure):
    """le_run_options; `progress` is the address of a function."""

    _fields_ = [("struct_size", c_size_t), ("progress", c_void_p), ("user", c_void_p),
                ("workspace", c_void_p), ("workspace_bytes", c_size_t)]


# ---- the shared library ------------------------------------------------------------------------


def _load() -> ctypes.CDLL:
    path = pathlib.Path(__file__).with_name("liblocal_entropy.so.1")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"the shared library of local_entropy does not load: {error}; it is "
                          "built by pip install") from None
    library.le_last_error.restype = c_char_p
    library.le_version.restype = c_char_p
    library.le_engine_create.argtypes = [POINTER(EngineOptions), POINTER(c_void_p)]
    library.le_filter_init_sized.argtypes = [POINTER(Filter), c_size_t]
    library.le_run.argtypes = [c_void_p] * 7
    library.le_enqueue.argtypes = [c_void_p] * 8
    library.le_synchronize.argtypes = [c_void_p]
    return library


_library = _load()
_le_run, _le_enqueue = _library.le_run, _library.le_enqueue


def version() -> str:
    """Of the shared library, such as "1.0.0"."""
    text: bytes = _library.le_version()
    return text.decode()


# ---- errors ------------------------------------------------------------------------------------

_CELL = re.compile(r"the cell at x (\d+), y (\d+) (.*)", re.DOTALL)
_CVAL = re.compile("the constant of the border, (.*), is not a cell that has a level")
_NO_MEMORY = re.compile(r"\bno (host )?memory\b|out of memory")


def _fail(status: int, plane: Tuple[int, ...] = ()) -> NoReturn:
    """Raises what a status stands for. `plane` is the place of the 2-D image in its stack."""
    sentence = _library.le_last_error().decode(errors="replace")
    if status == BAD_LEVEL:
        cell = _CELL.fullmatch(sentence)
        if cell is None:
            raise LevelError(sentence)
        row, column, rest = int(cell[2]), int(cell[1]), cell[3]
        if rest.startswith("of "):  # an image that was put into a stream: which, is not known
            raise LevelError(f"the cell [{row}, {column}] {rest}", (row, column))
        raise LevelError.at((*plane, row, column), rest)
    if status == BAD_ARGUMENT:
        raise ValueError(_CVAL.sub(r"cval is \1, expected a cell that has a level", sentence))
    if status == UNAVAILABLE and _NO_MEMORY.search(sentence):
        raise MemoryError(sentence)
    raise RuntimeError(sentence)


# ---- engines -----------------------------------------------------------------------------------

# By (devices, threads). They stay until the process ends: there are few, and a call may use one.
_engines: Dict[Tuple[bool, int], int] = {}
ON_GPUS = (False, 0)  # that of le_enqueue()
_making = threading.Lock()


def _forget_engines() -> None:
    """In a process that was forked: the threads of its parent's engines are not there."""
    global _making
    _making = threading.Lock()
    _engines.clear()


os.register_at_fork(after_in_child=_forget_engines)


def engine(devices: bool, threads: int) -> int:
    """The engine with these options; 0 threads are as many as the process may run on."""
    handle = _engines.get((devices, threads))
    return _make_engine(devices, threads) if handle is None else handle


def _make_engine(devices: bool, threads: int) -> int:
    with _making:
        if (devices, threads) not in _engines:
            options = EngineOptions(sizeof(EngineOptions), threads, devices, None, None)
            made = c_void_p()
            status = _library.le_engine_create(byref(options), byref(made))
            if status:
                _fail(status)
            assert made.value is not None
            _engines[devices, threads] = made.value
        return _engines[devices, threads]


# ---- calls -------------------------------------------------------------------------------------


def default_filter() -> Filter:
    """What le_filter_init() makes."""
    made = Filter()
    status = _library.le_filter_init_sized(byref(made), sizeof(made))
    if status:
        _fail(status)
    return made


def _watch(progress: Optional[Progress],
           caught: List[BaseException]) -> Generator[int, float, None]:
    """Is sent the part that is done; yields 0 to go on, and 1 once something was raised."""
    try:
        part = yield 0
        while True:
            if progress is not None:
                progress(part)
            part = yield 0
    except GeneratorExit:
        return
    except BaseException as error:  # KeyboardInterrupt, too
        caught.append(error)
    while True:
        yield 1


# Python runs the handlers of signals (Ctrl-C) when it comes to a function's first instruction,
# before any `try` in it: what they raise would be lost in ctypes. A generator comes back to an
# instruction within its `try`. So the callback is the method send of one, which `user` points to.
_send = CFUNCTYPE(c_int, py_object, c_double)(GeneratorType.send)
_SEND = ctypes.cast(_send, c_void_p).value


# Results, and cells of all their windows together: so few take at most some hundredths of a
# second, by one thread. Ctrl-C may wait for the end of such a call, which is quicker when the
# library need not ask for it.
_FEW_RESULTS, _FEW_CELLS = 1 << 13, 1 << 20


def _is_short(wanted: Filter, result: Array) -> bool:
    results: int = result.width * result.height
    return results <= _FEW_RESULTS and results * wanted.width * wanted.height <= _FEW_CELLS


def run(engine_handle: int, wanted: Filter, image: Array, mask: Optional[Array], result: Array,
        progress: Optional[Progress] = None, plane: Tuple[int, ...] = (),
        region: Optional[Region] = None) -> None:
    """Calls le_run(). Signals, and what `progress` raises, end the call."""
    caught: List[BaseException] = []
    options: Any = None
    if progress is not None or not _is_short(wanted, result):
        watch = _watch(progress, caught)
        next(watch)
        options = byref(RunOptions(sizeof(RunOptions), _SEND, id(watch), None, 0))
    status = _le_run(engine_handle, byref(wanted), byref(image),
                     None if mask is None else byref(mask),
                     None if region is None else byref(region), byref(result), options)
    if caught:
        raise caught[0]
    if status:
        _fail(status, plane)


def enqueue(engine_handle: int, wanted: Filter, image: Array, mask: Optional[Array],
            result: Array, stream: Optional[int]) -> None:
    """Calls le_enqueue() for the current GPU."""
    status = _le_enqueue(engine_handle, byref(wanted), byref(image),
                         None if mask is None else byref(mask), None, byref(result), None, stream)
    if status:
        _fail(status)


def synchronize() -> None:
    """Calls le_synchronize() of the engine of arrays on GPUs, if there is one."""
    handle = _engines.get(ON_GPUS)
    status = 0 if handle is None else _library.le_synchronize(handle)
    if status:
        _fail(status)
