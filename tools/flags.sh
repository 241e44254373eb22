#!/usr/bin/env bash
# What other compilers and flags bring: builds the ladder with each into build-flags/NAME, times a few
# versions at one size and writes a CSV. Usage: tools/flags.sh CSV [WIDTHxHEIGHT], or tools/flags.sh
# --build, which times nothing: the next call finds all built. Only the ladder is built anew each time:
# what measures and checks it, and the library, are those of build/. What is not installed, cannot be
# built or is wrong is a row with a note, and a line on standard error.
# Exit status: 0 if the default build was timed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
only_build=0
if [ "$*" = --build ]; then
    only_build=1
    set -- build-flags/none.csv
elif [ $# -lt 1 ] || [ $# -gt 2 ] || [ "${1:0:1}" = - ]; then
    sed -n 's/^# //; 2,7p' "$0" >&2
    exit 2
fi
csv=$1
size=${2:-2560x2560}
width=${size%x*}
height=${size#*x}
: "${CXX:=g++}"
export ENTROPY_BENCHMARK=0
export ENTROPY_VERSIONS=${ENTROPY_VERSIONS:-v0,v7,v10,v11,v12}
unset ENTROPY_RESULTS MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
jobs=$(nproc)
rows=$csv.tmp.$$
trap 'rm -f "$rows"' EXIT
mkdir -p build-flags
echo "version,compiler,flags,width,height,total_median_ms,total_min_ms,kernel_median_ms,kernel_min_ms,note" \
    >"$rows" || exit 2

compiler_of() { # host compiler: its name and version, after nvcc's if there is one
    local version nvcc=""
    version=$("$1" -dumpfullversion -dumpversion 2>/dev/null) || version=unknown
    if [ "${CUDA:-1}" != 0 ]; then
        nvcc=$("${NVCC:-nvcc}" --version 2>/dev/null || /usr/local/cuda/bin/nvcc --version 2>/dev/null) || nvcc=""
        nvcc=$(sed -n 's/.* V\([0-9.]*\)$/nvcc \1 with /p' <<<"$nvcc")
    fi
    echo "$nvcc$1 $version"
}

no_times() { # compiler, flags, note: a row for each version
    local version
    for version in ${ENTROPY_VERSIONS//,/ }; do
        echo "$version,$1,$2,$width,$height,,,,,$3" >>"$rows"
    done
}

# The harness and the library, by default flags; every build links them.
main=${BUILD:-build}
unset BUILD
harness=()
prepare() {
    make -j "$jobs" BUILD="$main" CXX="$CXX" "$main/bench_size" >build-flags/main.log 2>&1 &&
        harness=(HARNESS="$main/bench_size_main.o" LIBRARY_OBJECTS="$main/objects")
}

build() { # name, host compiler, flags in words, settings of make...
    local name=$1 host=$2
    shift 3
    command -v "$host" >/dev/null || return
    make -j 4 BUILD="build-flags/$name" CXX="$host" "$@" "${harness[@]}" "build-flags/$name/bench_size" \
        >"build-flags/$name.log" 2>&1
}

time_build() { # the same
    local name=$1 host=$2 flags=$3 results=build-flags/$1/results compiler why
    if ! command -v "$host" >/dev/null; then
        echo "flags.sh: $name: $host is not installed" >&2
        no_times "$host" "$flags" "$host is not installed"
        return 1
    fi
    compiler=$(compiler_of "$host")
    if ! build "$@"; then # by now there is nothing left to do, if it can be built
        why=$(grep -m 1 -iE 'error' "build-flags/$name.log" | tr ',"' '; ' | cut -c 1-160)
        echo "flags.sh: $name: cannot be built: ${why:-see build-flags/$name.log}" >&2
        no_times "$compiler" "$flags" "cannot be built: $why"
        return 1
    fi
    mkdir -p "$results" && rm -f "$results/times.csv"
    echo "== $name: $compiler, $flags"
    ENTROPY_RESULTS=$results "build-flags/$name/bench_size" "$size" | sed -n '/^benchmark/,$p'
    if [ ! -s "$results/times.csv" ]; then
        echo "flags.sh: $name: was built, but not timed" >&2
        no_times "$compiler" "$flags" "not timed"
        return 1
    fi
    # Commas stand in quotes in the last two columns only, idea and note: no note is empty.
    awk -F, -v compiler="$compiler" -v flags="$flags" -v name="$name" 'NR > 1 {
        note = $0
        sub(/^([^,]*,)+/, "", note)
        if ($5 > 0) { # it was timed
            print $1, compiler, flags, $3, $4, $6, $7, ($8 > 0 ? $9 : ""), ($8 > 0 ? $10 : ""), ""
        } else {
            if (note ~ /"$/) { n = split($0, quoted, "\""); note = quoted[n - 1] }
            gsub(/,/, ";", note)
            print $1, compiler, flags, $3, $4, "", "", "", "", note
            print "flags.sh: " name ": " $1 ": " note >"/dev/stderr"
        }
    }' OFS=, "$results/times.csv" >>"$rows"
}

if ! prepare; then
    echo "flags.sh: the default build failed, see build-flags/main.log" >&2
    exit 1
fi
each() { # calls "$@" for every build
    "$@" default "$CXX" "-O3" || return
    if [[ $(compiler_of "$CXX") == nvcc* ]]; then
        "$@" device_fast "$CXX" "-O3 --use_fast_math" CUDA_FLAGS=--use_fast_math
    elif [ "$1" = time_build ]; then
        echo "flags.sh: device_fast: there is no nvcc here" >&2
        no_times "$CXX" "-O3 --use_fast_math" "there is no nvcc here"
    fi
    "$@" O2 "$CXX" "-O2" OPTIMIZE=-O2
    # nvcc hands its own -O3 to the host compiler last: hence -ffast-math, which -Ofast adds to it.
    "$@" host_native "$CXX" "-O3 -march=native (host)" HOST_FLAGS=-march=native
    "$@" host_fast "$CXX" "-O3 -ffast-math (host)" HOST_FLAGS=-ffast-math
    "$@" host_native_fast "$CXX" "-O3 -ffast-math -march=native (host)" \
        HOST_FLAGS="-ffast-math -march=native"
    "$@" clang clang++ "-O3"
    "$@" clang_native clang++ "-O3 -march=native (host)" HOST_FLAGS=-march=native
    "$@" icpx icpx "-O3"
    return 0
}
beside() { "$@" & }

each beside build # all at once; what is timed below is timed alone
wait
[ $only_build = 0 ] || exit 0
each time_build || exit 1
mv "$rows" "$csv" && echo "wrote $csv"
