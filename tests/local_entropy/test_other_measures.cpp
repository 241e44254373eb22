// The answers of measures other than entropy. Judges as in test_answers.cpp.

#include "counts.h"
#include "local_entropy/answers/finish.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <utility>

using namespace local_entropy;
using namespace counting;

// 8192 cells: the Gini-Simpson index is a multiple of 2^-26 and often half way between two floats.
TEST(Answers, SimpsonAndItsTies)
{
    std::mt19937 random(4);
    int ties = 0;
    for (int i = 0; i < 4000; i++) {
        const int cells = i % 2 ? 8192 : 1 + random() % 65025;
        const Counts counts = randomCounts(random, cells);
        const Answers answers(Measure::Simpson, 0, Base::E, cells, 0);
        long double squares = 0;
        for (int n : counts) squares += static_cast<long double>(n) * n;
        const long double whole = static_cast<long double>(cells) * cells;
        const long double wanted = (whole - squares) / whole;
        const std::int64_t sum = sumOf(answers, counts);
        float out;
        EXPECT_FALSE(answers.finishRow(&sum, cells, nullptr, &out, 1));
        if (i % 2) { // exact in a long double
            ASSERT_EQ(out, static_cast<float>(wanted));
            ties += std::fabs(std::remainder(wanted * 0x1p25L, 2.0L)) == 1;
        } else {
            ASSERT_EQ(out, floatOfTrue(wanted));
        }
        ASSERT_EQ(answers.floatOf(counts.data(), static_cast<int>(counts.size())), out);
        ASSERT_EQ(answers.doubleOf(counts.data(), static_cast<int>(counts.size())),
                  static_cast<double>(wanted));
    }
    EXPECT_GT(ties, 100);
}

TEST(Answers, RichnessAndHillNumbers)
{
    const Counts counts = {6, 3, 2, 0, 1};
    const auto of = [&](Measure measure, double order) {
        return Answers(measure, order, Base::E, 25, 0).doubleOf(counts.data(), 5);
    };
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(of(Measure::Richness, 0), 4);
    EXPECT_EQ(of(Measure::Hill, 0), 4);
    EXPECT_EQ(of(Measure::Hill, 2), 144 / 50.0);
    EXPECT_EQ(of(Measure::Hill, infinity), 2);
    EXPECT_DOUBLE_EQ(of(Measure::Hill, 1), std::exp(of(Measure::Entropy, 0)));
    EXPECT_DOUBLE_EQ(of(Measure::Simpson, 0), 94 / 144.0);
    const double sum = std::sqrt(6.0) + std::sqrt(3.0) + std::sqrt(2.0) + 1; // the 0 adds nothing
    EXPECT_DOUBLE_EQ(of(Measure::Hill, 0.5), sum * sum / 12);
    EXPECT_TRUE(Answers(Measure::Hill, 1, Base::E, 25, 0).fromSums());
    EXPECT_FALSE(Answers(Measure::Hill, 0.5, Base::E, 25, 0).fromSums());
    EXPECT_FALSE(Answers(Measure::Hill, infinity, Base::E, 25, 0).fromSums());
}

TEST(Answers, TheBaseIsTheEntropysAlone)
{
    const Counts counts = {6, 3, 2, 0, 1};
    for (const auto &[measure, order] : {std::pair{Measure::Simpson, 0.0},
                                         {Measure::Richness, 0.0},
                                         {Measure::Hill, 0.5},
                                         {Measure::Hill, 1.0},
                                         {Measure::Hill, 2.0}})
        for (const Base base : {Base::Two, Base::Ten}) {
            const Answers usual(measure, order, Base::E, 25, 0), other(measure, order, base, 25, 0);
            EXPECT_EQ(other.doubleOf(counts.data(), 5), usual.doubleOf(counts.data(), 5)) << order;
            EXPECT_EQ(other.floatOf(counts.data(), 5), usual.floatOf(counts.data(), 5)) << order;
            if (!usual.fromSums()) continue;
            const std::int64_t sum = sumOf(usual, counts);
            EXPECT_EQ(sumOf(other, counts), sum);
            float values[2];
            usual.finishRow(&sum, 12, nullptr, &values[0], 1);
            other.finishRow(&sum, 12, nullptr, &values[1], 1);
            EXPECT_EQ(values[1], values[0]) << order;
        }
}

