"""The images and the windows."""

import numpy

from .peers import module

WINDOWS = {**{f"{side}x{side}": numpy.ones((side, side), numpy.uint8) for side in (3, 5, 9, 15)},
           "disk5": (numpy.hypot(*numpy.mgrid[-5:6, -5:6]) <= 5).astype(numpy.uint8)}
PICTURES = ("camera", "brick", "gravel", "astronaut")
NAMES = (*PICTURES, "mosaic")


def picture(name):
    """One of scikit-image's, as bytes of grey."""
    cells = getattr(module("skimage.data"), name)()
    if cells.ndim == 3:
        cells = numpy.rint(255 * module("skimage.color").rgb2gray(cells)).astype(numpy.uint8)
    return numpy.ascontiguousarray(cells)


def mosaic(tiles, side):
    """side x side cells: the tiles in turn, each row of them beginning with the next one and turned
    by a quarter more."""
    length = min(min(tile.shape) for tile in tiles)
    result = numpy.empty((side, side), numpy.uint8)
    for row, y in enumerate(range(0, side, length)):
        for column, x in enumerate(range(0, side, length)):
            tile = tiles[(row + column) % len(tiles)][:length, :length]
            space = result[y:y + length, x:x + length]
            space[...] = numpy.rot90(tile, row % 4)[:space.shape[0], :space.shape[1]]
    return result


def images(names, side):
    """By name; throws Skipped."""
    pictures = {name: picture(name) for name in PICTURES}
    return {name: mosaic(list(pictures.values()), side) if name == "mosaic" else pictures[name]
            for name in names}
