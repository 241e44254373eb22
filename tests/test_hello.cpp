// Hello: the analysis of the order on made-up runs, and the program.
#include "common/error.h"
#include "hello/options.h"
#include "hello/order.h"
#include "messages.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace hello
{
namespace
{

const std::string kHello = BUILD_DIRECTORY "/hello";

/// Tickets in thread order, all blocks one after the other on one multiprocessor.
Trial ascendingRun(const Shape &shape)
{
    Trial run{std::vector<unsigned>(shape.threads()), std::vector<unsigned>(shape.blocks, 7)};
    std::iota(run.tickets.begin(), run.tickets.end(), 0u);
    return run;
}

Findings analyseAll(const Shape &shape, const std::vector<Trial> &runs)
{
    std::size_t next = 0;
    return analyse(shape, static_cast<int>(runs.size()), [&] { return runs[next++]; });
}

} // namespace

TEST(Order, AscendingAtEveryLevel)
{
    const Shape shape{3, 32, 2}; // two warps a block
    const Findings findings = analyseAll(shape, {ascendingRun(shape), ascendingRun(shape)});
    EXPECT_EQ(findings.runs, 2);
    EXPECT_EQ(findings.lanes.groups, 12);
    EXPECT_EQ(findings.lanes.ascending, 12);
    EXPECT_EQ(findings.lanes.orders, 1);
    EXPECT_EQ(findings.warps.groups, 6);
    EXPECT_EQ(findings.warps.runsAscending, 2);
    EXPECT_EQ(findings.blocks.groups, 2);
    EXPECT_EQ(findings.blocks.orders, 1);
    EXPECT_EQ(findings.runsInterleaved, 0);
    EXPECT_EQ(findings.multiprocessors, 1);
    const std::string text = report(findings);
    EXPECT_TRUE(holds(text, "ascending in 2 of 2 runs and 12 of 12 warps; 1 order seen")) << text;
    EXPECT_TRUE(holds(text, "The blocks always came in ascending order here")) << text;
    EXPECT_TRUE(holds(text, "No block was seen to begin before another had ended")) << text;
}

TEST(Order, BlocksInAnyOrderButInOnePiece)
{
    const Shape shape{3, 2, 2};
    Trial run = ascendingRun(shape);
    std::rotate(run.tickets.begin(), run.tickets.begin() + 4, run.tickets.end());
    run.sm = {0, 1, 1};
    const Findings findings = analyseAll(shape, {ascendingRun(shape), run});
    EXPECT_EQ(findings.lanes.ascending, findings.lanes.groups);
    EXPECT_EQ(findings.warps.groups, 0) << "a single warp has no order";
    EXPECT_EQ(findings.blocks.ascending, 1);
    EXPECT_EQ(findings.blocks.runsAscending, 1);
    EXPECT_EQ(findings.blocks.orders, 2);
    EXPECT_EQ(findings.runsInterleaved, 0);
    EXPECT_EQ(findings.multiprocessors, 2);
    const std::string text = report(findings);
    EXPECT_TRUE(holds(text, "warps of a block:  only one, nothing to put in order")) << text;
    EXPECT_TRUE(holds(text, "The blocks have no fixed order: 1 times in 2")) << text;
}

TEST(Order, InterleavedBlocksAndSwappedLanes)
{
    const Shape shape{2, 2, 1};
    const Trial run{{0, 2, 3, 1}, {0, 1}}; // block 1 begins (ticket 1, lane 1) inside of block 0
    const Findings findings = analyseAll(shape, {run});
    EXPECT_EQ(findings.runsInterleaved, 1);
    EXPECT_EQ(findings.lanes.groups, 2);
    EXPECT_EQ(findings.lanes.ascending, 1);
    EXPECT_EQ(findings.lanes.runsAscending, 0);
    EXPECT_EQ(findings.lanes.orders, 2);
    EXPECT_TRUE(holds(report(findings), "several are at work at the same time"));
}

// Whichever of them it is that others began within.
TEST(Order, OneInterleavedBlockIsEnough)
{
    for (const std::vector<unsigned> &tickets : {std::vector<unsigned>{0, 3, 1, 2}, {1, 2, 0, 3}})
        EXPECT_EQ(analyseAll({2, 2, 1}, {Trial{tickets, {0, 1}}}).runsInterleaved, 1);
}

/// The ascending run, but that this thread came first of all.
Trial runThatBeginsWith(const Shape &shape, int thread)
{
    Trial run = ascendingRun(shape);
    std::rotate(run.tickets.begin(), run.tickets.begin() + 1, run.tickets.begin() + thread + 1);
    run.tickets[thread] = 0;
    return run;
}

// Not with their thread 0, which here draws in ascending order.
TEST(Order, WarpsAndBlocksComeWithTheFirstOfTheirThreads)
{
    const Shape shape{2, 64, 1};
    const Findings warp = analyseAll(shape, {runThatBeginsWith(shape, 37)});
    EXPECT_EQ(warp.warps.groups, 2);
    EXPECT_EQ(warp.warps.ascending, 1);
    EXPECT_EQ(warp.blocks.ascending, 1);
    const Findings block = analyseAll(shape, {runThatBeginsWith(shape, 64 + 9)});
    EXPECT_EQ(block.warps.ascending, 2);
    EXPECT_EQ(block.blocks.groups, 1);
    EXPECT_EQ(block.blocks.ascending, 0);
}

// Whatever the runs before it, or after it, were.
TEST(Order, EveryRunCountsForItself)
{
    const Shape shape{2, 2, 1};
    Trial unordered = runThatBeginsWith(shape, 2);
    unordered.sm = {3, 5};
    const Trial ascending = ascendingRun(shape);
    for (const std::vector<Trial> &runs :
         {std::vector<Trial>{unordered, ascending}, {ascending, unordered}}) {
        const Findings findings = analyseAll(shape, runs);
        EXPECT_EQ(findings.blocks.runs, 2);
        EXPECT_EQ(findings.blocks.runsAscending, 1);
        EXPECT_EQ(findings.runsInterleaved, 1);
        EXPECT_EQ(findings.multiprocessors, 2);
    }
}

TEST(Order, AlwaysTheSameButNotAscending)
{
    const Shape shape{1, 2, 1};
    const Trial run{{1, 0}, {0}};
    const std::string text = report(analyseAll(shape, {run, run}));
    EXPECT_TRUE(holds(text, "The lanes of a warp always came in the same order here, not the"))
        << text;
    EXPECT_FALSE(holds(text, "No block was seen")) << "there is one only";
}

// The second warp has fewer lanes than the first, and in both the lanes come backwards.
TEST(Order, GroupsOfTwoSizesAreEachComparedWithTheirOwn)
{
    const Shape shape{1, 35, 1};
    Trial run = ascendingRun(shape);
    const Findings ascending = analyseAll(shape, {run});
    EXPECT_EQ(ascending.lanes.groups, 2);
    EXPECT_EQ(ascending.lanes.orders, 1);
    std::reverse(run.tickets.begin(), run.tickets.end());
    const Findings descending = analyseAll(shape, {run, run});
    EXPECT_EQ(descending.lanes.orders, 1);
    const std::string text = report(descending);
    EXPECT_TRUE(holds(text, "The lanes of a warp always came in the same order here, not the"))
        << text;
    std::swap(run.tickets[0], run.tickets[1]); // in the first warp only
    EXPECT_EQ(analyseAll(shape, {run, ascendingRun(shape), run}).lanes.orders, 2);
    EXPECT_TRUE(holds(report(analyseAll(shape, {run, ascendingRun(shape)})),
                      "The lanes of a warp have no fixed order: 2 times in 4"));
}

// Every number of the report in its place: none of them is that of another line.
TEST(Order, AReportIsPutDownWordForWord)
{
    Findings findings;
    findings.runs = 9;
    findings.runsInterleaved = 8;
    findings.multiprocessors = 7;
    findings.lanes = {60, 50, 6, 5, 4};
    findings.warps = {30, 30, 3, 3, 1};
    findings.blocks = {20, 19, 2, 1, 2};
    EXPECT_EQ(report(findings),
              "9 runs; every thread drew a ticket\n"
              "lanes of a warp:   ascending in 5 of 6 runs and 50 of 60 warps; 4 different orders "
              "seen\n"
              "warps of a block:  ascending in 3 of 3 runs and 30 of 30 blocks; 1 order seen\n"
              "blocks of a grid:  ascending in 1 of 2 runs and 19 of 20 grids; 2 different orders "
              "seen\n"
              "side by side:      in 8 of 9 runs a block began before another had ended; blocks on "
              "up to 7 multiprocessors\n\n"
              "Is there a rule to the order?\n"
              "The lanes of a warp have no fixed order: 10 times in 60 it was not the ascending "
              "one.\n"
              "The warps of a block always came in ascending order here; that is how this device "
              "works, CUDA does not promise it.\n"
              "The blocks have no fixed order: 1 times in 20 it was not the ascending one.\n"
              "Blocks do not wait for each other: several are at work at the same time.\n");
}

TEST(Order, ASingleThreadHasNone)
{
    const Findings findings = analyseAll({1, 1, 1}, {Trial{{0}, {0}}});
    EXPECT_EQ(findings.lanes.groups + findings.warps.groups + findings.blocks.groups, 0);
}

TEST(Order, RefusesTicketsThatWereNotDrawnOnceEach)
{
    const std::vector<std::vector<unsigned>> bad = {
        {0, 0}, {0, 2}, {0}, {0, 1, 2}, {0, 0xFFFFFFFF}};
    for (const std::vector<unsigned> &tickets : bad) {
        const std::vector<Trial> runs = {{tickets, {0}}};
        EXPECT_THROW(analyseAll({1, 2, 1}, runs), common::Error);
    }
    for (const std::vector<unsigned> &sm : {std::vector<unsigned>{}, {0}, {0, 0, 0}})
        EXPECT_THROW(analyseAll({2, 1, 1}, {Trial{{0, 1}, sm}}), common::Error) << sm.size();
}

// Of which a machine without a GPU shows nothing.
TEST(HelloOptions, EachIsInItsPlace)
{
    const Options usual = parsed({"hello", "5", "3", "2"}, parseOptions);
    EXPECT_EQ(usual.shape.blocks, 5);
    EXPECT_EQ(usual.shape.x, 3);
    EXPECT_EQ(usual.shape.y, 2);
    EXPECT_EQ(usual.shape.threadsOfBlock(), 6);
    EXPECT_EQ(usual.shape.threads(), 30);
    EXPECT_FALSE(usual.order);
    EXPECT_EQ(usual.runs, 100);
    const Options order =
        parsed({"hello", "--order", "32", "--runs", "7", "1", "32"}, parseOptions);
    EXPECT_TRUE(order.order);
    EXPECT_EQ(order.runs, 7);
    EXPECT_EQ(order.shape.threads(), 1024);
}

TEST(HelloProgram, HelpAndBadUsage)
{
    const Outcome help = runCommand(kHello + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.output.find("usage: hello"), 0u);
    expectBadUsage(kHello + " 5 2 2 > /dev/full", "hello: standard output cannot be written");
    expectBadUsage(kHello + " ", "hello: three integers expected");
    expectBadUsage(kHello + " 5 2", "found 2");
    expectBadUsage(kHello + " 5 2 2 2", "found 4");
    expectBadUsage(kHello + " 33 2 2",
                   "hello: the number of blocks is '33', expected an integer in 1..32");
    expectBadUsage(kHello + " 5 0 2", "block dimension x is '0'");
    expectBadUsage(kHello + " 5 2 two", "block dimension y is 'two'");
    expectBadUsage(kHello + " 5 2 2 --order --runs 0", "--runs is '0', expected an integer in 1..");
    expectBadUsage(kHello + " 5 2 2 --order --runs 10001", "expected an integer in 1..10000");
    expectBadUsage(kHello + " 5 2 2 --order --runs", "hello: --runs: its value is missing");
    expectBadUsage(kHello + " 5 2 2 --runs 5", "hello: --runs is for --order");
    expectBadUsage(kHello + " 5 2 2 --nonsense", "--nonsense: no such option");
    expectBadUsage(kHello + " 5 2 2 -xyz", "hello: -xyz: no such option");
    for (const char *number : {"-1", "-15", "-155", "-1x"})
        expectBadUsage(kHello + " " + number + " 2 2", std::string("hello: an argument is '") +
                                                           number +
                                                           "', expected an integer in 1..32");
}

// With a GPU every thread has a line, also the 32768 of the largest grid; without one the host says
// hello, and why nobody else does.
TEST(HelloProgram, EveryThreadSaysHello)
{
    for (const Shape shape : {Shape{5, 2, 3}, Shape{32, 32, 32}}) {
        const Outcome outcome = runCommand(kHello + " " + std::to_string(shape.blocks) + " " +
                                           std::to_string(shape.x) + " " + std::to_string(shape.y));
        std::istringstream lines(outcome.output);
        std::set<std::string> different;
        int count = 0;
        for (std::string line; std::getline(lines, line); ++count) different.insert(line);
        EXPECT_EQ(different.count("Hello World from the host!"), 1u) << outcome.output;
        if (outcome.status == 2) {
            EXPECT_EQ(count, 1);
            EXPECT_TRUE(holds(outcome.errors, "hello: the device's lines are missing: needs "))
                << outcome.errors;
            continue;
        }
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_EQ(count, shape.threads() + 1);
        EXPECT_EQ(different.size(), static_cast<std::size_t>(count));
        EXPECT_EQ(different.count("Hello World from Thread (1, 2) in Block 4!"), 1u);
    }
}

TEST(HelloProgram, OrderIsAnsweredFromRuns)
{
    const Outcome outcome = runCommand(kHello + " 8 32 4 --order --runs 5");
    if (outcome.status == 2 && holds(outcome.errors, "needs ")) GTEST_SKIP() << outcome.errors;
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char *part :
         {"5 runs", "of 160 warps", "of 40 blocks", "of 5 grids", "Is there a rule to the order?"})
        EXPECT_TRUE(holds(outcome.output, part)) << part << "\n" << outcome.output;
}

} // namespace hello
