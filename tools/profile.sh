#!/usr/bin/env bash
# What the kernels ask of the machine and what their warps wait for: tools/profile.sh DIRECTORY
# Runs ncu over the versions of core.cu, of fast_study and of the labs, one launch each on 2560x2560
# cells, over v15 on rows of ten cells and on 10240x10240, and over filters of the library: on
# natural images, on those that slow them down, on small ones, and what large ones move; writes
# DIRECTORY/counters.csv. Needs a GPU whose counters may be read, ncu, python3; exit status 3 where
# there is no GPU or no ncu.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:---help}" = --help ]; then sed -n 's/^# //; 2,7p' "$0"; exit $(($# == 0 ? 2 : 0)); fi
mkdir -p "$1"
directory=$(cd "$1" && pwd)
build=${BUILD:-build}
logs=$build/profile # what ncu and make print
mkdir -p "$logs"
python=${PYTHON:-python3}
refuse() { echo "profile.sh: $*" >&2; exit 3; }
nvidia-smi -L 2>/dev/null | grep -q '^GPU' || refuse "there is no GPU here"
for ncu in "$(command -v ncu)" /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu; do
    [ ! -x "$ncu" ] || break
done
[ -x "$ncu" ] || refuse "there is no ncu (Nsight Compute) here"

# ---- what is counted ---------------------------------------------------------------------------

wanted=(
    gpu__time_duration.sum sm__cycles_elapsed.max
    smsp__inst_executed.sum smsp__inst_executed.avg.per_cycle_active
    sm__warps_active.avg.pct_of_peak_sustained_active
    sm__maximum_warps_per_active_cycle_pct
    smsp__warps_eligible.avg.per_cycle_active
    smsp__thread_inst_executed_per_inst_executed.ratio
    # memory
    l1tex__t_sector_hit_rate.pct lts__t_sector_hit_rate.pct
    l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed
    l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
    l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum
    l1tex__t_sectors_pipe_tex_mem_texture.sum l1tex__t_requests_pipe_tex_mem_texture.sum
    l1tex__m_xbar2l1tex_read_sectors.sum
    lts__ltcfabric2ltc_cycles_active.max.pct_of_peak_sustained_elapsed
    lts__t_sectors.avg.pct_of_peak_sustained_elapsed lts__t_sectors_op_write.sum
    dram__throughput.avg.pct_of_peak_sustained_elapsed
    gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
    dram__bytes.sum dram__bytes_read.sum dram__bytes_write.sum
    # what a launch asks for
    launch__registers_per_thread launch__waves_per_multiprocessor
    launch__occupancy_limit_registers launch__occupancy_limit_shared_mem
    launch__occupancy_limit_warps launch__occupancy_limit_blocks
)
for space in global local; do
    for way in ld st; do
        for what in requests sectors; do
            wanted+=("l1tex__t_${what}_pipe_lsu_mem_${space}_op_$way.sum")
        done
    done
done
for pipe in alu fma fmaheavy fp64 xu lsu tex; do
    wanted+=("smsp__inst_executed_pipe_$pipe.avg.pct_of_peak_sustained_active")
done
wanted+=(sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active)
for reason in long_scoreboard short_scoreboard lg_throttle mio_throttle tex_throttle \
    math_pipe_throttle wait barrier not_selected selected drain dispatch_stall imc_miss \
    no_instruction membar sleeping branch_resolving gmma misc; do
    wanted+=("smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio")
done

# ---- ncu ---------------------------------------------------------------------------------------

profile() { # log, metrics, program...: the program under ncu
    local log=$1 metrics=$2
    shift 2
    if ! "$ncu" --clock-control none --csv --nvtx --print-units base --print-kernel-base demangled \
        --metrics "$metrics" --log-file "$log" "$@"; then
        tail -n 5 "$log" >&2
        return 1
    fi
}
joined() { local IFS=,; echo "$*"; }

programs=("$build/entropy_profile" "$build/profile_labs" "$build/fast_study_profile")
make -j "$(nproc)" BUILD="$build" "${programs[@]}" "$build/bench_launches" >"$logs/build.log" 2>&1 ||
    { tail -n 5 "$logs/build.log" >&2; exit 1; }

# One metric that ncu does not know must not lose the others: those that it does not list are tried
# apart, and left out if that gives nothing.
listed=$("$ncu" --query-metrics 2>/dev/null | awk '{ print $1 }' | sort -u) || true
metrics=() doubtful=()
for metric in "${wanted[@]}"; do
    if [[ -z $listed || $metric == launch__* ]] || grep -qxF "${metric%%.*}" <<<"$listed"; then
        metrics+=("$metric")
    else
        doubtful+=("$metric")
    fi
