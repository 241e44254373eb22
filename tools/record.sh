#!/usr/bin/env bash
# Measures everything that report.md and README.md cite, on this machine, from one revision:
#     tools/record.sh [--help] [stage ...]
# Fills results/<machine>/ and, with a GPU, screen.log; `make record` does so and then `make report`.
#
# Stages, in this order; all of them if none is named:
#   round1 round2 round3   the ladder and the fast study, three times apart in time; the labs with
#                          the first
#   engine                 its kernels by content, size, alignment, path, threads and memory
#   filter                 the library by window, type and levels, beside scikit-image, three times
#   launches               the library in the memory of a GPU
#   together               the library by CPU and GPUs together, from host memory
#   studies                memory, bottlenecks, variants; the first two by groups and in batches
#   profile                the profiler's counters of every kernel (needs ncu)
#   parts                  where the time of a call goes; the first call; occupancy; precision
#   scaling                versions by threads and by GPUs
#   flags                  versions by compiler and flags
#   peers                  other software that computes the same, as far as it is installed
# A stage that fails, or is skipped since this machine cannot run it, leaves the files of the last
# record as they are, and record.csv says of which revision each stage is. Rounds are joined: round2
# and round3 need a round1 of the same revision. Exit status 0 if none failed. What runs beside a
# measurement disturbs it: leave the machine alone. RESULTS=DIR and LOG=FILE in the environment put
# results and log elsewhere; what the stages printed is in build/record/.
# shellcheck disable=SC2317 # the stages are called by their names
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

all="round1 engine filter launches together profile round2 parts scaling studies flags round3 peers"
for stage; do
    case " $all " in
    *" $stage "*) ;;
    *)
        sed -n '2,/^# shellcheck/s/^# \{0,1\}//p' "$0" | sed '$d'
        [ "$stage" = --help ] && exit 0
        echo "record.sh: there is no stage '$stage'" >&2
        exit 2
        ;;
    esac
