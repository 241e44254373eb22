// What takes long, or wants what is not everywhere, with programs in the place of those that it
// calls: tests/*.sh, tests/checks.mk, tools/spills.sh, and .ci/run, which every change passes.
#include "messages.h"
#include "own_make.h"
#include "scripts.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fnmatch.h>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace
{

// ---- tests/*.sh --------------------------------------------------------------------------------

/// A build whose tests say in the file `calls` how they are called, as emulators and make do.
/// FAILS: a word of the call that fails.
struct LongChecks : testing::Test
{
    LongChecks()
    {
        const std::string call =
            " \"$*\" >>calls\ncase \"$0 $*\" in *\"${FAILS:-nothing}\"*) exit 3;; esac\n";
        for (const char *script : {"arm", "builds", "old_cpus", "valgrind"})
            scripts.copy("tests/" + std::string(script) + ".sh");
        for (const std::string program : {"qemu-x86_64", "qemu-aarch64", "valgrind",
                                          "aarch64-linux-gnu-g++", "aarch64-linux-gnu-ar"})
            scripts.add("bin/" + program, "echo " + program + " $LOCAL_ENTROPY_QUESTIONS" + call);
        scripts.add("build/tests/library",
                    "echo tests $LOCAL_ENTROPY_QUESTIONS $GLIBC_TUNABLES $(dirname $0)" + call);
        scripts.add("bin/make", "for target; do :; done\nmkdir -p $(dirname $target)\n"
                                "cp build/tests/library $target\necho make" +
                                    call);
    }
    Outcome run(const std::string &script, const std::string &words = "",
                const std::string &settings = "") const
    {
        scripts.run("rm -f calls");
        return scripts.run("env -u LOCAL_ENTROPY_QUESTIONS -u GLIBC_TUNABLES -u MAKE " + settings +
                           " tests/" + script + ".sh build " + words);
    }
    /// Where there is nothing but what the scripts themselves need.
    Outcome runAlone(const std::string &script) const
    {
        return scripts.run("sh -c 'mkdir -p alone; for name in bash dirname mkdir; do "
                           "ln -sf $(command -v $name) alone; done; PATH=$PWD/alone exec tests/" +
                           script + ".sh build'");
    }
    std::string calls() const { return scripts.contents("calls"); }
    const Scripts scripts;
};

// Of two filters the last one counts.
const std::string kMine = "--gtest_filter=Mine.*";

TEST_F(LongChecks, OfOldProcessorsAreThree)
{
    EXPECT_EQ(run("old_cpus", kMine).status, 0);
    std::string all;
    for (const std::string cpu : {"qemu64", "Nehalem", "Haswell"})
        all += "qemu-x86_64 5 -cpu " + cpu + " build/tests/library --gtest_brief=1 " +
               "--gtest_filter=\\S+ --gtest_filter=Mine[.][*]\n";
    EXPECT_TRUE(std::regex_match(calls(), std::regex(all))) << calls();
    EXPECT_EQ(run("old_cpus", "", "FAILS=Nehalem").status, 3);
    const Outcome none = runAlone("old_cpus");
    EXPECT_EQ(none.status, 2);
    EXPECT_TRUE(holds(none.errors, "there is no qemu-x86_64: apt-get install qemu-user "))
        << none.errors;
}

TEST_F(LongChecks, OfBuildsAreFour)
{
    EXPECT_EQ(run("builds", kMine).status, 0);
    std::string all;
    for (const std::string compiler : {"g++", "clang++"})
        for (const auto &[name, level, more] : std::vector<std::array<std::string, 3>>{
                 {"-O0", "-O0", ""}, {"-O3-march-native", "-O3", "-march=native"}}) {
            const std::string here = "build/" + compiler + name;
            all += "make --no-print-directory CUDA=0 BUILD=" + here + " CXX=" + compiler +
                   " OPTIMIZE=" + level + " TEST_OPTIMIZE=" + level + " HOST_FLAGS=" + more + " " +
                   here + "/tests/library\ntests 20 " + here + "/tests --gtest_brief=1 " + kMine +
                   "\n";
        }
    EXPECT_EQ(calls(), all);
    EXPECT_EQ(run("builds", "", "FAILS=clang++-O0/tests/library").status, 3);
}

// Memory is filled with two patterns, since valgrind itself does not look for what was not written.
TEST_F(LongChecks, OfMemoryAreUnderValgrindAndWithFilledMemory)
{
    EXPECT_EQ(run("valgrind", kMine, "LOCAL_ENTROPY_QUESTIONS=7").status, 0);
    const std::string words = "--gtest_brief=1 --gtest_filter=\\S+ --gtest_filter=Mine[.][*]\n";
    EXPECT_TRUE(std::regex_match(
        calls(), std::regex("tests 7 glibc.malloc.perturb=90 build/tests " + words +
                            "tests 7 glibc.malloc.perturb=165 build/tests " + words +
                            "valgrind 7 --quiet --error-exitcode=9 --undef-value-errors=no "
                            "--leak-check=full --errors-for-leak-kinds=definite "
                            "build/tests/library " +
                            words)))
        << calls();
    EXPECT_EQ(run("valgrind", "", "FAILS='--quiet'").status, 3);
    EXPECT_EQ(run("valgrind", "", "FAILS=tests/library").status, 3);
    const Outcome none = runAlone("valgrind");
    EXPECT_EQ(none.status, 2);
    EXPECT_TRUE(holds(none.errors, "there is no valgrind: apt-get install valgrind "))
        << none.errors;
}

TEST_F(LongChecks, OfAnotherMachineAreEmulated)
{
    const Outcome none = runAlone("arm");
    EXPECT_EQ(none.status, 2);
    EXPECT_TRUE(holds(none.errors, "there is no aarch64-linux-gnu-g++: apt-get install g++-aarch"))
        << none.errors;
    if (!std::filesystem::exists("/usr/src/googletest/googletest/src/gtest-all.cc"))
        GTEST_SKIP() << "needs the sources of GoogleTest";
    const std::string end = "qemu-aarch64 20 -L /usr/aarch64-linux-gnu "
                            "build/arm/tests/library --gtest_brief=1 ";
    for (const auto &[words, asked] : std::vector<std::pair<std::string, std::string>>{
             {kMine, kMine + "\n"}, {"", "--gtest_filter=LocalEntropyMethods."}}) {
        EXPECT_EQ(run("arm", words).status, 0);
        EXPECT_TRUE(holds(calls(), end + asked)) << calls();
        EXPECT_TRUE(holds(calls(), "make --no-print-directory CUDA=0 BUILD=build/arm "
                                   "CXX=aarch64-linux-gnu-g++ OPTIMIZE=-O2 "))
            << calls();
    }
    EXPECT_EQ(run("arm", "", "FAILS=qemu").status, 3);
}

// ---- tests/checks.mk ---------------------------------------------------------------------------

TEST(LongChecksOfMake, AskAsOftenAndOnAsManyThreadsAsTheyAreTold)
{
    const std::string make = kOwnMake + "-n CUDA=0 BUILD=there ";
    const std::string soak =
        runCommand(make + "-o there/tests/soak/soak soak SOAK_SECONDS=3 SOAK_THREADS=4 "
                          "SOAK_CALLS=5")
            .output;
    EXPECT_EQ(soak, "there/tests/soak/soak --threads 4 --seconds 3\n"
                    "there/tests/soak/soak --calls 5\n");
    const std::string threads =
        runCommand(make + "-o there/tests/all -o there/tests/hostile -o there/entropy test-threads "
                          "THREAD_COUNTS='3 64' TESTFLAGS=--mine")
            .output;
    for (const char *count : {"3", "64"})
        EXPECT_TRUE(holds(threads, std::string("'OMP_NUM_THREADS=") + count +
                                       " there/tests/all --gtest_filter=\"*Versions/*:Hostile.*\" "
                                       "--mine'"))
            << threads;
}

TEST(LongChecksOfMake, AllAreTriedAndWhatFailsIsNamed)
{
    const TemporaryDirectory directory;
    const std::string fake = directory.path("make");
    std::ofstream(fake) << "#!/bin/sh\ncase $* in *two*) exit 1;; esac\n";
    EXPECT_EQ(runCommand("chmod +x " + fake).status, 0);
    const auto run = [&](const std::string &more) {
        return runCommand(kOwnMake + "-s CUDA=0 MAKE=" + fake +
                          " long-checks LONG_CHECKS=\"'A=1 one' " + more + "\"");
    };
    EXPECT_EQ(run("").status, 0);
    const Outcome failed = run("'two x' three");
    EXPECT_EQ(failed.status, 2);
    EXPECT_TRUE(holds(failed.output, "\nfailed:\n  make two x\n")) << failed.output;
    EXPECT_TRUE(holds(failed.output, "== make three\n")) << failed.output;
}

// ---- tools/spills.sh ---------------------------------------------------------------------------

TEST(Spills, AreWhatTheCompilerSays)
{
    const Scripts scripts;
    scripts.copy("tools/spills.sh");
    scripts.add("bin/make", "echo abc\n");
    scripts.add("nvcc",
                "[ $1 != --version ] || { echo 'Build V13.0.88'; exit; }\n"
                "[ -z \"$FAILS\" ] || { echo 'core.cu: error'; exit 1; }\n"
                "one() { echo \"ptxas info : Compiling entry function "
                "'_ZN2$118cudaCallbackKernelEiiPfS0_' for 'sm_90'\"\n"
                "echo \"    $2 bytes stack frame, $3 bytes spill stores, $4 bytes spill loads\"\n"
                "echo \"ptxas info : Used $5 registers, used 1 barriers\"; }\n"
                "{ one v10 0 0 0 40; one v2 64 4 12 255; } >&2\n");
    const Outcome good = scripts.run("NVCC=./nvcc tools/spills.sh sm_80");
    EXPECT_EQ(good.status, 0) << good.errors;
    EXPECT_EQ(good.output,
              "nvcc 13.0.88, sm_80, -O3; core.cu of revision abc; bytes a thread\n"
              "v2   255 registers,  64 bytes of local memory, of which spills: 4 stored, "
              "12 loaded\n"
              "v10   40 registers,   0 bytes of local memory, of which spills: 0 stored, "
              "0 loaded\n");
    const Outcome failed = scripts.run("FAILS=1 NVCC=./nvcc tools/spills.sh");
    EXPECT_EQ(failed.status, 1);
    EXPECT_EQ(failed.output, "");
    EXPECT_EQ(failed.errors, "core.cu: error\n");
}

// ---- .ci ---------------------------------------------------------------------------------------

/// The gate, where there is a compiler for GPUs and no GPU, with programs in the place of all that
/// it calls.
struct Gate : testing::Test
{
    Gate()
    {
        scripts.copy(".ci/run");
        scripts.add("program", "echo \"$0 says all\"\n[ \"$0\" != \"$PROGRAM_FAILS\" ]\n");
        // Words that it is called with are compared whole: `test` is not `tested`.
        const auto fails = [](const std::string &setting) {
            return "case \" $* \" in *\" ${" + setting +
                   ":-none} \"*) echo failed; exit 1;; esac\n";
        };
        scripts.add("bin/make",
                    "for word; do case $word in BUILD=*) build=${word#BUILD=};; esac; done\n"
                    "for file in entropy tests/corpora python/venv/bin/python; do\n"
                    "mkdir -p $build/$(dirname $file) && cp program $build/$file; done\n" +
                        fails("MAKE_FAILS"));
        for (const char *script : {"bin/python3", ".ci/take_objects.py", "tools/setup.sh"})
            scripts.add(script, fails("SCRIPT_FAILS"));
        scripts.add("bin/git", "echo abc\n");
        scripts.add("bin/nvcc", "exit 9\n");
        scripts.add("bin/nvidia-smi", "exit 9\n");
    }
    Outcome run(const std::string &setting, const std::string &words) const
    {
        return scripts.run("env -u MAKE_FAILS -u PROGRAM_FAILS -u SCRIPT_FAILS sh -c 'rm -rf "
                           "build*; " +
                           setting + "=\"" + words + "\" exec .ci/run'");
    }
    void expectFailures(const std::string &setting, const std::vector<std::string> &calls) const
    {
        for (const std::string &words : calls) {
            const Outcome failed = run(setting, words);
            EXPECT_NE(failed.status, 0) << setting << ": " << words << "\n" << failed.output;
            EXPECT_FALSE(holds(failed.output, " all of it passed\n")) << setting << ": " << words;
        }
    }
    const Scripts scripts;
};

TEST_F(Gate, TakesObjectsThatTwoBuildsHaveInCommon)
{
    if (runCommand("python3 --version").status != 0) GTEST_SKIP() << "needs python3";
    const Outcome outcome = runCommand(kOwnEnvironment + "python3 -B -m unittest discover -s .ci");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

// What fails behind something else counts, too.
TEST_F(Gate, WhateverFailsIsAFailure)
{
    const Outcome good = run("MAKE_FAILS", "none of them");
    EXPECT_EQ(good.status, 0) << good.output << good.errors;
    EXPECT_TRUE(holds(good.output, " all of it passed\n")) << good.output;
    expectFailures("MAKE_FAILS",
                   {"BUILD=build-cpu CUDA=0 tested", "BUILD=build-cpu CUDA=0 test",
                    "BUILD=build-cpu CUDA=0 VERSION=v12 all data", "BUILD=build-cpu CUDA=0 python",
                    "BUILD=build tested", "BUILD=build test", "BUILD=build VERSION=v12 all data",
                    "mutants ARGUMENTS=--minutes 1 --sample 10 --seed abc",
                    "build-all/objects/local_entropy/methods/words/words.o",
                    "build-sanitized/tests/corpora"});
    expectFailures("PROGRAM_FAILS", {"build-cpu/entropy", "build-cpu/python/venv/bin/python",
                                     "build/entropy", "build-sanitized/tests/corpora"});
    expectFailures("SCRIPT_FAILS",
                   {"tests", "-m unittest discover -s .ci", "build-cpu build CUDA=0"});
}

// Or the build with nvcc repeats a test that has got another name.
TEST_F(Gate, LeavesOutTestsThatThereAre)
{
    std::vector<std::string> tests;
    const testing::UnitTest &all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const testing::TestSuite &suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j)
            tests.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name());
    }
    const std::string gate = contentsOf(".ci/run");
    const std::regex list("same_(commands|scripts|python)\\+?='([^']*)'");
    int patterns = 0;
    for (std::sregex_iterator found(gate.begin(), gate.end(), list), end; found != end; ++found) {
        std::istringstream words(found->str(2));
        for (std::string pattern; std::getline(words, pattern, ':');) {
            if (pattern.empty()) continue; // before the first of a further line
            ++patterns;
            EXPECT_TRUE(std::any_of(tests.begin(), tests.end(), [&](const std::string &test) {
                return fnmatch(pattern.c_str(), test.c_str(), 0) == 0;
            })) << pattern;
        }
    }
    EXPECT_GT(patterns, 5);
}

} // namespace
