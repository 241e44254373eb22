// The versions of a core: timed at load time and by measures. How one is picked: test_switch.cpp.
#include "entropy/core.h"
#include "messages.h"
#include "sanitized.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace
{

const std::string kEntropy = BUILD_DIRECTORY "/entropy";
const std::string kMakeData = BUILD_DIRECTORY "/make_data";

} // namespace

// Who waits for the benchmark should not be refused after it.
TEST(LoadTime, WhatCannotGoOnIsRefusedBeforeTheBenchmark)
{
    const TemporaryFile empty("empty.bin", "");
    const std::string core = "ENTROPY_BENCHMARK=1 " BUILD_DIRECTORY "/tests/broken ";
    for (const std::string arguments :
         {"no/such.bin", empty.path().c_str(), "data/worked_4x4.txt --csv no/such/dir.csv",
          "data/worked_4x4.txt --reference data/worked_4x4.txt",
          "--pri data/worked_4x4.txt --nope"}) {
        const Outcome outcome = expectRefusal(core + arguments, "broken: ");
        EXPECT_EQ(outcome.output, "") << arguments;
        EXPECT_EQ(outcome.errors.find("broken: "), 0u) << "its name without folders";
    }
    const Outcome abbreviated = runCommand(core + "--pri data/worked_4x4.txt");
    EXPECT_TRUE(holds(abbreviated.output, "benchmark 20x10")) << "getopt takes --pri for --print";
}

/// How many lines say that a version failed in the warm-up.
static int warmUpFailures(const std::string &output)
{
    int count = 0;
    for (std::size_t at = 0; (at = output.find("warm-up, GPU ", at)) != std::string::npos; ++at)
        ++count;
    return count;
}

TEST(LoadTime, WrongAnswersAreNotTimedAndFailTheRun)
{
    const TemporaryDirectory directory;
    const Outcome outcome = runCommand("ENTROPY_BENCHMARK=1 ENTROPY_RESULTS=" + directory.path("") +
                                       " " + BUILD_DIRECTORY "/tests/broken data/worked_4x4.txt");
    EXPECT_EQ(outcome.status, 1) << outcome.errors;
    for (const char *part :
         {"beginning OpenMP      | WRONG", "wrong     OpenMP      | WRONG: error 1", "at x 19, y 9",
          "unwritten OpenMP      | WRONG", "failing   OpenMP      | it broke",
          "starved   OpenMP      | too little here", "hungry    OpenMP      | not enough memory",
          "absent    OpenMP      | needs another machine", "probe, no answer: leaves work out",
          "late      CUDA        | it broke late", "1 of 1 groups passed with right"})
        EXPECT_TRUE(holds(outcome.output, part)) << part << "\n" << outcome.output;
    // Five in the table, not those without memory, and the one that throws was warmed up on every
    // GPU, or once without one.
    EXPECT_TRUE(
        holds(outcome.output, "\nFAILED: " + std::to_string(5 + warmUpFailures(outcome.output)) +
                                  " failures before main"))
        << outcome.output;
    const std::string times = contentsOf(directory.path("times.csv"));
    EXPECT_TRUE(holds(times, "\nright,OpenMP,20,10,")) << times;
    EXPECT_TRUE(holds(times, "\nstarved,OpenMP,20,10,0,0,0,")) << times;
    EXPECT_TRUE(holds(times, "\nlate,CUDA,20,10,0,0,0,0,0,0,")) << times;
    EXPECT_TRUE(holds(times, ",leaves work out,\"probe, no answer\"\n")) << times;
    EXPECT_TRUE(holds(times, ",does it,\n")) << times;
    EXPECT_TRUE(holds(contentsOf(directory.path("environment.txt")), "compiler: "));
}

/// Cells of the line of a CSV file that begins like that.
static std::vector<std::string> cellsOfLine(const std::string &csv, const std::string &start)
{
    std::istringstream lines(csv);
    std::string line;
    while (std::getline(lines, line) && line.compare(0, start.size(), start) != 0) line.clear();
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    return cells;
}

