"""What the scripts here have in common: an option, and how a picture is saved."""

import argparse
import pathlib

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent


def parser_of(description):
    """With the option --output, a folder."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER",
                        default=HERE / "pictures",
                        help="where the picture is written [pictures, beside the script]")
    return parser


def save(figure, folder, name):
    """As a PNG of 256 colours, which takes less than half of the bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / name, dpi=75)
    with Image.open(folder / name) as picture:
        few = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE,
                                                  dither=Image.Dither.NONE)
    few.save(folder / name, optimize=True)
    print(f"{name}: {few.width} x {few.height}")
