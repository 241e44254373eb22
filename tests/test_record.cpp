// tools/record.sh, check_gpu.sh and sanitize.sh, with programs in the place of those that they
// call: what they keep of what these say, and when they say that all is well.
#include "messages.h"
#include "scripts.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace
{

// ---- record.sh ---------------------------------------------------------------------------------

/// A machine without a GPU, on which every measurement is the content of the file `time`.
struct Record : testing::Test
{
    Record()
    {
        scripts.copy("tools/record.sh");
        scripts.copy("tools/machine_name.sh");
        scripts.add("bin/nvidia-smi", "exit 9\n");
        scripts.add("bin/make",
                    "case $* in '-s revision') cat revision;; *) [ ! -e no_build ];; esac\n");
        const std::string ladder = "echo measured\n[ -z \"$ENTROPY_VERSIONS\" ] || exit 1\n"
                                   "echo CPU: one >$ENTROPY_RESULTS/environment.txt\n"
                                   "echo version,ms >$ENTROPY_RESULTS/times.csv\n"
                                   "echo v0,$(cat time) >>$ENTROPY_RESULTS/times.csv\n";
        for (const char *program : {"RUNME.sh", "build/entropy", "build/fast_study"})
            scripts.add(program, ladder);
        for (const char *program : {"build/maximum", "build/transpose", "build/bench_filter"})
            scripts.add(program, "while [ \"$1\" != --csv ]; do shift; done\n"
                                 "echo case,ms >$2; echo a,$(cat time) >>$2\n");
        scripts.add("tools/bench/scikit_image.py", "echo peer,9 >>$4\n");
        scripts.add("build/hello", "echo hello");
        scripts.add("build/precision", "cat time >$1; [ ! -e broken ]\n");
        scripts.run("sh -c 'echo abc >revision; echo 1 >time'");
    }
    Outcome record(const std::string &stages, const std::string &before = "true") const
    {
        return scripts.run("sh -c '" + before +
                           "; RESULTS=results LOG=log ENTROPY_VERSIONS=v7 tools/record.sh " +
                           stages + "'");
    }
    /// Of record.csv, without the seconds.
    std::string stages() const
    {
        return replaced(scripts.contents("results/record.csv"), ",[0-9]+\n", "\n");
    }
    const Scripts scripts;
};

TEST_F(Record, RoundsAreJoined)
{
    const Outcome first = record("round1 parts");
    EXPECT_EQ(first.status, 0) << first.output << first.errors;
    EXPECT_TRUE(holds(first.output, "passed: round1, ")) << first.output;
    for (const std::string file : {"results/times.csv", "results/fast_study/times.csv"})
        EXPECT_EQ(scripts.contents(file), "round,version,ms\n1,v0,1\n") << file;
    EXPECT_EQ(scripts.contents("results/environment.txt"), "CPU: one\n");
    EXPECT_EQ(scripts.contents("results/fast_study/environment.txt"), "");
    EXPECT_EQ(scripts.contents("results/maximum.csv"), "case,ms\na,1\n");
    EXPECT_EQ(scripts.contents("log"), "") << "it is of a machine with a GPU";
    EXPECT_EQ(stages(), "stage,revision,seconds\nround1,abc\nparts,abc\n");

    for (const std::string time : {"2", "3"}) { // the second time in the place of the first
        EXPECT_EQ(record("round2", "echo " + time + " >time").status, 0);
        EXPECT_EQ(scripts.contents("results/times.csv"),
                  "round,version,ms\n1,v0,1\n2,v0," + time + "\n");
    }
    EXPECT_EQ(stages(), "stage,revision,seconds\nround1,abc\nparts,abc\nround2,abc\n");

    const std::string before = scripts.contents("results/times.csv");
    const Outcome other = record("round3", "echo def >revision");
    EXPECT_EQ(other.status, 1);
    EXPECT_TRUE(holds(other.output, "there is no round1 of revision def")) << other.output;
    EXPECT_EQ(scripts.contents("results/times.csv"), before);

    EXPECT_EQ(record("round1").status, 0); // begins anew
    EXPECT_EQ(scripts.contents("results/times.csv"), "round,version,ms\n1,v0,3\n");
    EXPECT_EQ(stages(), "stage,revision,seconds\nparts,abc\nround1,def\n");
}

// Of the stage, and not of all before it: the shell believes that it has run for a day.
TEST_F(Record, SecondsAreThoseOfAStage)
{
    EXPECT_EQ(record("parts", "export SECONDS=86400").status, 0);
    const std::string csv = scripts.contents("results/record.csv");
    EXPECT_LT(std::atoi(csv.c_str() + csv.rfind(',') + 1), 3600) << csv;
}

TEST_F(Record, TheLogIsOfTheFirstCommandOnAMachineWithAGpu)
{
    scripts.add("bin/nvidia-smi", "echo GPU 0: one\n");
    const Outcome outcome = record("round1");
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
    EXPECT_EQ(scripts.contents("log"), "measured\n");
    EXPECT_EQ(scripts.contents("results/hello.txt"), "hello\n");
}

TEST_F(Record, AStageThatFailsLeavesTheLastRecord)
{
    EXPECT_EQ(record("parts").status, 0);
    const Outcome broken = record("parts launches", "echo 2 >time; echo def >revision; >broken");
    EXPECT_EQ(broken.status, 1);
    EXPECT_TRUE(holds(broken.output, "FAILED: parts, ")) << broken.output;
    EXPECT_TRUE(holds(broken.output, "skipped: launches: there is no GPU here\n")) << broken.output;
    EXPECT_EQ(scripts.contents("results/precision.csv"), "1\n");
    EXPECT_EQ(stages(), "stage,revision,seconds\nparts,abc\n");
    EXPECT_EQ(record("launches together").status, 0);
    EXPECT_EQ(stages(), "stage,revision,seconds\nparts,abc\n");
    const Outcome unbuilt = record("parts", "rm broken; >no_build");
    EXPECT_EQ(unbuilt.status, 1);
    EXPECT_FALSE(holds(unbuilt.output, "parts")) << unbuilt.output;
}

TEST_F(Record, FiltersAreTimedThreeTimesAndScikitImageOnce)
{
    const Outcome outcome = record("filter");
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
    EXPECT_EQ(scripts.contents("results/filter.csv"),
              "round,case,ms\n1,a,1\n1,peer,9\n2,a,1\n3,a,1\n");
}

TEST_F(Record, TimesAreAsLongAsTheyAreTold)
{
    scripts.add("build/precision", "echo $BENCHMARK_SECONDS >$1\n");
    for (const auto &[setting, seconds] :
         {std::pair{"unset BENCHMARK_SECONDS", "0.4\n"}, {"export BENCHMARK_SECONDS=2", "2\n"}}) {
        EXPECT_EQ(record("parts", setting).status, 0);
        EXPECT_EQ(scripts.contents("results/precision.csv"), seconds);
    }
}

/// The same with a GPU and the programs of all stages, of which FAILS fails, each with a file of
/// its own.
struct RecordOfAllStages : Record
{
    RecordOfAllStages()
    {
        scripts.add("bin/nvidia-smi", "echo GPU 0: one\n");
        const std::string program = "name=$(basename $0); [ $name != \"$FAILS\" ] || exit 9\n"
                                    "to=; for word; do [ \"$last\" != --csv ] || to=$word\n"
                                    "last=$word; done\n"
                                    "[ -z \"$ENTROPY_RESULTS\" ] || echo x "
                                    ">$ENTROPY_RESULTS/environment.txt\necho $name >${to:-$last}\n";
        for (const std::string name :
             {"bench_cpu", "bench_everywhere", "bench_gpu", "bench_together", "precision", "parts",
              "threshold", "occupancy", "scaling", "entropy_devices", "variants_study_devices",
              "memory_study_measures", "bottleneck_study_measures"})
            scripts.add("build/" + name, program);
        for (const char *study : {"memory_study", "bottleneck_study", "variants_study"})
            scripts.add(
                "build/" + std::string(study),
                "[ $(basename $0) != \"$FAILS\" ] || exit 9\n"
                "echo x | tee $ENTROPY_RESULTS/environment.txt >$ENTROPY_RESULTS/times.csv\n");
        scripts.add("tools/flags.sh", program);
        scripts.add("tools/profile.sh", "[ \"$FAILS\" != profile.sh ] || exit 9\n"
                                        "echo counted >$1/counters.csv\n");
    }
};

// A stage has passed when all of its programs have.
TEST_F(RecordOfAllStages, FailAsAnyOfTheirProgramsDoes)
{
    for (const auto &[stage, programs] : std::vector<std::pair<std::string, std::string>>{
             {"engine", "bench_cpu bench_everywhere bench_gpu"},
             {"together", "bench_together"},
             {"parts", "precision parts threshold occupancy"},
             {"scaling", "scaling entropy_devices variants_study_devices"},
             {"studies", "memory_study bottleneck_study variants_study memory_study_measures "
                         "bottleneck_study_measures"},
             {"profile", "profile.sh"},
             {"flags", "flags.sh"}}) {
        std::istringstream words(programs);
        for (std::string name; words >> name;) {
            const Outcome failed = record(stage, "export FAILS=" + name);
            EXPECT_EQ(failed.status, 1) << name << "\n" << failed.output;
            EXPECT_TRUE(holds(failed.output, "FAILED: " + stage + ", ")) << failed.output;
        }
        const Outcome good = record(stage);
        EXPECT_EQ(good.status, 0) << good.output << good.errors;
    }
    EXPECT_EQ(scripts.run("find results -type f | sort").output,
              "results/bottleneck_study/measures.csv\nresults/bottleneck_study/times.csv\n"
              "results/counters.csv\nresults/cpu.csv\nresults/everywhere.csv\n"
              "results/flags.csv\nresults/gpu.csv\nresults/gpus.csv\n"
              "results/memory_study/measures.csv\nresults/memory_study/times.csv\n"
              "results/occupancy.csv\nresults/parts.csv\nresults/precision.csv\n"
              "results/record.csv\nresults/scaling.csv\nresults/threshold.csv\n"
              "results/together.csv\nresults/variants_study/gpus.csv\n"
              "results/variants_study/times.csv\n");
    EXPECT_EQ(scripts.contents("results/gpus.csv"), "entropy_devices\n");
}

// ---- check_gpu.sh ------------------------------------------------------------------------------

/// A machine with a GPU, on which tests say what is in the file `said`, and end with `status`.
struct CheckGpu : testing::Test
{
    CheckGpu()
    {
        scripts.copy("tools/check_gpu.sh");
        scripts.add("bin/nvidia-smi", "echo 'GPU 0: one (UUID: 1)'\n");
        scripts.add("bin/make",
                    "case $* in *revision) echo abc;; *) cat said; exit $(cat status);; "
                    "esac\n");
    }
    Outcome check(const std::string &said, int status, const std::string &setting = "") const
    {
        return scripts.run("sh -c 'echo \"" + said + "\" >said; echo " + std::to_string(status) +
                           " >status; unset GTEST_FILTER; " + setting +
                           " tools/check_gpu.sh kept tests grade'");
    }
    /// What is kept, without the day and the seconds.
    std::string kept() const
    {
        return replaced(scripts.contents("kept/checked.txt"), ", [0-9-]+( s)?\n", "\n");
    }
    const Scripts scripts;
};

TEST_F(CheckGpu, KeepsHowManyTestsPassedAndWhyOthersDidNotRun)
{
    const Outcome good = check("skipped: 2, needs a mouse\n7 passed, 0 failed, 2 skipped", 0);
    EXPECT_EQ(good.status, 0) << good.output << good.errors;
    const std::string counts = "  skipped: 2, needs a mouse\n  7 passed, 0 failed, 2 skipped\n";
    EXPECT_EQ(kept(),
              "checked, abc, GPU 0: one\npassed: tests\n" + counts + "passed: grade\n" + counts);
    EXPECT_TRUE(holds(good.output, counts)) << good.output;
}

TEST_F(CheckGpu, SaysWhichTestsWerePicked)
{
    EXPECT_EQ(check("7 passed, 0 failed, 0 skipped", 0, "GTEST_FILTER=-Slow.*").status, 0);
    EXPECT_EQ(kept().find("checked, abc, GPU 0: one\nof the tests, GTEST_FILTER=-Slow.*\npassed"),
              0u)
        << kept();
}

TEST_F(CheckGpu, WhatFailsOrIsSkippedThoughThereIsAGpuIsAFailure)
{
    EXPECT_EQ(check("6 passed, 1 failed, 0 skipped", 1).status, 1);
    EXPECT_EQ(kept(), "checked, abc, GPU 0: one\nFAILED: tests\n  6 passed, 1 failed, 0 skipped\n"
                      "FAILED: grade\n  6 passed, 1 failed, 0 skipped\n");
    const Outcome skipped = check("skipped: 1, needs a GPU\n6 passed, 0 failed, 1 skipped", 0);
    EXPECT_EQ(skipped.status, 1);
    EXPECT_TRUE(holds(skipped.output, "FAILED: tests")) << skipped.output;
    EXPECT_TRUE(holds(skipped.output, "passed: grade")) << skipped.output;
    scripts.add("bin/nvidia-smi", "exit 9\n");
    EXPECT_EQ(check("7 passed, 0 failed, 0 skipped", 0).status, 2);
}

TEST_F(CheckGpu, TestsOfTwoGpusMustRunWhereThereAreTwo)
{
    const std::string skipped = "skipped: 1, needs two GPUs\n6 passed, 0 failed, 1 skipped";
    EXPECT_EQ(check(skipped, 0).status, 0);
    scripts.add("bin/nvidia-smi", "echo GPU 0: one; echo GPU 1: one\n");
    EXPECT_EQ(check(skipped, 0).status, 1);
}

TEST_F(CheckGpu, TheGradersBoxMustShowTheGpuBehindAllWalls)
{
    for (const char *said : {"it cannot be used in the box: none",
                             "cores that need it run without ipc (box --help says what it is)"}) {
        const Outcome outcome = check(said, 0);
        EXPECT_EQ(outcome.status, 1);
        EXPECT_TRUE(holds(outcome.output, "passed: tests")) << outcome.output;
        EXPECT_TRUE(holds(outcome.output, "FAILED: grade")) << outcome.output;
    }
}

TEST_F(CheckGpu, AStageThatThereIsNotIsBadUsage)
{
    const Outcome outcome = scripts.run("tools/check_gpu.sh kept test");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.errors, "check_gpu.sh: there is no stage 'test'\n");
}

