// The program of the maximum lab as its users meet it.
#include "little_memory.h"
#include "maximum/core.h"
#include "messages.h"
#include "sanitized.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>

using maximum::Version;

namespace
{

const std::string kMaximum = BUILD_DIRECTORY "/maximum";
const int kStatus = maximum::activeVersion().unavailable.empty() ? 0 : 2; ///< if all is right

} // namespace

TEST(MaximumProgram, ChecksEveryVersionAndPasses)
{
    const TemporaryDirectory directory;
    const Outcome outcome = runCommand(kMaximum + " --csv " + directory.path("times.csv"));
    EXPECT_EQ(outcome.status, kStatus) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "256 x 1024 (rows x columns), maximum 2018"))
        << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\npassed: ")) << outcome.output;
    const std::string csv = contentsOf(directory.path("times.csv"));
    EXPECT_EQ(csv.find("version,platform,rows,columns,runs,"), 0u) << csv;
    EXPECT_TRUE(holds(csv, ",device_read_ms,idea,note\n")) << csv;
    for (const Version &version : maximum::versions()) {
        EXPECT_TRUE(holds(outcome.output, std::string("\n") + version.name + " ")) << version.name;
        EXPECT_TRUE(holds(csv, std::string("\n") + version.name + ",")) << version.name;
        EXPECT_TRUE(holds(outcome.output, version.unavailable)) << version.name;
    }
}

TEST(MaximumProgram, TakesOtherSizes)
{
    const TemporaryDirectory directory;
    const Outcome outcome =
        runCommand(kMaximum + " --rows 7 --columns 13 --csv " + directory.path("times.csv"));
    EXPECT_EQ(outcome.status, kStatus) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "7 x 13 (rows x columns)")) << outcome.output;
    EXPECT_TRUE(holds(contentsOf(directory.path("times.csv")), "\nm1,CPU,7,13,"));
}

TEST(MaximumProgram, ItsLastLineCountsTheVersionsThatCanRun)
{
    const auto &versions = maximum::versions();
    const auto able = std::count_if(versions.begin(), versions.end(), [](const Version &version) {
        return version.unavailable.empty();
    });
    EXPECT_TRUE(holds(runCommand(kMaximum + " --rows 7 --columns 13").output,
                      "\npassed: " + std::to_string(able) + " of 10 versions can run here, "));
}

TEST(MaximumProgram, SaysByWhichFlagsItWasBuilt)
{
    const std::string output = runCommand(kMaximum + " --rows 1 --columns 1").output;
    const std::size_t line = output.find("\ncompiler:   ");
    ASSERT_NE(line, std::string::npos) << output;
    EXPECT_TRUE(holds(output.substr(line + 1, output.find('\n', line + 1) - line), ", -std=c++17 "))
        << output;
}

// m1's row: its speed is that of four million bytes in the median, on the screen; and what the file
// calls the minimum is less.
TEST(MaximumProgram, SpeedsAndMinimaAreWhatTheySay)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const Outcome outcome = runCommand(kMaximum + " --rows 1000 --columns 1000 --csv " + file);
    double median = 0, minimum = 0, speed = 0;
    const std::size_t row = outcome.output.find("\nm1 ");
    ASSERT_NE(row, std::string::npos) << outcome.output;
    ASSERT_EQ(std::sscanf(outcome.output.c_str() + row, " m1 %*s | %lf %lf %*s %lf", &median,
                          &minimum, &speed),
              3)
        << outcome.output;
    EXPECT_NEAR(speed, 4 / median, 0.051) << outcome.output;
    const std::string csv = contentsOf(file);
    const std::size_t line = csv.find("\nm1,CPU,1000,1000,");
    ASSERT_NE(line, std::string::npos) << csv;
    ASSERT_EQ(
        std::sscanf(csv.c_str() + line, "\nm1,CPU,1000,1000,%*[^,],%lf,%lf,", &median, &minimum), 2)
        << csv;
    EXPECT_LT(minimum, median);
}

