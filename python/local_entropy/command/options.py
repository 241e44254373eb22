"""What the command's arguments mean."""

from __future__ import annotations

import argparse
import math
import re
import sys
from contextlib import suppress
from typing import Any, List, NoReturn, Optional, Sequence, Tuple

import numpy as np

from .._library import version
from .._question import (MODES, USUAL_SIZE, Measure, Request, check, entropy_in, index_of,
                         window_of)
from .kinds import FileError

DESCRIPTION = """\
Entropy, or another measure of diversity, of the window around every cell of an image.

INPUT is a raster that GDAL reads (GeoTIFF, PNG, JPEG, JPEG 2000, VRT, ...), a stack of a microscope
(OME-TIFF, ImageJ, LSM), an array of NumPy (.npy) or of Zarr (.zarr, .zarr.zip, FILE.zarr/NAME).
OUTPUT is a raster that GDAL writes (.tif, .img, ...), .ome.tif, .npy or .zarr, by its extension, in
no array or group of Zarr; it appears when it is whole, in place of a file of that name.
Georeference, tags and names of bands are carried over; each band is computed by itself. Images may
be larger than the memory."""

EXAMPLES = """\
examples:
  local-entropy scene.tif entropy.tif
      9 x 9 windows, cut at the edge of the image; bits
  local-entropy scene.tif entropy.tif --size 21 --mode reflect --compress zstd
      larger windows, a border as in SciPy, a smaller file
  local-entropy heights.tif texture.tif --levels 64 --range 0 3000 --clip
      real numbers become 64 levels: equal bins of 0 to 3000
  local-entropy cover.tif diversity.tif --index hill --q 2 --nodata 0 --size 51
      effective number of classes of land cover; 0 is no data
  local-entropy photo.jpg entropy.npy --band 2 --preview entropy.png
      the second band, with a picture of the result
  local-entropy cells.ome.tif texture.ome.tif --size 5 --footprint disk
      a stack of a microscope, plane by plane
  local-entropy image.png same.npy --size 9 --like-skimage
      those of skimage.filters.rank.entropy(image, np.ones((9, 9))), to rounding of float64

exit status: 0 if OUTPUT and PICTURE are there and whole, 1 if something failed, 2 for wrong
arguments."""

_NEGATIVE = re.compile(r"-(\.?\d|(inf|infinity|nan)$)", re.IGNORECASE)


class UsageError(Exception):
    """Arguments that cannot be."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


class _Print(argparse.Action):
    """--help and --version: those of argparse say nothing where their text is lost."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str,
                 text: Optional[str] = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)
        self._text = text

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        _print(self._text or parser.format_help())
        raise SystemExit(0)


