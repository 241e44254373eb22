// How the GPU engine cuts its work, without a GPU: which rows and columns its warps take, and what
// they may read without a look at the edges.
#include "local_entropy/methods/words/plan.h"
#include "messages.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace words = local_entropy::words;

namespace
{

struct Job
{
    std::int64_t width, height, begin, end;
    int stripColumns;
    std::int64_t warps;
};

std::string nameOf(const Job &job)
{
    return std::to_string(job.width) + " x " + std::to_string(job.height) + ", rows " +
           std::to_string(job.begin) + " to " + std::to_string(job.end) + ", strips of " +
           std::to_string(job.stripColumns) + ", " + std::to_string(job.warps) + " warps";
}

words::Plan planOf(const Job &job)
{
    return words::makePlan({job.width, job.height, job.width, 0, job.width, job.begin, job.end},
                           job.stripColumns, job.warps);
}

/// Items go strip by strip, then band by band of rows: bands must follow each other from the first
/// row to the last, each with all strips.
void expectToCoverAll(const Job &job)
{
    SCOPED_TRACE(nameOf(job));
    const words::Plan plan = planOf(job);
    EXPECT_EQ(plan.width, job.width);
    EXPECT_EQ(plan.height, job.height);
    EXPECT_EQ(plan.begin, job.begin);
    EXPECT_EQ(plan.end, job.end);
    ASSERT_TRUE(plan.team == 1 || plan.team == words::kTeam);
    const std::int64_t columns = std::int64_t(job.stripColumns) * plan.team,
                       teams = job.warps / plan.team;
    ASSERT_GE(plan.strips * columns, job.width);
    ASSERT_LT((plan.strips - 1) * columns, job.width);
    ASSERT_EQ(plan.bigItems % plan.strips, 0u);
    ASSERT_EQ(plan.items % plan.strips, 0u);
    ASSERT_LE(plan.bigItems, plan.items);
    ASSERT_LE(plan.bigItems, std::max<std::int64_t>(teams, plan.strips)) << "not dealt at once";
    std::int64_t y = job.begin;
    for (unsigned first = 0; first < plan.items; first += plan.strips) {
        const bool big = first < plan.bigItems;
        const std::int64_t band = (big ? first : first - plan.bigItems) / plan.strips;
        const std::int64_t rows = big ? plan.bigRows : plan.smallRows;
        ASSERT_EQ((big ? plan.begin : plan.bigEnd) + band * rows, y);
        y = std::min(y + rows, big ? plan.bigEnd : plan.end);
        ASSERT_TRUE(!big || y <= plan.bigEnd);
    }
    ASSERT_EQ(y, job.end);
}

} // namespace

TEST(EngineGpuPlan, CoversAllRowsAndStripsOnce)
{
    for (const int stripColumns : {64, 128})
        for (const std::int64_t warps : {16, 160, 2112})
            for (const std::int64_t width : {1, 4, 63, 64, 65, 128, 129, 1000, 10240, 300000})
                for (const std::int64_t height : {1, 2, 5, 6, 99, 100, 101, 499, 10240, 1000003})
                    for (const std::int64_t begin : {std::int64_t(0), height / 3, height - 1})
                        for (const std::int64_t end : {begin + 1, height - (height - begin) / 4})
                            expectToCoverAll({width, height, begin, end, stripColumns, warps});
}

TEST(EngineGpuPlan, CoversEveryCellOnce)
{
    for (const int width : {1, 127, 128, 129, 500})
        for (const int height : {1, 4, 5, 6, 15, 16, 101, 1700, 5003})
            for (const std::int64_t warps : {4, 16, 48}) {
                const Job job{width, height, height / 7, height, 128, warps};
                const words::Plan plan = planOf(job);
                std::vector<int> times(std::size_t(height) * plan.strips, 0);
                for (unsigned number = 0; number < plan.items; ++number) { // as the kernel does it
                    const bool big = number < plan.bigItems;
                    const unsigned index = big ? number : number - plan.bigItems;
                    const std::int64_t rows = big ? plan.bigRows : plan.smallRows;
                    const std::int64_t begin =
                        (big ? plan.begin : plan.bigEnd) + index / plan.strips * rows;
                    const std::int64_t end = std::min(begin + rows, big ? plan.bigEnd : plan.end);
                    for (std::int64_t y = begin; y < end; ++y)
                        ++times.at(y * plan.strips + index % plan.strips);
                }
                for (std::size_t i = 0; i < times.size(); ++i)
                    ASSERT_EQ(times[i], std::int64_t(i / plan.strips) >= job.begin) << nameOf(job);
            }
}