// Built anew with each version as the active one: none that another build has left.
TEST_F(CheckGpu, EveryVersionIsRunAsTheActiveOne)
{
    const std::string core = "sources/entropy/cores/";
    scripts.add("sources/entropy/core.cu", "#define VERSION v3\n");
    scripts.run("mkdir -p build " + core);
    scripts.add("bin/make",
                "case $* in *revision) echo abc;; *versions) echo v0 v1;; *edited*)\n"
                "[ ! -e no_build ] || exit 2\nfor name in v0 v1; do\n"
                "echo \"echo '$(cat right) of 12 groups passed with \"$(sed -n 's/^#define VERSION "
                "//p' " +
                    core +
                    "edited_$name.cu)\"; 1 ms'\" >build/edited_$name\n"
                    "chmod +x build/edited_$name; done;; esac\n");
    const auto check = [&](const std::string &before) {
        return scripts.run("sh -c '" + before + "; tools/check_gpu.sh kept versions'").status;
    };
    EXPECT_EQ(check("echo 12 >right"), 0) << scripts.contents("kept/versions.log");
    EXPECT_EQ(check("echo 11 >right"), 1);
    EXPECT_EQ(check("echo 12 >right; touch no_build"), 1);
    EXPECT_EQ(scripts.run("ls " + core).output, "") << "what was edited is left";
}

