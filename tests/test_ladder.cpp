// The table of sources/entropy/core.cu.
#include "address_space.h"
#include "common/error.h"
#include "common/host_poison.h"
#include "entropy/call.h"
#include "entropy/core.h"
#include "entropy/reference.h"
#include "entropy/run.h"
#include "little_memory.h"
#include "messages.h"
#include "processor_time.h"
#include "sanitized.h"
#include "shapes.h"
#include "temporary.h"
#include "v14_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

TEST(Table, HoldsTheVersionsInOrder)
{
    const auto &versions = entropy::versions();
    ASSERT_GE(versions.size(), 15u);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(versions[i].name, "v" + std::to_string(i));
    int last = 14; // beyond v14 a number may be missing, but the order holds
    for (std::size_t i = 15; i < versions.size(); ++i) {
        const int number = std::stoi(std::string(versions[i].name).substr(1));
        EXPECT_GT(number, last);
        last = number;
    }
    for (std::size_t i = 10; i < versions.size(); ++i) {
        const bool needsGpu = versions[i].platform == entropy::Platform::Cuda;
        EXPECT_TRUE(needsGpu || versions[i].unavailable.empty()) << versions[i].name;
    }
}

// Of an array for which a test has no memory.
TEST(Table, ACellsPlaceHas64Bits)
{
    EXPECT_EQ(entropy::at(5, 100000, 100000), 10000000005u);
    EXPECT_EQ(entropy::at(0, 2000000000, 2000000000), 4000000000000000000u);
}

TEST(Table, PlatformsHaveTheirNames)
{
    std::string names;
    for (const char *version : {"v9", "v13", "v14", "v15", "v16", "v17"})
        names += entropy::platformName(entropy::versionNamed(version).platform) + std::string(" ");
    EXPECT_EQ(names, "CUDA OpenMP CUDA+OpenMP CUDA OpenMP CUDA+OpenMP ");
}

// Higher than a grid: v0 to v7 fold it, textures have no such height.
TEST(Table, OnlyTheTextureRefusesAHighArray)
{
    const Shape shape{1, 2100000};
    std::vector<float> sample = makeSample("random", shape);
    const auto gold = entropy::reference(shape.width, shape.height, sample.data());
    for (const entropy::Version &version : entropy::versions()) {
        if (!version.unavailable.empty()) continue;
        try {
            const auto result =
                entropy::run(version.callback, shape.width, shape.height, sample.data());
            EXPECT_TRUE(
                entropy::compare(shape.width, shape.height, result.get(), gold.data()).passed)
                << version.name;
        } catch (const common::Unavailable &refusal) {
            EXPECT_STREQ(version.name, "v8") << refusal.what();
        }
    }
}

TEST(Table, SidesForWhichNoGridHasRoomAreRefused)
{
    constexpr int kLongest = 2000000000;
    float cell = 0, *result = nullptr;
    const auto message = [&](int width, int height) {
        return messageOf([&] { entropy::Call("v3", width, height, &cell, &result); });
    };
    EXPECT_EQ(message(kLongest, kLongest), "");
    const std::string expected = ", expected sides of 1..2000000000";
    EXPECT_EQ(message(kLongest + 1, 1), "v3: cudaCallback: the array is 2000000001 x 1" + expected);
    EXPECT_EQ(message(1, kLongest + 1), "v3: cudaCallback: the array is 1 x 2000000001" + expected);
    for (const int none : {0, -1}) {
        const std::string text = std::to_string(none);
        EXPECT_EQ(message(none, 3), "v3: cudaCallback: the array is " + text + " x 3" + expected);
        EXPECT_EQ(message(3, none), "v3: cudaCallback: the array is 3 x " + text + expected);
    }
}