TEST(EngineGpuPlan, SafeRowsReadNothingOutsideTheArray)
{
    for (const std::int64_t width :
         {1,   3,   4,   7,   8,   9,   10,  119,  120,   121,   127,  128,
          135, 136, 137, 140, 256, 500, 505, 2560, 10100, 10237, 10240})
        for (const std::int64_t height : {1, 2, 5, 30, 140, 5000}) {
            const Job job{width, height, 0, height, 128, 2112};
            const words::Plan plan = planOf(job);
            std::int64_t rows = 0;
            for (unsigned number = 0; number < plan.strips * plan.team; ++number) {
                const std::int64_t strip = number * std::int64_t(job.stripColumns);
                const words::RowRange safe = words::safeRows(plan, strip, job.stripColumns);
                ASSERT_GE(safe.begin, 0) << nameOf(job);
                ASSERT_LE(safe.end, height) << nameOf(job);
                if (safe.begin >= safe.end) continue;
                ASSERT_GE(safe.begin * width + strip, words::kMostBeside) << nameOf(job);
                const std::int64_t last = (safe.end - 1) * width + strip + job.stripColumns;
                ASSERT_LE(last + words::kMostBeside, width * height) << nameOf(job);
                rows += safe.end - safe.begin;
            }
            if (width >= 2560) { // all but a few
                EXPECT_GE(rows, (height - 1) * plan.strips * plan.team - 1) << nameOf(job);
            }
        }
}

TEST(EngineGpuPlan, CountsFitForHugeArrays)
{
    constexpr std::int64_t kWidest = (std::int64_t(1) << 32) - 1, kWarps = 132 * 16;
    for (const int stripColumns : {64, 128})
        for (const Job &job : {Job{kWidest, 1, 0, 1, stripColumns, kWarps},
                               Job{kWidest, 25, 3, 24, stripColumns, kWarps},
                               Job{1, 3000000000, 0, 3000000000, stripColumns, kWarps},
                               Job{128, 300000001, 17, 300000000, stripColumns, kWarps},
                               Job{200000, 200000, 0, 200000, stripColumns, kWarps},
                               Job{1000000, 100000, 1, 99999, stripColumns, kWarps}}) {
            expectToCoverAll(job);
            EXPECT_LT(planOf(job).items, 1u << 31) << nameOf(job); // and room to count beyond
        }
}

// Few rows for a warp are all big items: nothing to ask for. Many leave a rest of small ones.
TEST(EngineGpuPlan, LeavesARestOfSmallItemsOfLargeArraysOnly)
{
    const words::Plan little = planOf({2560, 2560, 0, 2560, 128, 2112});
    EXPECT_EQ(little.items, little.bigItems);
    EXPECT_EQ(little.team, 1u);
    EXPECT_LE(little.items, 2112u);
    const words::Plan large = planOf({10240, 10240, 0, 10240, 128, 2112});
    EXPECT_GT(large.items, large.bigItems);
    EXPECT_EQ(large.team, unsigned(words::kTeam));
    EXPECT_LE(large.bigItems, 2112u / words::kTeam);
    for (const std::int64_t rows : {large.bigRows, large.smallRows, little.bigRows})
        EXPECT_EQ((rows + local_entropy::kWindow - 1) % words::kBatch, 0)
            << "whole batches of cells";
    EXPECT_GE(large.bigRows * large.bigItems, 0.97 * 10240 * large.strips);
}

// A team whose last warps lie outside the array is in the way of one that has work for all.
TEST(EngineGpuPlan, MakesTeamsOnlyWhereFewWarpsAreIdle)
{
    EXPECT_EQ(planOf({10300, 10240, 0, 10240, 128, 2112}).team, unsigned(words::kTeam)); // 3 of 84
    EXPECT_EQ(planOf({1100, 100000, 0, 100000, 128, 2112}).team, 1u);                    // 3 of 12
    EXPECT_EQ(planOf({10, 1000000, 0, 1000000, 128, 2112}).team, 1u);
}