// What the version `kernel` says of itself is known; times of the one `right` must fit together.
TEST(LoadTime, TableAndFileHoldTheSameInTheirColumns)
{
    const TemporaryDirectory directory;
    const Outcome outcome = runCommand(
        "ENTROPY_BENCHMARK=1 ENTROPY_VERSIONS=right,kernel ENTROPY_RESULTS=" + directory.path("") +
        " " + BUILD_DIRECTORY "/tests/broken data/worked_4x4.txt");
    ASSERT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
    const std::string csv = contentsOf(directory.path("times.csv"));
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
              "version,platform,width,height,runs,total_median_ms,total_min_ms,kernel_runs,"
              "kernel_median_ms,kernel_min_ms,host_copy_ms,device_copy_ms,registers,local_bytes,"
              "occupancy,idea,note");
    const auto kernel = cellsOfLine(csv, "kernel,CUDA,20,10,");
    ASSERT_GE(kernel.size(), 16u) << csv;
    for (const auto &[column, value] : std::vector<std::pair<int, const char *>>{
             {7, "5"}, {8, "4"}, {9, "3"}, {12, "40"}, {13, "16"}, {14, "0.5"}, {15, "tells"}})
        EXPECT_EQ(kernel[column], value) << column;
    const double deviceCopy = std::stod(kernel[11]); // 0 without a GPU
    double rate = 0, ofCopy = 0;
    char shownOfCopy[16] = "";
    std::size_t place = outcome.output.find("     4.0000     3.0000    5        40 | ");
    ASSERT_NE(place, std::string::npos) << outcome.output;
    ASSERT_EQ(std::sscanf(outcome.output.c_str() + place, "%*f %*f %*d %*d | %lf %15s | tells",
                          &rate, shownOfCopy),
              2)
        << outcome.output;
    if (deviceCopy > 0)
        EXPECT_NEAR(std::atof(shownOfCopy), deviceCopy / 4, 0.51e-4) << outcome.output;
    else
        EXPECT_STREQ(shownOfCopy, "-") << outcome.output;
    const double rightRate = 200 / std::stod(kernel[5]) / 1e3; // end to end, 200 cells
    EXPECT_NEAR(rate, rightRate, 0.06 + 1e-4 * rightRate) << csv;

    const auto right = cellsOfLine(csv, "right,OpenMP,20,10,");
    ASSERT_GE(right.size(), 16u) << csv;
    const double runs = std::stod(right[4]), median = std::stod(right[5]),
                 minimum = std::stod(right[6]), hostCopy = std::stod(right[10]);
    EXPECT_LT(minimum, median) << csv;
    EXPECT_EQ(right[7] + right[8] + right[9] + right[12] + right[13] + right[14], "000000");
    place = outcome.output.find("\nright ");
    ASSERT_NE(place, std::string::npos) << outcome.output;
    // One below the other, where a name is longer than most.
    const auto columnAfter = [&](std::size_t line) {
        return outcome.output.find('|', line + 1) - line;
    };
    EXPECT_EQ(columnAfter(place), columnAfter(outcome.output.find("\nkernel ")));
    EXPECT_EQ(columnAfter(place),
              columnAfter(outcome.output.rfind('\n', outcome.output.find(" platform "))));
    double shown[3];
    ASSERT_EQ(std::sscanf(outcome.output.c_str() + place,
                          " right OpenMP | %lf %lf %lf | - - - - | %lf %lf | does it", shown,
                          shown + 1, shown + 2, &rate, &ofCopy),
              5)
        << outcome.output;
    EXPECT_NEAR(shown[0], median, 0.51e-3);
    EXPECT_NEAR(shown[1], minimum, 0.51e-3);
    EXPECT_EQ(shown[2], runs);
    EXPECT_NEAR(ofCopy, hostCopy / median, 1e-4 + 1e-5 * hostCopy / median) << csv;

    double copy = 0, speed = 0;
    place = outcome.output.find("copy of the same floats: host ");
    ASSERT_NE(place, std::string::npos) << outcome.output;
    ASSERT_EQ(std::sscanf(outcome.output.c_str() + place,
                          "copy of the same floats: host %lf ms (%lf GB/s)", &copy, &speed),
              2);
    EXPECT_NEAR(copy, hostCopy, 0.51e-3);
    EXPECT_NEAR(speed, 2 * 4 * 200 / hostCopy / 1e6, 0.51 + 1e-4 * speed) << csv;
}

