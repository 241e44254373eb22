// Signed numbers of up to 640 bits, for the last word on an entropy, and their logarithms.
#pragma once

#include <cstdint>

#include "common/host_device.h"
#include "local_entropy/answers/uint128.h"

namespace local_entropy
{

/// A signed fixed-point number of two integer limbs and up to 8 limbs of fraction; two's
/// complement, modulo 2^128. Only additions and products with 64-bit integers are exact.
class FixedPoint
{
public:
    static constexpr int kMostFraction = 8; ///< limbs of 64 bits

    HOST_DEVICE explicit FixedPoint(int fractionLimbs, std::uint64_t integer = 0)
        : size(fractionLimbs + 2)
    {
        limbs[fractionLimbs] = integer;
    }

    RARE_HOST_DEVICE FixedPoint &operator+=(const FixedPoint &other)
    {
        UInt128 carry = 0;
        for (int i = 0; i < size; i++, carry >>= 64) {
            carry += static_cast<UInt128>(limbs[i]) + other.limbs[i];
            limbs[i] = static_cast<std::uint64_t>(carry);
        }
        return *this;
    }

    RARE_HOST_DEVICE FixedPoint &operator-=(const FixedPoint &other)
    {
        UInt128 carry = 1; // a - b = a + ~b + 1
        for (int i = 0; i < size; i++, carry >>= 64) {
            carry += static_cast<UInt128>(limbs[i]) + ~other.limbs[i];
            limbs[i] = static_cast<std::uint64_t>(carry);
        }
        return *this;
    }

    RARE_HOST_DEVICE FixedPoint &operator*=(std::uint64_t factor)
    {
        UInt128 carry = 0;
        for (int i = 0; i < size; i++, carry >>= 64) {
            carry += static_cast<UInt128>(limbs[i]) * factor;
            limbs[i] = static_cast<std::uint64_t>(carry);
        }
        return *this;
    }

    /// Rounded down; of numbers >= 0 only.
    RARE_HOST_DEVICE FixedPoint &operator/=(std::uint64_t divisor)
    {
        UInt128 rest = 0;
        for (int i = size - 1; i >= 0; i--) {
            rest = rest << 64 | limbs[i];
            limbs[i] = static_cast<std::uint64_t>(rest / divisor);
            rest %= divisor;
        }
        return *this;
    }

    /// `bits` may be negative: of numbers >= 0 only.
    RARE_HOST_DEVICE FixedPoint &operator<<=(int bits)
    {
        for (; bits >= 32; bits -= 32) *this *= std::uint64_t{1} << 32;
        for (; bits <= -32; bits += 32) *this /= std::uint64_t{1} << 32;
        if (bits >= 0) return *this *= std::uint64_t{1} << bits;
        return *this /= std::uint64_t{1} << -bits;
    }

    HOST_DEVICE bool isZero() const
    {
        std::uint64_t any = 0;
        for (int i = 0; i < size; i++) any |= limbs[i];
        return any == 0;
    }

    HOST_DEVICE bool isNegative() const { return limbs[size - 1] >> 63; }

    /// Whether its magnitude is at most 2^bits units of the last place, bits < 64.
    RARE_HOST_DEVICE bool isWithin(int bits) const
    {
        FixedPoint magnitude(size - 2);
        if (isNegative())
            magnitude -= *this;
        else
            magnitude += *this;
        std::uint64_t above = 0;
        for (int i = 1; i < size; i++) above |= magnitude.limbs[i];
        return above == 0 && magnitude.limbs[0] <= std::uint64_t{1} << bits;
    }

private:
    int size; ///< of limbs, the lowest first
    std::uint64_t limbs[kMostFraction + 2] = {};
};

/// 2 atanh(a / b) = ln((b + a) / (b - a)) for a / b <= 1/3 and b < 2^57, too small by less than
/// 2^10 units: each power by less than 1.3, each term of at most 163 by less than 2.3.
RARE_HOST_DEVICE inline FixedPoint logarithmOfRatio(std::uint64_t a, std::uint64_t b,
                                                    int fractionLimbs)
{
    FixedPoint power(fractionLimbs, 2), sum(fractionLimbs);
    power *= a;
    power /= b;
    for (unsigned j = 1; !power.isZero(); j += 2) {
        FixedPoint term = power;
        sum += term /= j;
        for (int twice = 0; twice < 2; twice++) {
            power *= a;
            power /= b;
        }
    }
    return sum;
}

/// ln n for 1 <= n < 2^55, off by less than 2^16 units of the last place.
RARE_HOST_DEVICE inline FixedPoint naturalLogarithm(std::uint64_t n, int fractionLimbs)
{
    // n = 2^e times a number between 2/3 and 4/3, whose logarithm is 2 atanh of at most 1/5.
    int e = bitLength(n) - 1;
    if (3 * n > std::uint64_t{4} << e) e++;
    FixedPoint result = logarithmOfRatio(1, 3, fractionLimbs);
    result *= static_cast<std::uint64_t>(e);
    const std::uint64_t power = std::uint64_t{1} << e;
    if (n >= power)
        result += logarithmOfRatio(n - power, n + power, fractionLimbs);
    else
        result -= logarithmOfRatio(power - n, n + power, fractionLimbs);
    return result;
}

} // namespace local_entropy