TEST_F(CheckGpu, WhatASanitizerFindsIsAFailure)
{
    scripts.add("bin/make", "echo abc\n");
    scripts.add("tools/sanitize.sh", "exit 0\n");
    scripts.add("bin/compute-sanitizer", "status=0\n[ \"$3\" != --error-exitcode ] || status=$4\n"
                                         "case \"$*\" in *\"$FOUND\"*) exit $status;; esac\n");
    for (const std::string found : {"racecheck", "build/tests/variants_study", "hello 2 32 2"})
        EXPECT_EQ(
            scripts.run("sh -c 'FOUND=\"" + found + "\" tools/check_gpu.sh kept sanitizer'").status,
            1)
            << found;
    EXPECT_EQ(scripts.run("sh -c 'FOUND=none tools/check_gpu.sh kept sanitizer'").status, 0);
}

// ---- sanitize.sh -------------------------------------------------------------------------------

/// Three tests; TEST is one whose end is the words in END, and under a tool that has ERRORS errors.
struct Sanitize : testing::Test
{
    Sanitize()
    {
        scripts.copy("tools/sanitize.sh");
        scripts.add("bin/make", "echo abc\n");
        scripts.add("bin/nvidia-smi",
                    "case $1 in -L) echo 'GPU 0: one (UUID: 1)';; *) echo 80000;; esac\n");
        scripts.add("bin/nproc", "echo 4\n");
        scripts.add("build/tests/every_kernel",
                    "case $GTEST_FILTER in *Every*) set -- A.one A.two A.three;;\n"
                    "*) set -- $(echo $GTEST_FILTER | tr : ' ');; esac\n"
                    "echo \"[==========] Running $# tests from 1 test suite.\"\n"
                    "for test; do end='[       OK ]'; [ $test != \"$TEST\" ] || end=${END:-$end}\n"
                    "echo \"[ RUN      ] $test\"; echo \"$end $test (5 ms)\"; done\n"
                    "case $end in *FAILED*) exit 1;; esac\n"
                    "echo ${NOTE:-7 of 7 kernels were launched}\n");
        scripts.add(
            "bin/compute-sanitizer",
            "[ $1 = --help ] && exit\n"
            "tool=$2; echo $tool${BRIEF_TESTS:+, brief} >>calls; while [ $# -gt 1 ]; do shift; "
            "done\n$1 || exit\n"
            "[ $tool != \"$SILENT\" ] || exit 0\n"
            "count=0; case :$GTEST_FILTER: in *:$TEST:*) count=${ERRORS:-0};; esac\n"
            "case $tool in racecheck) echo \"========= RACECHECK SUMMARY: $count hazards\";;\n"
            "*) echo \"========= ERROR SUMMARY: $count errors\";; esac\n"
            "[ $count = 0 ] || exit 9\n");
    }
    Outcome sanitize(const std::string &settings, const std::string &tools = "") const
    {
        scripts.run("rm -f log");
        return scripts.run(settings + " bash tools/sanitize.sh build log " + tools);
    }
    const Scripts scripts;
};

