// The ranks method fills results by tiles, and says what it cannot.

#include "judge.h"
#include "local_entropy/methods/ranks/ranks.h"
#include "local_entropy/problem/load.h"
#include "local_entropy/simd/paths.h"
#include "own_queue.h"
#include "used_scratch.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace
{

using namespace local_entropy;

/// Tiles of one byte, of two, and of four, which the plain method takes over.
template <typename Cell>
void checkMethod(const Filter &filter, CellType type, unsigned values)
{
    constexpr float poison = std::numeric_limits<float>::quiet_NaN();
    const bool all = values == 65536; // every one of them in one tile
    const std::int64_t width = 300, height = all ? 230 : 41;
    std::vector<Cell> cells(width * height);
    std::mt19937 random(7);
    for (Cell &cell : cells) cell = static_cast<Cell>(random() % values);
    for (std::size_t i = 0; i < 65536 && all; ++i) cells[i] = static_cast<Cell>(i);
    std::vector<float> result(cells.size(), poison);
    const Problem problem = checkedProblem(filter, {cells.data(), type, width, height, 0}, {},
                                           {result.data(), false, width, height, 0}, {});
    for (const Path path : kPaths) {
        if (!pathWorksHere(path)) continue;
        ASSERT_TRUE(ranksMethod().can(problem, path));
        const auto plan = ranksMethod().plan(problem, path);
        std::fill(result.begin(), result.end(), poison);
        OwnQueue queue(problem.region, plan->tileSize(problem, all ? 1 : 2));
        Scratch scratch;
        leaveMuch(scratch);
        plan->work(problem, *queue, scratch);
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; x += all ? 7 : 1)
                ASSERT_TRUE(judge::isNearest(
                    result[y * width + x],
                    judge::resultOf<Cell>(filter, {cells.data(), width, height, width}, {}, x, y)))
                    << pathName(path) << ", at " << x << ", " << y;
    }
}

TEST(LocalEntropyRanks, TheMethodFillsTheResult)
{
    for (const Border border : {Border::Cut, Border::Mirror}) {
        Filter filter;
        filter.border = border;
        filter.window.width = 5;
        filter.window.height = 4;
        filter.levels.count = 256;
        checkMethod<std::uint8_t>(filter, CellType::Uint8, 256);
        filter.levels.count = 65536;
        checkMethod<std::uint16_t>(filter, CellType::Uint16, 65536);
        filter.measure = Measure::Simpson;
        checkMethod<std::uint16_t>(filter, CellType::Uint16, 6);
    }
}

TEST(LocalEntropyRanks, TheMethodSaysWhatItCannot)
{
    std::vector<std::uint8_t> cells(100);
    std::vector<double> result(100);
    Filter filter;
    const auto can = [&](bool isDouble) {
        const Problem problem = checkedProblem(filter, {cells.data(), CellType::Uint8, 10, 10, 0},
                                               {}, {result.data(), isDouble, 10, 10, 0}, {});
        return ranksMethod().can(problem, Path::Portable);
    };
    EXPECT_TRUE(can(false));
    EXPECT_FALSE(can(true));
    filter.window.width = 6;
    EXPECT_FALSE(can(false));
    filter.window.width = 13; // one cell too many
    filter.window.height = 2;
    EXPECT_FALSE(can(false));
    filter.window.width = 12;
    EXPECT_TRUE(can(false));
    filter.window.width = 3;
    filter.window.height = 3;
    filter.window.footprint = {0, 1, 0, 1, 1, 1, 0, 1, 0};
    EXPECT_FALSE(can(false));
}

// Every thread has some, but none so low that the rows which its first windows need matter.
TEST(LocalEntropyRanks, TilesAreForAllThreadsAndNotTooLow)
{
    std::vector<std::uint8_t> cells(500 * 3000);
    std::vector<float> result(cells.size());
    const auto rowsOfTile = [&](std::int64_t height, int threads) {
        const Problem problem =
            checkedProblem(Filter(), {cells.data(), CellType::Uint8, 500, height, 0}, {},
                           {result.data(), false, 500, height, 0}, {});
        return ranksMethod().plan(problem, Path::Portable)->tileSize(problem, threads).height;
    };
    EXPECT_LE(rowsOfTile(3000, 4), 3000 / 4 / 2);
    EXPECT_GE(rowsOfTile(3000, 1), 3000 / 2);
    EXPECT_GE(rowsOfTile(3000, 1000), 50);
    EXPECT_GE(rowsOfTile(100, 16), 50);
}

} // namespace