// What three versions say of their kernels is known: 1048576 bytes in so many milliseconds.
TEST(MaximumProgram, KernelsAreComparedWithTheYardstickAndTheOnesBefore)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const Outcome outcome = runCommand("ACTIVE=right BENCHMARK_SECONDS=0.01 " BUILD_DIRECTORY
                                       "/tests/broken_maximum --csv " +
                                       file);
    const std::string csv = contentsOf(file);
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
              "version,platform,rows,columns,runs,total_median_ms,total_min_ms,kernel_runs,"
              "kernel_median_ms,kernel_min_ms,device_read_ms,idea,note");
    struct Kernel
    {
        const char *name, *screen, *file, *gains;
    };
    double yardstick = 0; // end to end, on the screen
    for (const Kernel &kernel :
         {Kernel{"yardstick", "8.0000 7.0000 5 0.1 1.0000 ", ",5,8,7,", "| 2.00 2.00 | tells"},
          {"slow", "16.0000 12.0000 5 0.1 0.5000 ", ",5,16,12,", "| - 1.00 | tells"},
          {"fast", "2.0000 1.0000 5 0.5 4.0000 ", ",5,2,1,", "| 4.00 8.00 | tells"}}) {
        const std::string start = std::string("\n") + kernel.name;
        const std::size_t place = outcome.output.find(start + " "),
                          row = csv.find(start + ",CUDA,");
        ASSERT_NE(place, std::string::npos) << outcome.output;
        ASSERT_NE(row, std::string::npos) << csv;
        std::string line;
        std::istringstream words(
            outcome.output.substr(place + 1, outcome.output.find('\n', place + 1) - place));
        for (std::string word; words >> word;) line += word + " ";
        EXPECT_TRUE(holds(line, std::string("| ") + kernel.screen)) << line;
        EXPECT_TRUE(holds(line, kernel.gains)) << line;
        double shown[5], runs = 0, median = 0, minimum = 0;
        ASSERT_EQ(std::sscanf(line.c_str(), "%*s CUDA | %lf %lf %lf %lf %lf", shown, shown + 1,
                              shown + 2, shown + 3, shown + 4),
                  5)
            << line;
        ASSERT_EQ(std::sscanf(csv.c_str() + row + start.size(), ",CUDA,256,1024,%lf,%lf,%lf", &runs,
                              &median, &minimum),
                  3)
            << csv;
        EXPECT_TRUE(holds(csv.substr(row), kernel.file)) << csv;
        EXPECT_NEAR(shown[0], median, 0.51e-4);
        EXPECT_NEAR(shown[1], minimum, 0.51e-4);
        EXPECT_EQ(shown[2], runs);
        EXPECT_NEAR(shown[3], 1.048576 / median, 0.06);
        if (yardstick == 0) yardstick = median;
        EXPECT_NEAR(shown[4], yardstick / median, 1e-4);
    }
}

// Runs of half a second: after a second there have been two.
TEST(MaximumProgram, ThreeRunsOfMoreThanASecondAreEnough)
{
    const Outcome outcome =
        runCommand("ACTIVE=right SLOW=1 BENCHMARK_SECONDS=100 " BUILD_DIRECTORY
                   "/tests/broken_maximum --rows 1000 --columns 400 --csv - 2>/dev/null");
    EXPECT_TRUE(holds(outcome.output, "\nslowly,CPU,1000,400,3,")) << outcome.output;
}

TEST(MaximumProgram, HelpAndBadUsage)
{
    const Outcome help = runCommand(kMaximum + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.output.find("usage: maximum"), 0u) << help.output;
    EXPECT_TRUE(holds(help.output, "without --benchmark, an active version that cannot run here"));
    expectBadUsage(kMaximum + " --rows 0", "maximum: --rows is '0', expected an integer in 1..");
    expectBadUsage(kMaximum + " --columns 3x", "--columns is '3x'");
    expectBadUsage(kMaximum + " --columns ''", "--columns is ''");
    expectBadUsage(kMaximum + " --rows 99999999999999999999", "--rows is '99999999999999999999'");
    expectBadUsage(kMaximum + " --nonsense", "--nonsense: no such option");
    expectBadUsage(kMaximum + " -xyz", "maximum: -xyz: no such option");
    expectBadUsage(kMaximum + " 256", "'256' is no option");
    for (const std::string size : {"--rows 5", "--columns 5", "--rows 5 --columns 5"}) {
        const std::string brief = "timeout 5 " + kMaximum; // if it were not refused: minutes
        expectBadUsage(brief + " --benchmark " + size, "--benchmark has sizes of its own");
        expectBadUsage(brief + " " + size + " --benchmark", "--benchmark has sizes of its own");
    }
}

TEST(MaximumProgram, WhatCannotBeDoneIsRefusedBeforeTheWork)
{
    const Outcome csv = runCommand(kMaximum + " --csv no/such/times.csv");
    EXPECT_EQ(csv.status, 2);
    EXPECT_TRUE(holds(csv.errors, "no/such/times.csv cannot be created")) << csv.errors;
    EXPECT_EQ(runCommand("timeout 20 " + kMaximum + " --benchmark --csv no/such/times.csv").status,
              2);
    expectBadUsage(kMaximum + " --rows 4294967296 --columns 4294967296",
                   "the matrix has more than 2^60 elements");
}

