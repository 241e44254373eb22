// The tables of logarithms (answers/logarithms.h), against logarithms of more bits; and the numbers
// of 128 bits that are computed with them.

#include "local_entropy/answers/fixed_point.h"
#include "local_entropy/answers/logarithms.h"
#include "local_entropy/answers/real.h"
#include "local_entropy/answers/uint128.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

using namespace local_entropy;

namespace
{

constexpr int kLimbs = 3; // 192 bits of fraction

/// 2^-exponent times the number.
FixedPoint scaled(std::uint64_t number, int exponent)
{
    FixedPoint scaled(kLimbs, number);
    return scaled <<= -exponent;
}

/// The table's ln n.
FixedPoint tableEntry(const Logarithms &logarithms, int n)
{
    FixedPoint entry = scaled(static_cast<std::uint64_t>(logarithms.of[n] >> 64), 56);
    return entry += scaled(static_cast<std::uint64_t>(logarithms.of[n]), 120);
}

/// of[n] <= ln n 2^120 < of[n] + error, as it is documented.
void expectWithinItsError(const Logarithms &logarithms, int n)
{
    FixedPoint below = naturalLogarithm(static_cast<std::uint64_t>(n), kLimbs);
    below -= tableEntry(logarithms, n);
    FixedPoint beyond = below;
    beyond -= scaled(logarithms.error, 120);
    below += scaled(1, 170); // by more than those of more bits are off
    beyond -= scaled(1, 170);
    EXPECT_FALSE(below.isNegative()) << "ln " << n << " is too large";
    EXPECT_TRUE(beyond.isNegative()) << "ln " << n << " is off by more than " << logarithms.error;
}

} // namespace

TEST(Logarithms, AreOffByNoMoreThanTheySay)
{
    for (int most = 1; most <= 300; ++most) {
        const Logarithms logarithms(most);
        for (int n = 1; n <= most; ++n) expectWithinItsError(logarithms, n);
    }
    const Logarithms all(65535);
    for (int n = 1; n <= 65535; n += n < 1000 ? 1 : 97) expectWithinItsError(all, n);
    expectWithinItsError(all, 65535);
    EXPECT_LT(all.error, 1u << 10) << "more would cost bits of the answers";
}

// By another way, so that the two cannot be wrong together.
TEST(Logarithms, AreThoseOfTheStandardLibrary)
{
    const Logarithms logarithms(65535);
    EXPECT_EQ(logarithms.of[0], 0u);
    for (int n = 1; n <= 65535; ++n)
        ASSERT_NEAR(std::ldexp(static_cast<double>(logarithms.of[n] >> 64), -56), std::log(n),
                    1e-14)
            << n;
}

namespace
{

/// Whether they differ by less than a relative 2^-bits.
bool agree(const Real &a, const Real &b, int bits) { return (a - b) / b < Real(1, -bits); }

} // namespace

TEST(Real, LogarithmsAndExponentialsUndoEachOther)
{
    const Logarithms logarithms(65535);
    for (int n = 2; n <= 65535; n += n < 300 ? 1 : 331) {
        const Real number(static_cast<UInt128>(n), 0), log(logarithms.of[n], -Logarithms::kBits);
        EXPECT_TRUE(agree(exponential(log), number, 108)) << n;
        EXPECT_TRUE(agree(inverseExponential(log), Real(1, 0) / number, 108)) << n;
        EXPECT_TRUE(agree(logarithm(number), log, 108)) << n;
    }
}