// Before any memory is asked for: a system that promises more than it has ends the program.
TEST(Table, PrefixSumsThatDoNotFitAreRefused)
{
    float cell = 0, *result = nullptr;
    const auto message = [&](int side) {
        return messageOf(
            [&] { entropy::versionNamed("v13").callback(side, side, &cell, &result); });
    };
    EXPECT_TRUE(holds(message(500000), "v13: cudaCallback: the prefix sums need 15258"))
        << message(500000);
    EXPECT_TRUE(holds(message(536870911), "need more than 2^64 bytes")) << message(536870911);
}

// Run by the test below, on a machine with little memory.
TEST(Table, DISABLED_PrintsWhatV13SaysOfAMillionCells)
{
    std::vector<float> sample = makeSample("random", {1000, 1000});
    const std::string message = messageOf(
        [&] { entropy::run(entropy::versionNamed("v13").callback, 1000, 1000, &sample[0]); });
    std::printf("v13 says '%s'\n", message.c_str());
}

// They are 62625.06 KiB, and the result 3906.25.
TEST(Table, PrefixSumsThatLeaveNoRoomForTheResultAreRefused)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer has to come first";
    const std::string refused =
        "v13: cudaCallback: the prefix sums need 61 MiB and the result 3 MiB";
    for (const auto &[kilobytes, message] :
         {std::pair(62625, refused + ", 61 MiB are available"),
          std::pair(66531, refused + ", 64 MiB are available"), std::pair(66532, std::string())}) {
        const LittleMemory little(kilobytes);
        if (!little.isThere()) GTEST_SKIP() << "needs gcc";
        const Outcome outcome =
            runCommand("unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX; " + little.environment() +
                       BUILD_DIRECTORY "/tests/all --gtest_also_run_disabled_tests "
                                       "--gtest_filter=Table.DISABLED_*");
        EXPECT_TRUE(holds(outcome.output, "\nv13 says '" + message + "'\n")) << outcome.output;
    }
}

// Finer than what passes: the bounds that tools/precision.cpp finds over every window.
TEST(Table, VersionsInDoubleRoundOnce)
{
    constexpr Shape kShape{97, 61};
    for (const auto &[name, bound] : std::vector<std::pair<const char *, double>>{
             {"v10", 1.2e-7}, {"v11", 1.2e-7}, {"v12", 1.82e-7}, {"v13", 1.82e-7}})
        for (const std::string content : {"random", "smooth", "levels=2", "dominant"}) {
            std::vector<float> sample = makeSample(content, kShape);
            const auto result = entropy::run(entropy::versionNamed(name).callback, kShape.width,
                                             kShape.height, sample.data());
            double largest = 0;
            for (int y = 0, cell = 0; y < kShape.height; ++y)
                for (int x = 0; x < kShape.width; ++x, ++cell)
                    largest = std::max(
                        largest,
                        std::fabs(result[cell] - entropy::referenceCell(kShape.width, kShape.height,
                                                                        sample.data(), x, y)));
            EXPECT_LE(largest, bound) << name << ", " << content;
        }
}

TEST(Table, VersionsOfTheEngineRefuseCellsThatAreNoLevels)
{
    for (const char *name : {"v16", "v17"})
        for (const float cell : {NAN, INFINITY, -1.0f, 3.5f, 16.0f}) {
            std::vector<float> sample(40 * 30, 1);
            sample[15 * 40 + 20] = cell;
            EXPECT_TRUE(holds(messageOf([&] {
                                  entropy::run(entropy::versionNamed(name).callback, 40, 30,
                                               sample.data());
                              }),
                              std::string(name) + ": the cell at x 20, y 15 is "))
                << name << " " << cell;
        }
}

// Which is no failure: the benchmark and the grader go on.
TEST(Table, TheEngineSaysThatItCannotRunHere)
{
    const entropy::Version &v15 = entropy::versionNamed("v15");
    if (v15.unavailable.empty()) GTEST_SKIP() << "needs a machine without a GPU";
    float cell = 1;
    EXPECT_THROW(entropy::run(v15.callback, 1, 1, &cell), common::Unavailable);
}

