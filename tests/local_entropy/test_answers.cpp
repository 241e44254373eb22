// Judges: long double where its 64 bits suffice (asserted for every window), the constants of
// boundary_windows.h where they do not, whole numbers where the answer is a fraction.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "boundary_windows.h"
#include "common/error.h"
#include "local_entropy/answers/answers.h"
#include "local_entropy/answers/exact.h"

using namespace local_entropy;

namespace
{

using Counts = std::vector<int>;
constexpr Base kBases[] = {Base::E, Base::Two, Base::Ten};

int cellsOf(const Counts &counts)
{
    int cells = 0;
    for (int n : counts) cells += n;
    return cells;
}

/// Calls visit(counts) for every way to write `cells` as a sum of counts.
void forPartitions(int cells, const std::function<void(const Counts &)> &visit)
{
    Counts counts;
    const std::function<void(int, int)> split = [&](int left, int most) {
        if (left == 0) return visit(counts);
        for (int n = std::min(left, most); n >= 1; n--) {
            counts.push_back(n);
            split(left - n, n);
            counts.pop_back();
        }
    };
    split(cells, cells);
}

Counts randomCounts(std::mt19937 &random, int cells)
{
    const int least = 1 + random() % 3, most = 1 + random() % std::max(1, cells / 2);
    Counts counts;
    for (int left = cells; left > 0; left -= counts.back())
        counts.push_back(std::min<int>(left, least + random() % most));
    return counts;
}

std::int64_t sumOf(const Answers &answers, const Counts &counts)
{
    std::int64_t sum = 0;
    for (int n : counts) sum += answers.sums()[n];
    return sum;
}

UInt128 wideSumOf(const Answers &answers, const Counts &counts)
{
    UInt128 sum = 0;
    for (int n : counts) sum += answers.wideSums()[n];
    return sum;
}

long double trueEntropy(const Counts &counts, Base base = Base::E)
{
    const int cells = cellsOf(counts);
    long double sum = 0, rest = 0; // compensated
    for (int n : counts) {
        const long double term = n * std::log(static_cast<long double>(cells) / n) - rest;
        const long double next = sum + term;
        rest = (next - sum) - term;
        sum = next;
    }
    const long double log = base == Base::Two ? std::log(2.0L) : std::log(10.0L);
    return sum / cells / (base == Base::E ? 1 : log);
}

/// The float nearest to `value`; fails where an error of 2^-57 could change it.
float floatOfTrue(long double value)
{
    const float below = static_cast<float>(value - value * 0x1p-57L);
    EXPECT_EQ(below, static_cast<float>(value + value * 0x1p-57L)) << "The judge is too short";
    return below;
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

// The long numbers of the second look share no logarithm with the tables: every answer again, from
// a guess that is off.
TEST(ExactEntropy, AgreesWithTheTables)
{
    forPartitions(13, [](const Counts &counts) {
        if (counts.size() == 1) return;
        const ExactEntropy exact(counts.data(), static_cast<int>(counts.size()));
        const int number = static_cast<int>(counts.size());
        for (Base base : kBases) {
            const Answers answers(Measure::Entropy, 0, base, 13, -1);
            const auto order = [&](std::uint64_t m, int e) { return exact.order(base, m, e); };
            const double wanted = answers.doubleOf(counts.data(), number);
            EXPECT_EQ(roundByOrder(wanted * (1 + 0x1p-51), order), wanted);
            EXPECT_EQ(roundByOrder(wanted * (1 - 0x1p-51), order), wanted);
            const float nearest = answers.floatOf(counts.data(), number);
            EXPECT_EQ(roundByOrder(nearest * (1 + 0x1p-22f), order), nearest);
        }
        const Answers hill(Measure::Hill, 1, Base::E, 13, -1);
        const double wanted = hill.doubleOf(counts.data(), number);
        EXPECT_EQ(
            roundByOrder(wanted * (1 + 0x1p-51),
                         [&](std::uint64_t m, int e) { return exact.orderOfExponential(m, e); }),
            wanted);
    });
}

TEST(Rounding, IntervalIsDecidedOnOneSideOnly)
{
    const UInt128 one = static_cast<UInt128>(1) << 127, half = static_cast<UInt128>(1) << 103;
    float nearest = NAN;
    EXPECT_TRUE(roundInterval(Interval{one, -127, 1000}, nearest));
    EXPECT_EQ(nearest, 1);
    EXPECT_TRUE(roundInterval(Interval{one + half - 1001, -127, 1000}, nearest));
    EXPECT_EQ(nearest, 1);
    EXPECT_FALSE(roundInterval(Interval{one + half - 1000, -127, 1000}, nearest));
    EXPECT_FALSE(roundInterval(Interval{one + half + 1000, -127, 1000}, nearest));
    EXPECT_TRUE(roundInterval(Interval{one + half + 1001, -127, 1000}, nearest));
    EXPECT_EQ(nearest, 1 + 0x1p-23f);
    EXPECT_TRUE(roundInterval(Interval{~static_cast<UInt128>(0), -127, 1000}, nearest));
    EXPECT_EQ(nearest, 2);
    EXPECT_FALSE(roundInterval(Interval{one, -127, half}, nearest));
}

TEST(Rounding, ByOrderTakesHalvesToEvenAndCrossesPowersOfTwo)
{
    const auto nearestTo = [](double value, float guess) {
        return roundByOrder(guess, [&](std::uint64_t m, int e) {
            const double other = std::ldexp(static_cast<double>(m), e);
            return (value > other) - (value < other);
        });
    };
    for (double value : {1 + 0x1p-24, 1 + 3 * 0x1p-24, 1 - 0x1p-25, 1 - 0x1p-25 + 0x1p-50,
                         1 - 0x1p-25 - 0x1p-50, 1.0, 2 - 0x1p-25, 4 - 0x1p-23, 3.1, 0.3})
        for (int off = -3; off <= 3; off++) {
            const float wanted = static_cast<float>(value);
            EXPECT_EQ(nearestTo(value, wanted * (1 + off * 0x1p-23f)), wanted) << value;
        }
}

TEST(Rounding, RatioTakesHalvesToEven)
{
    std::mt19937_64 random(2);
    for (int i = 0; i < 200000; i++) {
        const std::uint64_t a = (random() >> (2 + random() % 50)) | 1;
        const std::uint64_t b = random() % 2 ? std::uint64_t{1} << random() % 40
                                             : (random() >> (40 + random() % 20)) | 1;
        // 64-bit numerators are exact in a long double; so is the quotient by a power of two.
        const long double quotient = static_cast<long double>(a) / b;
        const bool power = (b & (b - 1)) == 0;
        const float f = roundRatio<float>(a, b);
        const double d = roundRatio<double>(a, b);
        if (power) {
            ASSERT_EQ(f, static_cast<float>(quotient)) << a << " / " << b;
            ASSERT_EQ(d, static_cast<double>(quotient)) << a << " / " << b;
        }
        ASSERT_LE(std::fabs(f - quotient), quotient * 0x1.01p-24L);
        ASSERT_LE(std::fabs(d - quotient), quotient * 0x1.01p-53L);
    }
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
        for (float empty : {-1.0f, std::numeric_limits<float>::quiet_NaN()}) {
            const Answers answers(measure, order, Base::E, full, empty);
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
                                     [&](int i, Counts &counts) { counts = windows[i]; });
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
    EXPECT_TRUE(Answers(Measure::Hill, 1, Base::E, 25, 0).fromSums());
    EXPECT_FALSE(Answers(Measure::Hill, 0.5, Base::E, 25, 0).fromSums());
    EXPECT_FALSE(Answers(Measure::Hill, infinity, Base::E, 25, 0).fromSums());
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
        }
    }
}

TEST(Answers, ArgumentsOutOfRange)
{
    EXPECT_THROW(Answers(Measure::Entropy, 0, Base::E, 0, 0), common::Error);
    EXPECT_THROW(Answers(Measure::Entropy, 0, Base::E, 65536, 0), common::Error);
    EXPECT_THROW(Answers(Measure::Entropy, 0, Base::E, 25, 0, 49), common::Error);
    EXPECT_THROW(Answers(Measure::Hill, -1, Base::E, 25, 0), common::Error);
    EXPECT_THROW(Answers(Measure::Hill, NAN, Base::E, 25, 0), common::Error);
    const Answers answers(Measure::Entropy, 0, Base::E, 25, 0);
    const int tooMany[] = {20, 6}, negative[] = {20, -6};
    EXPECT_THROW(answers.floatOf(tooMany, 2), common::Error);
    EXPECT_THROW(answers.floatOf(negative, 2), common::Error);
}
