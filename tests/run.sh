#!/usr/bin/env bash
# Runs test programs, all of them whatever comes of one, and sums them up: tests/run.sh COMMAND ...
# The last line is the verdict, "N passed, N failed, N skipped"; exit status 0 if some passed and
# none has failed.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ $# -gt 0 ] || { sed -n 's/^# //; 2,4p' "$0" >&2; exit 2; }

for command; do
    printf '== %s\n' "${command%% -*}" | cut -c1-100 | tee -a "$log"
    sh -c "$command" 2>&1 | tee -a "$log"
    printf '== ended with status %s\n' "${PIPESTATUS[0]}" >>"$log"
done

# GoogleTest says OK, SKIPPED or FAILED at the end of each test; test_grade.py sums up. A program
# that ends with another status than 0 and names no failure has failed once.
awk '
/^== ended with status / {
    if (open != "") { failed++; list[++failures] = open ": its program ended in it" }
    else if ($5 != 0 && failed == before) { failed++; list[++failures] = program ": status " $5 }
    open = ""
    next
}
/^== / { program = substr($0, 4); before = failed; next }
reason { sub(/^.* needs /, "needs "); if (++why[$0] == 1) order[++reasons] = $0; reason = 0; next }
/: Skipped$/ { reason = 1; next }
/^\[ RUN      \] / { open = $4; next }
/^\[       OK \] .* ms\)$/ { passed++; open = ""; next }
/^\[  SKIPPED \] .* ms\)$/ { skipped++; open = ""; next }
/^\[  FAILED  \] .* ms\)$/ { failed++; open = ""; sub(/,$/, "", $4); list[++failures] = $4; next }
/^(FAIL|ERROR): / { list[++failures] = $2; next }
/^counted: / { passed += $2; failed += $4; skipped += $6 }
END {
    print ""
    for (i = 1; i <= reasons; i++) printf "skipped: %d, %s\n", why[order[i]], order[i]
    for (i = 1; i <= failures; i++) print "failed: " list[i]
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
}' "$log"