done
[ $# -gt 0 ] || eval "set -- $all"

results=${RESULTS:-results/$(tools/machine_name.sh)}
log=${LOG:-screen.log}
jobs=$(nproc)
scratch=build/record
rm -rf "$scratch"
mkdir -p "$results" "$scratch" || exit 2
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
revision=$(make -s revision) || exit 2
failures=0
skipped=3 # exit status of a stage that this machine cannot run
unset ENTROPY_BENCHMARK ENTROPY_VERSIONS ENTROPY_RESULTS # a record is of all versions
# What is quick is repeated for less than that anyway; the log's own run takes its time.
export BENCHMARK_SECONDS=${BENCHMARK_SECONDS:-0.4}

# name, function, arguments...: runs it in a directory of its own, $out, and keeps what it wrote if
# it passed.
stage() {
    local name=$1 start=$SECONDS status=0
    shift
    out=$scratch/$name
    mkdir -p "$out"
    { "$@" && keep "$name" "$start"; } >"$scratch/$name.log" 2>&1 || status=$?
    if [ $status = 0 ]; then
        echo "passed: $name, $((SECONDS - start)) s"
    elif [ $status = $skipped ]; then
        echo "skipped: $name: $(tail -n 1 "$scratch/$name.log")"
    else
        echo "FAILED: $name, $((SECONDS - start)) s"
        tail -n 20 "$scratch/$name.log"
        failures=$((failures + 1))
    fi
}

# Puts what a stage wrote in its place, and the stage into record.csv: keep NAME START.
keep() {
    local replaced=$1
    [ "$1" != round1 ] || replaced='round[123]' # it begins the joined files anew
    [ "$1" != build ] || return 0
    cp -R "$out/." "$results" || return 1
    if [ -e "$scratch/$1.screen" ]; then cp "$scratch/$1.screen" "$log" || return 1; fi
    {
        echo "stage,revision,seconds"
        sed "1d; /^$replaced,/d" "$results/record.csv" 2>/dev/null
        echo "$1,$revision,$((SECONDS - $2))"
    } >"$scratch/record.csv" && mv "$scratch/record.csv" "$results/record.csv"
}

# What the stages run, built before anything is timed.
build() {
    local programs="all labs" program core
    for program in scaling bench_cpu bench_everywhere bench_filter bench_size precision; do programs+=" build/$program"; done
    for core in fast_study memory_study bottleneck_study variants_study; do
        programs+=" build/$core build/${core}_measures"
    done
    if [ "$gpus" != 0 ]; then
        for program in bench_gpu bench_launches bench_together parts threshold occupancy {entropy,variants_study}_devices \
            {entropy,fast_study}_profile profile_labs; do
            programs+=" build/$program"
        done
    fi
    # shellcheck disable=SC2086
    make -j "$jobs" data $programs
}

# The same CSV of several rounds in one, a column `round` before the others: join FILE ROUND.
# A round that is measured again takes the place of its rows.
join() {
    local file=$1 round=$2
    if [ "$round" = 1 ]; then
        sed '1s/^/round,/; 1!s/^/1,/' "$out/$file" >"$out/joined" || return
    else
        grep -v "^$round," "$results/$file" >"$out/joined" || return
        sed "1d; s/^/$round,/" "$out/$file" >>"$out/joined" || return
    fi
    mv "$out/joined" "$out/$file"
}

# The first round is the first command of the README, whose log is kept.
round() {
    local number=$1
    if [ "$number" = 1 ]; then
        BENCHMARK_SECONDS=1 ENTROPY_RESULTS=$out ./RUNME.sh | tee "$scratch/screen.log" || return
        [ "$gpus" = 0 ] || mv "$scratch/screen.log" "$scratch/round1.screen" || return
    else
        if ! grep -q "^round1,$revision," "$results/record.csv"; then
            echo "there is no round1 of revision $revision in $results to join it to" >&2
            return 1
        fi
        ENTROPY_RESULTS=$out build/entropy data/worked_4x4.txt || return
        rm "$out/environment.txt"
    fi
    mkdir "$out/fast_study"
    ENTROPY_RESULTS=$out/fast_study build/fast_study data/worked_4x4.txt || return
    rm "$out/fast_study/environment.txt"
    join times.csv "$number" && join fast_study/times.csv "$number" || return
    [ "$number" != 1 ] || labs
}

labs() {
    build/maximum --benchmark --csv "$out/maximum.csv" || return
    BENCHMARK_SECONDS=0.1 build/transpose --benchmark --csv "$out/transpose.csv" || return
    [ "$gpus" != 0 ] || return 0
    build/hello 5 2 2 >"$out/hello_order.txt" && build/hello 8 32 4 --order --runs 100 >"$out/hello.txt"
}

engine() {
    build/bench_cpu --csv "$out/cpu.csv" && build/bench_everywhere --csv "$out/everywhere.csv" || return
    [ "$gpus" = 0 ] || build/bench_gpu --csv "$out/gpu.csv"
}

# In rounds, since a machine that is shared has slow minutes: medians are reported. scikit-image, next
# to which all is fast, and what a GPU computes, a stage of its own, once.
filter() {
    local -x BENCHMARK_SECONDS=0.3
    local round table=$scratch/filter.csv
    build/bench_filter --csv "$table" || return
    tools/bench/scikit_image.py --program build/bench_filter --csv "$table" || return
    for round in 1 2 3; do
        [ "$round" = 1 ] || build/bench_filter --csv "$table" || return
        awk -v round="$round" 'NR > 1 || round == 1 { print (NR > 1 ? round : "round") "," $0 }' \
            "$table" >>"$out/filter.csv" || return
    done
}

needs_gpu() {
    [ "$gpus" = 0 ] || return 0
    echo "there is no GPU here"
    return "$skipped"
}

# A launch is timed for 0.15 seconds, which is enough: launches hardly vary. Of other packages, some
# of which compile for seconds, a few filters; what one computes wrongly its table says.
launches() {
    needs_gpu || return
    build/bench_launches --seconds 0.15 --csv "$out/launches.csv" || return
    tools/bench/gpu_peers.py --seconds 0.5 --cases '^uint8-256-(5x5|9x9|disk5)$' \
        --csv "$out/launch_peers.csv" || [ $? = 1 ]
}

# Calls from host memory vary more.
together() { needs_gpu && build/bench_together --csv "$out/together.csv"; }

studies() {
    local core
    for core in memory_study bottleneck_study variants_study; do
        mkdir "$out/$core"
        ENTROPY_RESULTS=$out/$core "build/$core" data/worked_4x4.txt || return
        rm "$out/$core/environment.txt"
        [ "$core" != variants_study ] || continue
        ENTROPY_BENCHMARK=0 "build/${core}_measures" data/data.bin "$out/$core/measures.csv" || return
        make -s CORE="$core" batch BATCH_CSV="$out/$core/batch.csv" || return
    done
}

# It says, with that status, where it has no GPU or no ncu. What is counted on the GPU does not depend
# on what the cores do: they build what the stage flags times.
profile() {
    local status=0
    tools/flags.sh --build >"$scratch/flags_build.log" 2>&1 &
    tools/profile.sh "$out" || status=$?
    wait $!
    return "$status"
}

parts() {
    local -x ENTROPY_BENCHMARK=0
    build/precision "$out/precision.csv" || return
    [ "$gpus" != 0 ] || return 0
    build/parts --csv "$out/parts.csv" && build/threshold --csv "$out/threshold.csv" &&
        build/occupancy "$out/occupancy.csv"
}

scaling() {
    build/scaling --csv "$out/scaling.csv" || return
    [ "$gpus" != 0 ] || return 0
    build/entropy_devices --csv "$out/gpus.csv" || return
    mkdir "$out/variants_study"
    build/variants_study_devices --csv "$out/variants_study/gpus.csv" \
        --versions rows,texture_devices,rows_back,longer_side
}

flags() { tools/flags.sh "$out/flags.csv"; }

peers() { make -s peers RESULTS="$out" ARGUMENTS='--seconds 8'; }

stage build build
[ $failures = 0 ] || exit 1
for name; do
    case $name in
    round?) stage "$name" round "${name#round}" ;;
    *) stage "$name" "$name" ;;
    esac
done
exit $((failures > 0))
