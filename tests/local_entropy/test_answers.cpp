// Judges: long double where its 64 bits suffice (asserted for every window), the constants of
// boundary_windows.h where they do not, whole numbers where the answer is a fraction.

#include "boundary_windows.h"
#include "common/error.h"
#include "counts.h"
#include "local_entropy/answers/base.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <utility>
#include <vector>

using namespace local_entropy;
using namespace counting;

namespace
{

UInt128 wideSumOf(const Answers &answers, const Counts &counts)
{
    UInt128 sum = 0;
    for (int n : counts) sum += answers.wideSums()[n];
    return sum;
}

/// A row of sums with its answers, poisoned: the cells beyond it have to stay NaN.
std::vector<float> finished(const Answers &answers, const std::vector<std::int64_t> &sums,
                            int cells, const std::vector<std::uint16_t> &absent, bool &undecided)
{
    std::vector<float> out(sums.size() + 1, NAN);
    undecided = answers.finishRow(sums.data(), cells, absent.empty() ? nullptr : absent.data(),
                                  out.data(), static_cast<int>(sums.size()));
    EXPECT_TRUE(std::isnan(out.back()));
    out.pop_back();
    return out;
}

class EveryBase : public testing::TestWithParam<Base>
{
};

INSTANTIATE_TEST_SUITE_P(Answers, EveryBase, testing::ValuesIn(kBases));

} // namespace

TEST(AnswersJudge, LongDoubleHas64Bits)
{
    ASSERT_GE(std::numeric_limits<long double>::digits, 64)
        << "The long double of this machine judges nothing here";
}

TEST_P(EveryBase, EveryPartitionOf49AndFewer)
{
    for (int cells = 1; cells <= 49; cells++) {
        const Answers answers(Measure::Entropy, 0, GetParam(), cells, -1);
        std::vector<std::int64_t> sums;
        std::vector<float> wanted;
        long undecided = 0;
        forPartitions(cells, [&](const Counts &counts) {
            sums.push_back(sumOf(answers, counts));
            wanted.push_back(floatOfTrue(trueEntropy(counts, GetParam())));
            const float nearest = answers.nearestFloat(sums.back(), cells, [&](Counts &found) {
                undecided++;
                found = counts;
            });
            ASSERT_EQ(nearest, wanted.back()) << testing::PrintToString(counts);
        });
        bool any;
        const std::vector<float> out = finished(answers, sums, cells, {}, any);
        EXPECT_EQ(any, undecided > 0);
        if (cells <= 25) {
            EXPECT_EQ(undecided, 0) << cells;
        }
        for (std::size_t i = 0; i < out.size(); i++)
            if (!answers.undecided(sums[i], cells)) {
                ASSERT_EQ(out[i], wanted[i]) << cells << " cells, partition " << i;
            }
    }
}

TEST_P(EveryBase, CountsAloneGiveTheSame)
{
    const Answers answers(Measure::Entropy, 0, GetParam(), 30, -1);
    for (int cells = 1; cells <= 30; cells++)
        forPartitions(cells, [&](const Counts &counts) {
            const int number = static_cast<int>(counts.size());
            const long double wanted = trueEntropy(counts, GetParam());
            ASSERT_EQ(answers.floatOf(counts.data(), number), floatOfTrue(wanted));
            const double found = answers.doubleOf(counts.data(), number);
            ASSERT_LE(std::fabs(found - wanted), 0.501L * found * 0x1p-52L)
                << testing::PrintToString(counts);
            ASSERT_EQ(found, answers.nearestDouble(wideSumOf(answers, counts), cells,
                                                   [&](Counts &back) { back = counts; }));
        });
}

TEST_P(EveryBase, RandomWindowsUpTo65025Cells)
{
    std::mt19937 random(1);
    const Answers answers(Measure::Entropy, 0, GetParam(), 65025, -1);
    for (int i = 0; i < 3000; i++) {
        const int cells = i % 3 == 0 ? 65025 : 1 + random() % (i % 3 == 1 ? 65025 : 441);
        const Counts counts = randomCounts(random, cells);
        const float nearest = answers.nearestFloat(sumOf(answers, counts), cells,
                                                   [&](Counts &found) { found = counts; });
        ASSERT_EQ(nearest, floatOfTrue(trueEntropy(counts, GetParam()))) << i;
        ASSERT_EQ(answers.nearestDouble(wideSumOf(answers, counts), cells,
                                        [&](Counts &found) { found = counts; }),
                  answers.doubleOf(counts.data(), static_cast<int>(counts.size())))
            << i;
    }
}

