// The plumbing that needs no GPU.
#include "common/active.h"
#include "common/child.h"
#include "common/clock.h"
#include "common/csv.h"
#include "common/error.h"
#include "common/host_array.h"
#include "common/host_poison.h"
#include "common/integer.h"
#include "common/kernel_times.h"
#include "common/measure.h"
#include "common/progress.h"
#include "common/shared_array.h"
#include "common/size.h"
#include "common/steady.h"
#include "common/threads.h"
#include "messages.h"
#include "sanitized.h"

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace common
{

TEST(Error, CarriesTheNamesOfTheWorkInProgress)
{
    EXPECT_STREQ(Error("lost").what(), "lost");
    const ErrorScope outer("v14");
    {
        const ErrorScope inner("v7");
        EXPECT_STREQ(Error("lost").what(), "v14: v7: lost");
    }
    EXPECT_STREQ(Unavailable("lost").what(), "v14: lost");
    std::string elsewhere;
    std::thread([&] { elsewhere = Error("lost").what(); }).join();
    EXPECT_EQ(elsewhere, "lost") << "another thread's work is another";
}

TEST(HostArray, RefusesWhatDoesNotFit)
{
    EXPECT_THROW(allocateHost<float>(std::numeric_limits<std::size_t>::max()), Unavailable);
    EXPECT_THROW(allocateHost<float>(std::size_t(1) << 60), Unavailable);
    // Of the bytes of these, 64 bits hold four.
    EXPECT_EQ(messageOf([] { allocateHost<float>((std::size_t(1) << 62) + 1); }),
              "no host memory for 4611686018427387905 elements of 4 bytes");
    EXPECT_TRUE(allocateHost<float>(3));
}

TEST(HostPoison, FreshMemoryIsNoOldResult)
{
    if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer fills memory itself";
    for (const std::size_t size : {1, 9, 72, 100, 5000, 100000}) {
        {
            const HostArray<float> old = allocateHost<float>(size);
            std::fill_n(old.get(), size, 1.5f);
        }
        const HostPoison poison(size * sizeof(float));
        const HostArray<float> fresh = allocateHost<float>(size);
        for (std::size_t i = 0; i < size; ++i) ASSERT_FALSE(std::fabs(fresh[i]) < 1e30f) << size;
    }
}

// Such as the system gives: so large that no allocator has some of it left over.
TEST(HostPoison, IsForItsScopeAlone)
{
    if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer fills memory itself";
    {
        const HostPoison poison(100);
    }
    const HostArray<char> large = allocateHost<char>(std::size_t(64) << 20);
    EXPECT_EQ(large[0], 0);
}

TEST(WallClock, CountsSecondsAndThousandthsOfThem)
{
    const WallClock clock;
    usleep(30000);
    const double milliseconds = clock.milliseconds(), seconds = clock.seconds();
    EXPECT_GE(milliseconds, 30);
    EXPECT_LE(milliseconds, 1e3 * seconds);
    EXPECT_GE(milliseconds, 1e3 * seconds / 10) << "read one after the other";
}

TEST(Measure, MedianAndMinimum)
{
    EXPECT_EQ(summarize({}).repeats, 0u);
    const Timing odd = summarize({5, 1, 3});
    EXPECT_EQ(odd.repeats, 3u);
    EXPECT_DOUBLE_EQ(odd.median, 3);
    EXPECT_DOUBLE_EQ(odd.minimum, 1);
    EXPECT_DOUBLE_EQ(summarize({4, 1, 2, 8}).median, 3);
}

TEST(Measure, StopsAfterFiveRepeatsOrTwoSeconds)
{
    EXPECT_FALSE(enoughRepeats(4, 0.5));
    EXPECT_TRUE(enoughRepeats(5, 0.5));
    EXPECT_TRUE(enoughRepeats(1, 2.0));
    EXPECT_FALSE(enoughRepeats(4, 0.5, 0.6));
    EXPECT_TRUE(enoughRepeats(4, 0.7, 0.6));
    EXPECT_FALSE(enoughRepeats(5, 0.001));
    EXPECT_FALSE(enoughRepeats(999, 0.099));
    EXPECT_TRUE(enoughRepeats(1000, 0.001));
}

TEST(Measure, SecondsAreAPositiveNumber)
{
    EXPECT_EQ(mostSeconds(), 2);
    for (const auto &[setting, seconds] : {std::pair{"", 2.0}, {"0.5", 0.5}, {"3", 3.0}}) {
        setenv("BENCHMARK_SECONDS", setting, 1);
        EXPECT_EQ(mostSeconds(), seconds) << setting;
    }
    for (const std::string setting : {"0", "-1", "nan", "x", "1x", "0x"}) {
        setenv("BENCHMARK_SECONDS", setting.c_str(), 1);
        EXPECT_EQ(messageOf([] { mostSeconds(); }),
                  "BENCHMARK_SECONDS is '" + setting + "', expected a positive number of seconds");
    }
    unsetenv("BENCHMARK_SECONDS");
}

TEST(Measure, WarmsUpAndValidatesBeforeTiming)
{
    int runs = 0, validated = 0;
    const Timing timing = measure([&] { return ++runs; },
                                  [&](int outcome) {
                                      EXPECT_EQ(outcome, 1);
                                      ++validated;
                                  });
    EXPECT_EQ(validated, 1);
    EXPECT_GE(timing.repeats, 5u);
    EXPECT_EQ(static_cast<std::size_t>(runs), timing.repeats + 1);
    EXPECT_LE(timing.minimum, timing.median);
}

TEST(Measure, NeverTimesAWrongAnswer)
{
    int runs = 0;
    EXPECT_THROW(measure([&] { return ++runs; }, [](int) { throw Error("wrong"); }), Error);
    EXPECT_EQ(runs, 1);
}

TEST(KernelTimes, AddsUpOnADeviceAndTakesTheSlowestDevice)
{
    EXPECT_EQ(KernelTimes::active(), nullptr);
    {
        const KernelTimes before;
        EXPECT_EQ(KernelTimes::active(), &before);
    }
    EXPECT_EQ(KernelTimes::active(), nullptr);
    KernelTimes times;
    EXPECT_EQ(times.slowestDevice().repeats, 0u);
    times.record(0, {5, 3, 3}); // the larger minimum
    times.record(1, {5, 2, 1});
    times.record(1, {5, 2, 1});
    times.describe({40, 16, 0.5});
    EXPECT_DOUBLE_EQ(times.slowestDevice().median, 4);
    EXPECT_DOUBLE_EQ(times.slowestDevice().minimum, 2);
    EXPECT_EQ(times.slowestDevice().repeats, 5u) << "of each kernel";
    EXPECT_EQ(times.resources().registers, 40);
}

TEST(Threads, NoneWithoutWork)
{
    EXPECT_EQ(threadsFor(1), 1);
    EXPECT_EQ(threadsFor(0), 1);
    EXPECT_EQ(threadsFor(std::int64_t(1) << 40), omp_get_max_threads());
    const int before = omp_get_max_threads();
    omp_set_num_threads(3);
    EXPECT_EQ(threadsFor(1 << 30), 3);
    EXPECT_EQ(threadsFor(2 * 1024), 2);
    EXPECT_EQ(threadsFor(2 * 1024 - 1), 1) << "a cell too few for another";
    omp_set_num_threads(before);
}

TEST(Threads, AnErrorInAParallelRegionComesOut)
{
    FirstError error;
    std::atomic<int> ran{0};
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 8; ++i)
        error.guard([&] {
            ++ran;
            if (i % 2) throw Error("odd");
        });
    EXPECT_EQ(ran, 8);
    EXPECT_THROW(error.rethrow(), Error);
    EXPECT_NO_THROW(FirstError().rethrow());
    FirstError two; // of which the first is told
    for (const char *const what : {"one", "two"}) two.guard([&] { throw Error(what); });
    EXPECT_EQ(messageOf([&] { two.rethrow(); }), "one");
}