TEST(MaximumProgram, OnlyUnavailableMeansCannotRun)
{
    const auto with = [](const std::string &active) {
        return runCommand("ACTIVE=" + active + " " BUILD_DIRECTORY "/tests/broken_maximum");
    };
    for (const char *active : {"right", "starved", "absent"}) {
        const Outcome outcome = with(active);
        EXPECT_EQ(outcome.status, 1) << outcome.errors; // two rows are bad
        EXPECT_TRUE(holds(outcome.output, "FAILED: 2 wrong")) << active << "\n" << outcome.output;
        EXPECT_FALSE(holds(outcome.output, "active version FAILED")) << outcome.output;
    }
    const Outcome wrong = with("wrong");
    EXPECT_EQ(wrong.status, 1) << wrong.errors;
    EXPECT_TRUE(
        holds(wrong.output, "active version FAILED: wrong: WRONG: found 2017, right is 2018"))
        << wrong.output;
    EXPECT_TRUE(holds(wrong.output, "FAILED: 3 wrong answers and errors")) << wrong.output;
    const Outcome failing = with("failing");
    EXPECT_EQ(failing.status, 1) << failing.errors;
    for (const char *part :
         {"active version FAILED: it broke", "FAILED: 3 wrong answers and errors",
          "WRONG: found 2017, right is 2018", "| too little here", "| needs another machine"})
        EXPECT_TRUE(holds(failing.output, part)) << part << "\n" << failing.output;
}

// The last version leaves a machine on which the copies after the table fail.
TEST(MaximumProgram, WhatWasMeasuredIsKeptWhereTheCopiesFail)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const Outcome outcome =
        runCommand("ACTIVE=right RUINS=1 BENCHMARK_SECONDS=0.001 " BUILD_DIRECTORY
                   "/tests/broken_maximum --csv " +
                   file);
    EXPECT_EQ(outcome.status, 1) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "\nfast CUDA ")) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\nthe copies FAILED: BENCHMARK_SECONDS is 'in ruins', "))
        << outcome.output;
    // Two versions, the one that ends in ruins, and the copies.
    EXPECT_TRUE(holds(outcome.output, "FAILED: 4 wrong answers and errors")) << outcome.output;
    EXPECT_TRUE(holds(contentsOf(file), "\nfast,CUDA,256,1024,")) << contentsOf(file);
}

// Then the next of its sizes cannot begin.
TEST(MaximumProgram, TheBenchmarkKeepsTheSizesBeforeOneThatFails)
{
    if (kAddressSanitizer || kThreadSanitizer)
        GTEST_SKIP() << "needs the address space that the sanitizer takes";
    if (runCommand("nvidia-smi -L | grep '^GPU'").status == 0)
        GTEST_SKIP() << "needs the address space that a GPU's driver takes";
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    const Outcome outcome = runCommand(
        "ulimit -v 400000; CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=1 ACTIVE=right RUINS=1 "
        "BENCHMARK_SECONDS=0.001 " BUILD_DIRECTORY "/tests/broken_maximum --benchmark --csv " +
        file);
    EXPECT_EQ(outcome.status, 1) << outcome.errors;
    EXPECT_TRUE(
        holds(outcome.output, "\nmatrix of 4096 x 4096 FAILED: BENCHMARK_SECONDS is 'in ruins', "))
        << outcome.output;
    for (const char *side : {"16384", "32768"})
        EXPECT_TRUE(holds(outcome.output, std::string("\nmatrix of ") + side + " x " + side + ": "))
            << outcome.output;
    EXPECT_TRUE(holds(contentsOf(file), "\nfast,CUDA,256,1024,")) << contentsOf(file);
}

TEST(MaximumProgram, WhyAVersionWasNotTimedIsInTheFileToo)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("times.csv");
    runCommand("ACTIVE=right BENCHMARK_SECONDS=0.001 " BUILD_DIRECTORY
               "/tests/broken_maximum --csv " +
               file);
    const std::string csv = contentsOf(file);
    for (const std::string row :
         {"wrong@one less,\"WRONG: found 2017, right is 2018\"", "failing@throws,it broke",
          "starved@has too little memory,too little here",
          "absent@cannot run here,needs another machine"}) {
        const std::size_t at = row.find('@');
        const std::size_t place = csv.find("\n" + row.substr(0, at) + ",CPU,256,1024,0,0,0,0,0,0,");
        ASSERT_NE(place, std::string::npos) << row << "\n" << csv;
        const std::string line = csv.substr(place + 1, csv.find('\n', place + 1) - place - 1);
        EXPECT_TRUE(holds(line + "\n", "," + row.substr(at + 1) + "\n")) << line;
    }
}

