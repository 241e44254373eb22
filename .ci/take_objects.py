#!/usr/bin/env python3
"""What two builds compile by the same command is compiled once: take_objects.py FROM TO SETTING ...

FROM is a build directory in which `make SETTING ... tested` is done, TO one without settings. An
object of FROM goes to TO if make would compile it there from the same source by the same words, but
for the name of the object. All others are left to make, and so is what is older than its sources,
or does not say (-MD) what it depends on.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path


def commands(build, *settings):
    """Of every object beneath `build`: its name from there -> the command without that name."""
    said = subprocess.run(["make", "-nB", f"BUILD={build}", *settings, "tested"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for line in said.splitlines():
        named = re.fullmatch(rf"(.* -MD .*-c .*) -o {re.escape(build)}/(\S+\.o)", line)
        if named:
            found[named[2]] = named[1]
    return found


def is_current(source, name):
    """Is the object as new as all that it depends on, headers included?"""
    made = (source / name).stat().st_mtime
    words = re.findall(r"[^\s\\:]+", (source / name).with_suffix(".d").read_text(encoding="utf-8"))
    files = [Path(word) for word in words if word != f"{source}/{name}"]
    return all(file.exists() and file.stat().st_mtime <= made for file in files)


def take(source, target, name):
    """Object and dependencies, newer than all that they depend on."""
    for file in (Path(name), Path(name).with_suffix(".d")):
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".d":
            text = (source / file).read_text(encoding="utf-8")
            (target / file).write_text(text.replace(f"{source}/{name}", f"{target}/{name}", 1),
                                       encoding="utf-8")
        else:
            shutil.copy(source / file, target / file)


def main(source, target, *settings):
    # The stamps come first: objects that are older are compiled again.
    subprocess.run(["make", f"BUILD={target}", f"{target}/compiler.stamp",
                    f"{target}/tests/compiler.stamp", f"{target}/tests/setup.stamp"],
                   check=True, stdout=subprocess.DEVNULL)
    there, here = commands(source, *settings), commands(target)
    same = [name for name, command in here.items()
            if there.get(name) == command and is_current(Path(source), name)]
    for name in same:
        take(Path(source), Path(target), name)
    print(f"== {len(same)} of {len(here)} objects of {target} are compiled as those of {source}, "
          "and taken from there")


if __name__ == "__main__":
    main(*sys.argv[1:])
