// Numbers >= 0 with 128 bits, by integer arithmetic alone: the same bits on every machine, which
// pow, exp and log of a standard library do not promise.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/host_device.h"
#include "local_entropy/answers/logarithms.h"
#include "local_entropy/answers/rounding.h"
#include "local_entropy/answers/uint128.h"

namespace local_entropy
{

/// mantissa 2^exponent; the highest bit of the mantissa is set, or the number is 0. Results are
/// rounded down, to a relative 2^-126, where nothing else is said.
class Real
{
public:
    HOST_DEVICE Real() {}
    HOST_DEVICE Real(UInt128 mantissa, int exponent);
    HOST_DEVICE static Real of(double value);

    HOST_DEVICE bool isZero() const { return mantissa == 0; }
    HOST_DEVICE bool operator<(const Real &other) const;
    HOST_DEVICE Real operator+(const Real &other) const;
    HOST_DEVICE Real operator-(const Real &other) const; ///< the absolute difference
    HOST_DEVICE Real operator*(const Real &other) const;
    HOST_DEVICE Real operator/(const Real &other) const;

    /// value 2^bits as an integer; the value is below 2^(128 - bits).
    HOST_DEVICE UInt128 fixed(int bits) const;
    HOST_DEVICE Interval interval(UInt128 error) const { return {mantissa, exponent, error}; }

private:
    UInt128 mantissa = 0;
    int exponent = 0;
};

constexpr int kLogBits = Logarithms::kBits;
constexpr UInt128 kOneOf127 = static_cast<UInt128>(1) << 127; ///< 1, of numbers below 2

/// a b for numbers below 2 with 127 bits of fraction.
HOST_DEVICE inline UInt128 product(UInt128 a, UInt128 b) { return multiplyHigh(a, b) << 1; }

/// e^r 2^127 for r < ln 2 with kLogBits of fraction: Taylor's series for r / 256, of which 14 terms
/// are enough, squared eight times; each squaring doubles an error of some units of 2^-127.
RARE_HOST_DEVICE inline UInt128 exponentialOfFraction(UInt128 r)
{
    const UInt128 part = r << (127 - kLogBits) >> 8;
    UInt128 sum = kOneOf127;
    for (unsigned i = 14; i >= 1; i--) sum = kOneOf127 + product(part, sum) / i;
    for (int i = 0; i < 8; i++) sum = product(sum, sum);
    return sum;
}

HOST_DEVICE inline Real::Real(UInt128 value, int power)
{
    if (value == 0) return;
    const int shift = 128 - bitLength(value);
    mantissa = value << shift;
    exponent = power - shift;
}

HOST_DEVICE inline Real Real::of(double value)
{
    int power;
    const double fraction = std::frexp(value, &power);
    return Real(static_cast<std::uint64_t>(std::ldexp(fraction, 53)), power - 53);
}

HOST_DEVICE inline bool Real::operator<(const Real &other) const
{
    if (isZero() || other.isZero()) return !other.isZero();
    return exponent != other.exponent ? exponent < other.exponent : mantissa < other.mantissa;
}

RARE_HOST_DEVICE inline Real Real::operator+(const Real &other) const
{
    // Not by a call of itself, for which a kernel's stack is too small.
    const Real &more = *this < other ? other : *this, &less = *this < other ? *this : other;
    const int shift = more.exponent - less.exponent;
    if (less.isZero() || shift > 127) return more;
    return Real((more.mantissa >> 1) + (less.mantissa >> 1 >> shift), more.exponent + 1);
}

RARE_HOST_DEVICE inline Real Real::operator-(const Real &other) const
{
    const Real &more = *this < other ? other : *this, &less = *this < other ? *this : other;
    const int shift = more.exponent - less.exponent;
    if (less.isZero() || shift > 127) return more;
    return Real(more.mantissa - (less.mantissa >> shift), more.exponent);
}

RARE_HOST_DEVICE inline Real Real::operator*(const Real &other) const
{
    return Real(multiplyHigh(mantissa, other.mantissa), exponent + other.exponent + 128);
}

RARE_HOST_DEVICE inline Real Real::operator/(const Real &other) const
{
    // Long division: both mantissas have their highest bit set, the rest stays below the divisor.
    UInt128 rest = mantissa, quotient = 0;
    for (int bit = 0; bit < 128; bit++) {
        quotient <<= 1;
        const bool carry = rest >> 127 && bit > 0;
        if (bit > 0) rest <<= 1;
        if (carry || rest >= other.mantissa) {
            rest -= other.mantissa;
            quotient |= 1;
        }
    }
    return Real(quotient, exponent - other.exponent - 127);
}

HOST_DEVICE inline UInt128 Real::fixed(int bits) const
{
    const int shift = exponent + bits;
    if (shift >= 0) return mantissa << shift;
    return shift > -128 ? mantissa >> -shift : 0;
}

/// e^x for x < 64, off by a relative 2^-111 at most; so is the next.
RARE_HOST_DEVICE inline Real exponential(const Real &x)
{
    const UInt128 fixed = x.fixed(kLogBits);
    const UInt128 powers = fixed / Logarithms::kLn2;
    return Real(exponentialOfFraction(fixed - powers * Logarithms::kLn2),
                static_cast<int>(powers) - 127);
}

/// e^-x for any x (0 from 64 on).
RARE_HOST_DEVICE inline Real inverseExponential(const Real &x)
{
    if (!(x < Real(64, 0))) return Real();
    // e^-x = 2^-j e^(j ln 2 - x)
    const UInt128 fixed = x.fixed(kLogBits);
    if (fixed == 0) return Real(1, 0);
    const UInt128 powers = (fixed - 1) / Logarithms::kLn2 + 1;
    UInt128 rest = powers * Logarithms::kLn2 - fixed;
    return Real(exponentialOfFraction(rest), -static_cast<int>(powers) - 127);
}

/// ln x for 1 <= x < 2^64, off by 2^-113 at most.
RARE_HOST_DEVICE inline Real logarithm(const Real &x)
{
    // x = 2^e u, u between 0.7 and 1.4; ln u = 2 atanh((u - 1) / (u + 1)).
    const Real one(1, 0);
    int e = 0;
    Real u = x;
    while (Real::of(1.4) < u) {
        u = u * Real::of(0.5);
        e++;
    }
    const UInt128 z = ((u - one) / (u + one)).fixed(127), square = product(z, z);
    UInt128 sum = 0, power = z;
    for (unsigned j = 1; power; j += 2) {
        sum += power / j;
        power = product(power, square);
    }
    const Real powers(static_cast<UInt128>(e) * Logarithms::kLn2, -kLogBits);
    const Real series(sum, -126);
    return u < one ? powers - series : powers + series;
}

} // namespace local_entropy
