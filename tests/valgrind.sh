#!/usr/bin/env bash
# Tests of the library under valgrind: what is read or written outside of memory, or is lost.
# tests/valgrind.sh BUILD [GOOGLETEST-OPTION...]
# Those that are small enough, unless an option names others: each method on each path that it can
# simulate (AVX2, not AVX-512), with few questions, and what threads share.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tests/valgrind.sh BUILD [GOOGLETEST-OPTION...]}
shift
command -v valgrind >/dev/null || {
    echo "make test-valgrind: there is no valgrind: apt-get install valgrind (Debian, Ubuntu)" >&2
    exit 2
}
# AreRightForFloats is judged by long double, which valgrind cuts to the size of a double.
small='LocalEntropyMethods.*:LocalEntropyMask*:LocalEntropyLevels.*:MadeOnce.*'
small+=':Plans.*'
small+='-*.AreRightForFloats'
set -- --gtest_filter="$small" "$@" # of two filters the last one counts
export LOCAL_ENTROPY_QUESTIONS=${LOCAL_ENTROPY_QUESTIONS:-2}

# Spare lanes of vectors compute with whatever memory holds, so valgrind does not look for what is
# not initialized. Instead, glibc fills all memory that is handed out, and no result may show it.
for fill in 90 165; do
    GLIBC_TUNABLES=glibc.malloc.perturb=$fill "$build/tests/library" --gtest_brief=1 "$@"
done
valgrind --quiet --error-exitcode=9 --undef-value-errors=no --leak-check=full \
    --errors-for-leak-kinds=definite "$build/tests/library" --gtest_brief=1 "$@"
