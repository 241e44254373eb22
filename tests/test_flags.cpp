// tools/flags.sh and tools/profile.sh, with programs in the place of those that they call: whose
// times and counters they keep, and what they say of a build or a program that fails.
#include "messages.h"
#include "scripts.h"

#include <string>
#include <utility>
#include <vector>

namespace
{

// ---- flags.sh ----------------------------------------------------------------------------------

/// A machine with two compilers, of which the ladder has a version that is timed with a kernel, one
/// without and one that is wrong. BROKEN: builds whose name has it fail; SILENT: that one times
/// nothing.
struct Flags : testing::Test
{
    Flags()
    {
        scripts.copy("tools/flags.sh");
        for (const char *compiler : {"bin/g++", "bin/clang++"}) scripts.add(compiler, "echo 1.2\n");
        scripts.add("bin/nvcc", "echo Build V13.0.88\n");
        scripts.add("bin/nproc", "echo 4\n");
        scripts.add("bin/make", "for target; do :; done\nname=$(basename $(dirname $target))\n"
                                "echo \"$name $*\" >>calls\n"
                                "case $name in *${BROKEN:-none}*)\n"
                                "echo 'a.cu: error: no \"x\", here'; echo 'error: more'; exit 2;;\n"
                                "esac\nmkdir -p $(dirname $target) && cp program $target\n");
        scripts.add("program",
                    "echo noise; echo benchmark of $1\n[ $ENTROPY_BENCHMARK = 0 ] || exit\n"
                    "case $0 in *${SILENT:-none}/*) exit 1;; esac\n"
                    "{ echo version,platform,width,height,runs,total,least,kernels\n"
                    "echo 'v0,CUDA,64,32,5,2.5,1.5,7,0.75,0.5,9,9,9,9,1,\"a, b\",'\n"
                    "echo 'v9,OpenMP,64,32,5,3.5,3.25,0,0,0,9,9,9,9,1,c,'\n"
                    "echo 'v7,CUDA,64,32,0,0,0,0,0,0,9,9,9,9,1,d,\"no, wrong\"'\n"
                    "} >$ENTROPY_RESULTS/times.csv\n");
    }
    Outcome flags(const std::string &settings, const std::string &words) const
    {
        return scripts.run(settings + " CXX=g++ ENTROPY_VERSIONS=v0,v7 bash tools/flags.sh " +
                           words);
    }
    /// Lines of the CSV in which `part` is.
    std::string rows(const std::string &part) const
    {
        std::istringstream all(scripts.contents("flags.csv"));
        std::string line, found;
        while (std::getline(all, line))
            if (holds(line, part)) found += line + "\n";
        return found;
    }
    const Scripts scripts;
};

TEST_F(Flags, TimesOfEveryBuildAreRows)
{
    const Outcome good = flags("CUDA=1", "flags.csv 64x32");
    EXPECT_EQ(good.status, 0) << good.errors;
    EXPECT_TRUE(holds(good.output, "== O2: nvcc 13.0.88 with g++ 1.2, -O2\nbenchmark of 64x32\n"))
        << good.output;
    EXPECT_EQ(rows("version"), "version,compiler,flags,width,height,total_median_ms,total_min_ms,"
                               "kernel_median_ms,kernel_min_ms,note\n");
    EXPECT_EQ(rows("-O2"), "v0,nvcc 13.0.88 with g++ 1.2,-O2,64,32,2.5,1.5,0.75,0.5,\n"
                           "v9,nvcc 13.0.88 with g++ 1.2,-O2,64,32,3.5,3.25,,,\n"
                           "v7,nvcc 13.0.88 with g++ 1.2,-O2,64,32,,,,,no; wrong\n");
    EXPECT_EQ(rows("icpx"), "v0,icpx,-O3,64,32,,,,,icpx is not installed\n"
                            "v7,icpx,-O3,64,32,,,,,icpx is not installed\n");
    EXPECT_TRUE(holds(good.errors, "flags.sh: O2: v7: no; wrong\n")) << good.errors;
    for (const char *compiler : {"g++", "clang++"})
        EXPECT_TRUE(holds(rows("-march=native"), std::string("with ") + compiler)) << compiler;
    const std::string calls = scripts.contents("calls");
    EXPECT_TRUE(holds(calls, "clang_native -j 4 BUILD=build-flags/clang_native CXX=clang++ "
                             "HOST_FLAGS=-march=native HARNESS=build/bench_size_main.o "
                             "LIBRARY_OBJECTS=build/objects build-flags/clang_native/bench_size\n"))
        << calls;
    for (const auto &[name, settings] : std::vector<std::pair<std::string, std::string>>{
             {"default", ""},
             {"device_fast", "CUDA_FLAGS=--use_fast_math "},
             {"O2", "OPTIMIZE=-O2 "},
             {"host_native", "HOST_FLAGS=-march=native "},
             {"host_fast", "HOST_FLAGS=-ffast-math "},
             {"host_native_fast", "HOST_FLAGS=-ffast-math -march=native "}})
        EXPECT_TRUE(holds(calls, "\n" + name + " -j 4 BUILD=build-flags/" + name + " CXX=g++ " +
                                     settings + "HARNESS="))
            << name << "\n"
            << calls;
    EXPECT_EQ(scripts.run("ls -A").output, "bin\nbuild\nbuild-flags\ncalls\nflags.csv\nprogram\n"
                                           "tools\n");
}

// A build that fails has a row that says why, not the times that it had the last time.
TEST_F(Flags, ABuildThatFailsIsANote)
{
    ASSERT_EQ(flags("CUDA=0", "flags.csv").status, 0);
    EXPECT_TRUE(holds(rows("-O2"), "v0,g++ 1.2,-O2,64,32,2.5,")) << rows("-O2");
    EXPECT_EQ(rows("use_fast"), "v0,g++,-O3 --use_fast_math,2560,2560,,,,,there is no nvcc here\n"
                                "v7,g++,-O3 --use_fast_math,2560,2560,,,,,there is no nvcc here\n");
    const Outcome outcome = flags("CUDA=0 SILENT=O2 BROKEN=host_fast", "flags.csv");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(rows("-O2"), "v0,g++ 1.2,-O2,2560,2560,,,,,not timed\n"
                           "v7,g++ 1.2,-O2,2560,2560,,,,,not timed\n");
    EXPECT_TRUE(holds(rows("-ffast-math (host)"), ",cannot be built: a.cu: error: no  x ; here\n"))
        << rows("-ffast-math");
    EXPECT_TRUE(holds(outcome.errors, "flags.sh: host_fast: cannot be built: a.cu: error: "))
        << outcome.errors;
}

// Without times of the default build there is nothing to compare with: the CSV stays as it was.
TEST_F(Flags, TheDefaultBuildMustBeTimed)
{
    scripts.run("echo before >flags.csv");
    for (const char *settings : {"SILENT=default", "BROKEN=default", "BROKEN=build"})
        EXPECT_EQ(flags(std::string("CUDA=0 ") + settings, "flags.csv").status, 1) << settings;
    EXPECT_EQ(flags("CUDA=0", "--build").status, 0);
    EXPECT_EQ(scripts.contents("flags.csv"), "before\n");
    EXPECT_EQ(scripts.run("ls . build-flags/none.csv*").output,
              ".:\nbin\nbuild\nbuild-flags\ncalls\nflags.csv\nprogram\ntools\n");
}

// ---- profile.sh --------------------------------------------------------------------------------

/// A machine with a GPU, whose profiler knows what is in `known`; METRIC: one that it does not
/// measure, FAILS: a program that fails.
struct Profile : testing::Test
{
    Profile()
    {
        scripts.copy("tools/profile.sh");
        scripts.add("bin/nvidia-smi", "echo 'GPU 0: one'\n");
        scripts.add("bin/make", "[ -z \"$NO_BUILD\" ] || { echo no rule; exit 2; }\n");
        scripts.add(
            "bin/ncu",
            "[ $1 != --query-metrics ] || { cat known 2>/dev/null; exit; }\n"
            "echo \"$*\" >>calls\n"
            "while [ $1 != --log-file ]; do [ $1 != --metrics ] || metrics=$2; shift; done\n"
            "case \"$*\" in *${FAILS:-none}*) exit 1;; esac\n"
            "case ,$metrics, in *,$METRIC,*) exit 1;; esac\n"
            "echo \"$metrics\" | tr , '\\n' | sed 's/.*/v0,kernel,&,unit,1/' >$2\n");
        scripts.add("python", "echo \"$*\" >>pythons; shift; to=$1; shift; : >$to\n"
                              "for log; do cat ${log#*=} >>$to; done\n");
    }
    Outcome profile(const std::string &settings) const
    {
        scripts.run("rm -f calls pythons");
        return scripts.run(settings + " PYTHON=./python bash tools/profile.sh out");
    }
    const Scripts scripts;
};

TEST_F(Profile, CountersOfEveryProgramAreKept)
{
    const Outcome good = profile("METRIC=none");
    EXPECT_EQ(good.status, 0) << good.output << good.errors;
    const std::string logs = replaced(scripts.contents("pythons"), "build/profile/", "");
    EXPECT_EQ(replaced(logs, " /.*/out/", " out/"),
              "tools/counters.py out/counters.csv entropy_profile.ncu profile_labs.ncu "
              "fast_study=fast_study_profile.ncu narrow=narrow.ncu large=large.ncu launches.ncu "
              "adversarial_4096x4096=adversarial_4096x4096.ncu "
              "sparse_4096x4096=sparse_4096x4096.ncu natural_1024x1024=natural_1024x1024.ncu "
              "natural_10240x10240=natural_10240x10240.ncu\n");
    const std::string calls = scripts.contents("calls");
    EXPECT_TRUE(holds(calls, "narrow.ncu build/entropy_profile --size 10x1000000 v15\n")) << calls;
    EXPECT_TRUE(holds(calls, "large.ncu build/entropy_profile --size 10240x10240 v15\n")) << calls;
    EXPECT_TRUE(holds(calls, " --contents sparse --sizes 4096x4096\n")) << calls;
    const std::string moved = "--metrics gpu__time_duration.sum,lts__t_sectors_op_write.sum,"
                              "dram__bytes_read.sum,dram__bytes_write.sum,"
                              "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum --log-file ";
    EXPECT_EQ(calls.find(moved), calls.rfind(" --metrics ") + 1) << calls; // of the last call alone
}

// dram__bytes is not listed because dram__bytes_read is.
TEST_F(Profile, AMetricIsNotKnownByAPartOfItsName)
{
    scripts.run("sh -c 'echo dram__bytes_read >known'");
    const Outcome outcome = profile("METRIC=dram__bytes.sum");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "left out, not known to ncu here: dram__bytes.sum\n"))
        << outcome.output;
}

