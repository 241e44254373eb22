"""A copy of the tree and of its build, in which bugs are planted; the tree itself stays as it is."""

import os
import pathlib
import shutil

LEFT_OUT = (".git", "__pycache__", ".venv")


def _files(folder):
    """Of every file beneath: its path from there -> size and time."""
    found = {}
    for directory, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            found[os.path.relpath(path, folder)] = (status.st_size, status.st_mtime_ns)
    return found


def _copy(source, target):
    """As copy2; but tests that run meanwhile may take files away that they have made."""
    try:
        return shutil.copy2(source, target)
    except FileNotFoundError:
        return target


class Copy:
    """`root` as it is now, without other builds than `builds`, under `place`."""

    def __init__(self, root, builds, place):
        self.place, self.source = pathlib.Path(place), pathlib.Path(root)

        def left_out(directory, names):
            top = pathlib.Path(directory) == self.source
            return [name for name in names if name in LEFT_OUT or
                    (top and name.startswith("build")) or name == "venv"]

        shutil.copytree(root, self.place, symlinks=True, ignore=left_out, dirs_exist_ok=True,
                        copy_function=_copy)
        self.before = {}  # of each build its files
        for build in builds:
            if (self.source / build).is_dir():
                shutil.copytree(self.source / build, self.place / build, symlinks=True,
                                dirs_exist_ok=True, ignore=shutil.ignore_patterns("venv"))
            self.before[build] = _files(self.place / build)

    def plant(self, mutant):
        path = self.place / mutant.path
        path.write_text(mutant.planted_in(path.read_text(encoding="utf-8")), encoding="utf-8")

    def restore(self, mutant):
        """As it was before plant(), with all times, so that make finds everything up to date."""
        shutil.copy2(self.source / mutant.path, self.place / mutant.path)
        for build, before in self.before.items():
            self._restore_build(self.place / build, self.source / build, before)

    @staticmethod
    def _restore_build(build, built, before):
        now = _files(build)
        for name in now.keys() - before.keys():
            os.unlink(build / name)
        for name, facts in before.items():
            if now.get(name) != facts:
                (build / name).parent.mkdir(parents=True, exist_ok=True)
                # What was killed may still be on its way out: nobody can write into its program.
                (build / name).unlink(missing_ok=True)
                shutil.copy2(built / name, build / name)
