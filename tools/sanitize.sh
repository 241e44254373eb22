#!/usr/bin/env bash
# The tools of compute-sanitizer over every kernel: tools/sanitize.sh BUILD LOG [tool ...]
# Runs BUILD/tests/every_kernel once as it is, where no kernel of the library may be left out, and
# once under each tool, all of them at the same time. LOG gets a line for each. Exit status 0 if
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
    local pattern=$1
    shift
    cat "$@" | grep -cE "$pattern"
}

start() { # name, number of processes, command...: begins them, each with its share of the tests
    local name=$1 processes=$2 i
    shift 2
    for ((i = 0; i < processes; i++)); do
        (
            status=0
            GTEST_TOTAL_SHARDS=$processes GTEST_SHARD_INDEX=$i "$@" \
                >"$directory/$name.log.$i" 2>&1 || status=$?
            echo "$status $SECONDS" >"$directory/$name.end.$i"
        ) &
    done
}

verdict() { # name: how it went, a line, once all have ended; what was killed has left no end
    local name=$1 logs=("$directory/$1.log".*) ends=("$directory/$1.end".*) passed failed line
    passed=$(count '^\[       OK \].* ms\)$' "${logs[@]}")
    failed=$(count '^\[  FAILED  \].* ms\)$' "${logs[@]}")
    line="$name: $passed tests passed, $failed failed"
    [ "$name" = plain ] || line+=", $(cat "${logs[@]}" | awk '
        /(ERROR|RACECHECK) SUMMARY: / { sum += $4 } END { print sum + 0 }') errors"
    line+=", $(cat "${ends[@]}" | awk '{ if ($2 > s) s = $2 } END { print s + 0 }') s"
    if grep -qv '^0 ' "${ends[@]}" || [ "$passed" = 0 ] || [ ${#ends[@]} != ${#logs[@]} ]; then
        failures=1
        line="FAILED: $line"
        cat "${logs[@]}" | grep -E '^=========|FAILED|Failure|not launched' | head -n 40 >&2
    fi
    echo "$line" | tee -a "$log"
}

mkdir -p "$(dirname "$log")"
echo "every kernel under compute-sanitizer, $(make -s revision), $(nvidia-smi -L | head -n 1 |
    sed 's/ (UUID.*//'), $(date +%Y-%m-%d)" | tee "$log"
start plain 1 "$program"
wait
verdict plain
grep -hE '^not launched|kernels were launched' "$directory/plain.log.0" | tee -a "$log"
# All tools at once, on all cores.
processes=$(($(nproc) / $#))
SECONDS=0
for tool; do
    start "$tool" $((processes > 0 ? processes : 1)) "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 10 "$program"
done
wait
for tool; do verdict "$tool"; done
exit "$failures"
