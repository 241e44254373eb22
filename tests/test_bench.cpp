// The harness of the benchmarks: its order, its table, its options, its statuses. The programs that
// register cases with it: test_bench_programs.cpp.
#include "bench/cells.h"
#include "bench/middle.h"
#include "bench/process.h"
#include "bench/program.h"
#include "bench/slower.h"
#include "messages.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

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

TEST(BenchTable, ValuesStandBelowEachOtherBehindTheLongestKey)
{
    bench::Table table({{{"name"}}, {bench::median()}});
    testing::internal::CaptureStdout();
    table.begin("a case", {{"longer"}, {"key"}});
    table.add({{"longer"}, {5, 2, 1}});
    table.add({{"key"}, {5, 2, 1}});
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "  longer          2 ms\n  key             2 ms\n");
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

} // namespace
