#include "local_entropy/answers/exact.h"

#include <algorithm>
#include <cstdlib>

#include "common/error.h"
#include "local_entropy/answers/uint128.h"

namespace local_entropy
{

FixedPoint::FixedPoint(int fractionLimbs, std::uint64_t integer) : size(fractionLimbs + 2)
{
    limbs[fractionLimbs] = integer;
}

FixedPoint &FixedPoint::operator+=(const FixedPoint &other)
{
    UInt128 carry = 0;
    for (int i = 0; i < size; i++, carry >>= 64) {
        carry += static_cast<UInt128>(limbs[i]) + other.limbs[i];
        limbs[i] = static_cast<std::uint64_t>(carry);
    }
    return *this;
}

FixedPoint &FixedPoint::operator-=(const FixedPoint &other)
{
    UInt128 carry = 1; // a - b = a + ~b + 1
    for (int i = 0; i < size; i++, carry >>= 64) {
        carry += static_cast<UInt128>(limbs[i]) + ~other.limbs[i];
        limbs[i] = static_cast<std::uint64_t>(carry);
    }
    return *this;
}

FixedPoint &FixedPoint::operator*=(std::uint64_t factor)
{
    UInt128 carry = 0;
    for (int i = 0; i < size; i++, carry >>= 64) {
        carry += static_cast<UInt128>(limbs[i]) * factor;
        limbs[i] = static_cast<std::uint64_t>(carry);
    }
    return *this;
}

FixedPoint &FixedPoint::operator/=(std::uint64_t divisor)
{
    UInt128 rest = 0;
    for (int i = size - 1; i >= 0; i--) {
        rest = rest << 64 | limbs[i];
        limbs[i] = static_cast<std::uint64_t>(rest / divisor);
        rest %= divisor;
    }
    return *this;
}

FixedPoint &FixedPoint::operator<<=(int bits)
{
    for (; bits >= 32; bits -= 32) *this *= std::uint64_t{1} << 32;
    for (; bits <= -32; bits += 32) *this /= std::uint64_t{1} << 32;
    if (bits >= 0) return *this *= std::uint64_t{1} << bits;
    return *this /= std::uint64_t{1} << -bits;
}

bool FixedPoint::isZero() const
{
    return std::all_of(limbs.begin(), limbs.begin() + size, [](auto limb) { return limb == 0; });
}

bool FixedPoint::isWithin(int bits) const
{
    FixedPoint magnitude(size - 2);
    if (isNegative())
        magnitude -= *this;
    else
        magnitude += *this;
    return magnitude.limbs[0] <= std::uint64_t{1} << bits &&
           std::all_of(magnitude.limbs.begin() + 1, magnitude.limbs.begin() + size,
                       [](auto limb) { return limb == 0; });
}

namespace
{

/// 2 atanh(a / b) = ln((b + a) / (b - a)) for a / b <= 1/3 and b < 2^57, too small by less than
/// 2^10 units: each power by less than 1.3, each term of at most 163 by less than 2.3.
FixedPoint logarithmOfRatio(std::uint64_t a, std::uint64_t b, int fractionLimbs)
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

} // namespace

FixedPoint naturalLogarithm(std::uint64_t n, int fractionLimbs)
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

ExactEntropy::ExactEntropy(const int *counts, int number)
{
    std::vector<int> sorted(counts, counts + number);
    std::sort(sorted.begin(), sorted.end());
    for (int n : sorted) {
        cells += n;
        if (n == 1) continue;
        if (levelsOf.empty() || levelsOf.back().first != n) levelsOf.emplace_back(n, 0);
        levelsOf.back().second++;
    }
}

/// D = N H in nats, off by less than 2^33 units.
FixedPoint ExactEntropy::scaledEntropy(int fractionLimbs) const
{
    FixedPoint sum = naturalLogarithm(cells, fractionLimbs);
    sum *= cells;
    for (const auto &[n, levels] : levelsOf) {
        FixedPoint logarithm = naturalLogarithm(n, fractionLimbs);
        sum -= logarithm *= static_cast<std::uint64_t>(n) * levels;
    }
    return sum;
}

/// The sign of D - other, where `other` is off by less than 2^39 units.
template <class Other>
int ExactEntropy::decide(const Other &other) const
{
    constexpr int kErrorBits = 40;
    for (int limbs : {3, 5, FixedPoint::kMostFraction}) {
        FixedPoint difference = scaledEntropy(limbs);
        difference -= other(limbs);
        if (!difference.isWithin(kErrorBits)) return difference.isNegative() ? -1 : 1;
    }
    throw common::Error(
        "Internal error: 512 bits do not tell which float is nearest to an entropy");
}

int ExactEntropy::order(Base base, std::uint64_t m, int e) const
{
    return decide([&](int limbs) {
        FixedPoint other(limbs, 1);
        if (base == Base::Two) other = naturalLogarithm(2, limbs);
        if (base == Base::Ten) other = naturalLogarithm(10, limbs);
        other *= m; // below 2^58; then N m 2^e < 2^22
        other *= static_cast<std::uint64_t>(cells);
        other <<= e;
        return other;
    });
}

int ExactEntropy::orderOfExponential(std::uint64_t m, int e) const
{
    return decide([&](int limbs) {
        FixedPoint other = naturalLogarithm(m, limbs), power = naturalLogarithm(2, limbs);
        power *= static_cast<std::uint64_t>(std::abs(e));
        if (e < 0)
            other -= power;
        else
            other += power;
        other *= static_cast<std::uint64_t>(cells);
        return other;
    });
}

} // namespace local_entropy
