// The last word on an entropy: its order to any binary fraction, from the counts themselves.
#pragma once

#include <cstdint>

#include "common/host_device.h"
#include "local_entropy/answers/defect.h"
#include "local_entropy/answers/fixed_point.h"
#include "local_entropy/answers/measure.h"

namespace local_entropy
{

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
    /// Counts are positive and ascend, their sum is below 65536, and there are two or more. They
    /// stay the caller's, and as they are.
    HOST_DEVICE ExactEntropy(const int *sorted, int number) : counts(sorted), number(number)
    {
        for (int i = 0; i < number; i++) cells += counts[i];
    }

    /// The sign of H - m 2^e, H in the given base; m < 2^55, and m 2^e < 64.
    RARE_HOST_DEVICE int order(Base base, std::uint64_t m, int e) const
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

    /// The sign of exp(H) - m 2^e; m < 2^55.
    RARE_HOST_DEVICE int orderOfExponential(std::uint64_t m, int e) const
    {
        return decide([&](int limbs) {
            FixedPoint other = naturalLogarithm(m, limbs), power = naturalLogarithm(2, limbs);
            power *= static_cast<std::uint64_t>(e < 0 ? -e : e);
            if (e < 0)
                other -= power;
            else
                other += power;
            other *= static_cast<std::uint64_t>(cells);
            return other;
        });
    }

private:
    /// D = N H in nats, off by less than 2^33 units.
    RARE_HOST_DEVICE FixedPoint scaledEntropy(int fractionLimbs) const
    {
        FixedPoint sum = naturalLogarithm(cells, fractionLimbs);
        sum *= cells;
        for (int i = 0, next = 0; i < number; i = next) {
            const int n = counts[i];
            while (next < number && counts[next] == n) next++;
            if (n == 1) continue;
            FixedPoint logarithm = naturalLogarithm(n, fractionLimbs);
            sum -= logarithm *= static_cast<std::uint64_t>(n) * (next - i);
        }
        return sum;
    }

    /// The sign of D - other, where `other` is off by less than 2^39 units.
    template <class Other>
    RARE_HOST_DEVICE int decide(const Other &other) const
    {
        constexpr int kErrorBits = 40;
        // 3, 5 and 8 limbs
        for (int limbs = 3; limbs <= FixedPoint::kMostFraction; limbs += limbs / 2 + 1) {
            FixedPoint difference = scaledEntropy(limbs);
            difference -= other(limbs);
            if (!difference.isWithin(kErrorBits)) return difference.isNegative() ? -1 : 1;
        }
        defect("512 bits do not tell which float is nearest to an entropy");
    }

    const int *counts;
    int number, cells = 0;
};

} // namespace local_entropy
