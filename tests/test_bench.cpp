// The harness of the benchmarks: its order, its table, its options, its statuses; and the programs
// that register cases with it, as far as they need no GPU.
#include "bench/cells.h"
#include "bench/middle.h"
#include "bench/process.h"
#include "bench/program.h"
#include "bench/slower.h"
#include "entropy/core.h"
#include "messages.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <getopt.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <utility>

namespace
{

/// BENCHMARK_SECONDS while it lives.
class Seconds
{
public:
    explicit Seconds(const char *seconds) { setenv("BENCHMARK_SECONDS", seconds, 1); }
    ~Seconds() { unsetenv("BENCHMARK_SECONDS"); }
    Seconds(const Seconds &) = delete;
    Seconds &operator=(const Seconds &) = delete;
};

bench::Layout layout()
{
    return {{{"name"}},
            {bench::runs(), bench::median(), bench::minimum(),
             bench::rate("mcells_per_s", "Mcell/s"), bench::traffic()}};
}

bench::Case caseOf(const std::function<bench::Work()> &open, bool mayLack = false)
{
    const bench::Row row{{"key"}, 1e6, open, mayLack};
    return {"a case", "", 10, [row] { return std::vector<bench::Row>{row}; }};
}

/// What a row did, in order: v validate, r run, c check.
bench::Case recording(std::string &log, bool right = true)
{
    return caseOf([&log, right] {
        bench::Work work;
        work.validate = [&log, right] {
            log += 'v';
            if (!right) throw bench::WrongAnswer("wrong");
        };
        work.run = [&log] { log += 'r'; };
        work.check = [&log] { log += 'c'; };
        return work;
    });
}

TEST(BenchHarness, AWorkMayHaveAClockOfItsOwn)
{
    bench::Harness harness("test", layout());
    const auto outcomes = harness.time(caseOf([] {
        bench::Work work;
        work.run = [] {};
        work.milliseconds = [] { return 2; };
        return work;
    }));
    EXPECT_EQ(outcomes[0].timing.median, 2);
}

bench::Work taking(double median, double minimum)
{
    bench::Work work;
    work.time = [=] { return common::Timing{5, median, minimum}; };
    return work;
}

bench::Work lacking()
{
    bench::Work work;
    work.time = []() -> common::Timing { throw common::Unavailable("needs a moon"); };
    return work;
}

TEST(BenchHarness, ValidatesThenWarmsUpThenChecksThenTimes)
{
    const Seconds little("1e-9");
    std::string log;
    bench::Harness harness("test", layout());
    const std::vector<bench::Outcome> outcomes = harness.time(recording(log));
    EXPECT_EQ(log, "vrcr") << "one timed run where five would take longer than the limit";
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0].timing.repeats, 1u);
}

TEST(BenchHarness, RepeatsFiveTimesAtLeast)
{
    std::string log;
    bench::Harness harness("test", layout());
    const std::vector<bench::Outcome> outcomes = harness.time(recording(log));
    EXPECT_GE(outcomes[0].timing.repeats, 5u);
    EXPECT_EQ(log.size(), outcomes[0].timing.repeats + 3);
}

TEST(BenchHarness, NeverRunsOrWritesAWrongAnswer)
{
    std::string log;
    bench::Harness harness("test", layout());
    EXPECT_EQ(messageOf([&] { harness.time(recording(log, false)); }), "key: wrong");
    EXPECT_EQ(log, "v");
    const auto timedOtherwise = [] {
        bench::Work work = taking(2, 1);
        work.validate = [] { throw bench::WrongAnswer("wrong"); };
        return work;
    };
    EXPECT_EQ(messageOf([&] { harness.time(caseOf(timedOtherwise)); }), "key: wrong");
    EXPECT_EQ(harness.table().rows(), 0u);
}

TEST(BenchHarness, EachVerdictIsAFailure)
{
    bench::Harness harness("test", layout());
    bench::Case slow = caseOf([] { return taking(2, 1); });
    for (const char *verdict : {"SLOW", "", "SLOW"}) {
        slow.verdict = [=] { return verdict; };
        harness.time(slow);
    }
    EXPECT_EQ(harness.failures(), 2);
}

TEST(BenchHarness, WhatIsLackedIsLeftOutWhereItMay)
{
    bench::Harness harness("test", layout());
    EXPECT_EQ(messageOf([&] { harness.time(caseOf(lacking)); }), "key: needs a moon");
    testing::internal::CaptureStdout();
    EXPECT_TRUE(harness.time(caseOf(lacking, true)).empty());
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "  left out: key: needs a moon\n");
    EXPECT_EQ(harness.table().rows(), 0u);
}

