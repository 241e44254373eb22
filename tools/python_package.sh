#!/usr/bin/env bash
# Makes an sdist of the Python package and a wheel of the sdist, and tests the wheel:
# tools/python_package.sh PYTHON BUILD TO [CUDA]. BUILD has the objects of this tree; the sources of
# the sdist are not newer. PIP_CONSTRAINT may name a file of versions (.ci/requirements.txt). What has
# all that the tests use stays: TO/venv.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: python_package.sh PYTHON BUILD TO [CUDA]} build=$2 to=$3 cuda=${4:-1}
project=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1
export PYTHONDONTWRITEBYTECODE= # what is installed without bytecode keeps that of its first use

environment() { # where, what is installed...
    "$python" -m venv --clear "$1"
    "$1/bin/pip" install --quiet --no-compile "${@:2}"
}

# Where Python finds the wheel's package, and not the tree's.
cd_away() { mkdir -p "$work/away" && cd "$work/away"; }

# With nothing but what the wheel itself asks for: the version is the library's, the command runs
# and finds the files that need no library.
bare() (
    cd_away
    local version said
    version=$(sed -n 's/^#define LE_VERSION "\([0-9.]*\)".*/\1/p' \
        "$project/sources/local_entropy/local_entropy.h")
    "$work/bare/bin/python" - "$version" <<'EOF'
import importlib.metadata, sys
import numpy as np
import local_entropy, local_entropy.skimage
versions = [importlib.metadata.version("local_entropy"), local_entropy.__version__, sys.argv[1]]
assert len(set(versions)) == 1, versions
np.save("in.npy", np.random.default_rng(1).integers(0, 256, (40, 50), dtype=np.uint8))
np.save("expected.npy", local_entropy.entropy(np.load("in.npy")))
EOF
    said=$("$work/bare/bin/local-entropy" --help)
    [[ $said == *--like-skimage* ]]
    "$work/bare/bin/local-entropy" in.npy out.npy --quiet
    cmp out.npy expected.npy
    if said=$("$work/bare/bin/local-entropy" in.npy out.tif 2>&1); then exit 1; fi
    [[ $said == *rasterio* ]] || { echo "$said"; exit 1; }
)

# The package says that it is typed: it is, by the strictest rules.
types() (
    cd_away
    "$to/venv/bin/mypy" --strict --cache-dir="$work/mypy" -p local_entropy
)

# The library needs nothing but what a C++ program with OpenMP does; a GPU's driver is looked for
# when it runs, and not by one that was built without nvcc.
library() (
    cd "$work"/bare/lib/python3*/site-packages/local_entropy
    if readelf -d liblocal_entropy.so.1 | grep NEEDED |
        grep -vE '\[(lib(stdc\+\+|gomp|omp|gcc_s|m|c|pthread|dl|rt)|ld-linux[^]]*)\.so[.0-9]*\]'; then
        exit 1
    fi
    if [ "$cuda" = 0 ] && grep -qa 'libcuda\.so' liblocal_entropy.so.1; then
        echo 'libcuda is named by a library that was built without CUDA'
        exit 1
    fi
)

# The tests that scikit-image ships of its own filter: 0.25 is the last that has them.
originals() (
    cd_away
    if ! "$to/venv/bin/python" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))'
    then
        echo "scikit-image's own tests of its filter were not run: 0.25, the last that has them," \
            'is for Python 3.10 to 3.13'
        return
    fi
    PIP_CONSTRAINT='' "$to/venv/bin/pip" install --quiet --no-deps --only-binary=:all: \
        --target "$work/ships" 'scikit-image==0.25.*'
    if ! PYTHONPATH=$work/ships "$to/venv/bin/python" -m pytest -q -p no:cacheprovider \
        "$project/python/tests/test_originals.py" -k scikit_image >"$work/said" 2>&1 ||
        [[ $(tail -n 1 "$work/said") != '1 passed'* ]]; then
        echo "scikit-image's own tests of its filter failed, or were skipped:"
        tail -n 40 "$work/said"
        return 1
    fi
    echo "scikit-image's own tests of its filter: $(tail -n 1 "$work/said")"
)

# As a newcomer: the package of this tree in place of the wheel, and the picture of the README.
newcomer() (
    "$to/venv/bin/pip" install --quiet --force-reinstall --no-deps ./python
    cd_away
    "$to/venv/bin/python" -m pytest -q -p no:cacheprovider "$project/python/tests/test_examples.py" \
        -k test_the_picture_of_the_readme
    [[ $("$to/venv/bin/local-entropy" --help) == *--like-skimage* ]]
)

export BUILD=$build
environment "$work/makes" build
rm -rf "$to/dist" && mkdir -p "$to"
"$work/makes/bin/python" -m build --outdir "$to/dist" python
wheel=$(echo "$to"/dist/*.whl)

environment "$work/bare" "$wheel"
bare
library
# All extras, mypy, and what the notebook runs in: nothing is skipped but for want of a GPU or of a
# cluster's queue (dask-jobqueue).
environment "$to/venv" "$wheel[test,raster,stack,zarr,preview,files,dask]" nbclient ipykernel mypy
types
(cd_away && "$to/venv/bin/python" -m pytest -q -rs -p no:cacheprovider --doctest-modules \
    "$project/python/tests" --pyargs local_entropy)
originals
newcomer
ls -l "$to/dist"
