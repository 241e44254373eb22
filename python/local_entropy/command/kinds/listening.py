"""What a library logs and does not raise, for the thread that asked it for something."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import Iterator, List, Optional


class Listener(logging.Handler):
    """Of one library: what `sentence_of` makes of its records is kept, and nothing is printed."""

    def __init__(self, library: str, level: int) -> None:
        super().__init__(level)
        self._library = library
        self._threads = threading.local()

    def attach(self) -> None:
        """From here on it hears the library, and nobody else does."""
        logger = logging.getLogger(self._library)
        logger.addHandler(self)  # once, however often it is asked
        logger.setLevel(self.level)
        logger.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        said = self.sentence_of(record)
        if said is not None:
            heard: Optional[List[str]] = getattr(self._threads, "heard", None)
            if heard is not None:
                heard.append(said)

    def sentence_of(self, record: logging.LogRecord) -> Optional[str]:
        """What is worth telling of it, or None."""
        raise NotImplementedError

    @contextmanager
    def heard(self) -> Iterator[List[str]]:
        """In this thread, while this lasts; what is heard within another is heard there alone."""
        outer = getattr(self._threads, "heard", None)
        self._threads.heard = []
        try:
            yield self._threads.heard
        finally:
            self._threads.heard = outer