// What a profiler does not list is tried, and left out if it gives nothing.
TEST_F(Profile, AMetricThatIsNotKnownLosesNoOther)
{
    const std::string metric = "sm__cycles_elapsed.max", other = "dram__bytes.sum";
    scripts.run("touch known");
    ASSERT_EQ(profile("METRIC=none").status, 0);
    scripts.run("tr ' ,' '\\n\\n' <calls | grep __ | sed 's/[.].*//' | "
                "grep -v 'sm__cycles_elapsed\\|dram__bytes$' >known");
    const Outcome outcome = profile("METRIC=" + metric);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "left out, not known to ncu here: " + metric + "\n"))
        << outcome.output;
    const std::string counters = scripts.contents("out/counters.csv");
    EXPECT_FALSE(holds(counters, metric));
    EXPECT_TRUE(holds(counters, "," + other + ",")) << "was listed by no name, but measured";
    EXPECT_TRUE(holds(counters, ",launch__registers_per_thread,")) << "is never listed";
    EXPECT_TRUE(holds(counters, ",sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active,"));
}

// Counters of the others are kept; those of an earlier run are none.
TEST_F(Profile, AProgramThatFailsIsNamed)
{
    ASSERT_EQ(profile("METRIC=none").status, 0);
    const std::vector<std::vector<std::string>> failures = {
        {"profile_labs", "profile_labs\n", "profile_labs.ncu"},
        {"10x1000000", "narrow\n", "narrow.ncu"},
        {"--once", "launches adversarial_4096x4096 ", "launches.ncu"}};
    for (const auto &words : failures) { // the settings' word, what is named, the log
        const Outcome failed = profile("FAILS=" + words[0]);
        EXPECT_EQ(failed.status, 1) << words[0];
        EXPECT_TRUE(holds(failed.errors, "profile.sh: failed: " + words[1])) << failed.errors;
        EXPECT_FALSE(holds(scripts.contents("pythons"), words[2])) << words[0];
        EXPECT_TRUE(holds(scripts.contents("out/counters.csv"), "v0,kernel,dram__bytes.sum"));
    }
}

TEST_F(Profile, WhatIsMissingIsSaid)
{
    const Outcome unbuilt = profile("NO_BUILD=1");
    EXPECT_EQ(unbuilt.status, 1);
    EXPECT_EQ(unbuilt.errors, "no rule\n");
    scripts.add("bin/nvidia-smi", "echo no devices; exit 9\n");
    const Outcome none = profile("METRIC=none");
    EXPECT_EQ(none.status, 3);
    EXPECT_EQ(none.errors, "profile.sh: there is no GPU here\n");
    EXPECT_EQ(scripts.run("ls out/counters.csv").status, 2);
}

} // namespace
