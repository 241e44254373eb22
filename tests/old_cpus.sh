#!/usr/bin/env bash
# Tests of the library on processors that have less than this one, by an emulator, which refuses
# what they do not have: tests/old_cpus.sh BUILD [GOOGLETEST-OPTION...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tests/old_cpus.sh BUILD [GOOGLETEST-OPTION...]}
shift
command -v qemu-x86_64 >/dev/null || {
    echo "make test-old-cpus: there is no qemu-x86_64:" \
        "apt-get install qemu-user (Debian, Ubuntu)" >&2
    exit 2
}
small='LocalEntropyMethods.*:LocalEntropyBits.*:LocalEntropyTile*'
small+=':LocalEntropyMask*:LocalEntropyLevels.*:Answers.*'
set -- --gtest_filter="$small" "$@" # of two filters the last one counts
for cpu in qemu64 Nehalem Haswell; do # up to SSE3, to SSE4.2, to AVX2
    echo "== $cpu"
    LOCAL_ENTROPY_QUESTIONS=${LOCAL_ENTROPY_QUESTIONS:-5} \
        qemu-x86_64 -cpu "$cpu" "$build/tests/library" --gtest_brief=1 "$@"
done