// The same windows with the narrow sums of a small k: more are undecided, none is wrong.
TEST_P(EveryBase, FewerBits)
{
    for (int bits : {26, 32, 40}) {
        const Answers answers(Measure::Entropy, 0, GetParam(), 36, -1, bits);
        EXPECT_EQ(answers.fractionBits(), bits);
        int undecided = 0;
        forPartitions(36, [&](const Counts &counts) {
            const float nearest =
                answers.nearestFloat(sumOf(answers, counts), 36, [&](Counts &found) {
                    undecided++;
                    found = counts;
                });
            ASSERT_EQ(nearest, floatOfTrue(trueEntropy(counts, GetParam())));
        });
        if (bits == 26) {
            EXPECT_GT(undecided, 0);
        }
    }
}

// Bounds of errors count on scales that have been rounded once, or twice for a base.
TEST_P(EveryBase, ScalesAreRightToTheirLastBits)
{
    EXPECT_EQ(perNat(GetParam()), static_cast<double>(truePerNat(GetParam())));
    for (const int cells : {25, 300, 65025}) {
        const Answers answers(Measure::Entropy, 0, GetParam(), cells, 0);
        for (int n = 1; n <= cells; n++) {
            const long double wanted =
                std::ldexp(truePerNat(GetParam()) / n, -answers.fractionBits());
            ASSERT_LE(std::fabs(answers.scales()[n] - wanted), 2 * 0x1p-53L * wanted) << n;
        }
    }
}

TEST(Answers, WindowsNextToABoundary)
{
    int looks = 0; // some lie too close even for 128 bits
    for (const boundary_windows::Window &window : boundary_windows::kWindows) {
        const int cells = cellsOf(window.counts), number = static_cast<int>(window.counts.size());
        const Answers answers(Measure::Entropy, 0, window.base, cells, -1);
        const auto recount = [&](Counts &counts) { counts = window.counts; };
        const int *counts = window.counts.data();
        EXPECT_EQ(answers.nearestFloat(sumOf(answers, window.counts), cells, recount),
                  window.nearestFloat);
        EXPECT_EQ(answers.floatOf(counts, number), window.nearestFloat);
        EXPECT_EQ(answers.doubleOf(counts, number), window.nearestDouble);
        EXPECT_EQ(answers.nearestDouble(wideSumOf(answers, window.counts), cells,
                                        [&](Counts &found) {
                                            looks++;
                                            found = window.counts;
                                        }),
                  window.nearestDouble);
        const Answers hill(Measure::Hill, 1, Base::E, cells, -1);
        EXPECT_EQ(hill.doubleOf(counts, number), window.exponential);
        EXPECT_EQ(hill.floatOf(counts, number), floatOfTrue(window.exponential));
    }
    EXPECT_GE(looks, 1);
    EXPECT_LE(looks, 9);
}

TEST(Answers, OneLevelIsExactlyZeroAndUniformLevelsAreExact)
{
    for (int cells : {1, 2, 24, 25, 441, 65025}) {
        const Answers answers(Measure::Entropy, 0, Base::E, cells, -1);
        EXPECT_EQ(answers.nearestFloat(answers.sums()[cells], cells, [](Counts &) { FAIL(); }), 0);
        EXPECT_EQ(answers.floatOf(&cells, 1), 0);
        EXPECT_EQ(answers.doubleOf(&cells, 1), 0);
    }
    const Answers two(Measure::Entropy, 0, Base::Two, 65025, -1);
    for (int bits = 1; bits <= 12; bits++) {
        const Counts counts(std::size_t{1} << bits, 5);
        EXPECT_EQ(two.doubleOf(counts.data(), 1 << bits), bits);
        EXPECT_EQ(
            two.nearestFloat(sumOf(two, counts), 5 << bits, [&](Counts &found) { found = counts; }),
            bits);
    }
    const Counts mixed = {8, 4, 2, 1, 1}; // 4 - (8 * 3 + 4 * 2 + 2) / 16 = 15 / 8
    EXPECT_EQ(two.doubleOf(mixed.data(), 5), 1.875);
    const Counts thirds = {2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1}; // not rational
    EXPECT_FLOAT_EQ(two.floatOf(thirds.data(), 12), std::log2(18.0f) - 12 / 18.0f);
    const Answers ten(Measure::Entropy, 0, Base::Ten, 1000, -1);
    const Counts hundred(100, 10);
    EXPECT_EQ(ten.doubleOf(hundred.data(), 100), 2);
}