TEST(LoadTime, SizesShareTheFactsAndTheFile)
{
    const TemporaryDirectory directory;
    const Outcome outcome =
        runCommand("TWO_SIZES=1 ENTROPY_BENCHMARK=1 ENTROPY_VERSIONS=right BENCHMARK_SECONDS=0.001 "
                   "ENTROPY_RESULTS=" +
                   directory.path("") + " " + BUILD_DIRECTORY "/tests/broken data/worked_4x4.txt");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.find("CPU: "), outcome.output.rfind("CPU: ")) << outcome.output;
    for (const char *size : {"benchmark 20x10, ", "benchmark 7x3, "})
        EXPECT_TRUE(holds(outcome.output, size)) << outcome.output;
    const std::string times = contentsOf(directory.path("times.csv"));
    for (const char *row : {"\nright,OpenMP,20,10,", "\nright,OpenMP,7,3,"})
        EXPECT_TRUE(holds(times, row)) << times;
}

// The last version leaves a machine on which the copies after the table fail.
TEST(LoadTime, WhatWasMeasuredIsKeptWhereTheCopiesFail)
{
    const TemporaryDirectory directory;
    const Outcome outcome =
        runCommand("TWO_SIZES=1 RUINS=1 ENTROPY_BENCHMARK=1 ENTROPY_VERSIONS=right,ruins "
                   "BENCHMARK_SECONDS=0.001 ENTROPY_RESULTS=" +
                   directory.path("") + " " + BUILD_DIRECTORY "/tests/broken data/worked_4x4.txt");
    EXPECT_EQ(outcome.status, 1) << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "\nthe copies FAILED: BENCHMARK_SECONDS is 'in ruins', "))
        << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\nFAILED: 1 failures before main")) << outcome.output;
    const std::string times = contentsOf(directory.path("times.csv"));
    for (const char *row : {"\nright,OpenMP,20,10,", "\nright,OpenMP,7,3,"})
        EXPECT_TRUE(holds(times, row)) << times;
}

TEST(LoadTime, TimesThatCannotBeKeptFailTheRun)
{
    const TemporaryDirectory directory;
    const std::string table = directory.path("times.csv");
    ASSERT_EQ(runCommand("mkdir " + table).status, 0);
    const Outcome outcome = runCommand(
        "ENTROPY_BENCHMARK=1 ENTROPY_VERSIONS=right BENCHMARK_SECONDS=0.001 ENTROPY_RESULTS=" +
        directory.path("") + " " + BUILD_DIRECTORY "/tests/broken data/worked_4x4.txt");
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\nbenchmark 20x10 stopped: " + directory.path("/times.csv") +
                                          " cannot be created: Is a directory\n"))
        << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "\nFAILED: 1 failures before main")) << outcome.output;
}

// As where it is not set at all.
TEST(LoadTime, AnEmptyListOfVersionsIsAll)
{
    const Outcome outcome =
        runCommand("ENTROPY_BENCHMARK= ENTROPY_VERSIONS= BENCHMARK_SECONDS= " BUILD_DIRECTORY
                   "/tests/broken data/worked_4x4.txt");
    EXPECT_EQ(outcome.errors, "");
    for (const char *name : {"right", "wrong", "starved", "absent", "kernel", "probe"})
        EXPECT_TRUE(holds(outcome.output, std::string("\n") + name + " ")) << outcome.output;
}

