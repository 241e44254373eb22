"""What setup.py and pyproject.toml put into a wheel and an sdist, and what they ask of make, which
a script plays. tools/python_package.sh builds and tests true ones."""

import email
import importlib.metadata
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import types
import zipfile

import pytest

from local_entropy.command.main import main

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
if not (PACKAGE / "setup.py").is_file():
    pytest.skip("setup.py is not beside these tests", allow_module_level=True)
PROJECT = PACKAGE / "project" if (PACKAGE / "project").is_dir() else PACKAGE.parent

try:
    SETUPTOOLS = tuple(map(int, importlib.metadata.version("setuptools").split(".")[:2]))
except importlib.metadata.PackageNotFoundError:
    SETUPTOOLS = (0, 0)
if SETUPTOOLS < (70, 1):
    pytest.skip("pip install 'setuptools>=70.1'", allow_module_level=True)

VERSION = "7.8.9"  # none that the project ever had
MAKE = f"""#!/bin/sh
printf '%s\\n' "$PWD" "${{MAKEFLAGS-}}" "$@" >"$SAID"
for word; do
    case $word in BUILD=*) build=${{word#BUILD=}} ;; esac
done
mkdir -p "$build" && echo "compiled with CUDA=$CUDA" >"$build/liblocal_entropy.so.{VERSION}"
exit "${{FAILS:-0}}"
"""