// Of numbers whose sums, differences, products and quotients are doubles: exactly these.
TEST(Real, IsExactWhereDoublesAre)
{
    const auto equal = [](const Real &a, const Real &b) { return !(a < b) && !(b < a); };
    std::mt19937_64 random(8);
    for (int i = 0; i < 20000; ++i) {
        const int power = static_cast<int>(random() % 40) - 20;
        const double a = std::ldexp(static_cast<double>(random() % (1 << 24)), power);
        const double b = std::ldexp(1.0 + static_cast<double>(random() % (1 << 24)), power);
        const Real x = Real::of(a), y = Real::of(b);
        ASSERT_EQ(x < y, a < b);
        ASSERT_EQ(y < x, b < a);
        ASSERT_EQ(x.isZero(), a == 0);
        ASSERT_TRUE(equal(x + y, Real::of(a + b))) << a << " + " << b;
        ASSERT_TRUE(equal(x - y, Real::of(std::fabs(a - b)))) << a << " - " << b;
        ASSERT_TRUE(equal(y - x, Real::of(std::fabs(a - b)))) << b << " - " << a;
        ASSERT_TRUE(equal(x * y, Real::of(a * b))) << a << " * " << b;
        ASSERT_TRUE(a == 0 || equal(Real::of(a * b) / y, x)) << a * b << " / " << b;
        const UInt128 fixed = y.fixed(30);
        ASSERT_EQ(static_cast<double>(fixed), std::ldexp(b, 30));
    }
    const Real none, tiny(1, -300), one(1, 0);
    EXPECT_TRUE(none.isZero() && !(none < none) && none < tiny && !(tiny < none));
    EXPECT_TRUE(equal(one + tiny, one) && equal(tiny + one, one) && equal(one - tiny, one));
    EXPECT_TRUE(equal(none + one, one) && equal(one + none, one) && equal(one - none, one));
    EXPECT_TRUE((one - one).isZero() && (one * none).isZero());
    EXPECT_TRUE(tiny.fixed(127) == 0);
}

// Up to e^64, and nothing is left of the inverse beyond that.
TEST(Real, ExponentialsOfLargeNumbersArePowers)
{
    const Logarithms logarithms(65535);
    for (int n = 2; n <= 65535; n += n < 300 ? 1 : 331) {
        const Real number(static_cast<UInt128>(n), 0), log(logarithms.of[n], -Logarithms::kBits);
        Real power(1, 0), exponent;
        for (int i = 1; i <= 90; ++i) {
            power = power * number, exponent = exponent + log;
            if (!(exponent < Real(64, 0))) {
                EXPECT_TRUE(inverseExponential(exponent).isZero()) << n << "^" << i;
                break;
            }
            EXPECT_TRUE(agree(exponential(exponent), power, 100)) << n << "^" << i;
            EXPECT_TRUE(agree(inverseExponential(exponent), Real(1, 0) / power, 100))
                << n << "^" << i;
        }
    }
}

TEST(UInt128, ItsLengthIsThatOfTheHighestBit)
{
    for (int bits = 1; bits <= 128; ++bits) {
        const UInt128 highest = static_cast<UInt128>(1) << (bits - 1);
        EXPECT_EQ(bitLength(highest), bits);
        EXPECT_EQ(bitLength(highest | (highest - 1)), bits);
    }
}

// By digits of 32 bits, as on paper.
TEST(UInt128, TheUpperHalfOfAProductIsRightToTheLastBit)
{
    const auto onPaper = [](UInt128 a, UInt128 b) {
        std::uint64_t digits[9] = {};
        for (int i = 0; i < 4; ++i) {
            std::uint64_t carry = 0;
            for (int j = 0; j < 4; ++j) {
                carry += digits[i + j] + static_cast<std::uint64_t>(a >> 32 * i & 0xffffffff) *
                                             static_cast<std::uint64_t>(b >> 32 * j & 0xffffffff);
                digits[i + j] = carry & 0xffffffff;
                carry >>= 32;
            }
            digits[i + 4] = carry;
        }
        UInt128 upper = 0;
        for (int i = 7; i >= 4; --i) upper = upper << 32 | digits[i];
        return upper;
    };
    std::mt19937_64 random(3);
    const auto any = [&] { return static_cast<UInt128>(random()) << 64 | random(); };
    const UInt128 all = ~static_cast<UInt128>(0);
    EXPECT_TRUE(multiplyHigh(all, all) == all - 1);
    for (int i = 0; i < 20000; ++i) {
        const UInt128 a = i % 3 ? any() : all >> i % 127, b = i % 5 ? any() : all << i % 127;
        ASSERT_TRUE(multiplyHigh(a, b) == onPaper(a, b)) << i;
    }
}