TEST(Answers, DummiesAndTheEmptyWindow)
{
    std::mt19937 random(3);
    const int full = 49;
    for (auto [measure, order] : {std::pair{Measure::Entropy, 0.0},
                                  {Measure::Simpson, 0.0},
                                  {Measure::Richness, 0.0},
                                  {Measure::Hill, 1.0},
                                  {Measure::Hill, 2.0}}) {
        for (const auto &[empty, bits] : {std::pair{-1.0f, 48},
                                          {-1.0f, 20}, // of which many want a second look
                                          {std::numeric_limits<float>::quiet_NaN(), 48},
                                          {std::numeric_limits<float>::quiet_NaN(), 20}}) {
            const Answers answers(measure, order, Base::E, full, empty, bits);
            int looks = 0;
            std::vector<std::int64_t> sums;
            std::vector<std::uint16_t> absent;
            std::vector<Counts> windows;
            for (int i = 0; i < 500; i++) {
                const int dummies = i < 2 ? i * full : random() % (full + 1);
                windows.push_back(randomCounts(random, full - dummies));
                absent.push_back(dummies);
                sums.push_back(sumOf(answers, windows.back()) + answers.sums()[dummies]);
            }
            std::vector<float> out(sums.size(), 1e30f);
            answers.finishRowExactly(sums.data(), full, absent.data(), out.data(), 500,
                                     [&](int i, Counts &counts) {
                                         ++looks;
                                         EXPECT_NE(absent[i], full);
                                         counts = windows[i];
                                     });
            EXPECT_EQ(looks > 99, bits == 20 && answers.fractionBits() == bits);
            for (int i = 0; i < 500; i++) {
                const int number = static_cast<int>(windows[i].size());
                const float wanted = answers.floatOf(windows[i].data(), number);
                if (absent[i] == full && std::isnan(empty)) {
                    ASSERT_TRUE(std::isnan(out[i]) && std::isnan(wanted));
                    continue;
                }
                ASSERT_EQ(out[i], wanted) << i;
                if (absent[i] == full) {
                    ASSERT_EQ(out[i], empty);
                }
            }
            bool any;
            const std::vector<float> none = finished(answers, {0, 0, 0}, 0, {}, any);
            EXPECT_FALSE(any);
            for (float value : none)
                EXPECT_TRUE(std::isnan(empty) ? std::isnan(value) : value == empty);
        }
    }
}

TEST(Answers, SumsTelescopeAndFit)
{
    for (int cells : {1, 25, 49, 3969, 65535}) {
        const Answers answers(Measure::Entropy, 0, Base::E, cells, 0);
        std::int64_t sum = 0;
        for (int n = 0; n < cells; n++) sum += answers.deltas()[n];
        EXPECT_EQ(sum, answers.sums()[cells]);
        EXPECT_LT(answers.sums()[cells], std::int64_t{1} << 62);
        const long double wanted =
            std::ldexp(cells * std::log(static_cast<long double>(cells)), answers.fractionBits());
        EXPECT_LE(std::fabs(answers.sums()[cells] - wanted), 0.5 + wanted * 0x1p-60L) << cells;
    }
    EXPECT_EQ(Answers(Measure::Entropy, 0, Base::E, 25, 0).fractionBits(), 48);
    EXPECT_EQ(Answers(Measure::Entropy, 0, Base::E, 65025, 0).fractionBits(), 42);
}

TEST(Answers, ArgumentsOutOfRange)
{
    EXPECT_THROW(Answers(Measure::Entropy, 0, Base::E, 0, 0), common::Error);
    EXPECT_THROW(Answers(Measure::Entropy, 0, Base::E, 65536, 0), common::Error);
    EXPECT_THROW(Answers(Measure::Entropy, 0, Base::E, 25, 0, 49), common::Error);
    EXPECT_THROW(Answers(Measure::Entropy, 0, Base::E, 25, 0, 0), common::Error);
    EXPECT_THROW(Answers(Measure::Hill, -1, Base::E, 25, 0), common::Error);
    EXPECT_THROW(Answers(Measure::Hill, NAN, Base::E, 25, 0), common::Error);
    const Answers answers(Measure::Entropy, 0, Base::E, 25, 0);
    const int tooMany[] = {20, 6}, negative[] = {20, -6};
    EXPECT_THROW(answers.floatOf(tooMany, 2), common::Error);
    EXPECT_THROW(answers.floatOf(negative, 2), common::Error);
}
