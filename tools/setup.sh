#!/bin/sh
# Installs what is missing, where it can: setup.sh build [CXX] | setup.sh tests [CXX [PYTHON]]
# With nothing missing it needs no network and says nothing.
set -eu

what=${1:-}
compiler=${2:-g++}
python=${3:-python3}
log=$(mktemp)
trap 'rm -rf "$log" "$log.out"' EXIT

# Does "$compiler" build the program on standard input with these flags?
builds() { "$compiler" -x c++ -std=c++17 - "$@" -o "$log.out" >"$log" 2>&1; }

has_compiler() { echo '#include <omp.h>
int main() { return omp_get_max_threads() < 1; }' | builds -fopenmp; }
has_gtest() { echo '#include <gtest/gtest.h>
int main() { testing::InitGoogleTest(); }' | builds -lgtest -lpthread; }

install() { # packages
    echo "setup: installing $*" >&2
    if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo -n"; fi
    if command -v apt-get >/dev/null &&
        { $as_root apt-get install -y "$@" || { $as_root apt-get update &&
            $as_root apt-get install -y "$@"; }; } >"$log" 2>&1; then
        return
    fi
    tail -n 3 "$log" >&2
    echo "setup: could not install them; please install: $* (Debian and Ubuntu: apt-get install $*)" >&2
    exit 2
}

case $what in
build | tests) ;;
*)
    echo "usage: setup.sh build|tests [compiler [python]]" >&2
    exit 2
    ;;
esac

command -v make >/dev/null || install make
if ! has_compiler; then
    case $compiler in
    g++) install g++ ;;
    clang++) install clang libomp-dev ;;
    esac
    has_compiler || { echo "setup: $compiler cannot build an OpenMP program:" >&2; cat "$log" >&2; exit 2; }
fi
[ "$what" = build ] && exit
[ "$python" != python3 ] || command -v python3 >/dev/null || install python3
if ! has_gtest; then
    install libgtest-dev
    has_gtest || { echo "setup: $compiler cannot build a GoogleTest program:" >&2; cat "$log" >&2; exit 2; }
fi
