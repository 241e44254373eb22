#!/usr/bin/env bash
# Everything that only a machine with GPUs can show: tools/check_gpu.sh DIRECTORY [stage ...]
# Stages: tests, sanitizer, versions, studies, labs, profile, engine_profile, run, cpu, gpu, peers; all
# of them if none is named.
# Each prints one line with its verdict and leaves its log in DIRECTORY; exit status 0 if all passed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
if [ "${1:---help}" = --help ]; then sed -n 's/^# //; 2,5p' "$0"; exit $(($# == 0 ? 2 : 0)); fi
directory=$1
shift
[ $# -gt 0 ] || set -- tests sanitizer versions studies labs profile engine_profile run cpu gpu peers
nvidia-smi -L 2>/dev/null | grep -q '^GPU' || { echo "check_gpu.sh: there is no GPU here" >&2; exit 2; }
mkdir -p "$directory/results"
directory=$(cd "$directory" && pwd)
jobs=$(nproc)
failures=0

stage() { # name, command...: runs it, keeps its output, prints the verdict
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$directory/$name.log" 2>&1; then
        echo "passed: $name, $((SECONDS - start)) s"
    else
        echo "FAILED: $name, $((SECONDS - start)) s, see $directory/$name.log"
        tail -n 15 "$directory/$name.log"
        failures=$((failures + 1))
    fi
}

# With a GPU no version may be skipped.
tests() {
    make -j "$jobs" test || return
    ! grep -qE 'needs (a GPU|CUDA|cuBLAS)' "$directory/tests.log"
}

# Tests on small arrays, and both kernels of hello, under each tool of compute-sanitizer.
sanitizer() {
    local tests="build/tests/all build/tests/memory_study build/tests/bottleneck_study"
    tests+=" build/tests/fast_study"
    # shellcheck disable=SC2086
    make -j "$jobs" $tests build/hello || return
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
    local names name cores=sources/entropy/cores
    names=$(make -s versions) || return
    for name in $names; do
        sed "s/^#define VERSION v[0-9]*/#define VERSION $name/" sources/entropy/core.cu \
            >"$cores/edited_$name.cu" || return
    done
    # shellcheck disable=SC2046,SC2086
    make -j "$jobs" $(printf 'build/edited_%s ' $names)
    rm -f "$cores"/edited_*.cu
    for name in $names; do
        ENTROPY_BENCHMARK=0 "build/edited_$name" | tail -n 1 | tee "$directory/verdict" || return
        grep -q "12 of 12 groups passed with $name;" "$directory/verdict" || return
    done
}

# Each of the other cores: its benchmark, its measures by groups, its batch.
studies() {
    local core results
    for core in memory_study bottleneck_study fast_study; do
        results=$directory/results/$core
        mkdir -p "$results"
        make -j "$jobs" CORE=$core "build/$core" "build/${core}_measures" || return
        ENTROPY_BENCHMARK=1 ENTROPY_RESULTS=$results "build/$core" data/worked_4x4.txt || return
        make CORE=$core measures batch RESULTS="$results" || return
    done
}

labs() {
    make -j "$jobs" labs || return
    build/maximum && build/maximum --benchmark --csv "$directory/results/maximum.csv" || return
    build/transpose && build/transpose --benchmark --csv "$directory/results/transpose.csv" || return
    build/hello 2 4 2 || return
    build/hello 8 32 4 --order --runs 100 | tee "$directory/results/hello.txt"
}

# What the kernels of v0 to v9 ask of the multiprocessor's memory path, from its counters.
profile() {
    make -j "$jobs" build/make_data build/tests/all || return
    local metrics=l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum
    metrics+=,l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum
    metrics+=,l1tex__t_requests_pipe_lsu_mem_local_op_st.sum
    metrics+=,l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
    metrics+=,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed
    metrics+=,gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed,gpu__time_duration.sum
    build/make_data 2560x2560 random "$directory/2560.bin" || return
    local name
    for name in v0 v1 v2 v3 v4 v5 v6 v7 v8 v9; do
        make -j "$jobs" BUILD=build-profile/$name VERSION=$name build-profile/$name/entropy \
            >/dev/null || return
        ENTROPY_BENCHMARK=0 ncu --clock-control none --csv --metrics "$metrics" \
            "build-profile/$name/entropy" "$directory/2560.bin" |
            sed -n "s/^\"[0-9]/\"$name\",&/p" || return
    done >"$directory/results/counters.csv"
    rm "$directory/2560.bin"
}

# What the kernel of the GPU engine asks of the machine, and what its warps wait for. Some of these
# counters exist only where the second-level cache has two halves: on data-centre GPUs from A100 on.
engine_profile() {
    make -j "$jobs" build/bench_gpu || return
    local metrics=gpu__time_duration.sum,sm__cycles_elapsed.max,smsp__inst_executed.sum
    metrics+=,smsp__inst_executed.avg.per_cycle_active
    metrics+=,smsp__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active
    metrics+=,smsp__inst_executed_pipe_fmaheavy.avg.pct_of_peak_sustained_active
    metrics+=,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed
    metrics+=,lts__ltcfabric2ltc_cycles_active.max.pct_of_peak_sustained_elapsed
    metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes.sum
    metrics+=,l1tex__m_xbar2l1tex_read_sectors.sum
    {
        echo "Counters of the kernel of the GPU engine, one launch on 10240x10240 random cells, as"
        echo "ncu --clock-control none prints them on the machine of engine_environment.txt, revision"
        echo "${REVISION:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}."
        echo
        ncu --clock-control none --kernel-name regex:entropyKernel --launch-skip 5 --launch-count 1 \
            --metrics "$metrics" --section WarpStateStats --print-details all build/bench_gpu |
            grep -E '^ +(gpu|sm|smsp|l1tex|lts|dram)__[a-z0-9_.]+ |^ +Stall |^ +Warp Cycles Per Issued'
    } >"$directory/results/engine_counters.txt" || return
    grep -q 'Stall Wait' "$directory/results/engine_counters.txt"
}

# The first command of the README: its log and times are committed.
run() {
    make -j "$jobs" build/scaling || return
    ENTROPY_RESULTS=$directory/results ./RUNME.sh >"$directory/screen.log" || return
    ENTROPY_BENCHMARK=0 build/scaling "$directory/results/scaling.csv"
}

# The CPU engine by path, content, size and threads.
cpu() {
    make -j "$jobs" build/bench_cpu || return
    build/bench_cpu "$directory/results/cpu.csv"
}

# The GPU engine: its kernel by content, size and alignment, and from host memory to host memory;
# with the facts of the machine, since other stages may be run elsewhere.
gpu() {
    make -j "$jobs" build/bench_gpu build/bench_everywhere || return
    build/bench_gpu "$directory/results/gpu.csv" >"$directory/bench_gpu.txt" || return
    cat "$directory/bench_gpu.txt"
    grep -E '^(CPU|threads|GPU [0-9]+|driver|compiler|revision):' "$directory/bench_gpu.txt" \
        >"$directory/results/engine_environment.txt" || return
    build/bench_everywhere "$directory/results/everywhere.csv"
}

# Other software that computes the same; what is not installed is named in the table.
peers() {
    make -j "$jobs" build/entropy build/entropy_measures build/make_data build/bench_gpu || return
    "${PYTHON:-python3}" tools/peers.py --csv "$directory/results/peers.csv"
}

for name; do
    case $name in
    tests | sanitizer | versions | studies | labs | profile | engine_profile | run | cpu | gpu | peers)
        stage "$name" "$name"
        ;;
    *) echo "check_gpu.sh: there is no stage '$name'" >&2; exit 2 ;;
    esac
done
exit $((failures > 0))