class Tree:
    """A copy of the project in which pip could work, with that make."""

    def __init__(self, root):
        self.root, self.package = root, root / "tree/python"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns(
            "build", "dist", "project", "*.egg-info", "__pycache__", "*.so.1"))
        for part in ("Makefile", "tools", "tests"):
            (root / "tree" / part).symlink_to(PROJECT / part)
        shutil.copytree(PROJECT / "sources", root / "tree/sources")
        header = root / "tree/sources/local_entropy/local_entropy.h"
        text, count = re.subn(r'(#define LE_VERSION) "[^"]*"', rf'\1 "{VERSION}"',
                              header.read_text())
        assert count == 1
        header.write_text(text)
        (root / "bin").mkdir()
        (root / "bin/make").write_text(MAKE)
        (root / "bin/make").chmod(0o755)
        self.calls = itertools.count()

    def makes(self, what, package=None, path=None, **settings):
        """The file that the build backend makes of the package, and what it has said: each time in
        a folder of its own, since wheels of one version have one name."""
        place = self.root / f"call-{next(self.calls)}"
        (place / "dist").mkdir(parents=True)
        said = place / "said"
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("BUILD", "MAKEFLAGS", "CUDA", "MFLAGS", "MAKELEVEL")}
        environment.update(settings, SAID=str(said), PYTHONDONTWRITEBYTECODE="1",
                           PATH=path or f"{self.root / 'bin'}:{environment['PATH']}")
        call = ("from setuptools import build_meta; "
                f"build_meta.build_{what}({str(place / 'dist')!r})")
        done = subprocess.run([sys.executable, "-c", call], cwd=package or self.package,
                              env=environment, capture_output=True, text=True)
        if done.returncode:
            return types.SimpleNamespace(file=None, said=done.stderr, asked=None)
        file, = (place / "dist").iterdir()
        asked = said.read_text().splitlines() if said.exists() else None
        return types.SimpleNamespace(file=file, said=done.stderr, asked=asked)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return Tree(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def wheel(tree):
    return tree.makes("wheel", CUDA="0")


def in_wheel(wheel, name):
    with zipfile.ZipFile(wheel.file) as file:
        return file.read(name).decode()


def about(wheel):
    return email.message_from_string(
        in_wheel(wheel, f"local_entropy-{VERSION}.dist-info/METADATA"))


# ---- the wheel ---------------------------------------------------------------------------------


def test_the_wheel_is_for_all_pythons_of_one_kind_of_processor(wheel):
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    assert wheel.file.name == f"local_entropy-{VERSION}-py3-none-{platform}.whl"
    said = email.message_from_string(
        in_wheel(wheel, f"local_entropy-{VERSION}.dist-info/WHEEL"))
    assert said["Tag"] == f"py3-none-{platform}" and said["Root-Is-Purelib"] == "false"


def test_the_wheel_has_the_package_and_the_library(wheel):
    """And nothing else: no tests, no sources."""
    with zipfile.ZipFile(wheel.file) as file:
        names = set(file.namelist())
    package = {str(path.relative_to(PACKAGE)) for path in PACKAGE.glob("local_entropy/**/*.py")}
    assert {name for name in names if ".dist-info/" not in name} == {
        *package, "local_entropy/py.typed", "local_entropy/liblocal_entropy.so.1"}
    library = in_wheel(wheel, "local_entropy/liblocal_entropy.so.1")
    assert library == "compiled with CUDA=0\n"  # now, by make, which has the environment


def test_the_wheel_has_the_command(wheel):
    scripts = in_wheel(wheel, f"local_entropy-{VERSION}.dist-info/entry_points.txt")
    assert scripts.split() == "[console_scripts] local-entropy = " \
        "local_entropy.command.main:main".split()
    script = importlib.metadata.EntryPoint(*re.search("(.*) = (.*)", scripts).groups(),
                                           "console_scripts")
    assert script.load() is main


def test_what_the_wheel_says_of_itself(wheel):
    said = about(wheel)
    assert (said["Name"].replace("-", "_"), said["Version"]) == ("local_entropy", VERSION)
    assert said["Summary"].startswith("Entropy and diversity of the window around every cell")
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload().strip() == (PACKAGE / "README.md").read_text().strip()
    oldest, = re.findall(r"for all Pythons from (\d+\.\d+) on", said.get_payload())
    assert said["Requires-Python"] == f">={oldest}"
    assert {"Typing :: Typed", "Operating System :: POSIX :: Linux"} <= \
        set(said.get_all("Classifier"))


def requirements(wheel):
    """By extra, "" without one: the names of packages, each with its oldest version."""
    found = {extra: {} for extra in ("", *about(wheel).get_all("Provides-Extra"))}
    for line in about(wheel).get_all("Requires-Dist"):
        package, _, condition = line.partition(";")
        extra = re.search(r"extra == ['\"](\w+)['\"]", condition)
        name, oldest = re.fullmatch(r"([\w.\[\],-]+?)\s*(?:>=([\d.]+))?\s*", package).groups()
        found[extra[1] if extra else ""][name] = oldest
    return found


def test_what_the_wheel_requires(wheel):
    """NumPy alone, and by extras what kinds of files and arrays need."""
    found = requirements(wheel)
    assert {extra: set(names) for extra, names in found.items()} == {
        "": {"numpy"}, "raster": {"rasterio"}, "stack": {"tifffile"}, "zarr": {"zarr"},
        "preview": {"matplotlib"},
        "files": {"rasterio", "tifffile", "imagecodecs", "zarr", "matplotlib"},
        "dask": {"dask[array,distributed]", "xarray", "zarr"},
        "test": {"pytest", "scikit-image", "setuptools"}}
    oldest = {}
    for names in found.values():  # the same wherever a package is named
        for name, version in names.items():
            assert oldest.setdefault(name, version) == version, name
    # Those that the project has been tried with. Older ones lack what is used of them.
    assert {name: version for name, version in oldest.items() if version} == {
        "numpy": "1.23", "rasterio": "1.3.8", "tifffile": "2023.2.3", "zarr": "2.13",
        "matplotlib": "3.6", "dask[array,distributed]": "2023.1", "setuptools": "70.1"}


# ---- make --------------------------------------------------------------------------------------


def test_make_compiles_beside_the_package(tree, wheel):
    place, flags, *words = wheel.asked
    assert (place, flags) == (str(tree.root / "tree"), "")
    assert set(words) == {"--no-print-directory", "python-library",
                          f"-j{len(os.sched_getaffinity(0))}",
                          f"BUILD={tree.package / 'build/library'}"}


@pytest.mark.parametrize("build", ["elsewhere", "absolute"])
def test_make_heeds_the_environment(tree, build):
    build = build if build == "elsewhere" else str(tree.root / build)
    made = tree.makes("wheel", BUILD=build, MAKEFLAGS="-j3", CUDA="maybe")
    assert in_wheel(made, "local_entropy/liblocal_entropy.so.1") == "compiled with CUDA=maybe\n"
    assert made.asked[1] == "-j3"
    assert set(made.asked[2:]) == {"--no-print-directory", "python-library",
                                   f"BUILD={tree.package / build}"}


def test_a_library_that_is_not_built_makes_no_wheel(tree):
    made = tree.makes("wheel", FAILS="2")
    assert made.file is None
    assert made.said.endswith("local_entropy: the library was not built, see above. It takes make "
                              "and a C++17 compiler with OpenMP (apt-get install make g++); CUDA=0 "
                              "leaves nvcc out\n")
    made = tree.makes("wheel", path=str(tree.root / "nothing"))
    assert made.file is None
    assert made.said.endswith("local_entropy is built by make, which is missing: apt-get install "
                              "make g++\n")


def test_an_editable_package_has_the_library_in_the_tree(tree):
    library = tree.package / "local_entropy/liblocal_entropy.so.1"
    assert not library.exists()
    made = tree.makes("editable", CUDA="editable")
    try:
        assert library.read_text() == "compiled with CUDA=editable\n"
        with zipfile.ZipFile(made.file) as file:
            assert not [name for name in file.namelist() if name.endswith(".so.1")]
    finally:
        library.unlink()


# ---- the sdist ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sdist(tree):
    """Its folder, unpacked in that of another project, which has a Makefile, too."""
    made = tree.makes("sdist")
    assert made.file.name == f"local_entropy-{VERSION}.tar.gz" and made.asked is None
    with tarfile.open(made.file) as file:
        file.extractall(tree.root / "tree")
    return tree.root / "tree" / f"local_entropy-{VERSION}"


def files(folder, *parts):
    found = (path for part in parts for path in (folder / part).rglob("*"))
    return {str(path.relative_to(folder)) for path in found
            if path.is_file() and "__pycache__" not in path.parts}


def test_the_sdist_has_all_of_the_package(tree, sdist):
    expected = files(tree.package, "local_entropy", "tests", "examples")
    assert files(sdist, "local_entropy", "tests", "examples") == expected
    for name in ("README.md", "CLUSTER.md", "setup.py", "pyproject.toml", "MANIFEST.in"):
        assert (sdist / name).read_text() == (tree.package / name).read_text()


def test_the_sdist_has_the_sources_of_the_library(tree, sdist):
    assert files(sdist / "project", "sources") == files(tree.root / "tree", "sources")
    header = "sources/local_entropy/local_entropy.h"
    assert VERSION in (sdist / "project" / header).read_text()
    # Nothing of what make does not need: no tests of the library, no results.
    assert len(files(sdist / "project", ".")) < len(files(sdist / "project", "sources")) + 20


@pytest.mark.skipif(not (shutil.which("make") and shutil.which("g++")),
                    reason="apt-get install make g++")
def test_make_has_all_that_it_needs_in_the_sdist(sdist, tmp_path):
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD")}
    done = subprocess.run(["make", "-n", "CUDA=0", f"BUILD={tmp_path}", "python-library"],
                          cwd=sdist / "project", env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert f"{tmp_path}/liblocal_entropy.so.{VERSION}" in done.stdout


def test_a_wheel_of_the_sdist_is_that_of_the_tree(tree, sdist, wheel):
    of_sdist = tree.makes("wheel", package=sdist, CUDA="0")
    assert of_sdist.asked[0] == str(sdist / "project")
    assert of_sdist.file != wheel.file and of_sdist.file.name == wheel.file.name
    with zipfile.ZipFile(wheel.file) as first, zipfile.ZipFile(of_sdist.file) as second:
        assert set(first.namelist()) == set(second.namelist())
        for name in first.namelist():
            assert name.endswith("/RECORD") or first.read(name) == second.read(name), name
