#!/usr/bin/env bash
# Builds fuzz targets with clang and runs each: tests/fuzz/run.sh BUILD SECONDS TARGET...
# 0 seconds: only the files of its corpus. What a target fails with is kept in BUILD/found/TARGET.
set -euo pipefail
cd "$(dirname "$0")/../.."
usage='usage: tests/fuzz/run.sh BUILD SECONDS TARGET...'
build=${1:?$usage} seconds=${2:?$usage}
shift 2

compiler=${FUZZ_CXX:-clang++}
fuzzes() { echo 'extern "C" int LLVMFuzzerTestOneInput(const char *, unsigned long) { return 0; }' |
    $compiler -x c++ -fopenmp -fsanitize=fuzzer,address,undefined - -o "$build/setup.out"; }
mkdir -p "$build/tests"
if ! command -v "$compiler" >/dev/null || ! fuzzes 2>/dev/null; then
    echo "make fuzz: there is no $compiler with libFuzzer:" \
        "apt-get install clang libomp-dev (Debian, Ubuntu)" >&2
    exit 2
fi
# GoogleTest is not needed.
[ "$build/tests/setup.stamp" -nt tools/setup.sh ] || touch "$build/tests/setup.stamp"

# Of what `undefined` finds, that is left out which takes long to compile and which `address` sees.
# With the two macros, a vector is no larger than its size, neither to operator[] nor to `address`.
flags=(-fno-sanitize=alignment,null,object-size,pointer-overflow,vptr
    -D_GLIBCXX_ASSERTIONS -D_GLIBCXX_SANITIZE_VECTOR)
${MAKE:-make} --no-print-directory CUDA=0 BUILD="$build" CXX="$compiler" OPTIMIZE=-O1 \
    SANITIZE=fuzzer-no-link,address,undefined HOST_FLAGS="${flags[*]}" "${@/#/$build/fuzz/}"

failed=()
for target; do
    found=$build/found/$target corpora=("tests/fuzz/corpus/$target")
    mkdir -p "$found" "$build/corpus/$target"
    # Memory by what a file of some kilobytes may cost, whatever it claims.
    limits=(-timeout=25 -rss_limit_mb=2048 -malloc_limit_mb=256 -max_len=4096 -len_control=0)
    if [ "$seconds" = 0 ]; then
        limits+=(-runs=0)
    else
        limits+=("-max_total_time=$seconds" -print_final_stats=1)
        corpora=("$build/corpus/$target" "${corpora[@]}") # the first gets what is new
    fi
    echo "== $target"
    if ! "$build/fuzz/$target" "${limits[@]}" "-artifact_prefix=$found/" "${corpora[@]}" \
        >"$found/log" 2>&1; then
        failed+=("$target")
        grep -E -A 12 'FOUND:|ERROR:|runtime error:' "$found/log" | head -n 40 ||
            tail -n 20 "$found/log"
    fi
    grep -E '^(stat::number_of|stat::peak|Done)|INITED|Test unit written' "$found/log" || true
done
echo "${#failed[@]} of $# targets failed${failed[*]:+: ${failed[*]}}"
[ ${#failed[@]} = 0 ]
