// The tables of the ranks method know every way to divide a window among levels.

#include "counts.h"
#include "local_entropy/methods/ranks/tables.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace
{

using namespace local_entropy;
using namespace counting;

/// The sums over a window with these counts, for windows of `most` cells.
std::pair<unsigned, unsigned> sumsOf(const Counts &counts, int most)
{
    unsigned pairs = 0, weights = 0;
    for (const int n : counts)
        for (int rank = 0; rank < n; ++rank) {
            pairs += rank;
            weights += rankWeights(most)[rank % 16];
        }
    return {pairs & 255, weights & 255};
}

/// So that any measure can be looked up: no two partitions share their sums.
TEST(LocalEntropyRanks, SumsNameThePartition)
{
    int all = 0;
    for (const int most : {kByteCells, kSmallCells})
        for (int cells = 1; cells <= most; ++cells) {
            std::set<std::pair<unsigned, unsigned>> seen;
            const auto each = everyPartition(cells);
            for (const Counts &counts : each) {
                auto sums = sumsOf(counts, most);
                if (keyBytes(most) == 1) sums = {0, sums.second & 31};
                EXPECT_TRUE(seen.insert(sums).second) << cells << " of at most " << most;
            }
            if (most == kSmallCells) all += static_cast<int>(each.size());
        }
    EXPECT_EQ(all, 9295);
}

TEST(LocalEntropyRanks, TablesHoldWhatTheCountsSay)
{
    struct Asked
    {
        Measure measure;
        double order;
    };
    for (const Asked asked : {Asked{Measure::Entropy, 1},
                              {Measure::Simpson, 1},
                              {Measure::Richness, 1},
                              {Measure::Hill, 0.5},
                              {Measure::Hill, std::numeric_limits<double>::infinity()}})
        for (const int most : {1, 2, 8, 9, 10, 15, 20, 25}) {
            const Answers answers(asked.measure, asked.order, Base::E, most, -7);
            const RankTable table(most, answers, true);
            for (int absent = 0; absent <= most; ++absent)
                for (Counts counts : everyPartition(most - absent)) {
                    const float expected =
                        absent == most
                            ? -7
                            : answers.floatOf(counts.data(), static_cast<int>(counts.size()));
                    counts.push_back(absent); // equal to each other, as the kernels see them
                    const auto [pairs, weights] = sumsOf(counts, most);
                    ASSERT_EQ(table.withAbsent(pairs, weights, absent), expected)
                        << most << " cells, " << absent << " absent";
                    if (absent) continue;
                    const unsigned key = keyBytes(most) == 1 ? weights & 31 : pairs << 8 | weights;
                    ASSERT_EQ(table.full()[key], expected) << most << " cells";
                }
        }
}

} // namespace
