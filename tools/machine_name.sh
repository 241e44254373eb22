#!/bin/sh
# Prints a short name of this machine for results/<machine>: its GPUs, or its processor.
set -eu
name=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | grep -v -i failed |
    sort | uniq -c | sed 's/^ *\([0-9]*\) */\1x /' | tr '\n' ' ') || true
if [ -z "$name" ]; then
    name=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
    name="${name:-$(uname -m)} $(nproc) threads"
fi
printf '%s\n' "$name" | tr '[:upper:]' '[:lower:]' | sed 's/(r)//g; s/(tm)//g; s/[^a-z0-9]\+/-/g; s/^-//; s/-$//'
