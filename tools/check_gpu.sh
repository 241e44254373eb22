#!/usr/bin/env bash
# Everything that only a machine with GPUs can show: tools/check_gpu.sh DIRECTORY [stage ...]
# Stages: tests, sanitizer, versions, studies, run; all of them if none is named. Each stage prints
# one line with its verdict and leaves its log in DIRECTORY; exit status 0 if all passed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
directory=${1:?usage: tools/check_gpu.sh DIRECTORY [stage ...]}
shift
[ $# -gt 0 ] || set -- tests sanitizer versions studies run
mkdir -p "$directory"
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

# Tests on small arrays under each tool of compute-sanitizer.
sanitizer() {
    local tests="build/tests/all build/tests/memory_study build/tests/bottleneck_study"
    make -j "$jobs" $tests || return
    local tool program
    for tool in memcheck racecheck initcheck synccheck; do
        for program in $tests; do
            echo "== $tool $program"
            compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" \
                --gtest_filter='*SmallShapes*' || return
        done
    done
}

# The switch set to every version in turn, each build run on data/data.bin.
versions() {
    make -j "$jobs" data || return
    local names
    names=$(make -s versions) || return
    printf '%s\n' $names | xargs -P "$jobs" -I{} \
        make BUILD=build-switch/{} VERSION={} build-switch/{}/entropy || return
    local version
    for version in $names; do
        ENTROPY_BENCHMARK=0 "build-switch/$version/entropy" | tail -n 1 || return
    done
}

# Each of the other cores: its benchmark, its measures by groups, its batch.
studies() {
    local core
    for core in memory_study bottleneck_study; do
        make -j "$jobs" CORE=$core "build/$core" "build/${core}_measures" || return
        ENTROPY_BENCHMARK=1 "build/$core" data/worked_4x4.txt || return
        make CORE=$core measures batch RESULTS="$directory/$core" || return
    done
}

# The first command of the README: its log and times are committed.
run() {
    mkdir -p "$directory/results"
    make -j "$jobs" build/scaling || return
    ENTROPY_BENCHMARK=0 build/scaling "$directory/results/scaling.csv" || return
    ENTROPY_RESULTS=$directory/results ./RUNME.sh >"$directory/screen.log"
}

for name; do
    case $name in
    tests) stage tests make -j "$jobs" test ;;
    sanitizer | versions | studies | run) stage "$name" "$name" ;;
    *) echo "check_gpu.sh: there is no stage '$name'" >&2; exit 2 ;;
    esac
done
exit $((failures > 0))