// One matrix of 40 MB, and two arrays of as many elements for the copies.
TEST(MaximumProgram, AMatrixThatDoesNotFitIsRefused)
{
    const Outcome huge = runCommand(kMaximum + " --rows 1048576 --columns 1099511627776");
    EXPECT_EQ(huge.status, 2);
    EXPECT_TRUE(holds(huge.errors, "maximum: needs 4398046511232 MiB, ")) << huge.errors;
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer has to come first";
    for (const auto &[kilobytes, status] : {std::pair(0, 2), {117187, 2}, {117188, kStatus}}) {
        const LittleMemory little(kilobytes);
        if (!little.isThere()) GTEST_SKIP() << "needs gcc";
        const Outcome outcome = runCommand(little.environment() + "BENCHMARK_SECONDS=0.001 " +
                                           kMaximum + " --rows 10000 --columns 1000");
        EXPECT_EQ(outcome.status, status) << outcome.errors;
        const std::string said =
            "maximum: needs 114 MiB, " + std::to_string(kilobytes / 1024) + " MiB are available";
        EXPECT_EQ(holds(outcome.errors, said), kilobytes < 117188) << outcome.errors;
        EXPECT_EQ(holds(outcome.output, "\nactive version "), kilobytes == 117188)
            << outcome.output;
    }
}

// The first two of its four sizes, in as much memory: the largest element is the last one. What
// would take longer than anybody waits is left out.
TEST(MaximumProgram, TheBenchmarkBeginsWithTheAssignmentsMatrix)
{
    if (kAddressSanitizer || kThreadSanitizer)
        GTEST_SKIP() << "needs the address space that the sanitizer takes";
    if (runCommand("nvidia-smi -L | grep '^GPU'").status == 0)
        GTEST_SKIP() << "needs the address space that a GPU's driver takes";
    const Outcome outcome =
        runCommand("ulimit -v 400000; CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=1 ACTIVE=right SLOW=1 "
                   "BENCHMARK_SECONDS=0.001 " BUILD_DIRECTORY "/tests/broken_maximum --benchmark");
    EXPECT_EQ(outcome.status, 1) << outcome.errors; // versions that fail
    std::string matrices;
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("matrix of ", 0) == 0) matrices += line.substr(0, line.find(';')) + "\n";
    EXPECT_EQ(matrices, "matrix of 256 x 1024 (rows x columns), maximum 2019\n"
                        "matrix of 4096 x 4096 (rows x columns), maximum 2019\n"
                        "matrix of 16384 x 16384: skipped, no host memory for 268435456 elements "
                        "of 4 bytes\n"
                        "matrix of 32768 x 32768: skipped, no host memory for 1073741824 elements "
                        "of 4 bytes\n");
    double seconds = 0;
    const std::size_t place = outcome.output.find("| skipped: would take about ");
    ASSERT_NE(place, std::string::npos) << outcome.output;
    EXPECT_EQ(std::sscanf(outcome.output.c_str() + place, "| skipped: would take about %lf s a run",
                          &seconds),
              1);
    EXPECT_GT(seconds, 20);
    EXPECT_LT(seconds, 60);
    EXPECT_EQ(place, outcome.output.rfind("| skipped: ")) << outcome.output;
}

// A machine that says that 200 MB are available: what takes more than most of them is not tried.
TEST(MaximumProgram, TheBenchmarkLeavesOutWhatDoesNotFit)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer has to come first";
    const LittleMemory little(200000);
    if (!little.isThere()) GTEST_SKIP() << "needs gcc";
    const Outcome outcome =
        runCommand(little.environment() + "OMP_NUM_THREADS=1 BENCHMARK_SECONDS=0.001 " + kMaximum +
                   " --benchmark");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const std::string size :
         {"256 x 1024 (rows", "4096 x 4096 (rows",
          "16384 x 16384: skipped, needs 1152 MiB, 195 MiB are available\n",
          "32768 x 32768: skipped, needs 4224 MiB, 195 MiB are available\n"})
        EXPECT_TRUE(holds(outcome.output, "matrix of " + size)) << outcome.output;
}

TEST(MaximumProgram, MakeVersionPicksTheVersion)
{
    const TemporaryDirectory directory;
    const std::string build = directory.path("build");
    const Outcome m1 = runCommand("make CUDA=0 REVISION=someone BUILD=" + build + " VERSION=m1 " +
                                  build + "/maximum && " + build + "/maximum");
    EXPECT_EQ(m1.status, 0) << m1.errors;
    EXPECT_TRUE(holds(m1.output, "active version m1: right, the maximum is 2018")) << m1.output;
    EXPECT_TRUE(holds(m1.output, "\nrevision:   someone\n")) << m1.output;
    const Outcome m11 = runCommand("make CUDA=0 BUILD=" + build + " VERSION=m11 labs");
    EXPECT_NE(m11.status, 0);
    EXPECT_TRUE(holds(m11.errors, "the labs have")) << m11.errors;
    EXPECT_TRUE(holds(m11.errors, " m10 ")) << m11.errors;
}
