#!/bin/sh
# From a fresh clone to the verdict: ./RUNME.sh | tee screen.log
set -eu
cd "$(dirname "$0")"

usage='usage: ./RUNME.sh [--help] [setting=value ...]

Installs what is missing (compiler, make) where it can, builds, makes the data, times every version
and runs the active one on the twelve groups of data/data.bin. Run it again as often as you like:
only what has changed is built again. Exit status 0 if all passed.

Settings go to make: VERSION=v7, CUDA=0, ARCH=all-major, CXX=clang++ (see make help).
Without a GPU here, the build is for sm_90 only: ARCH=native or all-major for other machines.
ENTROPY_BENCHMARK=0 in the environment skips the timing, which takes minutes on a small machine.
'
for argument; do
    case $argument in
    --help | -h) printf '%s' "$usage"; exit 0 ;;
    *=*) ;;
    *) printf 'RUNME.sh: %s is not a setting\n%s' "$argument" "$usage" >&2; exit 2 ;;
    esac
done
compiler=${CXX:-g++}
for argument; do case $argument in CXX=*) compiler=${argument#CXX=} ;; esac; done

say() { echo "== $*"; }

tools/setup.sh build "$compiler"
say "building (the first time this takes some minutes)"
make --no-print-directory -j "$(nproc)" all "$@"
# Settings may also come from the environment: only make knows what it has built.
program=$(make --no-print-directory program "$@")
say "data"
make --no-print-directory data "$@"
if [ "${ENTROPY_BENCHMARK:-1}" = 0 ]; then
    say "running"
else
    say "running; first the benchmark of all versions: minutes without a GPU" \
        "(ENTROPY_BENCHMARK=0 skips it)"
fi
exec "$program"