TEST(Measure, WhatTakesTheWholeTimeIsTimedOnceAndNeverCold)
{
    setenv("BENCHMARK_SECONDS", "0.02", 1);
    int runs = 0, validated = 0;
    const Timing timing =
        measure([&] { return usleep(runs++ ? 30000 : 300000); }, [&](int) { ++validated; });
    unsetenv("BENCHMARK_SECONDS");
    EXPECT_EQ(runs, 2) << "the first one warms up";
    EXPECT_EQ(validated, 1);
    EXPECT_EQ(timing.repeats, 1u);
    EXPECT_GE(timing.median, 30);
    EXPECT_LT(timing.median, 300) << "the cold one";
}

/// What takes long to free.
struct Slow
{
    ~Slow() { usleep(20000); }
};

TEST(Measure, FreeingAnOutcomeIsNotTimed)
{
    const auto once = [](std::size_t, double) { return true; };
    EXPECT_LT(measure([] { return Slow(); }, [](const Slow &) {}, once).median, 20);
}

TEST(Measure, StopsByARuleOfTheCallersOwn)
{
    int runs = 0;
    const Timing timing =
        measure([&] { return ++runs; }, [](int) {},
                [](std::size_t repeats, double seconds) { return repeats >= 3 && seconds >= 0; });
    EXPECT_EQ(timing.repeats, 3u);
    EXPECT_EQ(runs, 4);
}

