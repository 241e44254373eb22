#!/usr/bin/env bash
# The library for 64-bit ARM, its tests run by an emulator:
# tests/arm.sh BUILD [GOOGLETEST-OPTION...]
# Without options, what finds mistakes of a port soonest: every method on every path with some
# questions, the tests of loading, of the answers and of the method bits.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tests/arm.sh BUILD [GOOGLETEST-OPTION...]}/arm
shift

compiler=aarch64-linux-gnu-g++
googletest=/usr/src/googletest/googletest # compiled here: no package has it for a cross compiler
need() { # what is missing, its package
    echo "make test-arm: there is no $1: apt-get install $2 (Debian, Ubuntu)" >&2
    exit 2
}
command -v $compiler >/dev/null || need $compiler g++-aarch64-linux-gnu
command -v qemu-aarch64 >/dev/null || need qemu-aarch64 qemu-user
[ -e $googletest/src/gtest-all.cc ] || need $googletest libgtest-dev

mkdir -p "$build/tests"
if [ ! -e "$build/libgtest.a" ]; then
    $compiler -std=c++17 -O1 -I$googletest/include -I$googletest -c $googletest/src/gtest-all.cc \
        -o "$build/gtest-all.o"
    aarch64-linux-gnu-ar rcs "$build/libgtest.a" "$build/gtest-all.o"
fi
touch "$build/tests/setup.stamp" # this compiler and its GoogleTest are there
${MAKE:-make} --no-print-directory CUDA=0 BUILD="$build" CXX=$compiler OPTIMIZE=-O2 \
    HOST_FLAGS=-I$googletest/include LINK="$compiler -fopenmp -L$build" "$build/tests/library"

# A child that a process with threads has forked fails in the emulator (qemu 7.2).
soonest='LocalEntropyMethods.*:LocalEntropyBits.*:LocalEntropyTile*:LocalEntropyMask*'
[ $# -gt 0 ] || set -- --gtest_filter="$soonest:LocalEntropyLevels.*:Answers.*"
LOCAL_ENTROPY_QUESTIONS=${LOCAL_ENTROPY_QUESTIONS:-20} \
    qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/tests/library" --gtest_brief=1 "$@"