TEST(LoadTime, AnUnusableResultsDirectoryStopsItAtOnce)
{
    expectBadUsage("ENTROPY_BENCHMARK=1 ENTROPY_RESULTS=no/such " BUILD_DIRECTORY
                   "/tests/broken data/worked_4x4.txt",
                   "broken: ENTROPY_RESULTS: files in no/such cannot be created: No such file");
    expectBadUsage("ENTROPY_BENCHMARK=1 ENTROPY_RESULTS=data/worked_4x4.txt " BUILD_DIRECTORY
                   "/tests/broken data/worked_4x4.txt",
                   "broken: ENTROPY_RESULTS: files in data/worked_4x4.txt cannot be created: ");
}

TEST(LoadTime, AnUnknownSettingIsRefused)
{
    expectBadUsage("ENTROPY_BENCHMARK=maybe " + kEntropy + " data/worked_4x4.txt",
                   "ENTROPY_BENCHMARK is 'maybe', expected 0, 1 or warm-up");
    for (const std::string seconds : {"abc", "2x", "0", "-1"})
        expectBadUsage("BENCHMARK_SECONDS=" + seconds + " " + kEntropy + " data/worked_4x4.txt",
                       "BENCHMARK_SECONDS is '" + seconds +
                           "', expected a positive number of seconds");
}

TEST(LoadTime, OnlyTheVersionsThatAreNamedAreTimed)
{
    const TemporaryDirectory directory;
    const Outcome outcome = runCommand(
        "ENTROPY_BENCHMARK=1 ENTROPY_VERSIONS=starved,right ENTROPY_RESULTS=" + directory.path("") +
        " " + BUILD_DIRECTORY "/tests/broken data/worked_4x4.txt");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    const std::string times = contentsOf(directory.path("times.csv"));
    EXPECT_LT(times.find("\nright,"), times.find("\nstarved,")) << times;
    for (const char *other : {"wrong,", "failing,", "absent,"}) EXPECT_FALSE(holds(times, other));
}

TEST(LoadTime, AnUnknownVersionIsRefusedWithThoseThereAre)
{
    expectBadUsage("ENTROPY_BENCHMARK=1 ENTROPY_VERSIONS=v7,v77 " + kEntropy +
                       " data/worked_4x4.txt",
                   "there is no version 'v77', there are v0, v1, ");
}

TEST(LoadTime, BenchmarkIsOffWhereTheEnvironmentSaysSo)
{
    const Outcome outcome = runCommand("ENTROPY_BENCHMARK=0 " + kEntropy + " data/worked_4x4.txt");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_FALSE(holds(outcome.output, "benchmark"));
    const Outcome elsewhere = runCommand("ENTROPY_BENCHMARK=0 ENTROPY_RESULTS=no/such " + kEntropy +
                                         " data/worked_4x4.txt");
    EXPECT_EQ(elsewhere.status, 0) << "nothing is written there: " << elsewhere.errors;
}

TEST(LoadTime, BenchmarkRunsBeforeMain)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer has to come first";
    // The whole benchmark takes minutes on a small machine: seen when its first table is complete.
    const Outcome outcome =
        runCommand("unset ENTROPY_BENCHMARK; stdbuf -oL " + kEntropy +
                   " data/worked_4x4.txt | sed '/^" + entropy::versions().back().name + " /q'");
    EXPECT_TRUE(holds(outcome.output, "CPU: ")) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "benchmark 400x400")) << outcome.output;
    for (const entropy::Version &version : entropy::versions())
        EXPECT_TRUE(holds(outcome.output, std::string("\n") + version.name + " "))
            << version.name << "\n"
            << outcome.output;
    EXPECT_FALSE(holds(outcome.output, "WRONG")) << outcome.output;
    EXPECT_FALSE(holds(outcome.output, "groups passed")) << "main came first";
}

