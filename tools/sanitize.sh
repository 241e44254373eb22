#!/usr/bin/env bash
# The tools of compute-sanitizer over every kernel: tools/sanitize.sh BUILD LOG [tool ...]
# Runs BUILD/tests/every_kernel once as it is, where no kernel of the library may be left out, and
# once under each tool, in several processes at a time. LOG gets a line for each. Exit status 0 if
# there was no error.
set -uo pipefail
if [ $# -lt 2 ]; then sed -n 's/^# //; 2,5p' "$0" >&2; exit 2; fi
program=$1/tests/every_kernel log=$2
shift 2
[ $# -gt 0 ] || set -- memcheck racecheck initcheck synccheck
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
nvidia-smi -L 2>/dev/null | grep -q '^GPU' || { echo "sanitize.sh: there is no GPU here" >&2; exit 2; }
[ -x "$sanitizer" ] || { echo "sanitize.sh: compute-sanitizer is missing" >&2; exit 2; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export GTEST_FILTER='EveryKernel.*:*SmallShapes*' GTEST_COLOR=no
export OMP_NUM_THREADS=1 # of each of the processes
failures=0

count() { # pattern, files...: lines that have it
    cat "${@:2}" | grep -cE "$1"
}

# The program in so many processes, each with its share of the tests; how it went, in a line.
run() { # name, processes, command...
    local name=$1 processes=$2 start=$SECONDS i status=0 errors passed line
    local -a jobs=()
    shift 2
    for ((i = 0; i < processes; i++)); do
        GTEST_TOTAL_SHARDS=$processes GTEST_SHARD_INDEX=$i "$@" >"$directory/$name.$i" 2>&1 &
        jobs+=($!)
    done
    for i in "${jobs[@]}"; do wait "$i" || status=1; done
    passed=$(count '^\[       OK \].* ms\)$' "$directory/$name".*)
    errors=$(cat "$directory/$name".* | awk '/ERROR SUMMARY: / { sum += $4 }
        /RACECHECK SUMMARY: / { sum += $4 } END { print sum + 0 }')
    line="$name: $passed tests passed, $(count '^\[  FAILED  \].* ms\)$' "$directory/$name".*) failed"
    [ "$name" = plain ] || line+=", $errors errors"
    line+=", $((SECONDS - start)) s"
    if [ "$status" != 0 ] || [ "$passed" = 0 ]; then
        failures=1
        line="FAILED: $line"
        cat "$directory/$name".* | grep -E '^=========|FAILED|Failure|not launched' | head -n 40 >&2
    fi
    echo "$line" | tee -a "$log"
}

mkdir -p "$(dirname "$log")"
echo "every kernel under compute-sanitizer, $(make -s revision), $(nvidia-smi -L | head -n 1 |
    sed 's/ (UUID.*//'), $(date +%Y-%m-%d)" | tee "$log"
run plain 1 "$program"
grep -h 'kernels were launched' "$directory/plain.0" | tee -a "$log"
grep -h '^not launched' "$directory/plain.0" | tee -a "$log"
for tool; do
    run "$tool" 8 "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 10 "$program"
done
exit "$failures"
