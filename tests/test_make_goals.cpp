// Goals of make: what they call and with what, what is built again, and what make help says of
// them.
#include "messages.h"
#include "own_make.h"

#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <utility>
#include <vector>

TEST(MakeGoals, CallProgramsWithTheirFiles)
{
    const std::string make =
        kOwnMake + "-n CUDA=0 BUILD=there CORE=memory_study RESULTS=results/here ";
    for (const auto &[goal, line] : std::vector<std::pair<std::string, std::string>>{
             {"BATCH_CSV=b.csv batch",
              "tools/batch.sh there/memory_study \"b.csv\" there/batch/1024x1024.txt "
              "there/batch/4096x4096.txt there/batch/8192x512.txt\n"},
             {"measures", "ENTROPY_BENCHMARK=0 there/memory_study_measures data/data.bin "
                          "results/here/measures.csv\n"},
             {"clean", "rm -rf there data/data.bin data/reference.bin\n"}}) {
        const Outcome outcome = runCommand(make + goal);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_TRUE(holds(outcome.output, line)) << goal << "\n" << outcome.output;
    }
}

TEST(MakeGoals, HandTheirSettingsOn)
{
    const std::string make = kOwnMake +
                             "-n CUDA=0 BUILD=x MACHINE=m PYTHON=py "
                             "-o x/bench_filter -o x/entropy -o x/entropy_measures -o x/make_data ";
    for (const auto &[goal, lines] : std::vector<std::pair<std::string, std::string>>{
             {"bench-filter ARGUMENTS='--cases 9x9'", "x/bench_filter --cases 9x9\n"},
             {"check-choice WITHIN=1.05 ARGUMENTS=--mine",
              "x/bench_filter --grid --methods all --within 1.05 --contents natural --threads 1 "
              "\\\n"
              "    --size 1024 --seconds 0.1 --mine\n"},
             {"peers ARGUMENTS='--size 512'", "mkdir -p results/m\npy tools/peers.py --build x "
                                              "--csv results/m/peers.csv --size 512\n"},
             {"record STAGES='parts flags' MAKE=:", "tools/record.sh parts flags\n: report\n"}}) {
        const Outcome outcome = runCommand(make + goal);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_EQ(outcome.output, lines) << goal;
    }
    EXPECT_TRUE(
        holds(runCommand(make + "measures").output, " data/data.bin results/m/measures.csv"));
    EXPECT_TRUE(holds(runCommand(make + "CORE=memory_study measures").output,
                      " data/data.bin results/m/memory_study/measures.csv"));
    const std::string python = runCommand(make + "test-python TESTFLAGS='-k mask'").output;
    EXPECT_TRUE(holds(python, " x/python/tree/local_entropy -k mask\n")) << python;
    EXPECT_TRUE(holds(python, "rm -rf x/python/tree && ")) << "what is gone is not tested\n"
                                                           << python;
    const Outcome none = runCommand(kOwnMake + "-s CUDA=0 BUILD=x GPU_BENCHES= bench-launches");
    EXPECT_EQ(none.status, 2);
    EXPECT_TRUE(holds(none.errors, "bench-launches: there is no GPU here")) << none.errors;
    const Outcome neither = runCommand(kOwnMake + "-n CUDA=yes all");
    EXPECT_EQ(neither.status, 2);
    EXPECT_TRUE(holds(neither.errors, "CUDA is 'yes', expected 0 or 1")) << neither.errors;
}

TEST(MakeGoals, HelpSaysTheDefaults)
{
    const std::string help = runCommand(kOwnMake + "-s CUDA=0 help").output;
    const std::string rules = contentsOf("Makefile") + contentsOf("tests/checks.mk");
    for (const std::string name : {"SOAK_SECONDS", "SOAK_CALLS", "FUZZ_SECONDS", "WITHIN"}) {
        std::smatch said, set;
        EXPECT_TRUE(std::regex_search(help, said, std::regex(name + "=([0-9.]*[0-9])"))) << name;
        EXPECT_TRUE(std::regex_search(rules, set, std::regex("\n" + name + " *\\?= *(\\S+)")))
            << name;
        EXPECT_EQ(said.str(1), set.str(1)) << name;
    }
}

// What has changed in the tree since the last commit is no revision. By a git in the place of the
// system's, whose tree has changed where STATUS is 1.
TEST(MakeGoals, ARevisionSaysWhetherItIsAllOfTheSources)
{
    const TemporaryDirectory directory;
    std::ofstream(directory.path("git"))
        << "#!/bin/sh\ncase $1 in log) echo $SAYS;; *) exit $STATUS;; esac\n";
    EXPECT_EQ(runCommand("chmod +x " + directory.path("git")).status, 0);
    for (const auto &[settings, revision] : {std::pair{"SAYS=abc STATUS=0", "abc\n"},
                                             {"SAYS=abc STATUS=1", "abc-modified\n"},
                                             {"SAYS= STATUS=0", "unknown\n"}})
        EXPECT_EQ(runCommand(kOwnEnvironment + "PATH=" + directory.path("") + ":$PATH " + settings +
                             " make -s CUDA=0 revision")
                      .output,
                  revision);
}

// The same settings compile nothing again, another one does: all, or what knows of it.
TEST(MakeGoals, AStampChangesWithItsSettings)
{
    const TemporaryDirectory directory;
    const std::string build = directory.path("build"),
                      stamps = build + "/compiler.stamp " + build + "/entropy_switch.stamp";
    const auto changed = [&](const std::string &settings) {
        runCommand("touch -d 2001-01-01 " + stamps);
        const Outcome outcome = runCommand(kOwnMake + "-s CUDA=0 BUILD=" + build +
                                           " REVISION=abc " + settings + " " + stamps);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return runCommand("find " + stamps + " -newermt 2002-01-01 -printf '%f '").output;
    };
    EXPECT_EQ(runCommand("mkdir " + build).status, 0);
    changed("");
    EXPECT_EQ(changed(""), "");
    EXPECT_EQ(changed("VERSION=v7"), "entropy_switch.stamp ");
    EXPECT_EQ(changed("VERSION=v7"), "");
    EXPECT_EQ(changed("VERSION=v7 REVISION=def"), "entropy_switch.stamp ");
    EXPECT_EQ(changed("VERSION=v7 REVISION=def HOST_FLAGS=-g"),
              "compiler.stamp entropy_switch.stamp ");
}

// Every program of tests, each told what all are told.
TEST(MakeTest, RunsEveryProgramWithItsFlags)
{
    const std::string said = runCommand(kOwnMake + "-n CUDA=0 BUILD=x PYTHON=py -o library TESTED= "
                                                   "GRADE_TOOLS= TESTFLAGS=--mine test")
                                 .output;
    for (const std::string name :
         {"all", "library", "every_call", "memory_study", "bottleneck_study", "fast_study",
          "variants_study", "every_kernel --gtest_filter=EveryKernel.*"})
        EXPECT_TRUE(holds(said, " 'x/tests/" + name + " --mine'")) << name << "\n" << said;
    EXPECT_TRUE(holds(said, " 'tests/local_entropy/test_install.sh x g++ py'")) << said;
    EXPECT_TRUE(holds(said, " 'py tests/test_grade.py x ")) << said;
}
