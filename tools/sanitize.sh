#!/usr/bin/env bash
# The tools of compute-sanitizer over every kernel: tools/sanitize.sh BUILD LOG [tool ...]
# Runs BUILD/tests/every_kernel as it is, where no kernel of the library may be left out, then
# under each tool, in as many processes as there are cores, but no more than the GPU has memory for,
# MEMORY MiB each (4096); racecheck last, by itself, with the brief tests (tests/brief.h). A process
# that takes longer than LIMIT seconds (300) is stopped, and has failed. LOG gets a line for each,
# once all four tools have come to their end, whatever they found, with all tests: TESTS is a filter
# of GoogleTest for fewer. All that they said is in BUILD/sanitize. Exit status 0 if no test has
# failed, in any run.
set -uo pipefail
if [ $# -lt 2 ]; then sed -n 's/^# //; 2,9p' "$0" >&2; exit 2; fi
program=$1/tests/every_kernel log=$2 directory=$1/sanitize
shift 2
[ $# -gt 0 ] || set -- memcheck initcheck synccheck racecheck
limit=${LIMIT:-300}
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
nvidia-smi -L 2>/dev/null | grep -q '^GPU' || { echo "sanitize.sh: there is no GPU here" >&2; exit 2; }
[ -x "$sanitizer" ] || { echo "sanitize.sh: compute-sanitizer is missing" >&2; exit 2; }
rm -rf "$directory"
mkdir -p "$directory" || exit 2
lines=$directory/lines
cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) # which says what OpenMP may have
# Processes at once: each has a context and arrays of its own, and a tool keeps notes of them.
most=$cores free=$(nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits | head -n 1)
if [[ $free =~ ^[0-9]+$ ]]; then # where the GPU has no memory of its own, it does not say
    fit=$((free / ${MEMORY:-4096}))
    most=$((fit < 1 ? 1 : fit < cores ? fit : cores))
fi
export GTEST_COLOR=no OMP_NUM_THREADS=1 # threads of each process
failures=0 unfinished=0
# Each running tool takes one of so many ports. What racecheck notes down, threads on the CPU judge:
# left to itself, it starts as many of them as if it were alone here.
options=(--error-exitcode 9 --print-limit 10 --max-connections 256)
of_racecheck=()
if [[ $("$sanitizer" --help 2>/dev/null) == *racecheck-num-workers* ]]; then
    of_racecheck=(--racecheck-num-workers 2)
fi

# Of each test in logs that has ended: OK, FAILED or SKIPPED, its name, its milliseconds.
ended() { # logs...
    cat "$@" | awk '/^\[ +(OK|FAILED|SKIPPED) +\] .* \([0-9]+ ms\)$/ {
        sub(/,$/, "", $4)
        print $2, $4, substr($(NF - 1), 2)
    }'
}

# Shares tests out: the longest first, each to the process that has least to do so far.
share() { # name, number of processes, log of a run of all the tests
    ended "$3" | sort -k3,3nr | awk -v files="$directory/$1.tests." -v processes="$2" '{
        least = 0
        for (i = 1; i < processes; i++) if (load[i] < load[least]) least = i
        load[least] += $3 + 20
        tests[least] = tests[least] (tests[least] == "" ? "" : ":") $2
    }
    END { for (i in tests) print tests[i] > (files i) }'
}

run() { # name, number, command...: one process, to its end
    local status=0 start=$SECONDS
    GTEST_FILTER=$(<"$directory/$1.tests.$2") timeout -k 10 "$limit" "${@:3}" \
        >"$directory/$1.log.$2" 2>&1 &
    trap 'kill $!' TERM # who stops this script stops all that it has begun
    wait $! || status=$?
    echo "$status $((SECONDS - start))" >"$directory/$1.end.$2"
}

start() { # tool, number of processes, log of a run of its tests: begins them
    local file more=()
    [ "$1" != racecheck ] || more=("${of_racecheck[@]}")
    share "$@"
    for file in "$directory/$1.tests".*; do
        run "$1" "${file##*.}" "$sanitizer" --tool "$1" "${options[@]}" "${more[@]}" "$program" &
    done
}

