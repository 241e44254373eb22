"""OME: what its XML says of a stack, and what it is to say of a result."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .base import Layout

SIZES = ("PhysicalSizeX", "PhysicalSizeY", "PhysicalSizeZ", "PhysicalSizeXUnit",
         "PhysicalSizeYUnit", "PhysicalSizeZUnit", "TimeIncrement", "TimeIncrementUnit")


def says_ome(file: Any) -> bool:
    """Unlike tifffile's is_ome, true of XML that ends early, too."""
    return "<OME " in file.pages[0].description


def pixels_of(tree: Dict[str, Any]) -> Dict[str, Any]:
    """What is said of the first image, with numbers that are some."""
    pixels = _inside(_inside(_inside(tree, "OME"), "Image"), "Pixels")
    for key in SIZES:
        value = pixels.get(key, 0.0)
        if not key.endswith("Unit") and (isinstance(value, bool)
                                         or not isinstance(value, (int, float))):
            raise ValueError(f"its OME XML has the {key} {value!r}, expected a number")
    return pixels


def _inside(parent: Dict[str, Any], name: str) -> Dict[str, Any]:
    """The first element of that name."""
    found = parent.get(name, {})
    found = found[0] if isinstance(found, list) else found
    if not isinstance(found, dict):
        raise ValueError(f"its OME XML has the {name} {found!r}, expected one with attributes")
    return found


def _channels(lead: Tuple[int, ...], axes: str) -> List[int]:
    """The number of each plane's channel."""
    if "C" not in axes:
        return [0] * math.prod(lead)
    return [int(number) for number in np.indices(lead)[axes.index("C")].flat]


def names_in(pixels: Dict[str, Any], axes: str,
             lead: Tuple[int, ...]) -> Tuple[Optional[str], ...]:
    """Of each plane the name of its channel."""
    found = pixels.get("Channel", [])
    names = [_name(channel) for channel in (found if isinstance(found, list) else [found])]
    channels = _channels(lead, axes)
    return tuple(names[number] for number in channels) if len(names) == max(channels) + 1 else ()


def _name(channel: Any) -> Optional[str]:
    """tifffile makes numbers of texts that are some; an element without attributes is a text."""
    name = channel.get("Name") if isinstance(channel, dict) else None
    return None if name is None else str(name)


# ---- writing -----------------------------------------------------------------------------------


def names_of_channels(layout: Layout, axes: str) -> List[Optional[str]]:
    """None of them where a channel's planes are of several names."""
    channels = _channels(layout.lead, axes)
    names = dict(zip(channels, layout.about.names))
    if tuple(names.get(number) for number in channels) != layout.about.names:
        return []
    return [names[number] for number in sorted(names)]


def sizes_in(stack: Dict[str, Any]) -> Dict[str, Any]:
    """Of cells and times; those of ImageJ in OME's words."""
    sizes = {key: stack[key] for key in SIZES if key in stack}
    cell: Optional[Tuple[Any, ...]] = stack.get("resolution")
    if stack.get("imagej") and cell is not None and "unit" in stack and cell[0][0] and cell[1][0]:
        for axis, (count, length) in zip("XY", cell):
            sizes[f"PhysicalSize{axis}"] = length / count
            sizes[f"PhysicalSize{axis}Unit"] = "µm" if stack["unit"] == "micron" else stack["unit"]
    return sizes