TEST(Steady, CopiesThatDifferAreSaid)
{
    const auto timing = [](double median) { return Timing{5, median, median}; };
    EXPECT_EQ(distrust("host", timing(10), timing(20)), "");
    EXPECT_EQ(distrust("host", timing(10), timing(21)),
              "these times cannot be trusted: the host copy took 10 ms, then 21 ms\n");
    EXPECT_EQ(distrust("host", timing(21), timing(10)),
              "these times cannot be trusted: the host copy took 21 ms, then 10 ms\n");
    EXPECT_EQ(distrust("host", timing(0.001), timing(0.01)), "") << "too short to tell";
    EXPECT_EQ(distrust("host", timing(10), Timing{}), "") << "not measured";
    const std::string both = distrust(Copies{timing(1), timing(2)}, Copies{timing(1), timing(5)});
    EXPECT_EQ(both, "these times cannot be trusted: the GPU's copy took 2 ms, then 5 ms\n");
}

/// What a terminal shows of `work` in a process whose stream of that number it is; the other stream
/// is no terminal.
std::string shownBy(int stream, const std::function<void()> &work)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return "no terminal";
    const int ours = open(ptsname(terminal), O_RDWR | O_NOCTTY), none = open("/dev/null", O_RDWR);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        for (const int one : {STDOUT_FILENO, STDERR_FILENO}) dup2(one == stream ? ours : none, one);
        work();
        std::fflush(nullptr);
        _exit(0);
    }
    close(none);
    close(ours);
    std::string text;
    char buffer[256];
    for (ssize_t bytes; (bytes = read(terminal, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(bytes)); // to its end, which is an error
    close(terminal);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    return text;
}

// Whatever a log is: the thread that would draw the line tells at once whether there will be one.
TEST(Progress, IsForATerminalOnStandardError)
{
    const auto threads = [] {
        const Progress progress("label");
        std::ifstream status("/proc/self/status");
        for (std::string line; std::getline(status, line);)
            if (line.rfind("Threads:", 0) == 0)
                for (std::FILE *to : {stdout, stderr}) std::fprintf(to, "%s\r", line.c_str());
    };
    const std::string onOutput = shownBy(STDOUT_FILENO, threads);
    if (onOutput == "no terminal") GTEST_SKIP() << "this system gives no terminals";
    EXPECT_EQ(onOutput, "Threads:\t1\r");
    EXPECT_EQ(shownBy(STDERR_FILENO, threads), "Threads:\t2\r");
}

// This one lasts the second for which nothing is shown.
TEST(Progress, ShowsWhatLastsLongerThanASecondAndWipesIt)
{
    const std::string shown = shownBy(STDERR_FILENO, [] {
        Progress done("done"); // by then: of it nothing is shown
        done.show("soon");
        Progress progress("label");
        progress.show("first");
        progress.wipe();
        progress.show("second");
        usleep(700000);
        done.wipe();
        usleep(400000);
        progress.show("third");
    });
    if (shown == "no terminal") GTEST_SKIP() << "this system gives no terminals";
    const std::string wipe = "\r\x1b[K";
    EXPECT_EQ(shown, wipe + "label: second" + wipe + "label: third" + wipe + wipe);
}

TEST(Integer, AQuotientIsRoundedUp)
{
    EXPECT_EQ(ceilDiv(0, 4), 0);
    EXPECT_EQ(ceilDiv(1, 4), 1);
    EXPECT_EQ(ceilDiv(4, 4), 1);
    EXPECT_EQ(ceilDiv(5, 4), 2);
    constexpr int kLargest = std::numeric_limits<int>::max();
    EXPECT_EQ(ceilDiv(kLargest, 2), kLargest / 2 + 1);
    EXPECT_EQ(ceilDiv(std::int64_t(kLargest) * 4, 4), kLargest);
}

TEST(Integer, SaysWhatItExpected)
{
    EXPECT_EQ(parseInteger("side", "32", 1, 32), 32);
    EXPECT_EQ(parseInteger("side", "-1", -1, 32), -1);
    for (const char *text : {"0", "33", "", "1x", "x", "1.5", "99999999999999999999"})
        EXPECT_THROW(parseInteger("side", text, 1, 32), Error) << text;
    for (const char *text : {"", " ", "-", "+", "0 ", "0x0"})
        EXPECT_THROW(parseInteger("side", text, -9, 9), Error) << text;
    constexpr long long kMost = std::numeric_limits<long long>::max();
    EXPECT_EQ(parseInteger("side", "9223372036854775807", 1, kMost), kMost);
    EXPECT_THROW(parseInteger("side", "9223372036854775808", 1, kMost), Error);
    EXPECT_EQ(messageOf([] { parseInteger("side", "33", 1, 32); }),
              "side is '33', expected an integer in 1..32");
}

TEST(Size, IsWidthByHeight)
{
    EXPECT_EQ(parseSize("--size", "7x5"), std::pair(7, 5));
    EXPECT_EQ(parseSize("--size", "1x1000000"), std::pair(1, 1000000));
    for (const auto &[text, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"7", "--size is '7', expected WIDTHxHEIGHT"},
             {"x", "--size: width is '', expected an integer in 1..1000000"},
             {"7x", "--size: height is '', expected an integer in 1..1000000"},
             {"0x5", "--size: width is '0', expected an integer in 1..1000000"},
             {"5x1000001", "--size: height is '1000001', expected an integer in 1..1000000"},
             {"5x5x5", "--size: height is '5x5', expected an integer in 1..1000000"}})
        EXPECT_EQ(messageOf([&] { parseSize("--size", text); }), sentence);
}

