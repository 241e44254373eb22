// The last word on an entropy: its order to any binary fraction, from the counts themselves.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "local_entropy/answers/measure.h"

namespace local_entropy
{

/// A signed fixed-point number of two integer limbs and up to 8 limbs of fraction; two's
/// complement, modulo 2^128. Only additions and products with 64-bit integers are exact.
class FixedPoint
{
public:
    static constexpr int kMostFraction = 8; ///< limbs of 64 bits

    explicit FixedPoint(int fractionLimbs, std::uint64_t integer = 0);

    FixedPoint &operator+=(const FixedPoint &other);
    FixedPoint &operator-=(const FixedPoint &other);
    FixedPoint &operator*=(std::uint64_t factor);
    FixedPoint &operator/=(std::uint64_t divisor); ///< rounded down; of numbers >= 0 only
    FixedPoint &operator<<=(int bits);             ///< bits may be negative: of numbers >= 0 only
    bool isZero() const;
    bool isNegative() const { return limbs[size - 1] >> 63; }
    /// Whether its magnitude is at most 2^bits units of the last place, bits < 64.
    bool isWithin(int bits) const;

private:
    int size; ///< of limbs, the lowest first
    std::array<std::uint64_t, kMostFraction + 2> limbs{};
};

/// ln n for 1 <= n < 2^55, off by less than 2^16 units of the last place.
FixedPoint naturalLogarithm(std::uint64_t n, int fractionLimbs);

/// The counts of one window as the rounding by order needs them: see roundByOrder().
///
/// D = N ln N - sum n ln n is the logarithm of the rational number Q = N^N / prod n^n. No number
/// that is compared here is ever equal to a boundary between two floats or doubles, an m 2^e with
/// m odd and at least 2^24; so that more bits always decide:
///   - base e: if Q != 1, ln Q is transcendental (Lindemann); Q = 1 for one level only, which the
///     caller answers by 0.
///   - base 2 and 10: if log Q = a / b is rational, Q^b = 2^a or 10^a, and by unique factorisation
///     Q is itself a power, with an integer exponent r (in base 10 the exponents of 2 and of 5 are
///     equal, and there is no other prime). H = r / N with r <= N log2 N < 2^20 for N < 2^16; as a
///     binary fraction its odd part is below 2^20 and no boundary.
///   - exp(H) = N / (prod n^n)^(1 / N): if it is rational, so is the N-th root of an integer, which
///     then is an integer g, and N / g in lowest terms has a numerator below 2^16: no boundary.
/// That they may equal a float itself, and come as near to a boundary as they like, does no harm.
class ExactEntropy
{
public:
    /// Counts are positive, their sum is below 65536, and there are two or more.
    ExactEntropy(const int *counts, int number);

    /// The sign of H - m 2^e, H in the given base; m < 2^55, and m 2^e < 64.
    int order(Base base, std::uint64_t m, int e) const;

    /// The sign of exp(H) - m 2^e; m < 2^55.
    int orderOfExponential(std::uint64_t m, int e) const;

private:
    FixedPoint scaledEntropy(int fractionLimbs) const;
    template <class Other>
    int decide(const Other &other) const;

    std::vector<std::pair<int, int>> levelsOf; ///< (n, how many levels have n cells), n >= 2
    int cells = 0;
};

} // namespace local_entropy
