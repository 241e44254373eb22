// The library under conditions that others make: tests/hostile.cu is what calls it.
#include "entropy/call.h"
#include "local_entropy/engine.h"
#include "messages.h"
#include "sanitized.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace
{

Outcome hostile(const std::string &how, const std::string &environment = "")
{
    return runCommand(environment + " " BUILD_DIRECTORY "/tests/hostile " + how);
}

void expectRight(const std::string &how)
{
    for (const std::string threads : {"1", "2", "5"}) {
        const Outcome outcome = hostile(how, "OMP_NUM_THREADS=" + threads);
        EXPECT_EQ(outcome.status, 0) << how << ", " << threads << " threads: " << outcome.errors;
        EXPECT_EQ(outcome.output, "right\n") << how << ", " << threads << " threads";
    }
}

} // namespace

TEST(Hostile, AnotherRoundingModeChangesNothing) { expectRight("rounding"); }
TEST(Hostile, TrapsAreMasked) { expectRight("traps"); }
TEST(Hostile, CallsComeBeforeMain) { expectRight("early"); }
TEST(Hostile, CallsComeWhileTheProcessEnds) { expectRight("exit"); }
TEST(Hostile, CallsComeWhileAThreadEnds) { expectRight("thread"); }
TEST(Hostile, AForkedProcessComputesToo) { expectRight("fork"); }

TEST(Hostile, LittleMemoryIsEnoughOrIsTold)
{
    if (kAddressSanitizer || kThreadSanitizer)
        GTEST_SKIP() << "needs the address space that the sanitizer takes";
    const Outcome outcome = hostile("'little memory'");
    EXPECT_EQ(outcome.output, "right\n") << outcome.errors;
}

// What a call opens then, such as /proc or a GPU, has the number of one of them.
TEST(Hostile, StandardInputOutputAndErrorsMayBeClosed)
{
    for (const std::string how : {"rounding", "fork"})
        for (const std::string closed : {"<&-", ">&-", "<&- >&- 2>&-"})
            EXPECT_EQ(hostile(how + " " + closed).status, 0) << how << " " << closed;
    for (const std::string program : {"/entropy", "/tests/misbehaving"}) {
        const Outcome outcome = runCommand(
            "OPENS_BEFORE_MAIN=1 ENTROPY_BENCHMARK=0 " BUILD_DIRECTORY + program + " - <&-");
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.errors, program.substr(program.rfind('/') + 1) +
                                      ": - cannot be read: Bad file descriptor\n");
    }
    for (const std::string command :
         {"tests/misbehaving data/worked_4x4.txt", "maximum --rows 4 --columns 4",
          "transpose --rows 4 --columns 4"}) {
        const Outcome silent = runCommand(
            "OPENS_BEFORE_MAIN=1 ENTROPY_BENCHMARK=0 " BUILD_DIRECTORY "/" + command + " >&-");
        EXPECT_EQ(silent.status, 2) << command;
        EXPECT_TRUE(holds(silent.errors, "standard output cannot be written")) << silent.errors;
    }
}

TEST(Hostile, ResultsAreKeptUnlessThatIsUnwanted)
{
    if (kAddressSanitizer || kThreadSanitizer)
        GTEST_SKIP() << "needs the system's malloc, and the sanitizer has its own";
    for (const std::string threads : {"1", "2"}) // a thread's memory may keep what is below it
        EXPECT_EQ(hostile("memory", "ENTROPY_KEEP_MEMORY= OMP_NUM_THREADS=" + threads).output,
                  "others are mapped\nkept\n")
            << threads;
    EXPECT_EQ(hostile("memory", "ENTROPY_KEEP_MEMORY=0").output, "others are mapped\ngiven back\n");
}

TEST(Hostile, APathThatDoesNotExistIsRefused)
{
    const auto refused = [](const std::string &path, const std::string &sentence) {
        for (const char *benchmark : {"0", "warm-up"})
            expectBadUsage("ENTROPY_BENCHMARK=" + std::string(benchmark) + " ENTROPY_CPU_PATH='" +
                               path + "' " BUILD_DIRECTORY "/entropy data/worked_4x4.txt",
                           "entropy: ENTROPY_CPU_PATH is " + sentence);
    };
    for (const std::string path : {"", "sse", "AVX2", "plain", "best"})
        refused(path, "'" + path + "', expected avx512, avx2 or portable");
    const auto here = local_entropy::Engine::paths();
    for (const std::string path : {"avx512", "avx2"})
        if (std::find(here.begin(), here.end(), path) == here.end())
            refused(path, path + ", which this processor cannot run");
    EXPECT_EQ(runCommand("ENTROPY_BENCHMARK=0 ENTROPY_CPU_PATH=portable " BUILD_DIRECTORY
                         "/entropy data/worked_4x4.txt")
                  .status,
              0);
}

// Containers throw std::bad_alloc, which is no std::runtime_error: the contract promises one.
TEST(Contract, LackOfMemoryIsASentence)
{
    const auto noMemory = [](int, int, float *, float **) { throw std::bad_alloc(); };
    const auto name = []() -> const char * { return "v3"; };
    const auto noName = []() -> const char * { throw std::bad_alloc(); };
    EXPECT_EQ(messageOf([&] { entropy::callVersion(noMemory, name, 1, 1, nullptr, nullptr); }),
              "v3: cudaCallback: no host memory");
    EXPECT_EQ(messageOf([&] { entropy::callVersion(noMemory, noName, 1, 1, nullptr, nullptr); }),
              "cudaCallback: no host memory");
}