TEST_F(Sanitize, ALineForEachTool)
{
    const Outcome good = sanitize("TEST=none");
    EXPECT_EQ(good.status, 0) << good.output << good.errors;
    const std::string passed = ": 3 of 3 tests passed, 0 failed, 0 skipped", end = ", 0 s, ";
    const std::string log = replaced(scripts.contents("log"), ", [0-9]+ s, ", end);
    EXPECT_TRUE(holds(log, "plain" + passed + end + "1 at once\n7 of 7 kernels were launched\n"))
        << log;
    for (const std::string tool : {"memcheck", "initcheck", "synccheck"})
        EXPECT_TRUE(holds(log, "\n" + tool + passed + ", 0 errors" + end + "1 at once\n")) << log;
    EXPECT_TRUE(holds(log, "\nracecheck" + passed + ", 0 hazards" + end + "3 at once\n")) << log;
}

TEST_F(Sanitize, AsManyAtOnceAsTheGpuHasMemoryFor)
{
    for (const auto &[memory, number] : {std::pair{"40000", "2"}, {"40001", "1"}, {"90000", "1"}}) {
        const Outcome outcome = sanitize("TEST=none MEMORY=" + std::string(memory), "racecheck");
        EXPECT_TRUE(holds(replaced(outcome.output, " [0-9]+ s, ", " "),
                          " 0 hazards, " + std::string(number) + " at once\n"))
            << memory << outcome.output;
    }
}