// Narrow arrays: the groups of an item follow each other, none is in the way of another, and what
// they read is within the array.
TEST(EngineGpuPlan, NarrowItemsCoverEveryRowOnce)
{
    for (std::int64_t width = 1; width <= 60; ++width)
        for (const std::int64_t height : {1, 7, 64, 1000, 30011})
            for (const std::int64_t begin : {std::int64_t(0), height / 3})
                for (const std::int64_t stride : {width, width + 1, width + 64}) {
                    const words::Area area{width, height, stride, 0, width, begin, height};
                    const int lanes = words::lanesFor(area);
                    ASSERT_GE(4 * (lanes - 1), width);
                    ASSERT_EQ(32 % lanes, 0);
                    const words::Plan plan = words::makePlan(area, 128, 64, lanes);
                    ASSERT_EQ(plan.strips, 1u);
                    ASSERT_EQ(plan.team, 1u);
                    ASSERT_EQ(std::int64_t(plan.groups), 32 / lanes);
                    std::vector<int> times(height, 0);
                    for (unsigned number = 0; number < plan.items; ++number) {
                        const words::Item item = words::itemOf(plan, number, 0, 128);
                        ASSERT_EQ(item.column, 0);
                        ASSERT_EQ(item.rows * stride % 4, 0) << "groups begin at other addresses";
                        for (unsigned group = 0; group < plan.groups; ++group)
                            for (std::int64_t row = 0; row < item.rows; ++row) {
                                const std::int64_t y = item.begin + group * item.rows + row;
                                if (y < item.end) ++times.at(y);
                            }
                    }
                    for (std::int64_t y = 0; y < height; ++y) ASSERT_EQ(times[y], y >= begin) << y;
                    const words::RowRange safe = words::safeRows(plan, 0, 4 * lanes);
                    if (safe.begin >= safe.end) continue;
                    ASSERT_GE(safe.begin * stride, words::kMostBeside);
                    ASSERT_LE((safe.end - 1) * stride + 4 * lanes + words::kMostBeside,
                              (height - 1) * stride + width);
                }
}

TEST(EngineGpuPlan, OnlyNarrowArraysHaveGroups)
{
    EXPECT_EQ(words::lanesFor({4, 9, 4, 0, 4, 0, 9}), 2);
    EXPECT_EQ(words::lanesFor({5, 9, 5, 0, 5, 0, 9}), 4);
    EXPECT_EQ(words::lanesFor({60, 9, 60, 0, 60, 0, 9}), 16);
    EXPECT_EQ(words::lanesFor({61, 9, 61, 0, 61, 0, 9}), 0);
    EXPECT_EQ(words::lanesFor({10, 9, 10, 2, 10, 0, 9}), 0) << "cells beside the results";
    EXPECT_EQ(words::lanesFor({10, 9, 10, 0, 8, 0, 9}), 0);
}

// Where a band has all rows, nothing is read above the first one.
TEST(EngineGpuPlan, FewRowsBeginAtTheTop)
{
    EXPECT_TRUE(planOf({1000000, 10, 0, 10, 128, 2112}).fromTop);
    EXPECT_FALSE(planOf({1000000, 10, 1, 10, 128, 2112}).fromTop);
    EXPECT_FALSE(planOf({2560, 2560, 0, 2560, 128, 2112}).fromTop);
}

// An object of the core that runs before main calls kernels: they are registered by then, because
// what registers those of the library stands in a section of an earlier priority.
TEST(EngineGpuKernels, AreRegisteredBeforeObjectsOfTheCoreRun)
{
    const std::string object = BUILD_DIRECTORY "/objects/local_entropy/methods/words/words.o";
    const Outcome sections = runCommand("readelf -SW " + object);
    if (sections.status != 0) GTEST_SKIP() << "needs nvcc: there is no " << object;
    EXPECT_NE(sections.output.find(" .init_array."), std::string::npos) << sections.output;
    EXPECT_EQ(sections.output.find(" .init_array "), std::string::npos) << sections.output;
}