// In so little memory the largest array does not fit, and says so.
TEST(LoadTime, EachOfTheThreeSizesIsTimedOrSaysWhyNot)
{
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "a sanitizer takes all addresses";
    if (runCommand("nvidia-smi -L | grep '^GPU'").status == 0)
        GTEST_SKIP() << "needs the address space that a GPU's driver takes";
    const Outcome outcome =
        runCommand("ulimit -v 600000; OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES= ENTROPY_BENCHMARK=1 "
                   "ENTROPY_VERSIONS=v16 BENCHMARK_SECONDS=0.001 " +
                   kEntropy + " data/worked_4x4.txt");
    EXPECT_EQ(outcome.status, 0) << outcome.errors << outcome.output;
    std::size_t at = 0;
    for (const char *part :
         {"\nbenchmark 400x400, random levels", "\nv16 ", "\nbenchmark 2560x2560, random levels",
          "\nv16 ", "\nbenchmark 10240x10240 stopped: not enough memory for its arrays\n",
          "\n1 of 1 groups passed"}) {
        at = outcome.output.find(part, at);
        ASSERT_NE(at, std::string::npos) << part << "\n" << outcome.output;
    }
}

// A probe gives no answer: it is no choice.
TEST(Measures, MachineMedianAndMinimumOfEveryVersion)
{
    const TemporaryDirectory directory;
    const std::string measures =
        BUILD_DIRECTORY "/bottleneck_study_measures data/three_groups.bin ";
    const Outcome outcome = runCommand(measures + directory.path("out.csv"));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.find("CPU: "), 0u) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "all but first    minimum slowest group    minimum rounds"))
        << outcome.output;
    const std::string csv = contentsOf(directory.path("out.csv"));
    EXPECT_TRUE(holds(csv, ",total_median_ms,total_min_ms,")) << csv;
    expectBadUsage(measures + "no/such.csv", "measures: no/such.csv cannot be created");
    expectRefusal(BUILD_DIRECTORY "/bottleneck_study_measures data/worked_4x4.txt",
                  "measures: data/worked_4x4.txt has one group, at least two are needed");

    const Outcome one = runCommand(measures + directory.path("one.csv") + " openmp");
    EXPECT_EQ(one.status, 0) << one.errors;
    const std::string row = contentsOf(directory.path("one.csv"));
    EXPECT_EQ(std::count(row.begin(), row.end(), '\n'), 2) << row;
    EXPECT_TRUE(holds(row, "\nopenmp,OpenMP,no,")) << row;
    expectBadUsage(measures + directory.path("out.csv") + " v96", "there is no version 'v96'");
}

// Of groups that take long enough to be told apart, each with the first left out.
TEST(Measures, TableAndFileHoldTheSameInTheirColumns)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("three.bin"), table = directory.path("out.csv");
    std::string bytes;
    for (const std::string size : {"400x400", "300x200", "200x100"}) {
        ASSERT_EQ(runCommand(kMakeData + " " + size + " random " + file).status, 0);
        bytes += contentsOf(file);
    }
    std::ofstream(file, std::ios::binary) << bytes;
    const Outcome outcome =
        runCommand(BUILD_DIRECTORY "/bottleneck_study_measures " + file + " " + table + " openmp");
    const std::string csv = contentsOf(table);
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
              "version,platform,probe,rounds,total_median_ms,total_min_ms,slowest_group_median_ms,"
              "slowest_group_min_ms,note");
    const auto cells = cellsOfLine(csv, "openmp,OpenMP,no,");
    ASSERT_GE(cells.size(), 8u) << csv;
    const double total = std::stod(cells[4]), totalLeast = std::stod(cells[5]),
                 slowest = std::stod(cells[6]), slowestLeast = std::stod(cells[7]);
    EXPECT_GT(std::stoi(cells[3]), 4) << csv;
    EXPECT_TRUE(0 < slowestLeast && slowestLeast <= slowest && slowest <= total) << csv;
    EXPECT_TRUE(slowestLeast <= totalLeast && totalLeast <= total) << csv;
    EXPECT_TRUE(totalLeast < total || slowestLeast < slowest) << csv;
    EXPECT_GT(slowest, total / 2) << "three quarters of the cells";
    std::istringstream words(outcome.output.substr(outcome.output.find("\nopenmp ")));
    std::vector<std::string> shown(7);
    for (std::string &word : shown) words >> word;
    EXPECT_EQ(shown, (std::vector<std::string>{"openmp", "OpenMP", cells[4], cells[5], cells[6],
                                               cells[7], cells[3]}));
    EXPECT_TRUE(holds(outcome.output, "\n" + file + ", 3 groups; median and minimum of all"))
        << outcome.output;
}

