// Natural logarithms of small integers in fixed point, by integer arithmetic alone.
#pragma once

#include <vector>

#include "local_entropy/answers/uint128.h"

namespace local_entropy
{

/// ln n 2^120, rounded down, for n = 1 ... most (at most 65535).
/// A composite is the sum of two factors; an odd prime p lies between two even numbers:
///   ln p = (ln(p - 1) + ln(p + 1)) / 2 + atanh(1 / (2 p^2 - 1)),
/// and (p + 1) / 2 < p, so that only the atanh is new, two or three terms for a large p.
struct Logarithms
{
    static constexpr int kBits = 120;
    static constexpr UInt128 kLn2 =
        (static_cast<UInt128>(0xB17217F7D1CF79) << 64) | 0xABC9E3B39803F2F6;

    explicit Logarithms(int most);

    std::vector<UInt128> of; ///< of[n] <= ln n 2^120 < of[n] + error; of[0] is 0
    unsigned error = 1;      ///< counted while the table is built, in units of 2^-120
};

} // namespace local_entropy
