"""tifffile: its errors, and what it merely logs of a damaged file, become sentences."""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager
from typing import Any, Iterator, Optional

from .base import FileError, needed
from .listening import Listener

# What it logs where planes or tags are missing that the file announces; the rest does no harm.
_DAMAGE = re.compile(r"invalid (?:page offset|offset to page|value offset|TiffData index)[^')]*"
                     r"|metadata invalid or corrupted file|invalid .* or corrupted file"
                     r"|incompletely written.*|index out of range|failed to read .*"
                     r"|expected \d+ frames, got \d+|missing (?:files|data).*"
                     r"|cannot handle discontiguous storage")


class _Listener(Listener):
    """Hears of damage."""

    def sentence_of(self, record: logging.LogRecord) -> Optional[str]:
        found = _DAMAGE.search(record.getMessage())
        return None if found is None else found[0]


listener = _Listener("tifffile", logging.WARNING)


def tifffile_for(path: str) -> Any:
    """The library, which the file needs; it logs to the listener."""
    tifffile: Any = needed("tifffile", path)
    listener.attach()
    return tifffile


@contextmanager
def reading(path: str) -> Iterator[None]:
    """While the file is read: whatever is wrong with it is a FileError."""
    with listener.heard() as damage:
        try:
            yield
        except (FileError, MemoryError):
            raise
        except Exception as error:  # a damaged file fails in many ways
            raise FileError(f"{path} cannot be read: {damage[0] if damage else reason(error)}") \
                from None
    if damage:
        raise FileError(f"{path} cannot be read, it is damaged or ends early: {damage[0]}")


def reason(error: Exception) -> str:
    """One line; some errors say nothing but a key."""
    said = " ".join(str(getattr(error, "strerror", None) or error).split())
    return said if isinstance(error, (OSError, ValueError)) and said else \
        f"it is damaged ({type(error).__name__}: {said})"
