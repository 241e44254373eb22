"""An output has its name only when it is whole."""

from __future__ import annotations

import os
import shutil
import tempfile

from .kinds import ArgumentError, FileError, zarr_array

_BESIDE = (".aux.xml", ".ovr", ".msk")  # what GDAL may keep beside a file


class Output:
    """A folder beside the output, in which it and what belongs to it grow. keep() moves all of it
    to its place, drop() deletes it. One of them is called, whatever happens."""

    def __init__(self, path: str) -> None:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise FileError(f"{path} is a device or a pipe, expected the name of a file: the "
                            "output is not written from its beginning to its end")
        self.final = os.path.realpath(path)
        parent, name = os.path.split(self.final)
        store = zarr_array.store_around(self.final)
        if store is not None:  # whose metadata may name all that it holds
            raise ArgumentError(f"{path} lies in {store}, an array or group of Zarr: expected a "
                                "name beside it, since a result is a store of its own")
        if not os.path.isdir(parent):
            raise FileError(f"{path}: there is no folder {parent}")
        if os.path.isdir(self.final) and not zarr_array.is_folder(self.final):
            raise FileError(f"{path} is a folder")
        try:
            self._folder = tempfile.mkdtemp(".part", f".{name}.", parent)
        except OSError as error:
            raise FileError(f"{path} cannot be written: {error.strerror}") from None
        self.path = os.path.join(self._folder, name)

    def room(self) -> int:
        """The bytes that its disk has free."""
        return shutil.disk_usage(self._folder).free

    def check(self) -> None:
        """Once it is there: a folder takes the place of a folder only, and a file that of a file."""
        if os.path.lexists(self.final) and os.path.isdir(self.final) != os.path.isdir(self.path):
            raise FileError(f"{self.final} is a "
                            + ("folder" if os.path.isdir(self.final) else "file, not a folder"))

    def keep(self) -> None:
        parent, name = os.path.split(self.final)
        names = os.listdir(self._folder)
        for beside in set(names) - {name}:
            os.replace(os.path.join(self._folder, beside), os.path.join(parent, beside))
        before = os.path.join(self._folder, ".before")
        if os.path.isdir(self.final):  # a folder takes no other's place: the old one goes first
            os.rename(self.final, before)
        try:
            os.replace(self.path, self.final)
        except OSError:
            if os.path.isdir(before):
                os.rename(before, self.final)
            raise
        for ending in _BESIDE:  # of the file that was here before
            if name + ending not in names and os.path.exists(self.final + ending):
                os.remove(self.final + ending)
        self.drop()

    def drop(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
