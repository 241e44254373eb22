// Sums of n ln n for windows of few cells, of which GPUs add up all: every way to share the cells
// has the nearest float, or an entry in a list.
#include "local_entropy/methods/equal/share_scale.h"

#include "counts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace
{

using namespace local_entropy;
using counting::Counts;
using equal::ShareScale;

std::uint32_t lowerBits(double value)
{
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint32_t>(bits);
}

/// The entry of a way to share that many cells, if there is one.
bool find(const ShareScale &scale, int cells, std::int64_t difference, float &answer)
{
    return lookUp(scale.exceptions.data(), static_cast<int>(scale.exceptions.size()),
                  equal::exceptionKey(cells, difference), answer);
}

TEST(ShareScale, EveryWayToShareIsRightOrListed)
{
    for (const Base base : counting::kBases)
        for (int most = 8; most <= ShareScale::kMostCells; ++most) {
            const ShareScale scale(most, base);
            const Answers answers(Measure::Entropy, 1, base, most, 0);
            for (int cells = 1; cells <= most; ++cells)
                counting::forPartitions(cells, [&](const Counts &counts) {
                    const float right =
                        answers.floatOf(counts.data(), static_cast<int>(counts.size()));
                    std::int64_t difference = scale.sums[cells];
                    for (const int n : counts) difference -= scale.sums[n];
                    const auto of = [&](double value) {
                        return static_cast<float>(value * scale.scales[cells]);
                    };
                    const auto value = static_cast<double>(difference);
                    // What a kernel looks at: of windows whose cells all count, the second alone.
                    const bool isNear =
                        difference != 0 && of(value - scale.error) != of(value + scale.error);
                    const bool isHeld = scale.middles.hold(lowerBits(value * scale.scales[cells]));
                    if (of(value) != right) {
                        ASSERT_TRUE(isNear) << testing::PrintToString(counts);
                        ASSERT_TRUE(isHeld || cells < most) << testing::PrintToString(counts);
                    }
                    float listed = -1;
                    const bool isListed = find(scale, cells, difference, listed);
                    ASSERT_TRUE(isListed || !(isNear || (isHeld && cells == most)))
                        << testing::PrintToString(counts);
                    ASSERT_EQ(isListed ? listed : of(value), right)
                        << testing::PrintToString(counts);
                });
        }
}

// What is listed for one window is not found for another.
TEST(ShareScale, KeysTellAllDifferencesApart)
{
    const ShareScale scale(ShareScale::kMostCells, Base::E);
    std::set<std::pair<int, std::int64_t>> differences;
    std::set<std::int64_t> keys;
    for (int cells = 1; cells <= ShareScale::kMostCells; ++cells)
        counting::forPartitions(cells, [&](const Counts &counts) {
            std::int64_t difference = scale.sums[cells];
            for (const int n : counts) difference -= scale.sums[n];
            differences.insert({cells, difference});
            keys.insert(equal::exceptionKey(cells, difference));
        });
    EXPECT_GT(differences.size(), 6000u);
    EXPECT_EQ(keys.size(), differences.size());
    for (int cells = 1; cells < ShareScale::kMostCells; ++cells) // and not only by luck
        EXPECT_LT(equal::exceptionKey(cells, scale.sums[ShareScale::kMostCells]),
                  equal::exceptionKey(cells + 1, 0));
}

// Two cells of two levels, whose entropy is ln 2, have the difference F(2).
TEST(ShareScale, ScalesAreRightToTheirLastBits)
{
    for (const Base base : counting::kBases) {
        const ShareScale scale(ShareScale::kMostCells, base);
        for (int n = 1; n <= ShareScale::kMostCells; ++n) {
            const long double wanted =
                2 * std::log(2.0L) * counting::truePerNat(base) / scale.sums[2] / n;
            EXPECT_LE(std::fabs(scale.scales[n] - wanted), 4 * 0x1p-53L * wanted) << n;
        }
    }
}

// Lists are short, and are searched by their keys; four steps, and the negatives of four others,
// fit 32 bits, of which few are left unused.
TEST(ShareScale, IsSmall)
{
    for (const int most : {9, ShareScale::kMostCells}) {
        const ShareScale scale(most, Base::E);
        EXPECT_LT(scale.exceptions.size(), 100u);
        EXPECT_TRUE(
            std::is_sorted(scale.exceptions.begin(), scale.exceptions.end(),
                           [](const Exception &a, const Exception &b) { return a.key < b.key; }));
        EXPECT_EQ(scale.sums[0], 0);
        EXPECT_EQ(scale.sums[1], 0);
        const std::int64_t step = scale.sums[most] - scale.sums[most - 1];
        EXPECT_LT(4 * step, std::int64_t(1) << 31);
        EXPECT_GT(8 * step, std::int64_t(1) << 31);
    }
}

} // namespace
