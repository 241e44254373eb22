#!/usr/bin/env bash
# Everything that only a machine with GPUs can show: tools/check_gpu.sh DIRECTORY [stage ...]
# Stages: tests, grade, sanitizer, versions; all of them if none is named. Each prints its verdict,
# which DIRECTORY/checked.txt gets too: how many tests passed, and why others did not run. Its log is
# in DIRECTORY as well. GTEST_FILTER picks tests. Exit status 0 if all passed. For times:
# tools/record.sh.
# shellcheck disable=SC2317 # the stages are called by their names
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
if [ "${1:---help}" = --help ]; then sed -n 's/^# //; 2,6p' "$0"; exit $(($# == 0 ? 2 : 0)); fi
directory=$1
shift
[ $# -gt 0 ] || set -- tests grade sanitizer versions
nvidia-smi -L 2>/dev/null | grep -q '^GPU' || { echo "check_gpu.sh: there is no GPU here" >&2; exit 2; }
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
jobs=$(nproc)
failures=0
checked=$directory/checked.txt
echo "checked, $(make -s revision), $(nvidia-smi -L | head -n 1 | sed 's/ (UUID.*//')," \
    "$(date +%Y-%m-%d)" >"$checked"
[ -z "${GTEST_FILTER:-}" ] || echo "of the tests, GTEST_FILTER=$GTEST_FILTER" >>"$checked"

stage() { # name, command...: runs it, keeps its output, prints the verdict
    local name=$1 start=$SECONDS result=passed
    shift
    "$@" >"$directory/$name.log" 2>&1 || result=FAILED
    {
        echo "$result: $name, $((SECONDS - start)) s"
        grep -E '^[0-9]+ passed, [0-9]+ failed, |^skipped: [0-9]+, ' "$directory/$name.log" |
            sed 's/^/  /'
    } | tee -a "$checked"
    [ $result = passed ] && return
    echo "see $directory/$name.log"
    tail -n 15 "$directory/$name.log"
    failures=$((failures + 1))
}

# Passes if no line of the stage's own log has this; else prints those that have. What is found goes
# through a variable: a grep that prints into the file it reads fails, and no `!` may hide that.
lacks() { # stage, pattern
    local found status=0
    found=$(grep -E "$2" "$directory/$1.log") || status=$?
    [ -z "$found" ] || echo "should not be in this log: $found"
    [ "$status" = 1 ] # 0: some line has it; 2: grep itself failed
}

# With a GPU no version may be skipped, and with two none that needs two.
tests() {
    make -j "$jobs" test-programs || return
    local needed='a GPU|CUDA|cuBLAS'
    [ "$(nvidia-smi -L | wc -l)" -lt 2 ] || needed+='|two GPUs'
    lacks tests "needs ($needed)"
}

# The grader, with cores that use a GPU behind its walls.
grade() {
    make -j "$jobs" test-grade || return
    lacks grade 'cannot be used in the box|cores that need it run without'
}

# Every kernel, the tests of the studies on small arrays, and both kernels of hello, under each tool
# of compute-sanitizer.
sanitizer() {
    local tests="" study
    for study in memory bottleneck fast variants; do tests+=" build/tests/${study}_study"; done
    # shellcheck disable=SC2086
    make -j "$jobs" build/tests/every_kernel $tests build/hello || return
    tools/sanitize.sh build "$directory/sanitizers.txt" || return
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
    local names name cores=sources/entropy/cores built=0
    names=$(make -s versions) || return
    trap 'rm -f sources/entropy/cores/edited_*.cu' EXIT
    for name in $names; do
        sed "s/^#define VERSION v[0-9]*/#define VERSION $name/" sources/entropy/core.cu \
            >"$cores/edited_$name.cu" || return
    done
    # shellcheck disable=SC2046,SC2086
    make -j "$jobs" $(printf 'build/edited_%s ' $names) || built=1
    rm -f "$cores"/edited_*.cu
    [ "$built" = 0 ] || return 1 # programs of an older build are no answer
    for name in $names; do
        ENTROPY_BENCHMARK=0 "build/edited_$name" | tail -n 1 | tee "$directory/verdict" || return
        grep -q "12 of 12 groups passed with $name;" "$directory/verdict" || return
    done
}

for name; do
    case $name in
    tests | grade | sanitizer | versions)
        stage "$name" "$name"
        ;;
    *) echo "check_gpu.sh: there is no stage '$name'" >&2; exit 2 ;;
    esac
done
exit $((failures > 0))
