#!/usr/bin/env bash
# Everything that only a machine with GPUs can show: tools/check_gpu.sh DIRECTORY [stage ...]
# Stages: tests, sanitizer, versions, run; all of them if none is named. Logs go to DIRECTORY.
# Each stage prints one line with its verdict; exit status 0 if all passed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
directory=${1:?usage: tools/check_gpu.sh DIRECTORY [stage ...]}
shift
[ $# -gt 0 ] || set -- tests sanitizer versions run
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
    make -j "$jobs" build/tests/all || return
    local tool
    for tool in memcheck racecheck initcheck synccheck; do
        echo "== $tool"
        compute-sanitizer --tool "$tool" --error-exitcode 9 build/tests/all \
            --gtest_filter='*SmallShapes*' || return
    done
}

# The switch set to every version in turn, each build run on data/data.bin.
versions() {
    make -j "$jobs" data || return
    local names
    names=$(sed -n 's/^namespace \(v[0-9]\+\)\b.*/\1/p' sources/entropy/core.cu | sort -uV)
    printf '%s\n' $names | xargs -P "$jobs" -I{} \
        make BUILD=build-switch/{} VERSION={} build-switch/{}/entropy || return
    local version
    for version in $names; do
        ENTROPY_BENCHMARK=0 "build-switch/$version/entropy" | tail -n 1 || return
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
    sanitizer | versions | run) stage "$name" "$name" ;;
    *) echo "check_gpu.sh: there is no stage '$name'" >&2; exit 2 ;;
    esac
done
exit $((failures > 0))
