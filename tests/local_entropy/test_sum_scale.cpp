// F(n) in 32 bits for GPUs: the bound of its error holds for every way to share few cells, and
// nothing overflows.
#include "local_entropy/methods/histogram/scale.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace
{

using local_entropy::SumScale;

/// Calls back for every way to share `cells` cells between levels.
void forPartitions(int cells, const std::function<void(const std::vector<int> &)> &call)
{
    std::vector<int> counts;
    const std::function<void(int, int)> share = [&](int rest, int most) {
        if (rest == 0) return call(counts);
        for (int n = std::min(rest, most); n >= 1; --n) {
            counts.push_back(n);
            share(rest - n, n);
            counts.pop_back();
        }
    };
    share(cells, cells);
}

TEST(SumScale, KeepsItsErrorForEveryPartition)
{
    const SumScale scale(25);
    const long double unit = scale.factor / 2.0L;
    for (const int cells : {1, 2, 9, 20, 25})
        forPartitions(cells, [&](const std::vector<int> &counts) {
            std::int64_t sum = scale.sums[cells];
            long double exact = unit * cells * std::log2(static_cast<long double>(cells));
            for (const int n : counts) {
                sum -= scale.sums[n];
                exact -= unit * n * std::log2(static_cast<long double>(n));
            }
            ASSERT_LE(std::fabs(sum - exact), scale.error + 1e-6L) << cells;
        });
}

TEST(SumScale, IsExactForPowersOfTwo)
{
    const SumScale scale(300);
    for (int n = 2, logarithm = 1; n <= 256; n *= 2, ++logarithm)
        EXPECT_EQ(scale.sums[n], (static_cast<std::int64_t>(scale.factor) * n * logarithm + 1) / 2)
            << n;
}

TEST(SumScale, LeavesRoomForFourSteps)
{
    for (const int cells : {1, 9, 49, 255, 961, 7905}) {
        const SumScale scale(cells);
        const std::int64_t largest = scale.sums[cells] - scale.sums[cells - 1];
        EXPECT_LT(4 * largest, std::int64_t(1) << 31) << cells;
        EXPECT_GT(scale.factor, 1u << 24) << cells; // and is not needlessly small
        EXPECT_LT(scale.error, 0.26 * cells + 1) << cells;
    }
}

} // namespace
