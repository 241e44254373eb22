// F(n) for few levels, of which GPUs add up all: the bounds of its errors hold for every way to
// share few cells, and for many random ways to share more; and it is small.
#include "local_entropy/methods/levels/launch_sums.h"

#include "counts.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace
{

using counting::forPartitions;
using local_entropy::LevelSums;

constexpr int kFineBits = 24;

/// How far D is off, from `sums`, with so many bits of fraction.
template <typename Number>
long double errorOf(const LevelSums &all, const std::vector<Number> &sums, int bits,
                    const std::vector<int> &counts)
{
    const auto exact = [&](int n) {
        return n ? all.factor * (n * std::log2(static_cast<long double>(n)) / 2) : 0;
    };
    int cells = 0;
    std::int64_t difference = 0;
    long double wanted = 0;
    for (const int n : counts) {
        cells += n;
        difference -= sums[n];
        wanted -= exact(n);
    }
    difference += sums[cells];
    wanted += exact(cells);
    return std::fabs(std::ldexp(static_cast<long double>(difference), -bits) - wanted);
}

void expectWithinBounds(const LevelSums &all, const std::vector<int> &counts)
{
    // Long doubles have 64 bits, of which D takes up to 44.
    ASSERT_LE(errorOf(all, all.sums, 0, counts), all.error + 1e-5L);
    ASSERT_LE(errorOf(all, all.fine, kFineBits, counts), all.fineError + 1e-5L);
}

TEST(LevelSums, KeepTheirErrorForEveryPartition)
{
    const LevelSums all(25, 25, kFineBits);
    for (const int cells : {1, 2, 9, 20, 25})
        forPartitions(cells,
                      [&](const std::vector<int> &counts) { expectWithinBounds(all, counts); });
}

TEST(LevelSums, KeepTheirErrorForRandomCounts)
{
    std::mt19937 random(3);
    for (const int cells : {49, 81, 225, 961, 4096})
        for (const int levels : {2, 7, 16, 32}) {
            const LevelSums all(cells, levels, kFineBits);
            for (int i = 0; i < 2000; ++i) {
                std::vector<int> counts(1 + random() % static_cast<unsigned>(levels));
                const int most = cells / static_cast<int>(counts.size());
                for (int &n : counts) n = static_cast<int>(random() % (most + 1u));
                expectWithinBounds(all, counts);
            }
        }
}

// With so few bits of fraction that a long double tells them from each other.
TEST(LevelSums, KeepTheirErrorForTwoLevels)
{
    constexpr int kFewBits = 8;
    for (const int cells : {49, 81, 225}) {
        const LevelSums all(cells, 2, kFewBits);
        long double most = 0;
        for (int n = 1; n < cells; ++n)
            for (int m = 1; m <= n && n + m <= cells; ++m)
                most = std::max(most, errorOf(all, all.fine, kFewBits, {n, m}));
        EXPECT_LE(most, all.fineError + 1e-5L) << cells;
        EXPECT_GT(most, all.fineError * 2 / 3) << cells << ": F(N) is off, too";
    }
}

TEST(LevelSums, AreExactForPowersOfTwo)
{
    const LevelSums all(300, 16, kFineBits);
    for (int n = 2, logarithm = 1; n <= 256; n *= 2, ++logarithm) {
        const std::int64_t exact = std::int64_t(all.factor) * (n / 2) * logarithm;
        EXPECT_EQ(all.fine[n], exact << kFineBits) << n;
        // Without the slope, which leaves F(1) nothing else.
        EXPECT_EQ(all.sums[n] - std::int64_t(n) * all.sums[1], exact) << n;
    }
}

TEST(LevelSums, UseAllTheirBits)
{
    for (const int cells : {25, 49, 81, 225, 441, 961, 8192}) {
        const LevelSums all(cells, 16, kFineBits);
        const auto [least, most] = std::minmax_element(all.sums.begin(), all.sums.end());
        EXPECT_GT(std::int64_t(*most) - *least, std::int64_t(1) << 31) << cells;
    }
}

TEST(LevelSums, LeaveFewWindowsInDoubt)
{
    // Roundings of a half would add up to eight.
    EXPECT_LT(LevelSums(81, 16, kFineBits).error, 1.5);
    EXPECT_LT(LevelSums(225, 16, kFineBits).error, 4);
}

} // namespace
