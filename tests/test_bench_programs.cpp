// The programs that register cases with the harness of the benchmarks, as far as they need no GPU.
#include "entropy/core.h"
#include "messages.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace
{

TEST(BenchPrograms, RefuseBadUsageInASentence)
{
    for (const char *program :
         {"bench_everywhere", "scaling", "parts", "threshold", "bench_filter", "entropy_devices"})
        expectBadUsage(std::string(BUILD_DIRECTORY "/") + program + " --csv /no/where.csv",
                       "/no/where.csv cannot be created");
    for (const auto &[arguments, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"--seconds nan", "--seconds is 'nan', expected a positive number"},
             {"--seconds -1", "--seconds is '-1', expected a positive number"},
             {"--seconds ''", "--seconds is '', expected a positive number"},
             {"--cases '('", "--cases: '(' is no regular expression"},
             {"--faster", "--faster: no such option"},
             {"table.csv", "table.csv: there are options only"}})
        expectBadUsage(BUILD_DIRECTORY "/bench_cpu " + arguments, sentence);
}

// Each version is called in processes of its own: what they say is taken for what it is.
TEST(BenchPrograms, AProcessThatFailsOrLacksSomethingIsTold)
{
    const std::string parts = BUILD_DIRECTORY "/parts --side 5 --versions ";
    const Outcome lacking = runCommand("CUDA_VISIBLE_DEVICES= " + parts + "v16,v0 --seconds 0.001");
    EXPECT_EQ(lacking.status, 0) << lacking.errors;
    for (const char *call : {"first", "later"})
        EXPECT_TRUE(holds(lacking.output, std::string("\n  left out: v0 5 5 ") + call + ": needs "))
            << lacking.output;
    const Outcome failing = runCommand("BENCHMARK_SECONDS=x " + parts + "v16");
    EXPECT_EQ(failing.status, 1);
    EXPECT_TRUE(holds(failing.errors, "\nparts: v16 5 5 first: failed\n")) << failing.errors;
}

std::vector<std::string> cellsOf(const std::string &line)
{
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    return cells;
}

/// The least is less than the median somewhere and never more; a rate is that of the median.
void expectThatColumnsFit(const std::string &table)
{
    std::istringstream lines(table);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> header = cellsOf(line);
    bool less = false;
    while (std::getline(lines, line)) {
        std::map<std::string, double> row;
        const std::vector<std::string> cells = cellsOf(line);
        for (std::size_t i = 0; i < cells.size(); ++i)
            row[header.at(i)] = std::atof(cells[i].c_str());
        EXPECT_GT(row["min_ms"], 0) << line;
        EXPECT_LE(row["min_ms"], row["median_ms"]) << line;
        less = less || row["min_ms"] < row["median_ms"];
        if (row.count("runs")) {
            EXPECT_EQ(row["runs"], std::floor(row["runs"])) << line;
            EXPECT_GE(row["runs"], 1) << line;
        }
        if (row.count("mcells_per_s")) {
            const double rate = row["width"] * row["height"] / row["median_ms"] / 1e3;
            EXPECT_NEAR(row["mcells_per_s"], rate, 1e-4 * rate) << line;
        }
        for (const char *copy : {"copy_ms", "host_copy_ms"})
            if (row.count(copy)) {
                EXPECT_GT(row[copy], 0) << line;
            }
    }
    EXPECT_TRUE(less) << table;
}

/// Header and number of rows of what a program writes.
void expectTable(const std::string &command, const std::string &header, std::size_t rows)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("t.csv");
    const Outcome outcome =
        runCommand(BUILD_DIRECTORY "/" + command + " --seconds 0.001 --csv " + file);
    // A busy machine may be slower with two threads.
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 1) << outcome.status << outcome.errors;
    const std::string text = contentsOf(file);
    EXPECT_EQ(text.substr(0, text.find('\n')), header);
    EXPECT_GE(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), rows + 1);
    expectThatColumnsFit(text);
}

TEST(BenchPrograms, WriteTheTablesThatTheReportReads)
{
    expectTable("bench_cpu --cases '^random 5x5$'",
                "path,content,width,height,threads,median_ms,min_ms,mcells_per_s,copy_ms", 2);
    expectTable("bench_everywhere --cases '^1x1$'",
                "way,width,height,memory,runs,median_ms,min_ms,host_copy_ms,bus_copy_ms", 6);
    expectTable("scaling --cases 'v1[26] 5x5'", "version,side,threads,median_ms,min_ms", 2);
}

/// A column of what a program writes where OpenMP gives so many threads, without its title.
std::vector<std::string> columnOf(const std::string &command, int threads, const std::string &title,
                                  const std::string &seconds = "0.001")
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("t.csv");
    runCommand("OMP_NUM_THREADS=" + std::to_string(threads) + " " BUILD_DIRECTORY "/" + command +
               " --seconds " + seconds + " --csv " + file);
    std::istringstream lines(contentsOf(file));
    std::vector<std::string> column;
    std::size_t place = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> cells = cellsOf(line);
        if (column.empty())
            place = static_cast<std::size_t>(std::find(cells.begin(), cells.end(), title) -
                                             cells.begin());
        column.push_back(place < cells.size() ? cells[place] : "");
    }
    if (!column.empty()) column.erase(column.begin());
    return column;
}

