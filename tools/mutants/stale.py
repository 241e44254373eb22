"""Programs that tests start, though nobody has built them with the bug."""

import os

from . import runs

TRAP = "#!/bin/sh\necho '{name}' >>'{mark}'\nexit 127\n"


def old_files(folder):
    """Words for make: stamps of the settings count as old, so nothing is built again for them."""
    stamps = sorted(str(path) for path in folder.rglob("*.stamp"))
    return [f"--old-file={os.path.relpath(path, folder.parent)}" for path in stamps]


def _is_program(path):
    return path.is_file() and os.access(path, os.X_OK) and ".so" not in path.name


def programs(make, folder):
    """Those in a folder of a tree that make would build again."""
    old = " ".join(old_files(folder))
    for path in sorted(filter(_is_program, folder.rglob("*"))):
        asks = f"{make} {old} --question {path.relative_to(folder.parent)}"
        if runs.run(asks, folder.parent).status == 1:
            yield path


def started(make, folder, test):
    """The names of those that test() starts. They are not what they were, afterwards."""
    mark = folder / "started"
    for path in programs(make, folder):
        status = path.stat()
        path.unlink()  # it may be another name of the same file
        path.write_text(TRAP.format(name=path.relative_to(folder), mark=mark), encoding="utf-8")
        path.chmod(status.st_mode)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # who builds it may do so
    test()
    return sorted(set(mark.read_text(encoding="utf-8").split())) if mark.exists() else []