TEST(Answers, SumsOfOtherMeasuresTelescope)
{
    for (const auto &[measure, order] : {std::pair{Measure::Richness, 0.0},
                                         {Measure::Simpson, 0.0},
                                         {Measure::Hill, 0.0},
                                         {Measure::Hill, 1.0},
                                         {Measure::Hill, 2.0}}) {
        const Answers answers(measure, order, Base::E, 30, 0);
        std::int64_t sum = 0;
        for (int n = 0; n < 30; n++) {
            EXPECT_EQ(answers.sums()[n], sum) << n;
            sum += answers.deltas()[n];
        }
        EXPECT_EQ(answers.sums()[30], sum);
    }
}

// What lies beyond the band is taken for decided.
TEST(Answers, DoublesAreOffByNoMoreThanTheBand)
{
    for (const auto &[measure, base] : {std::pair{Measure::Simpson, Base::E},
                                        {Measure::Entropy, Base::E},
                                        {Measure::Entropy, Base::Two},
                                        {Measure::Entropy, Base::Ten}})
        for (int cells : {9, 25, 30}) {
            const Answers answers(measure, 0, base, cells, 0);
            const auto whole = static_cast<long double>(cells);
            forPartitions(cells, [&, &isOf = measure, &in = base](const Counts &counts) {
                const std::int64_t difference = answers.sums()[cells] - sumOf(answers, counts);
                const double found = toDouble(difference) * answers.scales()[cells];
                const long double wanted = isOf == Measure::Simpson ? difference / (whole * whole)
                                                                    : trueEntropy(counts, in);
                const double unit = std::nextafter(found, 2 * found) - found;
                ASSERT_LE(std::fabs(found - wanted), answers.band() * unit)
                    << cells << testing::PrintToString(counts);
            });
        }
}

// By what they may be off at most: windows in which all errors have one sign are too rare to try.
// F(N), and F(n) of N / 2 levels at most, are off by half of 2^-k. Then D, the scale and the
// product are rounded, each by a relative 2^-53 of H, ln N at most. The exponential of H is off by
// as much relatively as H is off, and a unit of it is a relative 2^-53 or more; the library's
// function adds four.
TEST(Answers, TheBandOfExponentialsHoldsAllTheirErrors)
{
    for (const int cells : {2, 4, 9, 25, 81, 441, 2025, 16129, 65025}) {
        const Answers answers(Measure::Hill, 1, Base::E, cells, 0);
        const double sums = std::ldexp((1 + cells / 2.0) / 2 / cells, -answers.fractionBits());
        const double rounded = std::ldexp(3 * std::log(cells), -53);
        EXPECT_GE(answers.band(), std::ldexp(sums + rounded, 53) + 4) << cells;
    }
}

TEST(Answers, HillNumberOfOrderOneIsTheNearestFloat)
{
    const Answers answers(Measure::Hill, 1, Base::E, 36, 0);
    for (int cells : {1, 2, 12, 25, 36})
        forPartitions(cells, [&](const Counts &counts) {
            // exp multiplies the entropy's error by at most 3.6: 2^-57 still holds.
            const float wanted = floatOfTrue(std::exp(trueEntropy(counts)));
            ASSERT_EQ(answers.nearestFloat(sumOf(answers, counts), cells,
                                           [&](Counts &found) { found = counts; }),
                      wanted);
        });
}

TEST(Answers, HillNumbersOfAnyOrder)
{
    std::mt19937 random(5);
    for (double order : {1e-9, 0.25, 0.5, 0.999999, 1.0000001, 1.5, 3.0, 20.0, 1e4, 1e300}) {
        const Answers answers(Measure::Hill, order, Base::E, 1000, 0);
        for (int i = 0; i < 200; i++) {
            const Counts counts = randomCounts(random, 1 + random() % 1000);
            const int cells = cellsOf(counts),
                      most = *std::max_element(counts.begin(), counts.end());
            long double sum = 0; // of (n / most)^q
            for (int n : counts)
                sum +=
                    std::pow(static_cast<long double>(n) / most, static_cast<long double>(order));
            const long double exponent =
                (order * std::log(static_cast<long double>(cells) / most) - std::log(sum)) /
                (order - 1);
            const long double wanted = std::exp(exponent);
            const float found = answers.floatOf(counts.data(), static_cast<int>(counts.size()));
            ASSERT_LE(std::fabs(found - wanted), wanted * 0x1.01p-24L)
                << order << testing::PrintToString(counts);
            if (std::fabs(order - 1) < 0.1) continue; // a difference without digits
            const double inFull = answers.doubleOf(counts.data(), static_cast<int>(counts.size()));
            ASSERT_LE(std::fabs(inFull - wanted), wanted * 0x1.01p-52L)
                << order << testing::PrintToString(counts);
        }
    }
}