def _print(text: str) -> None:
    if sys.stdout is None:
        raise FileError("the standard output cannot be written: it is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        with suppress(OSError):  # or Python tries once more in the end
            sys.stdout.close()
        raise FileError(f"the standard output cannot be written: {error.strerror}") from None


def parser() -> argparse.ArgumentParser:
    made = _Parser("local-entropy", description=DESCRIPTION, epilog=EXAMPLES, allow_abbrev=False,
                   formatter_class=argparse.RawDescriptionHelpFormatter, add_help=False)
    made._negative_number_matcher = _NEGATIVE  # that of argparse knows no -1e3
    made.add_argument("-h", "--help", action=_Print, help="print this, and end")
    made.add_argument("input", metavar="INPUT", type=_name)
    made.add_argument("output", metavar="OUTPUT", type=_name)
    _add_measure(made.add_argument_group("what is computed"))
    _add_cells(made.add_argument_group("cells"))
    _add_files(made.add_argument_group("files"))
    _add_machine(made.add_argument_group("how"))
    made.add_argument("--version", action=_Print, text=f"local-entropy {version()}\n",
                      help="print the version, and end")
    return made


def _add_measure(group: Any) -> None:
    group.add_argument("--size", type=_size, metavar="N | ROWSxCOLUMNS",
                       default=(USUAL_SIZE, USUAL_SIZE),
                       help=f"side of the window, 1 to 255 [{USUAL_SIZE}]")
    group.add_argument("--footprint", choices=("square", "disk"), default="square",
                       help="which cells of the window count: all, or those whose middle is in the "
                       "disk that fills it [square]")
    group.add_argument("--mode", choices=tuple(MODES),
                       help="what lies beyond the edge; crop: nothing; else as in SciPy [crop]")
    group.add_argument("--cval", type=float, metavar="CELL",
                       help="the cells beyond the edge, for --mode constant [0]")
    group.add_argument("--index", choices=("shannon", "simpson", "richness", "hill"),
                       default="shannon", help="the measure [shannon, which is the entropy]")
    group.add_argument("--q", type=float, help="order of --index hill")
    group.add_argument("--base", choices=("2", "10", "e"),
                       help="of the entropy's logarithm: bits, decimal digits or nats [2]")
    group.add_argument("--like-skimage", action="store_true",
                       help="values, to rounding, and type of skimage.filters.rank.entropy")


def _add_cells(group: Any) -> None:
    group.add_argument("--levels", type=int, metavar="N",
                       help="cells are levels 0 to N - 1, or with --range bins [every integer of 8 "
                       "or 16 bits is a level]")
    group.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
                       help="with --levels: N equal bins from LOW to HIGH; real numbers need it")
    group.add_argument("--clip", action="store_true",
                       help="cells beyond the levels are of the first or last one, not an error")
    group.add_argument("--nodata", type=_nodata, metavar="CELL | none",
                       help="cells that do not count, in place of the file's nodata value; none: "
                       "no value [the file's]; what a mask, alpha or NaN excludes never counts")
    group.add_argument("--fill", action="store_true",
                       help="cells that do not count have the value of the cells around them, too "
                       "[they are NaN, as no data]")
    group.add_argument("--band", type=_bands, action="append", metavar="N[,N...]",
                       help="bands, or planes of a stack, from 1 [all but alpha]")


def _add_files(group: Any) -> None:
    group.add_argument("--dtype", choices=("float32", "float64"), help="of OUTPUT [float32]")
    group.add_argument("--compress", choices=("none", "deflate", "lzw", "zstd"),
                       help="of a GeoTIFF or COG [none]")
    group.add_argument("--driver", type=_name, metavar="NAME",
                       help="GDAL's name of a format, such as COG [by the extension]")
    group.add_argument("--co", action="append", default=[], type=_pair, metavar="NAME=VALUE",
                       help="creation option of the driver; may be given several times, and "
                       "comes before what other arguments say")
    group.add_argument("--preview", type=_name, metavar="PICTURE.png",
                       help="also a small picture, of the first band, with colours and a scale")
    group.add_argument("--colors", type=_name, default="viridis", metavar="MAP",
                       help="colour map of the picture, one of matplotlib [viridis]")


def _add_machine(group: Any) -> None:
    group.add_argument("--device", choices=("auto", "cpu"), default="auto",
                       help="auto: GPUs of this machine may help [auto]")
    group.add_argument("--threads", type=int, metavar="N", help="at most so many [all]")
    group.add_argument("--memory", type=_bytes, default=512 << 20, metavar="BYTES",
                       help="of the blocks on their way, such as 2G [512M]")
    group.add_argument("--quiet", action="store_true", help="no progress on a terminal")


# ---- types of arguments ------------------------------------------------------------------------


def _name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("'', expected a name")
    if "\0" in text:  # which only a caller in Python can give
        raise argparse.ArgumentTypeError("has a character NUL, expected a name")
    return text


def _size(text: str) -> Tuple[int, int]:
    found = re.fullmatch(r"(\d+)(?:[x,](\d+))?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}, expected one number, or two: 5x7")
    return int(found[1]), int(found[2] or found[1])


def _nodata(text: str) -> Any:
    if text == "none":
        return text
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}, expected a number or none") from None
    try:
        return int(text) if math.isfinite(value) else value  # 64 bits are more than a float has
    except ValueError:
        return value


