#!/usr/bin/env bash
# Everything that only a machine with GPUs can show: tools/check_gpu.sh DIRECTORY [stage ...]
# Stages: tests, sanitizer, versions, studies, labs, profile, run, cpu, gpu, peers; all of them
# if none is named.
# Each prints one line with its verdict and leaves its log in DIRECTORY; exit status 0 if all passed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
if [ "${1:---help}" = --help ]; then sed -n 's/^# //; 2,5p' "$0"; exit $(($# == 0 ? 2 : 0)); fi
directory=$1
shift
[ $# -gt 0 ] || set -- tests sanitizer versions studies labs profile run cpu gpu peers
nvidia-smi -L 2>/dev/null | grep -q '^GPU' || { echo "check_gpu.sh: there is no GPU here" >&2; exit 2; }
mkdir -p "$directory/results"
directory=$(cd "$directory" && pwd)
jobs=$(nproc)
failures=0

stage() { # name, command...: runs it, keeps its output, prints the verdict
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$directory/$name.log" 2>&1; then
        echo "passed: $name, $((SECONDS - start)) s"
    else
        echo "FAILED: $name, $((SECONDS - start)) s, see $directory/$name.log"
        tail -n 15 "$directory/$name.log"
        failures=$((failures + 1))
    fi
}

# With a GPU no version may be skipped.
tests() {
    make -j "$jobs" test || return
    ! grep -qE 'needs (a GPU|CUDA|cuBLAS)' "$directory/tests.log"
}

# Tests on small arrays, and both kernels of hello, under each tool of compute-sanitizer.
sanitizer() {
    local tests="build/tests/all build/tests/memory_study build/tests/bottleneck_study"
    tests+=" build/tests/fast_study"
    # shellcheck disable=SC2086
    make -j "$jobs" $tests build/hello || return
    local tool program
    for tool in memcheck racecheck initcheck synccheck; do
        for program in $tests; do
            sanitized "$program" --gtest_filter='*SmallShapes*' || return
        done
        sanitized build/hello 2 3 2 || return
        sanitized build/hello 2 32 2 --order --runs 3 || return
    done
}

sanitized() { # program, arguments...: under $tool
    echo "== $tool $*"
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$@"
}

# The line of the switch edited to every version in turn, each build run on data/data.bin.
versions() {
    make -j "$jobs" data || return
    local names name cores=sources/entropy/cores
    names=$(make -s versions) || return
    for name in $names; do
        sed "s/^#define VERSION v[0-9]*/#define VERSION $name/" sources/entropy/core.cu \
            >"$cores/edited_$name.cu" || return
    done
    # shellcheck disable=SC2046,SC2086
    make -j "$jobs" $(printf 'build/edited_%s ' $names)
    rm -f "$cores"/edited_*.cu
    for name in $names; do
        ENTROPY_BENCHMARK=0 "build/edited_$name" | tail -n 1 | tee "$directory/verdict" || return
        grep -q "12 of 12 groups passed with $name;" "$directory/verdict" || return
    done
}

# Each of the other cores: its benchmark, its measures by groups, its batch.
studies() {
    local core results
    for core in memory_study bottleneck_study fast_study; do
        results=$directory/results/$core
        mkdir -p "$results"
        make -j "$jobs" CORE=$core "build/$core" "build/${core}_measures" || return
        ENTROPY_BENCHMARK=1 ENTROPY_RESULTS=$results "build/$core" data/worked_4x4.txt || return
        make CORE=$core measures batch RESULTS="$results" || return
    done
}

labs() {
    make -j "$jobs" labs || return
    build/maximum && build/maximum --benchmark --csv "$directory/results/maximum.csv" || return
    build/transpose && build/transpose --benchmark --csv "$directory/results/transpose.csv" || return
    build/hello 2 4 2 || return
    build/hello 8 32 4 --order --runs 100 | tee "$directory/results/hello.txt"
}

# What every kernel asks of the machine, and what its warps wait for, from the profiler's counters.
profile() { tools/profile.sh "$directory/results"; }

# The first command of the README: its log and times are committed.
run() {
    make -j "$jobs" build/scaling || return
    ENTROPY_RESULTS=$directory/results ./RUNME.sh >"$directory/screen.log" || return
    ENTROPY_BENCHMARK=0 build/scaling "$directory/results/scaling.csv"
}

# The CPU engine by path, content, size and threads.
cpu() {
    make -j "$jobs" build/bench_cpu || return
    build/bench_cpu "$directory/results/cpu.csv"
}

# The GPU engine: its kernel by content, size and alignment, and from host memory to host memory;
# with the facts of the machine, since other stages may be run elsewhere.
gpu() {
    make -j "$jobs" build/bench_gpu build/bench_everywhere || return
    build/bench_gpu "$directory/results/gpu.csv" >"$directory/bench_gpu.txt" || return
    cat "$directory/bench_gpu.txt"
    sed '/^$/q' "$directory/bench_gpu.txt" | grep -E '^[A-Za-z]+( [0-9]+)?: ' \
        >"$directory/results/engine_environment.txt" || return
    build/bench_everywhere "$directory/results/everywhere.csv"
}

# Other software that computes the same; what is not installed is named in the table.
peers() {
    make -j "$jobs" build/entropy build/entropy_measures build/make_data build/bench_gpu || return
    "${PYTHON:-python3}" tools/peers.py --csv "$directory/results/peers.csv"
}

for name; do
    case $name in
    tests | sanitizer | versions | studies | labs | profile | run | cpu | gpu | peers)
        stage "$name" "$name"
        ;;
    *) echo "check_gpu.sh: there is no stage '$name'" >&2; exit 2 ;;
    esac
done
exit $((failures > 0))