// Powers of two, and the most there are: each once.
TEST(BenchPrograms, ThreadsAreCountedUpToTheMostThereAre)
{
    using Column = std::vector<std::string>;
    const std::string scaling = "scaling --cases 'v12 5x5$'", cpu = "bench_cpu --cases 'm 5x5$'";
    for (const auto &[most, counts] : {std::pair<int, Column>{1, {"1"}},
                                       {2, {"1", "2"}},
                                       {3, {"1", "2", "3"}},
                                       {4, {"1", "2", "4"}}}) {
        EXPECT_EQ(columnOf(scaling, most, "threads"), counts);
        Column once = columnOf(cpu, most, "threads"); // a row a path
        once.erase(std::unique(once.begin(), once.end()), once.end());
        EXPECT_EQ(once, counts);
    }
}

// However few seconds there are: of one time the median would be the minimum.
TEST(BenchPrograms, ThreadsAreJudgedBySeveralTimes)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("t.csv");
    runCommand(BUILD_DIRECTORY "/scaling --cases 'v12 64x64$' --seconds 1e-9 --csv " + file);
    std::istringstream lines(contentsOf(file));
    std::string line;
    std::getline(lines, line);
    ASSERT_EQ(line, "version,side,threads,median_ms,min_ms");
    int different = 0;
    while (std::getline(lines, line)) different += cellsOf(line).at(3) != cellsOf(line).at(4);
    EXPECT_GT(different, 0);
}

TEST(BenchPrograms, CasesAreOfEverySizeContentAndVersion)
{
    const auto namesOf = [](const std::string &program) {
        std::istringstream lines(runCommand(BUILD_DIRECTORY "/" + program + " --list").output);
        std::vector<std::string> names;
        for (std::string kind, size, rest; lines >> kind >> size; std::getline(lines, rest))
            names.push_back(kind + " " + size);
        return names;
    };
    EXPECT_EQ(
        namesOf("bench_cpu"),
        (std::vector<std::string>{
            "random 5x5", "random 64x64", "random 400x400", "random 2560x2560", "random 10240x4096",
            "smooth 10240x4096", "flat 10240x4096", "levels=2 10240x4096",
            "checkerboard 10240x4096", "dominant 10240x4096", "random 10x1000000",
            "random 61x163934", "random 500x20000", "random 10237x976", "random 1000000x10"}));
    std::vector<std::string> ladder;
    for (const entropy::Version &version : entropy::versions())
        if (version.platform == entropy::Platform::OpenMp)
            for (const char *side : {" 5x5", " 64x64", " 400x400", " 2560x2560"})
                ladder.push_back(version.name + std::string(side));
    EXPECT_EQ(namesOf("scaling"), ladder);
}

// Of one number of threads the copy is measured once, and of each number anew.
TEST(BenchPrograms, ACopyIsByAsManyThreads)
{
    const std::vector<std::string> copies = columnOf("bench_cpu --cases 'm 64x64$'", 4, "copy_ms");
    const std::size_t paths = copies.size() / 3; // of 1, 2 and 4 threads
    ASSERT_GE(paths, 2u);
    for (std::size_t i = 0; i < copies.size(); ++i) EXPECT_EQ(copies[i], copies[i / paths * paths]);
    EXPECT_FALSE(copies[0] == copies[paths] && copies[0] == copies[2 * paths]) << copies[0];
}

// OpenMP itself tells of how many threads each of its teams is.
TEST(BenchPrograms, ARowIsTimedWithAsManyThreadsAsItSays)
{
    for (const std::string command :
         {"scaling --cases 'v12 64x64$'", "bench_cpu --cases 'm 64x64$'"}) {
        const Outcome outcome =
            runCommand("OMP_NUM_THREADS=4 OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='a team of "
                       "%N' " BUILD_DIRECTORY "/" +
                       command + " --seconds 0.001");
        EXPECT_TRUE(holds(outcome.errors, "a team of 2\n")) << command << "\n" << outcome.errors;
    }
}

// The portable one takes four times as long as AVX-512.
TEST(BenchPrograms, ARowIsTimedOnThePathThatItSays)
{
    const std::string command = "bench_cpu --cases 'm 400x400$'";
    const std::vector<std::string> paths = columnOf(command, 1, "path");
    ASSERT_FALSE(paths.empty());
    if (paths[0] != "avx512") GTEST_SKIP() << "needs AVX-512";
    ASSERT_EQ(paths, (std::vector<std::string>{"avx512", "avx2", "portable", "best"}));
    const std::vector<std::string> times = columnOf(command, 1, "min_ms", "0.05");
    EXPECT_GT(std::stod(times[2]), 1.7 * std::stod(times[0]));
}

} // namespace