TEST(Active, WhatCanRunInItsPlaceIsNamedAndHowToChooseIt)
{
    struct Version
    {
        const char *name;
        std::string unavailable;
        bool probe;
    };
    const std::vector<Version> versions = {
        {"a1", "needs a moon", false}, {"a2", "", false}, {"a3", "", true}, {"a4", "", false}};
    EXPECT_EQ(cannotRunHere("make it", versions[0], versions),
              "a1 is the active version, and it needs a moon; these can run here: a2, a3, a4 "
              "(make it VERSION=a4)");
    const auto isAnswer = [](const Version &version) { return !version.probe; };
    EXPECT_EQ(cannotRunHere("make", versions[0], versions, isAnswer),
              "a1 is the active version, and it needs a moon; these can run here: a2, a4 (make "
              "VERSION=a4)");
    EXPECT_EQ(cannotRunHere("make", versions[0], std::vector<Version>(1, versions[0])),
              "a1 is the active version, and it needs a moon");
}

TEST(Csv, NumbersHaveSixDigits)
{
    EXPECT_EQ(number(1234.5678), "1234.57");
    EXPECT_EQ(number(0.000123456789), "0.000123457");
    EXPECT_EQ(number(7), "7");
}

int openDescriptors()
{
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<int>(std::distance(begin(all), end(all)));
}

