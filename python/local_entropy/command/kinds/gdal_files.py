"""Which files a raster is read from: also through names that only GDAL knows, and VRTs of VRTs."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import PurePath
from typing import Any, Iterable, List, Set, Tuple

from .gdal import listener

_BEGINS = re.compile(r'/?vsi\w+/|://|[{":,=]')  # what the name of a file may stand behind
_ENDS = re.compile(r'[}":?&]|$')


def files_of(rasterio: Any, names: Iterable[str]) -> Tuple[str, ...]:
    """Names are those of a dataset and of its files, of which GDAL tells one level."""
    found: List[str] = []
    waiting, seen = list(names), set()
    while waiting:
        name = waiting.pop()
        place = os.path.normpath(name)  # a VRT may name itself, longer each time
        if place in seen:
            continue
        seen.add(place)
        found += [name, *_files_in(name)]
        if _may_be_vrt(name):
            with suppress(Exception), listener.errors(rasterio), \
                    rasterio.open(name, driver="VRT") as file:
                waiting += file.files
    return tuple(found)


def _files_in(name: str) -> Set[str]:
    """Those in /vsizip/{a.zip}/b.tif, NETCDF:"c.nc":d and others: too many rather than too few."""
    if os.path.exists(name):
        return set()
    pieces = (name[begin.end():end.start()] for begin in _BEGINS.finditer(name)
              for end in _ENDS.finditer(name, begin.end()))
    return {str(path) for piece in pieces for path in (PurePath(piece), *PurePath(piece).parents)
            if os.path.isfile(path)}


def _may_be_vrt(name: str) -> bool:
    if not os.path.isfile(name):
        return name.lower().startswith("vrt:") or ".vrt" in name.lower()
    with suppress(OSError), open(name, "rb") as file:
        return b"<VRTDataset" in file.read(1024)
    return False
