// Tables of the method of box sums by level: G(n) in planes of bytes or of words, whose bound holds
// for windows that are as far off as they can be, and F of two levels by one index.
#include "guarded_array.h"
#include "local_entropy/methods/levels/pair_table.h"
#include "local_entropy/methods/levels/plane_tables.h"
#include "local_entropy/methods/levels/sums.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace
{

using namespace local_entropy;

Answers answersFor(int cells) { return Answers(Measure::Entropy, 1, Base::E, cells, 0); }

/// G(n) as kernels put it together, for windows of so many cells.
std::int64_t sumOf(const PlaneTables &tables, int n, int cells)
{
    constexpr int kEntries = PlaneTables::kEntries;
    if (cells > PlaneTables::kNarrow && n >= PlaneTables::kNarrow) return tables.large[n];
    const bool isUpper = cells > PlaneTables::kNarrow && n >= kEntries;
    std::int64_t sum = 0;
    for (int p = PlaneTables::kPlanes - 1; p >= 0; --p) {
        sum = 256 * sum +
              (isUpper ? tables.upper[p][n - kEntries + 1] : tables.plane[p][n % kEntries]);
        if (!isUpper && n >= kEntries) sum += tables.beyond[p][n - kEntries];
    }
    return sum;
}
std::int64_t sumOf(const WordPlaneTables &tables, int n, int)
{
    std::int64_t sum = 0;
    for (int p = WordPlaneTables::kPlanes - 1; p >= 0; --p)
        sum = (sum << WordPlaneTables::kBits) + tables.plane[p][n];
    return sum;
}

/// Windows in which all levels have n cells and the last one has the rest: for some n all are off
/// into one direction. The bound holds for all, and some come near it.
template <typename Tables>
void expectTheBound(int cells, int levels)
{
    const Tables tables(answersFor(cells), cells, levels);
    long double most = 0;
    for (int n = 1; n * (levels - 1) < cells; ++n) {
        const int rest = cells - n * (levels - 1);
        const std::int64_t difference =
            (levels - 1) * sumOf(tables, n, cells) + sumOf(tables, rest, cells);
        const auto part = [&](int count) {
            return count * std::log(static_cast<long double>(cells) / count) / cells;
        };
        const long double entropy = (levels - 1) * part(n) + part(rest);
        most = std::max(most,
                        std::fabs(static_cast<long double>(difference) * tables.scale - entropy));
    }
    EXPECT_LE(most, tables.error) << cells << " cells, " << levels << " levels";
    EXPECT_GT(most, tables.error * 0.6) << cells << " cells, " << levels << " levels";
}

// The table ends where memory cannot be touched; the bytes behind the counts are 255.
TEST(LevelTables, WhatLiesBehindTheCountsIsNotLookedUp)
{
    const GuardedArray<std::int64_t> table(10, 1, 0);
    for (int n = 0; n < 10; ++n) table.at(n, 0) = n * n;
    for (int windows = 1; windows <= 8; ++windows) {
        std::uint8_t counts[2][16];
        std::fill_n(counts[0], sizeof counts, std::uint8_t(255));
        for (int i = 0; i < windows; ++i) counts[0][i] = i, counts[1][i] = 9 - i;
        std::int64_t sums[9] = {};
        addLookUps(counts[0], 16, 2, table.view().data, windows, sums);
        for (int i = 0; i < 9; ++i)
            EXPECT_EQ(sums[i], i < windows ? i * i + (9 - i) * (9 - i) : 0) << windows;
    }
}

TEST(LevelTables, OfPlanesKeepTheirError)
{
    for (const int cells : {225, 255, 441, 961, 2500})
        for (const int levels : {12, 16, 20}) {
            expectTheBound<PlaneTables>(cells, levels);
            if (cells <= PlaneTables::kNarrow) expectTheBound<WordPlaneTables>(cells, levels);
        }
}

// Of every level the greatest byte.
TEST(LevelTables, SumsOfThreePlanesOfBytesFitAnInteger)
{
    EXPECT_LE(std::int64_t{PlaneTables::kMostLevels} * 0xffffff,
              std::numeric_limits<std::int32_t>::max());
}

TEST(LevelTables, OfPairsHaveAnEntryForEveryTwoCounts)
{
    for (const int cells : {1, 2, 25, 255, 256, 400, 1000}) {
        const Answers answers = answersFor(cells);
        const PairTable pairs(answers, cells);
        const std::int64_t *of = answers.sums();
        const int last = std::min(cells, pairs.base - 1);
        EXPECT_EQ(last, cells <= PairTable::kNarrow ? cells : PairTable::kMostBase - 1);
        for (int b = 0; b <= last; ++b)
            for (int a = 0; a <= std::min(last, cells - b); ++a) {
                const std::size_t index = a + pairs.base * b;
                ASSERT_LT(index, pairs.sums.size()) << cells << " cells, " << a << ", " << b;
                ASSERT_LE(index, 65535u) << cells << " cells, " << a << ", " << b;
                ASSERT_EQ(pairs.sums[index], of[a] + of[b]) << a << ", " << b;
            }
    }
}

} // namespace