TEST(BenchTable, HasTheKeysAndTheValuesOfARow)
{
    bench::Harness harness("test", layout());
    testing::internal::CaptureStdout();
    harness.time(caseOf([] { return taking(2, 1.5); }));
    // A million results of ten bytes in two milliseconds.
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "  key          5 runs          2 ms        1.5 ms at best        500 Mcell/s"
              "          5 GB/s\n");
    EXPECT_EQ(harness.table().str(), "name,runs,median_ms,min_ms,mcells_per_s,gb_per_s\n"
                                     "key,5,2,1.5,500,5\n");
}

TEST(BenchTable, AValueMayBeMissingOrOnTheScreenOnly)
{
    bench::Harness harness(
        "test", {{{"name", false}},
                 {bench::median(), bench::beside(0, "copy_ms", "ms a copy"),
                  bench::beside(1, "kernel_ms", "ms the kernel"), bench::shareOf(0, "of copy")}});
    testing::internal::CaptureStdout();
    harness.time(caseOf([] {
        bench::Work work = taking(4, 4);
        work.beside = [] { return std::vector<double>{3, NAN}; };
        return work;
    }));
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "a case\n          4 ms          3 ms a copy          - ms the kernel"
              "       0.75 of copy\n");
    EXPECT_EQ(harness.table().str(), "name,median_ms,copy_ms,kernel_ms\nkey,4,3,\n");
}

TEST(BenchTable, AValueMayBeALineOfItsOwn)
{
    bench::Table table({{{"name"}}, {bench::median(), bench::minimum()}, {"part", "ms"}});
    table.add({{"key"}, {5, 2, 1}});
    EXPECT_EQ(table.str(), "name,part,ms\nkey,median_ms,2\nkey,min_ms,1\n");
    EXPECT_EQ(table.rows(), 1u);
}

TEST(BenchMiddle, IsAWholeAndInTheMiddle)
{
    using Named = std::pair<std::string, int>;
    const auto number = [](const Named &one) { return one.second; };
    EXPECT_EQ(bench::middleOf<Named>({{"a", 5}, {"b", 1}, {"c", 3}}, number).first, "c");
    EXPECT_EQ(bench::middleOf<Named>({{"a", 4}, {"b", 1}, {"c", 2}, {"d", 8}}, number).first, "a");
    EXPECT_EQ(bench::middleOf<Named>({{"a", 7}}, number).first, "a");
}

TEST(BenchSlower, IsByMoreThanATenthAndTwoMicroseconds)
{
    EXPECT_FALSE(bench::isSlower(110, 100));
    EXPECT_TRUE(bench::isSlower(110.01, 100));
    EXPECT_FALSE(bench::isSlower(100, 110.01));
    EXPECT_FALSE(bench::isSlower(0.003, 0.001));
    EXPECT_TRUE(bench::isSlower(0.0032, 0.001));
}

TEST(BenchCells, AWrongOneIsNamedByColumnAndRow)
{
    const bench::Cells cells = bench::makeCells("flat", 4, 3);
    const std::vector<float> expected(12, 1);
    std::vector<float> found = expected;
    bench::requireSameBits(cells, found.data(), expected.data());
    found[6] = 0.5f;
    EXPECT_EQ(messageOf([&] { bench::requireSameBits(cells, found.data(), expected.data()); }),
              "wrong at x 2, y 1: 0.5, expected 1");
}

// As many digits as there are, but four where there is a point.
TEST(BenchTable, LargeNumbersAreShownWithAllTheirDigits)
{
    bench::Table table({{{"name"}}, {bench::median()}});
    testing::internal::CaptureStdout();
    for (const double median : {9999.4, 10000.0, 12345.0}) table.add({{"key"}, {5, median, 1}});
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "  key       9999 ms\n  key      10000 ms\n  key      12345 ms\n");
}

/// Status of a program with these cases and arguments, and what it printed.
std::pair<int, std::string> statusOf(const std::vector<bench::Case> &cases,
                                     std::vector<std::string> arguments = {})
{
    arguments.insert(arguments.begin(), "test");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = parsed(arguments, [&](int argc, char **argv) {
        return bench::runProgram({"test", "Tests.\n", layout(), {}, [&] { return cases; }}, argc,
                                 argv);
    });
    const std::string output = testing::internal::GetCapturedStdout();
    return {status, output + testing::internal::GetCapturedStderr()};
}