done
try() { # metrics: adds what v0 gives for them to tried.csv
    profile "$logs/tried.ncu" "$(joined "$@")" "$build/entropy_profile" v0 &&
        "$python" tools/counters.py "$logs/tried.csv" "$logs/tried.ncu" &&
        cat "$logs/tried.csv" >>"$logs/tried.all"
}
if [ ${#doubtful[@]} -gt 0 ]; then
    : >"$logs/tried.all"
    if ! try "${doubtful[@]}" >/dev/null 2>&1 && [ ${#doubtful[@]} -le 8 ]; then
        for metric in "${doubtful[@]}"; do try "$metric" >/dev/null 2>&1 || true; done
    fi
    for metric in "${doubtful[@]}"; do
        if grep -qF ",$metric," "$logs/tried.all"; then
            metrics+=("$metric")
        else
            echo "left out, not known to ncu here: $metric"
        fi
    done
    rm -f "$logs"/tried.*
fi

# ncu launches a kernel again and again until all is counted: the fewer, the sooner. Kernels of the
# library have no textures and no doubles to speak of. What they move is all that is asked of images
# too large for the second-level cache.
without() { # expression: the metrics that it does not match
    printf '%s\n' "${metrics[@]}" | grep -vE "$1"
}
mapfile -t library < <(without 'texture|pipe_tex|mem_local|fp64|pipe_xu|ltcfabric|occupancy_limit')
mapfile -t moved < <(printf '%s\n' "${metrics[@]}" | grep -E \
    'time_duration|dram__bytes_(read|write)|sectors_op_write|sectors_pipe_lsu_mem_global_op_st')

files=() failed=()
for program in "${programs[@]}"; do
    name=$(basename "$program")
    start=$SECONDS
    rm -f "$logs/$name.ncu"
    profile "$logs/$name.ncu" "$(joined "${metrics[@]}")" "$program" || failed+=("$name")
    echo "$name: $((SECONDS - start)) s"
    [ -s "$logs/$name.ncu" ] || continue
    case $name in
    entropy_profile | profile_labs) files+=("$logs/$name.ncu") ;;
    *) files+=("${name%_profile}=$logs/$name.ncu") ;;
    esac
done

apart() { # name, metrics, program...: a log of its own; rows begin with the name, but of launches
    local name=$1 start=$SECONDS log=$logs/$1.ncu
    rm -f "$log"
    if profile "$log" "$2" "${@:3}" >"$log.txt" 2>&1 && [ -s "$log" ]; then
        [ "$name" = launches ] || log=$name=$log
        files+=("$log")
    else
        failed+=("$name")
        tail -n 1 "$log.txt" >&2
    fi
    echo "$name: $((SECONDS - start)) s"
}
apart narrow "$(joined "${metrics[@]}")" "$build/entropy_profile" --size 10x1000000 v15
apart large "$(joined "${metrics[@]}")" "$build/entropy_profile" --size 10240x10240 v15

# The library: filters of every method, all kernels of a launch. An NVTX range has a filter's name.
launches() { # name, content, size, metrics, filters
    apart "$1" "$4" "$build/bench_launches" --once --cases "^($5)\$" --contents "$2" --sizes "$3"
}
others() { launches "$1_$2" "$@"; } # content, size, metrics, filters: not the usual image
filters='uint8-(256-(3x3|5x5|7x7|9x9|15x15|31x31|disk5|disk10)|64-5x5'
filters+='|16-(5x5|9x9|15x15|31x31)|2-15x15)|uint16-(65536-(3x3|5x5|7x7)|4096-(9x9|15x15|31x31))'
launches launches natural 4096x4096 "$(joined "${library[@]}")" "$filters"
# Of filters that miss their aim, or depend on the content most, the content that takes longest.
filters='uint8-(256-(7x7|9x9|9x9-mask|15x15|31x31|disk5|disk10)|16-5x5)'
others adversarial 4096x4096 "$(joined "${library[@]}")" "$filters"
others sparse 4096x4096 "$(joined "${library[@]}")" 'uint8-16-(15x15|31x31)'
filters='uint8-(256-(3x3|5x5|9x9|15x15|31x31|disk5)|16-(5x5|15x15|31x31))'
filters+='|uint16-(65536-3x3|4096-15x15)'
others natural 1024x1024 "$(joined "${library[@]}")" "$filters"
# Of large images, which no cache holds, what reaches memory.
filters='uint8-(256-(3x3|5x5|9x9|31x31|disk5)|16-(5x5|15x15)|2-15x15)|uint16-(65536-5x5|4096-15x15)'
others natural 10240x10240 "$(joined "${moved[@]}")" "$filters"
"$python" tools/counters.py "$directory/counters.csv" "${files[@]}"
[ ${#failed[@]} -eq 0 ] || { echo "profile.sh: failed: ${failed[*]}" >&2; exit 1; }
