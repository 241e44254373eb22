// What programs that measure make of where they are started: the environment, closed streams.
#include "bench/first_devices.h"
#include "messages.h"
#include "preloaded.h"
#include "sanitized.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace
{

/// A program whose threads are counted, and whose core opens something before main, as a driver of
/// a GPU does: when it asks for ENTROPY_BENCHMARK.
class Watched
{
public:
    /// False where there is no gcc.
    bool isThere() const { return watch.isThere(); }

    Outcome run(const std::string &command, const std::string &settings = "") const
    {
        return runCommand(settings + " TOLD=" + directory.path("told") + " " + watch.environment() +
                          BUILD_DIRECTORY "/" + command);
    }
    int threads() const { return std::atoi(told().c_str()); }
    std::string streams() const { return told().substr(told().find(' ') + 1); }

private:
    std::string told() const { return contentsOf(directory.path("told")); }

    TemporaryDirectory directory;
    Preloaded watch{R"(
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int opened, threads;
char *getenv(const char *name)
{
    if (strcmp(name, "ENTROPY_BENCHMARK") == 0 && !opened++) open("/dev/zero", O_RDWR);
    for (char **one = environ; *one; ++one)
        if (strncmp(*one, name, strlen(name)) == 0 && (*one)[strlen(name)] == '=')
            return *one + strlen(name) + 1;
    return 0;
}
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *with)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        dlsym(RTLD_NEXT, "pthread_create");
    __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    return next(thread, how, work, with);
}
__attribute__((destructor)) static void tell(void)
{
    char text[256] = "", name[32];
    for (int stream = 0, size = 0; stream < 3; ++stream) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", stream);
        const int more = readlink(name, text + size, 60);
        size += more > 0 ? more : snprintf(text + size, 60, "closed");
        text[size++] = ' ';
        text[size] = 0;
    }
    FILE *file = fopen(getenv("TOLD"), "w");
    fprintf(file, "%d %s\n", threads, text);
    fclose(file);
})"};
};

} // namespace

// Or each version in turn would seem to fail by it.
TEST(BenchEnvironment, BadSecondsAreRefusedBeforeAVersionIsCalled)
{
    for (const std::string program : {"bottleneck_study_measures data/data.bin", "bench_size 9x9"})
        expectBadUsage("ENTROPY_BENCHMARK=0 BENCHMARK_SECONDS=x " BUILD_DIRECTORY "/" + program,
                       ": BENCHMARK_SECONDS is 'x', expected a positive number of seconds");
}

TEST(BenchEnvironment, TimesThatCannotBeKeptAreAStatus)
{
    const Outcome outcome =
        runCommand("ENTROPY_BENCHMARK=0 ENTROPY_VERSIONS=v16 BENCHMARK_SECONDS=0.001 "
                   "ENTROPY_RESULTS=no/such " BUILD_DIRECTORY "/bench_size 9x9");
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\nbenchmark 9x9 stopped: no/such/")) << outcome.output;
    EXPECT_EQ(
        runCommand(
            "ENTROPY_BENCHMARK=0 ENTROPY_VERSIONS=v16 BENCHMARK_SECONDS=0.001 " BUILD_DIRECTORY
            "/bench_size 9x9")
            .status,
        0);
}

TEST(BenchEnvironment, WhatIsOpenedIsNoStandardStream)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer has to come first";
    const Watched watched;
    if (!watched.isThere()) GTEST_SKIP() << "needs gcc";
    for (const std::string program : {"bottleneck_study_measures", "bench_size", "bench_filter",
                                      "profile_labs", "occupancy", "precision", "bench_cpu"}) {
        watched.run(program + " --help <&- >&- 2>&-");
        EXPECT_EQ(watched.streams(), "/dev/null /dev/null /dev/null \n") << program;
    }
}

// What is measured beside each other has as many: those of OpenMP. Answers may have all.
TEST(BenchEnvironment, EnginesHaveAsManyThreadsAsOpenMPOffers)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer has to come first";
    const Watched watched;
    if (!watched.isThere()) GTEST_SKIP() << "needs gcc";
    const auto threadsBeside = [&](int offered) {
        const Outcome outcome =
            watched.run("bench_together --cases uint8-256-31x31-512 --seconds 0.001",
                        "OMP_NUM_THREADS=" + std::to_string(offered) + " CUDA_VISIBLE_DEVICES=");
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        for (const char *way : {" cpu ", " auto "}) EXPECT_TRUE(holds(outcome.output, way));
        return watched.threads();
    };
    // A driver may have threads of its own, so what two more make is counted: a thread each for
    // OpenMP, for both engines and for the pool that feeds devices and copies.
    const int one = threadsBeside(1);
    EXPECT_EQ(threadsBeside(3) - one, 2 * 4);
    EXPECT_EQ(
        watched.run("bench_cpu --cases 'm 400x400$' --seconds 0.001", "OMP_NUM_THREADS=1").status,
        0);
    EXPECT_EQ(watched.threads(), 0) << "a row of one thread";
}

// Of large results the pages are made beforehand, by as many threads as OpenMP offers.
TEST(BenchEnvironment, ALargeArrayIsNoReasonForMoreThanOneThread)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer has to come first";
    const Watched watched;
    if (!watched.isThere()) GTEST_SKIP() << "needs gcc";
    const TemporaryDirectory directory;
    const auto threadsFor = [&](const std::string &size) {
        const std::string file = directory.path("cells.bin");
        EXPECT_EQ(runCommand(BUILD_DIRECTORY "/make_data " + size + " flat " + file).status, 0);
        EXPECT_EQ(watched
                      .run("entropy " + file,
                           "OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES= ENTROPY_BENCHMARK=0")
                      .status,
                  0);
        return watched.threads();
    };
    EXPECT_EQ(threadsFor("2100x2100"), threadsFor("5x5"));
}

TEST(BenchEnvironment, ChildrenSeeTheFirstDevicesOfTheirParent)
{
    using Settings = std::vector<std::pair<std::string, std::string>>;
    const auto seen = [](const std::string &list) {
        return Settings{{"CUDA_VISIBLE_DEVICES", list}}; // in the order of the parent
    };
    const char *before = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string kept = before ? before : "";
    unsetenv("CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(bench::onlyFirstDevices(1), seen("0"));
    EXPECT_EQ(bench::onlyFirstDevices(3), seen("0,1,2"));
    setenv("CUDA_VISIBLE_DEVICES", "3,GPU-1a,0", 1);
    EXPECT_EQ(bench::onlyFirstDevices(2), seen("3,GPU-1a"));
    EXPECT_EQ(bench::onlyFirstDevices(4), seen("3,GPU-1a,0"));
    unsetenv("CUDA_VISIBLE_DEVICES");
    if (before) setenv("CUDA_VISIBLE_DEVICES", kept.c_str(), 1);
}