// Run by the test below: takes memory away from its process.
TEST(LittleMemory, DISABLED_PrintsWhatV16Says)
{
    const entropy::Version &v16 = entropy::versionNamed("v16");
    constexpr std::size_t kStep = 1 << 14, kMost = 1 << 28;
    for (std::size_t more = 0; more < kMost; more += kStep) {
        if (!limitAddressSpace(more)) continue;
        float cell = 1;
        try {
            entropy::run(v16.callback, 1, 1, &cell);
            std::printf("v16 has computed\n");
            return;
        } catch (const common::Unavailable &error) {
            std::printf("v16 says '%s'\n", error.what());
        } catch (const std::bad_alloc &) { // callVersion's to say
        }
    }
}

// Once, whoever found that there is too little.
TEST(Table, ErrorsOfTheEngineNameTheVersionOnce)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "a sanitizer takes all addresses";
    const Outcome outcome =
        runCommand("unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX; " BUILD_DIRECTORY
                   "/tests/all --gtest_also_run_disabled_tests "
                   "--gtest_filter=LittleMemory.DISABLED_* | sort | uniq");
    EXPECT_TRUE(holds(outcome.output, "\nv16 says 'v16: no host memory for the tables")) //
        << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\nv16 has computed\n")) << outcome.output;
    EXPECT_FALSE(holds(outcome.output, "v16: v16: ")) << outcome.output;
}

// The split of v14, in any number of parts on however many GPUs there are. Named to run under
// compute-sanitizer too.
TEST(Parts, AnySplitIsRightOnSmallShapes)
{
    const entropy::Version &v7 = entropy::versions()[7];
    if (!v7.unavailable.empty()) GTEST_SKIP() << "v14's split " << v7.unavailable;
    for (const Shape shape : {Shape{33, 29}, Shape{7, 1}, Shape{5, 4}, Shape{70, 9}})
        for (int parts = 1; parts <= 5; ++parts) {
            std::vector<float> sample = makeSample("random", shape);
            const auto gold = entropy::reference(shape.width, shape.height, sample.data());
            std::vector<float> output(sample.size(), -1.0f);
            v14::cudaCallbackParts(shape.width, shape.height, sample.data(), output.data(), parts);
            EXPECT_TRUE(
                entropy::compare(shape.width, shape.height, output.data(), gold.data()).passed)
                << shape.width << " x " << shape.height << " in " << parts << " parts";
        }
}

// Once, whichever of the threads it is in: of three parts only the last has the row, so that the
// error is that of another thread than the caller's.
TEST(Parts, AnErrorNamesVersionAndGpuOnce)
{
    if (entropy::versions()[7].unavailable.empty()) GTEST_SKIP() << "needs a machine without a GPU";
    for (const int parts : {1, 3}) {
        float cell = 0, output;
        const std::string message = messageOf([&] {
            const common::ErrorScope scope("v14");
            v14::cudaCallbackParts(1, 1, &cell, &output, parts);
        });
        EXPECT_EQ(message.find("v14: GPU 0: "), 0u) << message;
        EXPECT_EQ(message.rfind("v14"), 0u) << message;
    }
}

// Run by the test below, in a process of its own: threads stay in OpenMP's pool once started.
TEST(Threads, DISABLED_PrintsHowManyTheVersionStarts)
{
    const std::string name = std::getenv("TEST_VERSION");
    for (const entropy::Version &version : entropy::versions())
        if (name == version.name) {
            const auto tasks = [] {
                return std::atoi(runCommand("ls /proc/$PPID/task | wc -l").output.c_str());
            };
            std::vector<float> sample = makeSample("random", {500, 400});
            const int before = tasks();
            entropy::run(version.callback, 500, 400, sample.data());
            // With the first one, the thread sanitizer starts one of its own.
            const int own = kThreadSanitizer && omp_get_max_threads() > 1;
            std::printf("threads %d\n", tasks() - before + 1 - own);
        }
}

