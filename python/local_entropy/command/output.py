"""An output has its name only when it is whole."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from contextlib import suppress
from typing import Iterable, Set, Tuple, Type

from .kinds import ArgumentError, FileError, open_source, zarr_array

_BESIDE = (".aux.xml", ".ovr", ".msk")  # what GDAL may keep beside a file
_SHARED = ".wld"  # may be that of another file, such as a picture of the name
_LONGEST = 200  # bytes of its name that the folder's begins with: most file systems have 255


def _beginning(name: str) -> str:
    """Of whole characters, which may have several bytes."""
    while len(os.fsencode(name)) > _LONGEST:
        name = name[:-1]
    return name


class Output:
    """A folder beside the output, in which it and what belongs to it grow. begin() makes it, keep()
    moves all of it to its place, drop() deletes it, also where begin() was not ended. One of these
    two is called, whatever happens. What lies beside it takes no other file's place; `others`,
    which are read or written as well, are never touched."""

    stale: Tuple[str, ...] = ()  # names of files beside it that would say what is not true of it

    def __init__(self, path: str, others: Iterable[str] = ()) -> None:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise FileError(f"{path} is a device or a pipe, expected the name of a file: the "
                            "output is not written from its beginning to its end")
        if path.endswith(os.sep) and not path.rstrip(os.sep).lower().endswith(".zarr"):
            raise ArgumentError(f"{path} ends as the name of a folder, expected that of a file")
        self.final = os.path.realpath(path)
        parent, name = os.path.split(self.final)
        store = zarr_array.store_around(self.final)
        if store is not None:  # whose metadata may name all that it holds
            raise ArgumentError(f"{path} lies in {store}, an array or group of Zarr: expected a "
                                "name beside it, since a result is a store of its own")
        if not os.path.isdir(parent):
            raise FileError(f"{path}: there is no folder {parent}")
        if os.path.isdir(self.final) and not zarr_array.is_array(self.final):
            kind = "a group of Zarr" if zarr_array.is_folder(self.final) else "a folder"
            raise FileError(f"{path} is {kind}, expected the name of a file or an array, whose "
                            "place the result takes, or one that is not there")
        if os.path.isfile(self.final) and not os.access(self.final, os.W_OK):
            raise FileError(f"{path} is write-protected")
        self._said = path
        self._folder = os.path.join(parent, f".{_beginning(name)}.{secrets.token_hex(8)}.part")
        self.path = os.path.join(self._folder, name)
        self._others = {os.path.realpath(other) for other in others}

    def begin(self) -> None:
        try:
            with suppress(FileNotFoundError):
                os.lstat(self.final)  # a name that is too long: said before the work
            os.mkdir(self._folder, 0o700)
        except OSError as error:
            raise FileError(f"{self._said} cannot be written: {error.strerror}") from None

    def room(self) -> int:
        """The bytes that its disk has free."""
        return shutil.disk_usage(self._folder).free

    def check(self, more: Iterable[str] = (), error: Type[FileError] = ArgumentError) -> None:
        """Whether all that is there may go to its place: a folder takes that of a folder only, and
        a file that of a file. `more` are names of what will be there."""
        if os.path.lexists(self.final) and os.path.isdir(self.final) != os.path.isdir(self.path):
            raise FileError(f"{self.final} is a "
                            + ("folder" if os.path.isdir(self.final) else "file, not a folder"))
        parent, name = os.path.split(self.final)
        beside = {*os.listdir(self._folder), *more, *self._beside()}
        for place in (os.path.join(parent, each) for each in sorted(beside - {name})):
            if os.path.realpath(place) in self._others:
                raise error(f"{self.final} has a part of its own in {place}, which is read or "
                            "written as well: expected another name")
            if os.path.lexists(place) and os.path.realpath(place) not in self._parts():
                raise error(f"{self.final} has a part of its own in {place}, which is there and "
                            "may be another's: expected another name")

    def _beside(self) -> Tuple[str, ...]:
        """Names of files that whoever reads it would take for a part of it."""
        name = os.path.basename(self.final)
        return *(name + ending for ending in _BESIDE), *self.stale

    def _parts(self) -> Set[str]:
        """The files that belong to the file whose place it takes."""
        parent = os.path.dirname(self.final)
        parts = [os.path.join(parent, each) for each in self._beside()
                 if not each.lower().endswith(_SHARED)]
        if os.path.isfile(self.final):
            with suppress(Exception):  # damaged, or of no kind: alone
                old = open_source(self.final)
                parts += old.files
                old.close()
        return {os.path.realpath(part) for part in parts}

    def keep(self) -> None:
        """All of it, or nothing: what was there before waits until the last file has its place."""
        self.check(error=FileError)
        parent, name = os.path.split(self.final)
        new = os.listdir(self._folder)
        if name not in new:
            made = ", ".join(sorted(new)) or "nothing"
            raise FileError(f"{self.final} was not written, but {made}: expected a driver that "
                            "makes a file of the name it is given")
        old = [each for each in self._beside() if each not in new]
        before = tempfile.mkdtemp(dir=self._folder)
        begun = []
        try:
            for each in (*old, *(beside for beside in new if beside != name), name):
                begun.append(each)
                place = os.path.join(parent, each)
                # A file takes the place of the old one at once, a folder cannot.
                if os.path.lexists(place) and (each != name or os.path.isdir(place)):
                    os.rename(place, os.path.join(before, each))
                if each in new:
                    os.replace(os.path.join(self._folder, each), place)
        except OSError:
            for each in begun:
                place, here = os.path.join(parent, each), os.path.join(self._folder, each)
                if each in new and not os.path.lexists(here):
                    os.rename(place, here)
                if os.path.lexists(os.path.join(before, each)):
                    os.rename(os.path.join(before, each), place)
            raise
        self.drop()

    def drop(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
