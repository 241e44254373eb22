"""Builds the shared library by the project's Makefile, and puts it into the package.

What the Makefile takes from the environment holds here, too: CUDA=0, ARCH=all-major, CXX=clang++,
and BUILD, where objects are kept. The project is the folder above; an sdist has it in `project`.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE / "project" if (HERE / "project").is_dir() else HERE.parent
# Of the project, what make needs.
PARTS = ("Makefile", "sources", "tools/install.mk", "tools/install", "tools/python.mk",
         "tools/machine_name.sh", "tests/checks.mk")


def version():
    header = (PROJECT / "sources/local_entropy/local_entropy.h").read_text()
    return re.search(r'#define LE_VERSION "(.*?)"', header)[1]


def built_library():
    """The path of the shared library, made now."""
    build = pathlib.Path(os.environ.get("BUILD") or HERE / "build/library").resolve()
    library = build / f"liblocal_entropy.so.{version()}"
    command = ["make", "--no-print-directory", f"BUILD={build}", "python-library"]
    if "MAKEFLAGS" not in os.environ:
        command.insert(1, f"-j{len(os.sched_getaffinity(0))}")
    try:
        subprocess.run(command, cwd=PROJECT, check=True)
    except FileNotFoundError:
        sys.exit("local_entropy is built by make, which is missing: apt-get install make g++")
    except subprocess.CalledProcessError:
        sys.exit("local_entropy: the library was not built, see above. It takes make and a C++17 "
                 "compiler with OpenMP (apt-get install make g++); CUDA=0 leaves nvcc out")
    return library


class Build(build_py):
    def run(self):
        super().run()
        package = HERE if self.editable_mode else pathlib.Path(self.build_lib)
        shutil.copy2(built_library(), package / "local_entropy/liblocal_entropy.so.1")


class Package(Distribution):
    def has_ext_modules(self):  # it has code of a kind of processor
        return True


class Wheel(bdist_wheel):
    """One for all Pythons: the library is loaded by ctypes."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Sdist(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for part in PARTS:
            to = pathlib.Path(base_dir, "project", part)
            to.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (PROJECT / part).is_dir() else shutil.copy2
            copy(PROJECT / part, to)


setup(version=version(), distclass=Package,
      cmdclass={"build_py": Build, "bdist_wheel": Wheel, "sdist": Sdist})
