"""The command: from arguments to a file, with one sentence for what went wrong."""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from .._host import compute_region
from .._question import Request
from . import kinds
from .blocks import plan_for
from .kinds import (ArgumentError, CellError, FileError, Layout, Sink, Source,
                    is_out_of_threads)
from .options import UsageError, chosen_bands, keeps_holes, parser, request_of, unit_of
from .output import Output
from .pipeline import Task, refuse_unknown_levels, run
from .preview import Preview
from .progress import Bar

_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Ended(BaseException):
    """A signal came that ends the command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(words: Optional[Sequence[str]] = None) -> int:
    """Runs the command; its exit status."""
    _open_streams()
    try:
        arguments = parser().parse_args(words)
        with _signals():
            _convert(arguments)
        return 0
    except (UsageError, ArgumentError) as error:
        return _say(f"{error}\n(local-entropy --help describes all arguments)", 2)
    except FileError as error:
        return _say(str(error), 1)
    except MemoryError as error:
        said = str(error) or "a smaller --memory takes less"
        return _say(f"there is too little memory: {said}", 1)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _say(f"{name}{error.strerror or error}", 1)
    except (RuntimeError, ValueError, TypeError) as error:
        said = str(error)
        if is_out_of_threads(error):
            said = "no thread can be started, expected more memory or processes (ulimit -v, -u)"
        return _say(said, 1)
    except _Ended as ended:
        _say("ended by a signal; the output was not written", 1)
        signal.signal(ended.number, signal.SIG_DFL)  # who started this sees which
        os.kill(os.getpid(), ended.number)
        return 128 + ended.number


def _open_streams() -> None:
    """Where standard streams are closed, files would have their numbers, and messages would go into
    the output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")


def _say(sentence: str, status: int) -> int:
    sys.stderr.write(f"local-entropy: {sentence}\n")
    return status


@contextmanager
def _signals() -> Iterator[None]:
    """Signals that end a process raise _Ended, so that what is half done is deleted first."""

    def end(number: int, frame: Any) -> None:
        _ignore_signals()
        raise _Ended(number)

    before = []
    if threading.current_thread() is threading.main_thread():
        for number in _ENDS:
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup
                before.append((number, signal.signal(number, end)))
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _ignore_signals() -> None:
    if threading.current_thread() is threading.main_thread():
        for number in _ENDS:
            signal.signal(number, signal.SIG_IGN)


# ---- from file to file -------------------------------------------------------------------------


def _convert(arguments: argparse.Namespace) -> None:
    request = request_of(arguments)
    source = kinds.open_source(arguments.input)
    try:
        _refuse_same(arguments, source)
        planes = _planes(source, chosen_bands(arguments), arguments.input)
        nodata = tuple(source.nodata(plane) if arguments.nodata is None else
                       None if arguments.nodata == "none" else arguments.nodata
                       for plane in planes)
        _check(request, source, nodata[0], arguments)
        _write(arguments, request, source, planes, nodata)
    finally:
        source.close()


def _refuse_same(arguments: argparse.Namespace, source: Source) -> None:
    names = [arguments.input, arguments.output]
    if arguments.preview is not None:
        names.append(arguments.preview)
    paths = [os.path.realpath(name) for name in names]
    for i, path in enumerate(paths):
        if path in paths[:i]:
            raise UsageError(f"{names[i]} is given twice, expected files of different names")
    if paths[0].startswith(paths[1] + os.sep):  # an array of a group
        raise UsageError(f"{names[0]} lies in {names[1]}, in whose place the result would be put")
    read = {os.path.realpath(name) for name in source.files}
    for name, path in zip(names[1:], paths[1:]):
        if path in read or any(part.startswith(path + os.sep) for part in read):
            raise UsageError(f"{name} is read, as a part of {names[0]}: expected another name")


def _planes(source: Source, bands: Optional[Sequence[int]], name: str) -> Tuple[int, ...]:
    if bands is None:
        return source.usual_planes()
    for band in bands:
        if not 1 <= band <= source.planes:
            there = "1: it has one band" if source.planes == 1 else \
                f"1 to {source.planes}: it has {source.planes} bands or planes"
            raise UsageError(f"--band is {band} for {name}, expected {there}")
    return tuple(band - 1 for band in bands)


