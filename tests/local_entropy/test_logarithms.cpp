// The tables of logarithms (answers/logarithms.h), against logarithms of more bits.

#include "local_entropy/answers/fixed_point.h"
#include "local_entropy/answers/logarithms.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

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