// A version of each fate: what is wrong is not timed, and what cannot run here is no failure.
TEST(Measures, WhatIsWrongOrFailsIsToldAndNotTimed)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("three.bin"), table = directory.path("out.csv");
    std::string bytes;
    for (const std::string size : {"5x4", "8x8", "7x9"}) { // the first one is left out
        ASSERT_EQ(runCommand(kMakeData + " " + size + " random " + file).status, 0);
        bytes += contentsOf(file);
    }
    std::ofstream(file, std::ios::binary) << bytes;
    const auto with = [&](const std::string &versions) {
        return runCommand("ENTROPY_BENCHMARK=0 BENCHMARK_SECONDS=0.001 " BUILD_DIRECTORY
                          "/tests/broken_measures " +
                          file + " " + table + " " + versions);
    };
    const Outcome some = with("wrong failing starved absent probe");
    EXPECT_EQ(some.status, 1) << some.errors;
    const std::string wrong = "WRONG: group 1, error 1.00136e-05 at x 4, y 3";
    for (const std::string &note :
         {wrong, std::string("it broke"), std::string("too little here"),
          std::string("needs another machine"), std::string("probe, no answer. ")})
        EXPECT_TRUE(holds(some.output, note)) << note << "\n" << some.output;
    const std::string csv = contentsOf(table), none = ",OpenMP,no,0,,,,,";
    EXPECT_TRUE(holds(csv, "\nwrong" + none + "\"" + wrong + "\"\n")) << csv;
    EXPECT_TRUE(holds(csv, "\nfailing" + none + "it broke\n")) << csv;
    EXPECT_TRUE(holds(csv, "\nstarved" + none + "too little here\n")) << csv;
    EXPECT_TRUE(holds(csv, "\nabsent" + none + "needs another machine\n")) << csv;
    EXPECT_TRUE(holds(csv, "\nprobe,OpenMP,yes,") && !holds(csv, ",yes,0,")) << csv;

    EXPECT_EQ(with("right starved absent probe").status, 0);
    const Outcome first = with("slow");
    EXPECT_EQ(first.status, 0);
    const auto cells = cellsOfLine(contentsOf(table), "slow,OpenMP,no,");
    ASSERT_GE(cells.size(), 8u);
    // The minima: other work on the machine makes medians longer.
    EXPECT_LT(std::stod(cells[5]), 100) << "the first group counts in the total";
    EXPECT_LT(std::stod(cells[7]), 100) << "the first group is called the slowest";
}

TEST(LoadTime, WarmUpAloneTimesNothing)
{
    const Outcome outcome =
        runCommand("ENTROPY_BENCHMARK=warm-up " + kEntropy + " data/worked_4x4.txt");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_FALSE(holds(outcome.output, "benchmark")) << outcome.output;
    const Outcome broken = runCommand("ENTROPY_BENCHMARK=warm-up " BUILD_DIRECTORY
                                      "/tests/broken data/worked_4x4.txt");
    EXPECT_EQ(broken.status, 1) << broken.output;
    EXPECT_EQ(broken.output.find("warm-up, GPU 0: it broke\n"), 0u) << broken.output;
    EXPECT_FALSE(holds(broken.output, "bad_alloc")) << "the row of its time says so";
    EXPECT_TRUE(holds(broken.output, "\nFAILED: " + std::to_string(warmUpFailures(broken.output)) +
                                         " failures before main"))
        << broken.output;
    const Outcome elsewhere = runCommand("ENTROPY_BENCHMARK=warm-up ENTROPY_RESULTS=no/such " +
                                         kEntropy + " data/worked_4x4.txt");
    EXPECT_EQ(elsewhere.status, 0) << "nothing is written there: " << elsewhere.errors;
}