TEST(SharedArray, IsReadByItsDescriptorAndLeavesNone)
{
    const int before = openDescriptors();
    {
        constexpr int kSize = 9000; // several pages
        SharedArray<int> made(kSize);
        EXPECT_EQ(made.size(), std::size_t(kSize));
        for (int i = 0; i < kSize; ++i) made.data()[i] = i * i;
        const SharedArray<int> seen(dup(made.descriptor()), kSize);
        for (int i = 0; i < kSize; ++i) ASSERT_EQ(seen.data()[i], i * i);
    }
    EXPECT_EQ(messageOf([] { SharedArray<char> large(std::size_t(1) << 62); }),
              "no shared memory for 4611686018427387904 elements");
    EXPECT_EQ(openDescriptors(), before);
}

TEST(Csv, QuotesAndChecksItsRows)
{
    Csv csv({"a", "b"});
    csv.add({"1", "x, \"y\"\nz"});
    EXPECT_EQ(csv.str(), "a,b\n1,\"x, \"\"y\"\"\nz\"\n");
    EXPECT_THROW(csv.add({"1"}), Error);
    EXPECT_THROW(csv.add({"1", "2", "3"}), Error);
}

TEST(Csv, QuotesWhateverWouldEndACell)
{
    for (const auto &[cell, text] : {std::pair{"x,y", "\"x,y\""},
                                     {"x\"y", "\"x\"\"y\""},
                                     {"x\ny", "\"x\ny\""},
                                     {"x\ry", "\"x\ry\""},
                                     {"x y;z'", "x y;z'"},
                                     {"", ""}}) {
        Csv csv({"a", "b"});
        csv.add({cell, "1"});
        EXPECT_EQ(csv.str(), std::string("a,b\n") + text + ",1\n");
    }
}

// What the tests below start: this program again, with one of these.
TEST(Child, DISABLED_ExitsWithThree)
{
    for (const char *name : {"CHILD_SETTING", "CHILD_INHERITS"}) {
        const char *const setting = std::getenv(name);
        std::printf("%s is %s\n", name, setting ? setting : "not set");
    }
    std::fflush(stdout);
    _exit(3);
}
TEST(Child, DISABLED_IsKilled) { raise(SIGKILL); }
TEST(Child, DISABLED_PrintsMoreThanAPipeHolds)
{
    std::printf("[%s]", std::string(100000, 'x').c_str());
    std::fflush(stdout);
    _exit(0);
}

TEST(Child, ItsEndAndItsOutputAreTold)
{
    const auto child = [](const std::string &test) {
        return runChild(
            {"--gtest_also_run_disabled_tests", "--gtest_filter=Child.DISABLED_" + test},
            {{"CHILD_SETTING", "new"}, {"GTEST_TOTAL_SHARDS", "1"}, {"GTEST_SHARD_INDEX", "0"}});
    };
    setenv("CHILD_SETTING", "old", 1);
    setenv("CHILD_INHERITS", "this", 1);
    const ChildOutcome exited = child("ExitsWithThree"), killed = child("IsKilled");
    unsetenv("CHILD_SETTING");
    unsetenv("CHILD_INHERITS");
    EXPECT_EQ(exited.status, 3);
    EXPECT_TRUE(holds(exited.output, "CHILD_SETTING is new\nCHILD_INHERITS is this\n"))
        << exited.output;
    EXPECT_EQ(killed.status, -1) << "it did not exit";
    const int before = openDescriptors();
    EXPECT_TRUE(
        holds(child("PrintsMoreThanAPipeHolds").output, "[" + std::string(100000, 'x') + "]"));
    EXPECT_EQ(openDescriptors(), before);
}

} // namespace common
