// F(n) in 32 bits for GPUs: the bound of its error holds for every way to share few cells, and
// nothing overflows.
#include "local_entropy/methods/histogram/scale.h"

#include "counts.h"
#include "local_entropy/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace
{

using counting::forPartitions;
using local_entropy::ExactScale;
using local_entropy::SumScale;

TEST(SumScale, KeepsItsErrorForEveryPartition)
{
    for (const double bound : {SumScale::kByFours, SumScale::kOneByOne}) {
        const SumScale scale(25, bound);
        const long double unit = scale.factor / 2.0L;
        for (const int cells : {1, 2, 9, 20, 25})
            forPartitions(cells, [&](const std::vector<int> &counts) {
                std::int64_t sum = scale.sums[cells];
                long double exact = unit * cells * std::log2(static_cast<long double>(cells));
                for (const int n : counts) {
                    sum -= scale.sums[n];
                    exact -= unit * n * std::log2(static_cast<long double>(n));
                }
                ASSERT_LE(std::fabs(sum - exact), scale.errors[cells] + 1e-6L) << cells;
            });
    }
}

// Every way to share all of so many cells.
TEST(SumScale, KeepsItsErrorOfEachNumberOfCells)
{
    constexpr int kCells = 40;
    for (const double bound : {SumScale::kByFours, SumScale::kOneByOne}) {
        const SumScale scale(kCells, bound);
        std::vector<long double> errors = {0};
        for (int n = 1; n <= kCells; ++n)
            errors.push_back(scale.sums[n] -
                             scale.factor / 2.0L * n * std::log2(static_cast<long double>(n)));
        for (const int cells : {2, 17, 36, kCells}) {
            long double most = 0;
            forPartitions(cells, [&](const std::vector<int> &counts) {
                if (counts.size() == 1) return; // D is 0
                long double error = errors[cells];
                for (const int n : counts) error -= errors[n];
                most = std::max(most, std::fabs(error));
            });
            EXPECT_LE(most, scale.errors[cells] + 1e-6L) << cells;
            EXPECT_GE(most, scale.errors[cells] - 1e-6L) << cells; // and not needlessly large
        }
        EXPECT_EQ(scale.wholeError(), scale.errors[kCells]);
        EXPECT_EQ(scale.error, *std::max_element(scale.errors.begin(), scale.errors.end()));
    }
}

// All sums of up to so many cells, of counts of any size: what is told of each number is the most.
TEST(SumScale, KnowsWhatErrorsOfCountsAddUpTo)
{
    for (const int cells : {30, 225, 961}) {
        const SumScale scale(cells);
        std::vector<double> errors(cells + 1), most(cells + 1);
        for (int n = 1; n <= cells; ++n)
            errors[n] = static_cast<double>(
                scale.sums[n] - scale.factor / 2.0L * n * std::log2(static_cast<long double>(n)));
        for (const double sign : {1.0, -1.0}) {
            std::vector<double> best(cells + 1);
            for (int sum = 1; sum <= cells; ++sum) {
                for (int n = 1; n < sum; ++n)
                    best[sum] = std::max(best[sum], best[sum - n] + sign * errors[n]);
                most[sum] = std::max(most[sum], best[sum] - sign * errors[sum]);
                best[sum] = std::max(best[sum], sign * errors[sum]);
            }
        }
        for (int n = 1; n <= cells; ++n) EXPECT_NEAR(scale.errors[n], most[n], 1e-6) << n;
    }
}

// A row of a sparse image along an edge is full of windows of one way, which the bound of all
// numbers of cells leaves undecided: 54 of 55 cells of a disk of radius 5 are of one level.
TEST(SumScale, DecidesWindowsOfDisksThatAnEdgeCutsInSparseImages)
{
    constexpr double kRounding = 0x1p-7;
    const SumScale scale(81);
    for (const int cells : {46, 55, 64, 73, 80}) { // rows from the edge: 0 to 4
        const local_entropy::Answers answers(local_entropy::Measure::Entropy, 1,
                                             local_entropy::Base::E, cells, 0);
        const double perSum = scale.scales(local_entropy::Base::E)[cells];
        const double error = scale.errors[cells] + kRounding;
        for (int others = 1; others <= 3; ++others) {
            const std::vector<int> counts = {cells - others, others};
            const auto difference = static_cast<double>(
                scale.sums[cells] - scale.sums[cells - others] - scale.sums[others]);
            EXPECT_EQ(static_cast<float>((difference - error) * perSum),
                      static_cast<float>((difference + error) * perSum))
                << cells << " cells, " << others << " others";
            EXPECT_EQ(static_cast<float>(difference * perSum), answers.floatOf(counts.data(), 2));
        }
    }
}

TEST(SumScale, IsExactForPowersOfTwo)
{
    const SumScale scale(300);
    for (int n = 2, logarithm = 1; n <= 256; n *= 2, ++logarithm)
        EXPECT_EQ(scale.sums[n], (static_cast<std::int64_t>(scale.factor) * n * logarithm + 1) / 2)
            << n;
}

// Two cells of two levels, whose entropy is ln 2, have the difference F(2).
TEST(SumScale, ScalesAreRightToTheirLastBits)
{
    for (const local_entropy::Base base : counting::kBases) {
        const SumScale scale(300);
        const std::vector<double> scales = scale.scales(base);
        ASSERT_EQ(scales.size(), scale.sums.size());
        EXPECT_EQ(scales[0], 0);
        for (int n = 1; n <= 300; ++n) {
            const long double wanted =
                2 * std::log(2.0L) * counting::truePerNat(base) / scale.sums[2] / n;
            EXPECT_LE(std::fabs(scales[n] - wanted), 4 * 0x1p-53L * wanted) << n;
        }
    }
}

TEST(SumScale, LeavesRoomForFourSteps)
{
    for (const int cells : {1, 9, 49, 255, 961, 7905}) {
        const SumScale scale(cells);
        const std::int64_t largest = scale.sums[cells] - scale.sums[cells - 1];
        EXPECT_LT(4 * largest, std::int64_t(1) << 31) << cells;
        EXPECT_GT(scale.factor, 1u << 24) << cells;         // and is not needlessly small
        EXPECT_LT(scale.error, 0.014 * cells + 1) << cells; // a half for every F would be 0.17
    }
}

TEST(SumScale, LeavesRoomForOneStepWithoutASign)
{
    for (const int cells : {9, 49, 81, 225, 255, 961, 7905, 8192}) {
        const SumScale scale(cells, SumScale::kOneByOne), small(cells);
        EXPECT_LT(scale.sums[cells] - scale.sums[cells - 1], std::int64_t(1) << 32) << cells;
        // What is left undecided is as much less.
        EXPECT_LT(5 * scale.error / scale.factor, small.error / small.factor) << cells;
        EXPECT_LT(scale.sums[cells], std::int64_t(1) << 45) << cells; // see the walk's rounding
    }
}

// All 173525 ways to share 49 cells.
TEST(SumScale, ForWholeWindowsGivesTheNearestFloatForEveryPartition)
{
    constexpr int kCells = 49;
    for (const local_entropy::Base base : counting::kBases) {
        const SumScale scale = SumScale::forWhole(base, kCells);
        ASSERT_TRUE(scale.isExactForWhole && SumScale::knowsWhole(kCells));
        EXPECT_LT(scale.sums[kCells] - scale.sums[kCells - 1], std::int64_t(1) << 32);
        const double factor = scale.scales(base)[kCells];
        const local_entropy::Answers answers(local_entropy::Measure::Entropy, 1, base, kCells, 0);
        int ways = 0;
        forPartitions(kCells, [&](const std::vector<int> &counts) {
            ++ways;
            std::int64_t difference = scale.sums[kCells];
            for (const int n : counts) difference -= scale.sums[n];
            ASSERT_EQ(static_cast<float>(static_cast<double>(difference) * factor),
                      answers.floatOf(counts.data(), static_cast<int>(counts.size())))
                << factor;
        });
        EXPECT_EQ(ways, 173525);
    }
}

TEST(SumScale, ForWholeWindowsIsTheUsualOneWhereNoneIsKnown)
{
    const SumScale usual(81, SumScale::kOneByOne),
        whole = SumScale::forWhole(local_entropy::Base::E, 81);
    EXPECT_FALSE(whole.isExactForWhole || SumScale::knowsWhole(81));
    EXPECT_EQ(whole.factor, usual.factor);
    EXPECT_EQ(whole.error, usual.error);
    EXPECT_EQ(whole.sums, usual.sums);
}

TEST(ExactScale, GivesTheNearestFloatForEveryPartition)
{
    for (const local_entropy::Base base : counting::kBases) {
        const ExactScale scale(base, ExactScale::kMostCells);
        const local_entropy::Answers answers(local_entropy::Measure::Entropy, 1, base,
                                             ExactScale::kMostCells, 0);
        EXPECT_LT(scale.sums.back(), std::int64_t(1) << 32);
        for (int cells = 1; cells <= ExactScale::kMostCells; ++cells)
            forPartitions(cells, [&](const std::vector<int> &counts) {
                std::int64_t difference = scale.sums[cells];
                for (const int n : counts) difference -= scale.sums[n];
                ASSERT_GE(difference, 0);
                ASSERT_EQ(static_cast<float>(static_cast<double>(difference) * scale.scales[cells]),
                          answers.floatOf(counts.data(), static_cast<int>(counts.size())))
                    << cells;
            });
    }
}

TEST(ExactScale, IsTheSameForSmallerWindows)
{
    const ExactScale large(local_entropy::Base::E, 25), small(local_entropy::Base::E, 9);
    for (int n = 0; n <= 9; ++n) {
        EXPECT_EQ(small.sums[n], large.sums[n]);
        EXPECT_EQ(small.scales[n], large.scales[n]);
    }
}

} // namespace
