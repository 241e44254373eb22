// From a number that is known as a fraction, as an interval, or by comparison only, to the nearest
// float or double, halves to even. Integers decide; nothing here depends on the rounding mode.
// All numbers are positive and within a float's normal range.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/host_device.h"
#include "local_entropy/answers/defect.h"
#include "local_entropy/answers/uint128.h"

namespace local_entropy
{

/// The numbers from (mantissa - error) 2^exponent to (mantissa + error) 2^exponent; the highest bit
/// of the mantissa is set.
struct Interval
{
    UInt128 mantissa;
    int exponent;
    UInt128 error;
};

/// True, and `nearest` set, when every number of the interval rounds to the same T.
template <class T>
RARE_HOST_DEVICE bool roundInterval(const Interval &value, T &nearest)
{
    constexpr int kDropped = 128 - std::numeric_limits<T>::digits;
    const UInt128 half = static_cast<UInt128>(1) << (kDropped - 1);
    const UInt128 low = value.mantissa & (2 * half - 1);
    // Beyond a quarter the next boundary below a power of two, where Ts lie closer, would count.
    if (value.error >= half / 2) return false;
    if (low <= half ? half - low <= value.error : low - half <= value.error) return false;
    const std::uint64_t kept = static_cast<std::uint64_t>(value.mantissa >> kDropped);
    nearest = std::ldexp(static_cast<T>(kept + (low > half)), value.exponent + kDropped);
    return true;
}

/// The T nearest to the middle of an interval.
template <class T>
RARE_HOST_DEVICE T roundMiddle(const Interval &value)
{
    constexpr int kDropped = 128 - std::numeric_limits<T>::digits;
    const UInt128 half = static_cast<UInt128>(1) << (kDropped - 1);
    const UInt128 low = value.mantissa & (2 * half - 1);
    std::uint64_t kept = static_cast<std::uint64_t>(value.mantissa >> kDropped);
    if (low > half || (low == half && (kept & 1))) kept++;
    return std::ldexp(static_cast<T>(kept), value.exponent + kDropped);
}

/// The T nearest to numerator / denominator, both positive and below 2^62.
template <class T>
RARE_HOST_DEVICE T roundRatio(std::uint64_t numerator, std::uint64_t denominator)
{
    constexpr int kDigits = std::numeric_limits<T>::digits;
    // The shift leaves kDigits or kDigits + 1 bits in the quotient.
    int shift = kDigits + bitLength(denominator) - bitLength(numerator);
    UInt128 above = numerator, below = denominator;
    if (shift > 0)
        above <<= shift;
    else
        below <<= -shift;
    std::uint64_t quotient = static_cast<std::uint64_t>(above / below);
    UInt128 rest = above % below;
    if (quotient >> kDigits) {
        rest += (quotient & 1) * below;
        below *= 2;
        quotient >>= 1;
        shift--;
    }
    const UInt128 twice = 2 * rest;
    if (twice > below || (twice == below && (quotient & 1))) quotient++;
    return std::ldexp(static_cast<T>(quotient), -shift);
}

/// The T nearest to a number of which only its order to others is known: order(m, e) has the sign
/// of number - m 2^e, for m < 2^55. `guess` may be off by some units; each costs one comparison.
template <class T, class Order>
RARE_HOST_DEVICE T roundByOrder(T guess, const Order &order)
{
    constexpr int kDigits = std::numeric_limits<T>::digits;
    for (int step = 0; step < 1000; step++) {
        int exponent;
        const T fraction = std::frexp(guess, &exponent);
        exponent -= kDigits;
        const std::uint64_t mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, kDigits));
        const int odd = static_cast<int>(mantissa & 1);
        if (order(2 * mantissa + 1, exponent - 1) > -odd) {
            guess = std::nextafter(guess, static_cast<T>(HUGE_VAL));
            continue;
        }
        // Below a power of two the Ts lie twice as close.
        const bool power = mantissa == std::uint64_t{1} << (kDigits - 1);
        const int below =
            power ? order(4 * mantissa - 1, exponent - 2) : order(2 * mantissa - 1, exponent - 1);
        if (below >= odd) return guess;
        guess = std::nextafter(guess, T{0});
    }
    defect("a guess is too far from the number to round");
}

} // namespace local_entropy
