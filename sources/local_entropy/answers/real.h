// Numbers >= 0 with 128 bits, by integer arithmetic alone: the same bits on every machine, which
// pow, exp and log of a standard library do not promise.
#pragma once

#include <cstdint>
#include <limits>

#include "local_entropy/answers/rounding.h"
#include "local_entropy/answers/uint128.h"

namespace local_entropy
{

/// mantissa 2^exponent; the highest bit of the mantissa is set, or the number is 0. Results are
/// rounded down, to a relative 2^-126, where nothing else is said.
class Real
{
public:
    Real() = default;
    Real(UInt128 mantissa, int exponent);
    static Real of(double value);

    bool isZero() const { return mantissa == 0; }
    bool operator<(const Real &other) const;
    Real operator+(const Real &other) const;
    Real operator-(const Real &other) const; ///< the absolute difference
    Real operator*(const Real &other) const;
    Real operator/(const Real &other) const;

    /// value 2^bits as an integer; the value is below 2^(128 - bits).
    UInt128 fixed(int bits) const;
    Interval interval(UInt128 error) const { return {mantissa, exponent, error}; }

private:
    UInt128 mantissa = 0;
    int exponent = 0;
};

/// e^x for x < 64 and e^-x for any x (0 from 64 on), off by a relative 2^-111 at most.
Real exponential(const Real &x);
Real inverseExponential(const Real &x);

/// ln x for 1 <= x < 2^64, off by 2^-113 at most.
Real logarithm(const Real &x);

} // namespace local_entropy