TEST(BenchProgram, StatusesSayWhatCameOfIt)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("t.csv");
    std::string log;
    bench::Case good = caseOf([] { return taking(2, 1); }), slow = good,
                wrong = recording(log, false);
    good.name = "good";
    slow.verdict = [] { return "SLOW"; };
    EXPECT_EQ(statusOf({good}).first, 0);
    const auto verdict = statusOf({slow, good}, {"--csv", file});
    EXPECT_EQ(verdict.first, 1);
    EXPECT_TRUE(holds(verdict.second, "\n  a case: SLOW\n")) << verdict.second;
    EXPECT_EQ(contentsOf(file), "name,runs,median_ms,min_ms,mcells_per_s,gb_per_s\n"
                                "key,5,2,1,500,5\nkey,5,2,1,500,5\n");
    const auto bad = statusOf({good, wrong}, {"--csv", directory.path("none.csv")});
    EXPECT_EQ(bad.first, 1);
    EXPECT_TRUE(holds(bad.second, "test: key: wrong\n")) << bad.second;
    EXPECT_EQ(contentsOf(directory.path("none.csv")), "");
    EXPECT_EQ(statusOf({caseOf(lacking)}).first, 2);
    const auto nothing = statusOf({caseOf(lacking, true)});
    EXPECT_EQ(nothing.first, 2);
    EXPECT_TRUE(holds(nothing.second, "test: none of these rows can be timed here\n"));
}

TEST(BenchProgram, FactsComeBeforeTheTable)
{
    bench::Program program{"test", "Tests.\n", layout(), {}, [] {
                               return std::vector<bench::Case>{caseOf([] { return taking(2, 1); })};
                           }};
    program.facts = [] { return "the moon is full\n"; };
    testing::internal::CaptureStdout();
    parsed({"test"}, [&](int argc, char **argv) { return bench::runProgram(program, argc, argv); });
    const std::string output = testing::internal::GetCapturedStdout();
    EXPECT_EQ(output.find("the moon is full\n\n"), 0u) << output;
}

TEST(BenchProgram, CasesAreChosenByNameAndListed)
{
    bench::Case one = caseOf([] { return taking(2, 1); }), two = one;
    one.name = "one 5x5";
    two.name = "two 5x5";
    two.what = "is two";
    EXPECT_EQ(statusOf({one, two}, {"--list"}).second, "one 5x5\ntwo 5x5            is two\n");
    EXPECT_EQ(statusOf({one, two}, {"--list", "--cases", "^t.*5$"}).second,
              "two 5x5            is two\n");
    EXPECT_EQ(statusOf({one, two}, {"--cases", "three"}).second,
              "test: --cases: no case has 'three' in its name; see --list\n");
    const auto help = statusOf({}, {"--help"});
    EXPECT_EQ(help.first, 0);
    EXPECT_EQ(
        help.second,
        "usage: test [OPTION ...]\n\nTests.\n\n"
        "  --cases REGEX     only the cases in whose names this is found (default: all)\n"
        "  --seconds S       a row is repeated five times at least, unless that takes so long "
        "(default:\n"
        "                    BENCHMARK_SECONDS in the environment, or 2)\n"
        "  --csv FILE        also write the table there\n"
        "  --list            the names of the cases, and what they are\n"
        "  --help            this text\n\n"
        "exit status: 0 all was right; 1 an answer or a time was wrong; 2 bad usage or cannot "
        "run here\n");
}

TEST(BenchProgram, SecondsThatAreGivenCountMoreThanTheEnvironment)
{
    const Seconds seconds("7");
    const auto parse = [](int argc, char **argv) { return bench::parseOptions(argc, argv, {}); };
    parsed({"test"}, parse);
    EXPECT_EQ(common::mostSeconds(), 7);
    parsed({"test", "--seconds", "0.25"}, parse);
    EXPECT_EQ(common::mostSeconds(), 0.25);
}

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

// For a process of this program, which the test below starts.
TEST(BenchProcess, DISABLED_Lacks) { std::printf("begins\nunavailable: needs a moon\nends\n"); }

TEST(BenchProcess, ItsEndIsTold)
{
    const auto ask = [](const std::string &test) {
        bench::ask({"--gtest_also_run_disabled_tests", "--gtest_filter=" + test}, {});
    };
    EXPECT_EQ(messageOf([&] { ask("BenchProcess.DISABLED_Lacks"); }), "needs a moon");
    EXPECT_EQ(messageOf([&] { ask("Child.DISABLED_IsKilled"); }), "failed");
    EXPECT_EQ(messageOf([&] { ask("BenchMiddle.*"); }), "");
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
        if (const double rate = row["mcells_per_s"]) {
            EXPECT_NEAR(rate, row["width"] * row["height"] / row["median_ms"] / 1e3, 1e-4 * rate)
                << line;
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
    EXPECT_LE(outcome.status, 1) << outcome.errors; // a busy machine may be slower with two threads
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