def _bands(text: str) -> List[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}, expected numbers: 1,3") from None


def _pair(text: str) -> Tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r}, expected NAME=VALUE")
    return name, value


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d*)?)([KMG]?)B?", text.upper())
    if found is None or not 0 < float(found[1]) < 1e18:
        raise argparse.ArgumentTypeError(f"{text!r}, expected a number of bytes: 512M, 2G")
    return int(float(found[1]) * 1024 ** " KMG".index(found[2] or " "))


# ---- the request -------------------------------------------------------------------------------


def request_of(arguments: argparse.Namespace) -> Request:
    """Checked as far as the file does not matter."""
    like = arguments.like_skimage
    if like:
        _refuse_with_skimage(arguments)
    size = arguments.size
    try:
        if arguments.footprint == "disk" and max(size) <= 255:  # larger ones are refused as such
            window = window_of(None, _disk(size), 0)
        else:
            window = window_of(size, None, 0)
        measure = _measure(arguments)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if arguments.cval is not None and arguments.mode != "constant":
        raise UsageError("--cval is given without --mode constant")
    if arguments.range is not None and arguments.levels is None:
        raise UsageError("--range is given without --levels, expected both: --levels 16 --range 0 "
                         "256 makes 16 bins of cells 0 to 255")
    if arguments.clip and arguments.levels is None:
        raise UsageError("--clip is given without --levels")
    made = Request(window, measure, arguments.levels,
                   None if arguments.range is None else tuple(arguments.range), arguments.clip,
                   None, arguments.mode or "crop", arguments.cval or 0.0,
                   0.0 if like else math.nan,
                   np.dtype(arguments.dtype or ("float64" if like else "float32")),
                   arguments.device, arguments.threads, None)
    try:
        check(made)
    except ValueError as error:
        raise UsageError(f"--{error}") from None
    return made


def keeps_holes(arguments: argparse.Namespace) -> bool:
    """Whether a cell that does not count has no result."""
    return not (arguments.fill or arguments.like_skimage)


def _measure(arguments: argparse.Namespace) -> Measure:
    base: Any = "e" if arguments.base == "e" else int(arguments.base or 2)
    if arguments.index == "shannon":
        if arguments.q is not None:
            raise ValueError("--q is given for --index shannon, expected only for hill")
        return entropy_in(base)
    if arguments.base is not None:
        raise ValueError(f"--base is given for --index {arguments.index}, expected only for "
                         "shannon")
    return index_of(arguments.index, arguments.q, base)


def _refuse_with_skimage(arguments: argparse.Namespace) -> None:
    for name in ("mode", "base", "q", "levels", "range", "dtype"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} is given with --like-skimage, which says what it is")
    if arguments.index != "shannon" or arguments.clip:
        raise UsageError("--like-skimage is the entropy of all levels, expected no --index and no "
                         "--clip")


def _disk(size: Tuple[int, int]) -> "np.ndarray[Any, np.dtype[Any]]":
    """The cells whose centres are in the ellipse that fills the window."""
    y, x = np.ogrid[:size[0], :size[1]]
    middle = [(side - 1) / 2 for side in size]
    return np.asarray(((y - middle[0]) / (size[0] / 2)) ** 2
                      + ((x - middle[1]) / (size[1] / 2)) ** 2 <= 1)


def unit_of(arguments: argparse.Namespace) -> Tuple[str, str]:
    """The name of the measure, and of what it is counted in."""
    if arguments.index == "shannon":
        return "Entropy", {"2": "bits", "10": "decimal digits", "e": "nats"}[arguments.base or "2"]
    if arguments.index == "hill":
        return f"Hill number of order {arguments.q:g}", "effective levels"
    return {"simpson": ("Gini-Simpson index", "probability"),
            "richness": ("Richness", "levels")}[arguments.index]


def chosen_bands(arguments: argparse.Namespace) -> Optional[Sequence[int]]:
    """The numbers that --band gave, from 1."""
    if arguments.band is None:
        return None
    return [number for numbers in arguments.band for number in numbers]