failed() { # name, a line: what is to be looked at
    failures=1
    cat "$directory/$1.log".* | grep -E '^=========|FAILED|Failure|not launched' | head -n 40 >&2
    echo "FAILED: $2" | tee -a "$lines"
}

# How it went, a line, once its processes have ended. All tests must have passed, or have been
# skipped, and each process must have ended well and, under a tool, have summed up.
verdict() { # name, number of tests
    local logs=("$directory/$1.log".*) counts passed wrong skipped summaries found good stopped line
    counts=$(ended "${logs[@]}" | awk '{ n[$1]++ }
        END { printf "%d %d %d\n", n["OK"], n["FAILED"], n["SKIPPED"] }')
    read -r passed wrong skipped <<<"$counts"
    counts=$(cat "$directory/$1.end".* | awk '
        $1 == 0 { good++ }
        $1 == 124 || $1 == 137 { stopped++ }
        $2 > seconds { seconds = $2 }
        END { printf "%d %d %d\n", good, stopped, seconds }')
    read -r good stopped seconds <<<"$counts"
    line="$1: $passed of $2 tests passed, $wrong failed, $skipped skipped"
    case $1 in
    plain | brief) summaries=${#logs[@]} found=0 ;;
    *)
        counts=$(cat "${logs[@]}" | awk '
            /^=+ (ERROR|RACECHECK) SUMMARY: / && !/not printed/ { n++; sum += $4 }
            END { printf "%d %d\n", n, sum }')
        read -r summaries found <<<"$counts"
        line+=", $found $([ "$1" = racecheck ] && echo hazards || echo errors)"
        ;;
    esac
    line+=", $seconds s, ${#logs[@]} at once"
    if [ $((passed + wrong + skipped)) != "$2" ] || [ "$summaries" != "${#logs[@]}" ]; then
        unfinished=1
        failed "$1" "$line: NOT FINISHED, $stopped were stopped or killed, the limit is $limit s"
    elif [ "$good" != "${#logs[@]}" ] || [ "$passed" = 0 ] || [ $((wrong + found)) != 0 ]; then
        failed "$1" "$line"
    else
        echo "$line" | tee -a "$lines"
    fi
}

number_of() { # name: tests that a run of all of them has begun with
    sed -n 's/^\[==========\] Running \([0-9]*\) tests\{0,1\} from .*/\1/p' "$directory/$1.log.0"
}

echo "every kernel under compute-sanitizer, $(make -s revision), $(nvidia-smi -L | head -n 1 |
    sed 's/ (UUID.*//'), $(date +%Y-%m-%d)" | tee "$lines"
trap 'kill $(jobs -p) 2>/dev/null' EXIT
for name in plain brief; do
    echo "${TESTS:-EveryKernel.*:*SmallShapes*}" >"$directory/$name.tests.0"
done
run plain 0 "$program" &
BRIEF_TESTS=1 run brief 0 "$program" &
wait
for name in plain brief; do
    tests=$(number_of "$name")
    verdict "$name" "${tests:-1}"
    grep -hE '^not launched|kernels were launched' "$directory/$name.log.0" | tee -a "$lines"
done
[ "$unfinished" = 0 ] || { echo "sanitize.sh: the tests themselves do not end" >&2; exit 1; }

at_once=() last=()
for tool; do
    if [ "$tool" = racecheck ]; then last=(racecheck); else at_once+=("$tool"); fi
done
if [ ${#at_once[@]} -gt 0 ]; then
    processes=$((most / ${#at_once[@]}))
    for tool in "${at_once[@]}"; do
        start "$tool" $((processes > 0 ? processes : 1)) "$directory/plain.log.0"
    done
    wait
    for tool in "${at_once[@]}"; do verdict "$tool" "$(number_of plain)"; done
fi
if [ ${#last[@]} -gt 0 ]; then
    export BRIEF_TESTS=1
    start racecheck "$most" "$directory/brief.log.0"
    wait
    verdict racecheck "$(number_of brief)"
fi

if [ "$unfinished" = 0 ] && [ $((${#at_once[@]} + ${#last[@]})) = 4 ] && [ -z "${TESTS:-}" ]; then
    mkdir -p "$(dirname "$log")" && cp "$lines" "$log" || failures=1
else
    echo "sanitize.sh: not whole, $log is not written" >&2
fi
exit "$failures"
