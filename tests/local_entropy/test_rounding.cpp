// From a value that is known well enough to the nearest float or double.

#include "counts.h"
#include "local_entropy/answers/exact.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace local_entropy;
using namespace counting;

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

TEST(FixedPoint, IsWithinSomeBitsOfItsLastPlace)
{
    const FixedPoint zero(3), one(3, 1);
    FixedPoint unit(3, 1);
    unit <<= -192;
    EXPECT_TRUE(zero.isWithin(0));
    EXPECT_TRUE(unit.isWithin(0));
    for (const int bits : {1, 40, 63}) {
        FixedPoint number = unit;
        number <<= bits;
        EXPECT_TRUE(number.isWithin(bits)) << bits;
        EXPECT_FALSE(number.isWithin(bits - 1)) << bits;
        EXPECT_FALSE(one.isWithin(bits)) << "nothing but its integer is not 0";
        FixedPoint negative = zero;
        negative -= number;
        EXPECT_TRUE(negative.isNegative());
        EXPECT_TRUE(negative.isWithin(bits)) << -bits;
        EXPECT_FALSE(negative.isWithin(bits - 1)) << -bits;
    }
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

// Just below 1 the floats lie twice as close: the interval reaches the middle of two of them.
TEST(Rounding, AnIntervalAtAPowerOfTwoIsAsWideAsTheFloatsBelow)
{
    const UInt128 one = static_cast<UInt128>(1) << 127, quarter = static_cast<UInt128>(1) << 102;
    float nearest = NAN;
    EXPECT_FALSE(roundInterval(Interval{one, -127, quarter}, nearest));
    EXPECT_TRUE(roundInterval(Interval{one, -127, quarter - 1}, nearest));
    EXPECT_EQ(nearest, 1);
}

TEST(Rounding, TheMiddleOfAnIntervalGoesToTheNearestAndHalvesToEven)
{
    const UInt128 one = static_cast<UInt128>(1) << 127, half = static_cast<UInt128>(1) << 103;
    const auto nearest = [](UInt128 mantissa) {
        return roundMiddle<float>(Interval{mantissa, -127, 0});
    };
    EXPECT_EQ(nearest(one), 1);
    EXPECT_EQ(nearest(one + half - 1), 1);
    EXPECT_EQ(nearest(one + half), 1);
    EXPECT_EQ(nearest(one + half + 1), 1 + 0x1p-23f);
    EXPECT_EQ(nearest(one + 3 * half - 1), 1 + 0x1p-23f);
    EXPECT_EQ(nearest(one + 3 * half), 1 + 0x1p-22f);
    EXPECT_EQ(nearest(~static_cast<UInt128>(0)), 2);
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
