#!/usr/bin/env bash
# What the kernels of core.cu take, in the compiler's own words, a line each:
#     tools/spills.sh [ARCHITECTURE] >results/compiler/spills.txt      (default: sm_90)
# It needs nvcc, and no GPU. Local memory holds arrays that are indexed at run time, and spills.
set -euo pipefail
cd "$(dirname "$0")/.."
architecture=${1:-sm_90}
case $architecture in
sm_*) ;;
*) sed -n '2,4s/^# //p' "$0" >&2; exit 2 ;;
esac
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cubin=$(mktemp)
trap 'rm -f "$cubin"' EXIT
words=$("$nvcc" -std=c++17 -O3 -arch="$architecture" -Xcompiler -fopenmp -Isources -Xptxas -v -cubin \
    -o "$cubin" sources/entropy/core.cu 2>&1) || { echo "$words" >&2; exit 1; }
echo "nvcc $("$nvcc" --version | sed -n 's/.* V\([0-9.]*\)$/\1/p'), $architecture, -O3;" \
    "core.cu of revision $(make -s revision); bytes a thread"
awk '
/Compiling entry function/ { match($0, /v[0-9]+18cudaCallbackKernel/); name = substr($0, RSTART, RLENGTH - 20) }
/bytes stack frame/ { local = $1; stores = $5; loads = $9 }
/Used [0-9]+ registers/ { registers = $5
    printf "%-4s %3d registers, %3d bytes of local memory, of which spills: %d stored, %d loaded\n",
           name, registers, local, stores, loads }' <<<"$words" | sort -V
