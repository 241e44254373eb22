#!/usr/bin/env bash
# The library's tests, without optimization and for this processor alone, by g++ and by clang++:
# tests/builds.sh BUILD [GOOGLETEST-OPTION...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tests/builds.sh BUILD [GOOGLETEST-OPTION...]}
shift
for compiler in g++ clang++; do
    for flags in -O0 '-O3 -march=native'; do
        here=$build/$compiler${flags// /}
        here=${here//=/-} # make takes x=y: for a variable
        echo "== $compiler $flags"
        ${MAKE:-make} --no-print-directory CUDA=0 BUILD="$here" CXX=$compiler \
            OPTIMIZE="${flags%% *}" TEST_OPTIMIZE="${flags%% *}" \
            HOST_FLAGS="$(cut -s -d' ' -f2 <<<"$flags")" "$here/tests/library"
        LOCAL_ENTROPY_QUESTIONS=${LOCAL_ENTROPY_QUESTIONS:-20} \
            "$here/tests/library" --gtest_brief=1 "$@"
    done
done