def _check(request: Request, source: Source, nodata: Optional[float],
           arguments: argparse.Namespace) -> None:
    """Finds what is impossible before anything is created."""
    if arguments.like_skimage and source.dtype.newbyteorder("=") not in ("uint8", "uint16"):
        raise UsageError(f"{arguments.input} has cells of {source.dtype}, expected uint8 or uint16 "
                         "for --like-skimage")
    if source.dtype.kind == "f" and request.range is None:
        raise UsageError(f"{arguments.input} has cells of {source.dtype}, which are put into bins: "
                         "expected --levels and --range, such as --levels 64 --range 0 1")
    refuse_unknown_levels(request, source.dtype, arguments.input)
    try:  # on a cell that does not count
        compute_region(np.zeros((1, 1), source.dtype), np.zeros((1, 1), np.uint8), (0, 1), (0, 1),
                       np.empty((1, 1), request.dtype), request._replace(nodata=nodata))
    except ValueError as error:
        raise UsageError(str(error)) from None


def _layout(arguments: argparse.Namespace, request: Request, source: Source,
            planes: Tuple[int, ...], nodata: Tuple[Optional[float], ...]) -> Layout:
    about = source.about
    lead: Tuple[int, ...] = source.lead
    if planes != tuple(range(source.planes)):
        lead = () if len(planes) == 1 else (len(planes),)
    about.names = tuple(about.names[plane] for plane in planes) if about.names else ()
    about.plane_tags = tuple(about.plane_tags[plane] for plane in planes) if about.plane_tags else ()
    holes = math.isnan(request.empty) and (  # with --fill, too: where no cell of the window counts
        source.dtype.kind == "f" or any(value is not None for value in nodata)
        or any(source.has_mask(plane) for plane in planes))
    return Layout(lead, source.height, source.width, request.dtype, source.block, holes, about,
                  arguments.compress, arguments.driver, tuple(arguments.co))


def _write(arguments: argparse.Namespace, request: Request, source: Source,
           planes: Tuple[int, ...], nodata: Tuple[Optional[float], ...]) -> None:
    layout = _layout(arguments, request, source, planes, nodata)
    preview = None
    outputs: List[Output] = []
    try:
        read = (arguments.input, *source.files)
        outputs.append(Output(arguments.output, (*read, *filter(None, [arguments.preview]))))
        outputs[0].begin()
        if arguments.preview is not None:
            preview = Preview(arguments.preview, source.height, source.width, arguments.colors)
            outputs.append(Output(arguments.preview, (*read, arguments.output)))
            outputs[1].begin()
            outputs[1].check()
        if arguments.compress in (None, "none") and layout.bytes > outputs[0].room() \
                and not layout.options and arguments.driver is None:
            raise FileError(f"{arguments.output} takes {layout.bytes / 1e9:.3g} GB, and its disk "
                            f"has {outputs[0].room() / 1e9:.3g} GB free")
        _fill(arguments, request, source, planes, nodata, layout, outputs[0], preview)
        _ignore_signals()  # from here on it is done
        outputs[0].keep()
        if preview is not None:
            _draw(preview, outputs[1], arguments, source)
    finally:
        for output in outputs:
            output.drop()


def _draw(preview: Preview, output: Output, arguments: argparse.Namespace,
          source: Source) -> None:
    try:
        preview.save(output.path, *_titles(arguments, source))
        output.keep()
    except Exception as error:  # of many types; that of the system names the folder where it grows
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise FileError(f"{arguments.preview} cannot be written: {' '.join(said.split())} "
                        f"({arguments.output} is whole)") from None


def _titles(arguments: argparse.Namespace, source: Source) -> Tuple[Any, ...]:
    name, unit = unit_of(arguments)
    rows, columns = arguments.size
    return (f"{name} of {os.path.basename(arguments.input)}, {rows} x {columns} cells", unit,
            source.about.cell_size)


def _fill(arguments: argparse.Namespace, request: Request, source: Source,
          planes: Tuple[int, ...], nodata: Tuple[Optional[float], ...], layout: Layout,
          output: Output, preview: Optional[Preview]) -> None:
    sink: Optional[Sink] = None
    try:
        sink = kinds.create(output.path, layout)
        output.stale = sink.stale
        output.check(sink.beside)
        plan = plan_for(source, sink, len(planes), request.dtype, arguments.memory)
        bar = Bar(source.height * source.width * len(planes),
                  sys.stderr.isatty() and not arguments.quiet)
        whole = False
        try:
            run(Task(source, planes, nodata, sink, plan, request, keeps_holes(arguments)), bar,
                None if preview is None else preview.see)
            whole = True
        finally:
            bar.end(whole)
    except CellError as error:
        hint = "--clip takes the nearest level" + (
            "" if arguments.range else ", --range puts cells into bins")
        raise FileError(f"{arguments.input}: {error} ({hint})") from None
    except OSError as error:
        raise FileError(f"{arguments.output} cannot be written: {error.strerror or error}") \
            from None
    finally:
        if sink is not None:
            sink.drop()
