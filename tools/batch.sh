#!/usr/bin/env bash
# A program on several text files, three times each, as a batch script of the course would run it:
#     tools/batch.sh PROGRAM CSV FILE ...      CSV: a file for the times, or '' for none
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
program=$1 csv=$2
shift 2
rows=version,input,run,seconds
for file; do
    for run in 1 2 3; do
        log=$(ENTROPY_BENCHMARK=warm-up "$program" "$file") || { echo "$log" >&2; exit 1; }
        seconds=$(awk '/^passed:/ { printf "%.6f", $2 / 1000 }' <<<"$log")
        version=$(sed -n 's/.* groups\{0,1\} passed with \([^;]*\);.*/\1/p' <<<"$log")
        input=$(basename "$file" .txt)
        echo "$input run $run: $seconds s with $version"
        rows+=$'\n'$version,$input,$run,$seconds
    done
done
[ -z "$csv" ] || echo "$rows" >"$csv"