TEST(Threads, OpenMpVersionsStartAsManyAsTheyAreGiven)
{
    for (const char *version : {"v10", "v11", "v12", "v13", "v16"})
        for (const char *threads : {"1", "3"}) {
            const Outcome outcome = runCommand(
                std::string("unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX; OMP_NUM_THREADS=") +
                threads + " TEST_VERSION=" + version + " " +
                BUILD_DIRECTORY "/tests/all --gtest_also_run_disabled_tests "
                                "--gtest_filter=Threads.DISABLED_*");
            EXPECT_NE(outcome.output.find(std::string("threads ") + threads + "\n"),
                      std::string::npos)
                << version << " with " << threads << "\n"
                << outcome.output;
        }
}

namespace
{

/// So many of OpenMP, while it lives.
class GivenThreads
{
public:
    explicit GivenThreads(int threads) { omp_set_num_threads(threads); }
    ~GivenThreads() { omp_set_num_threads(before); }
    GivenThreads(const GivenThreads &) = delete;
    GivenThreads &operator=(const GivenThreads &) = delete;

private:
    const int before = omp_get_max_threads();
};

/// An array for many threads, with its answer.
struct Large
{
    const Shape shape{211, 97};
    std::vector<float> sample = makeSample("random", shape);
    const std::vector<float> gold = entropy::reference(shape.width, shape.height, sample.data());

    bool isRightBy(const char *version)
    {
        const common::HostPoison poison(sample.size() * sizeof(float));
        const auto result = entropy::run(entropy::versionNamed(version).callback, shape.width,
                                         shape.height, sample.data());
        return entropy::compare(shape.width, shape.height, result.get(), gold.data()).passed;
    }
};

constexpr const char *kOnTheCpu[] = {"v10", "v11", "v12", "v13", "v16", "v17"};

} // namespace

// Also one by which nothing can be divided.
TEST(Threads, OfAnyNumberAreRight)
{
    Large large;
    for (const int threads : {1, 2, 3, 5, 7, 16}) {
        const GivenThreads given(threads);
        for (const char *version : kOnTheCpu)
            EXPECT_TRUE(large.isRightBy(version)) << version << " with " << threads;
    }
}

// Which has none of the threads that there were, and would wait for them for ever.
/// Milliseconds on a processor, by thread of OpenMP.
std::vector<double> timesOfThreads(int threads)
{
    std::vector<double> times(threads);
#pragma omp parallel num_threads(threads)
    times[omp_get_thread_num()] = processorTime();
    return times;
}

// Both loops are shared out as one.
TEST(Threads, ShareAnArrayOfOneRow)
{
    constexpr int kThreads = 3, kWidth = 3000000;
    const GivenThreads three(kThreads);
    std::vector<float> sample(kWidth, 3.0f);
    for (const char *name : {"v10", "v11", "v12"}) {
        std::vector<double> spent = timesOfThreads(kThreads);
        entropy::run(entropy::versionNamed(name).callback, kWidth, 1, sample.data());
        const std::vector<double> after = timesOfThreads(kThreads);
        for (int i = 0; i < kThreads; ++i) spent[i] = after[i] - spent[i];
        const auto [least, most] = std::minmax_element(spent.begin(), spent.end());
        EXPECT_GT(*least, *most / 4) << name;
    }
}

TEST(Threads, OfAForkedProcessAreNotWaitedFor)
{
    Large large;
    const GivenThreads given(3);
    for (const char *version : kOnTheCpu) {
        ASSERT_TRUE(large.isRightBy(version)) << version; // they are there now
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(20);
            bool right = false;
            try {
                right = large.isRightBy(version);
            } catch (const std::exception &error) {
                std::fprintf(stderr, "%s\n", error.what());
            }
            _exit(right ? EXIT_SUCCESS : EXIT_FAILURE);
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) << version;
    }
}