TEST_F(Sanitize, WhatWasFoundIsAFailureAndInTheLog)
{
    for (const std::string test : {"A.one", "A.two", "A.three"}) { // each in a process of its own
        EXPECT_EQ(
            sanitize("TEST=" + test + " ERRORS=5", "racecheck memcheck initcheck synccheck").status,
            1);
        const std::string log = scripts.contents("log");
        const std::string passed = ": 3 of 3 tests passed, 0 failed, 0 skipped, 5 ";
        EXPECT_TRUE(holds(log, "\nFAILED: racecheck" + passed + "hazards, ")) << log;
        EXPECT_TRUE(holds(log, "\nFAILED: memcheck" + passed + "errors, ")) << log;
    }
    const Outcome failed = sanitize("TEST=A.two END='[  FAILED  ]'");
    EXPECT_EQ(failed.status, 1);
    EXPECT_TRUE(holds(failed.output, "FAILED: plain: 2 of 3 tests passed, 1 failed, "))
        << failed.output;
}

TEST_F(Sanitize, BriefTestsAreForWhatTakesLongest)
{
    EXPECT_EQ(sanitize("TEST=none NOTE='not launched: one'").status, 0);
    EXPECT_TRUE(holds(scripts.contents("log"), "\nnot launched: one\n")) << scripts.contents("log");
    EXPECT_EQ(scripts.run("sort -u calls").output,
              "initcheck\nmemcheck\nracecheck, brief\nsynccheck\n");
    EXPECT_EQ(scripts.run("bash tools/sanitize.sh build").status, 2);
}

TEST_F(Sanitize, WhatIsNotWholeReplacesNoLog)
{
    const Outcome silent = sanitize("TEST=none SILENT=memcheck LIMIT=77");
    EXPECT_EQ(silent.status, 1) << silent.output;
    EXPECT_TRUE(holds(silent.output, "FAILED: memcheck: 3 of 3 tests passed")) << silent.output;
    EXPECT_TRUE(holds(silent.output, ": NOT FINISHED, 0 were stopped or killed, the limit is 77 s"))
        << silent.output;
    EXPECT_EQ(scripts.contents("log"), "");
    EXPECT_EQ(sanitize("TEST=none", "memcheck initcheck").status, 0);
    EXPECT_EQ(scripts.contents("log"), "") << "two tools of four";
    EXPECT_EQ(sanitize("TEST=none TESTS=A.one").status, 0);
    EXPECT_EQ(scripts.contents("log"), "") << "one test of three";
    EXPECT_EQ(sanitize("TEST=A.one TESTS=A.one END='[  SKIPPED ]'").status, 1) << "none has run";
}

} // namespace
