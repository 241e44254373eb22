// Windows in which one level has nearly all cells: most windows of a sparse image. Their margin is
// so small that hardly any of them is undecided, and what it decides is the nearest float.
#include "../sanitized.h"
#include "local_entropy/methods/dominated.h"
#include "local_entropy/methods/histogram/scale.h"
#include "local_entropy/methods/levels/launch_sums.h"

#include "counts.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace
{

using local_entropy::Answers;
using local_entropy::Base;
using local_entropy::LevelSums;
using local_entropy::Margin;
using local_entropy::SumScale;

constexpr double kRounding = 0x1p-7;

/// What a kernel knows of windows of so many cells.
struct Windows
{
    int cells, levels;
    Base base;
    std::vector<std::int64_t> sums;
    double scale, error;

    Windows(const SumScale &of, int levels, Base base)
        : cells(static_cast<int>(of.sums.size()) - 1), levels(levels), base(base), sums(of.sums),
          scale(of.scales(base)[cells]), error(of.wholeError())
    {
    }
    Windows(const LevelSums &of, int levels, Base base)
        : cells(static_cast<int>(of.sums.size()) - 1), levels(levels), base(base),
          sums(of.sums.begin(), of.sums.end()), scale(of.scales(base)[cells]), error(of.error)
    {
    }

    Margin margin() const
    {
        return local_entropy::marginOf({cells, levels, base}, sums, scale, error, kRounding);
    }
    double differenceOf(const std::vector<int> &counts) const
    {
        std::int64_t difference = sums[cells];
        for (const int n : counts) difference -= sums[n];
        return static_cast<double>(difference);
    }
    /// As kernels do; false if it is undecided.
    bool decides(double difference, double margin, float &answer) const
    {
        answer = static_cast<float>(std::fma(difference, scale, -margin * scale));
        return answer == static_cast<float>(std::fma(difference, scale, margin * scale));
    }
    std::string name() const
    {
        return std::to_string(cells) + " cells, " + std::to_string(levels) + " levels, base " +
               std::to_string(static_cast<int>(base));
    }
};

/// 9x9, 15x15, a disk of radius 10, 21x21, 31x31.
std::vector<Windows> someWindows(Base base)
{
    std::vector<Windows> all;
    for (const int cells : {81, 225, 317, 441, 961}) {
        all.emplace_back(SumScale(cells), 4096, base);
        all.emplace_back(LevelSums(cells, 16, 24), 16, base);
    }
    return all;
}

/// visit(counts) for every way in which the largest level has all cells but `others`, 1 ... most,
/// that so many levels allow.
template <typename Visit>
void forDominated(const Windows &windows, int most, const Visit &visit)
{
    for (int others = 1; others <= most; ++others)
        counting::forPartitions(others, [&](std::vector<int> counts) {
            counts.push_back(windows.cells - others);
            if (static_cast<int>(counts.size()) <= windows.levels) visit(counts);
        });
}

TEST(Dominated, WhatAMarginDecidesIsTheNearestFloat)
{
    constexpr int kOthers = 22; // also some that are beyond the limit
    for (const Base base : counting::kBases)
        for (const Windows &windows : someWindows(base)) {
            const Margin margin = windows.margin();
            const Answers answers(local_entropy::Measure::Entropy, 1, base, windows.cells, 0);
            forDominated(windows, kOthers, [&](const std::vector<int> &counts) {
                const double difference = windows.differenceOf(counts);
                float answer;
                if (!windows.decides(difference, margin.of(difference), answer)) return;
                ASSERT_EQ(answer, answers.floatOf(counts.data(), static_cast<int>(counts.size())))
                    << windows.name();
            });
        }
}

// The sums are right but where no level has more than 29 of 49 cells: all of these, and some
// others, then round to a wrong float. None of them may be taken for one that was tried.
TEST(Dominated, NoWindowUpToTheLimitIsForgotten)
{
    constexpr int kCells = 49, kWrongFrom = 20, kWrongTo = 29;
    constexpr double kFactor = 1 << 30, kOff = 100000;
    for (const Base base : counting::kBases) {
        Windows windows(SumScale(kCells), kCells, base);
        windows.scale *= SumScale(kCells).factor / kFactor;
        windows.error = 2 * kOff + kCells;
        for (int n = 1; n <= kCells; ++n)
            windows.sums[n] =
                std::llround(kFactor / 2 * n * std::log2(static_cast<long double>(n))) +
                (n >= kWrongFrom && n <= kWrongTo ? static_cast<std::int64_t>(kOff) : 0);
        const Margin margin = windows.margin();
        EXPECT_EQ(margin.below, 0); // of those that were tried none is wrong
        EXPECT_GT(margin.limit, windows.differenceOf({kWrongTo + 3, kWrongFrom - 3}));
        const Answers answers(local_entropy::Measure::Entropy, 1, base, kCells, 0);
        counting::forPartitions(kCells, [&](const std::vector<int> &counts) {
            const double difference = windows.differenceOf(counts);
            if (difference == 0 || difference > margin.limit) return;
            ASSERT_EQ(static_cast<float>(difference * windows.scale),
                      answers.floatOf(counts.data(), static_cast<int>(counts.size())));
        });
    }
}

/// Windows of few levels whose floats are often wrong, by a scale that is as far off as a part of a
/// unit: the further, the larger D.
Windows spoilt(int cells, Base base, double off)
{
    Windows windows(SumScale(cells), 4, base);
    windows.scale *= 1 + off;
    windows.error += std::ceil(static_cast<double>(windows.sums[cells]) * std::fabs(off));
    return windows;
}

// All ways up to the limit were tried, the last ones, too.
TEST(Dominated, TheMarginIsThatOfTheWrongFloatThatIsFarthestFromTheMiddle)
{
    for (const Base base : counting::kBases)
        for (int cells = 40; cells < 80; cells += 3) {
            Windows windows = spoilt(cells, base, 0x1p-27);
            if (cells % 2) // so large that ways beyond the limit are near it
                windows.error = std::ldexp(static_cast<double>(windows.sums[cells]), -10);
            const Margin margin = windows.margin();
            const Answers answers(local_entropy::Measure::Entropy, 1, base, cells, 0);
            double farthest = -1;
            forDominated(windows, cells / 2, [&](const std::vector<int> &counts) {
                const double difference = windows.differenceOf(counts);
                const auto answer = static_cast<float>(difference * windows.scale);
                const float right = answers.floatOf(counts.data(), static_cast<int>(counts.size()));
                if (difference > margin.limit || answer == right) return;
                const double middle = (static_cast<double>(answer) + right) / 2 / windows.scale;
                farthest = std::max(farthest, std::fabs(difference - middle));
            });
            EXPECT_EQ(margin.below, farthest < 0 ? 0 : farthest + kRounding) << windows.name();
        }
}

// D of windows that are not tried is D(N - d, d) less twice the error or more: the limit is at
// least a unit below that, since it is computed in doubles.
TEST(Dominated, TheLimitIsAUnitBelowWhatIsNotTried)
{
    for (const Base base : counting::kBases)
        for (Windows windows : someWindows(base)) {
            windows.error = std::ceil(windows.error); // what rounding takes away counts, too
            const Margin margin = windows.margin();
            const double error = windows.error + kRounding;
            int others = 2;
            const auto least = [&] {
                return windows.differenceOf({windows.cells - others, others}) - 2 * error;
            };
            while (least() <= margin.limit) ++others;
            EXPECT_LE(margin.limit + 1, least()) << windows.name();
            EXPECT_GE(margin.limit + 2, least()) << windows.name(); // and not much less
        }
}

// Of the first ways that are tried the error leaves nothing: the next ones have a limit.
TEST(Dominated, ThereIsALimitWhereErrorsAreLarge)
{
    Windows windows(SumScale(81), 4, Base::E);
    windows.error = windows.differenceOf({78, 3}) / 2;
    EXPECT_GT(windows.margin().limit, windows.differenceOf({78, 3}));
}

// Exactly in the middle between two floats, of which the even one is wrong: as near as can be, and
// yet there is one.
TEST(Dominated, AWrongFloatInTheMiddleIsUndecided)
{
    int tried = 0;
    for (int cells = 40; cells < 60; ++cells) {
        Windows windows(SumScale(cells), 2, Base::Two);
        windows.scale = 0x1p-40;
        windows.error = cells;
        for (int n = 1; n <= cells; ++n)
            windows.sums[n] =
                std::llround(n * std::log2(static_cast<long double>(n)) / cells / windows.scale);
        const std::vector<int> counts = {cells - 1, 1};
        const float right = Answers(local_entropy::Measure::Entropy, 1, Base::Two, cells, 0)
                                .floatOf(counts.data(), 2);
        const double middle = (static_cast<double>(right) + std::nextafter(right, 1.0f)) / 2;
        if (static_cast<float>(middle) == right) continue;
        ++tried;
        windows.sums[cells - 1] +=
            std::llround(windows.differenceOf(counts) - middle / windows.scale);
        const double difference = windows.differenceOf(counts);
        ASSERT_EQ(difference * windows.scale, middle);
        const Margin margin = windows.margin();
        ASSERT_LE(difference, margin.limit);
        EXPECT_EQ(margin.below, kRounding) << cells;
        float answer;
        EXPECT_FALSE(windows.decides(difference, margin.of(difference), answer)) << cells;
    }
    EXPECT_GT(tried, 3);
}

// There are as many ways as half of the cells. To try also those that two levels cannot hold takes
// the square of that: hundreds of times longer.
TEST(Dominated, TwoLevelsOfALargeWindowTakeMilliseconds)
{
    const Windows windows(SumScale(16384), 2, Base::E);
    Margin margin;
    std::clock_t least = 3600 * CLOCKS_PER_SEC;
    for (int i = 0; i < 3; ++i) {
        const std::clock_t start = std::clock();
        margin = windows.margin();
        least = std::min(least, std::clock() - start);
    }
    const double most = kAddressSanitizer || kThreadSanitizer ? 0.6 : 0.06;
    EXPECT_LT(static_cast<double>(least) / CLOCKS_PER_SEC, most);
    const Answers answers(local_entropy::Measure::Entropy, 1, Base::E, windows.cells, 0);
    for (int others = 1; others <= windows.cells / 2; ++others) {
        const std::vector<int> counts = {windows.cells - others, others};
        const double difference = windows.differenceOf(counts);
        float answer;
        if (!windows.decides(difference, margin.of(difference), answer)) continue;
        ASSERT_EQ(answer, answers.floatOf(counts.data(), 2)) << others;
    }
    EXPECT_GT(margin.limit, windows.differenceOf({16384 - 6000, 6000}));
}

// Each limit has a number of ways of its own: those of the ones before do not count.
TEST(Dominated, TheLimitIsAsFarAsTheNumberOfWaysAllows)
{
    const Windows many(SumScale(225), 4096, Base::E), few(SumScale(961), 3, Base::E);
    EXPECT_GT(many.margin().limit, many.differenceOf({225 - 60, 60}));
    EXPECT_GT(few.margin().limit, few.differenceOf({961 - 350, 350}));
}

// One in fifty cells is of another level than most, and that level is any: so are sparse images.
double undecidedPart(const Windows &windows, const Margin &margin)
{
    constexpr int kTries = 20000;
    std::mt19937 random(20201122);
    std::vector<int> counts(windows.levels);
    int undecided = 0;
    for (int i = 0; i < kTries; ++i) {
        std::fill(counts.begin(), counts.end(), 0);
        for (int cell = 0; cell < windows.cells; ++cell)
            ++counts[random() % 50 ? 0 : random() % windows.levels];
        const double difference = windows.differenceOf(counts);
        float answer;
        undecided += difference > 0 && !windows.decides(difference, margin.of(difference), answer);
    }
    return static_cast<double>(undecided) / kTries;
}

TEST(Dominated, SparseImagesLeaveFewWindowsUndecided)
{
    for (const int cells : {81, 225, 317, 961}) { // 9x9 and disks of radius 5, 15x15, a disk, 31x31
        const Windows windows(SumScale(cells), 4096, Base::E);
        EXPECT_LT(undecidedPart(windows, windows.margin()), 0.001) << windows.name();
    }
    for (const int side : {15, 31}) { // of 15x15 more than a quarter would be
        const Windows windows(LevelSums(side * side, 16, 24), 16, Base::E);
        EXPECT_LT(undecidedPart(windows, windows.margin()), side == 15 ? 0.001 : 0.07)
            << windows.name();
    }
}

TEST(Dominated, AMarginIsOfADifferenceWhateverItIsMultipliedBy)
{
    const Margin margin{6, 10, 2}, half = margin.times(0.5);
    for (const auto &[difference, bound] : {std::pair(9.0, 2.0), {10.0, 2.0}, {10.5, 6.0}}) {
        EXPECT_EQ(margin.of(difference), bound) << difference;
        EXPECT_EQ(half.of(difference), bound / 2) << difference;
    }
}

TEST(Dominated, SmallWindowsHaveTheUsualMarginOrALesser)
{
    for (int cells = 1; cells <= 30; ++cells) {
        const Windows windows(SumScale(cells), 300, Base::Two);
        const Margin margin = windows.margin();
        EXPECT_EQ(margin.usual, windows.error + kRounding);
        EXPECT_LE(margin.below, margin.usual + kRounding) << cells;
        EXPECT_GE(margin.limit, 0);
    }
}

} // namespace
