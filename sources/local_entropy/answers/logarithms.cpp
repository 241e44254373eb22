#include "local_entropy/answers/logarithms.h"

#include <algorithm>
#include <cstdint>

namespace local_entropy
{
namespace
{

/// atanh(1 / d) 2^kBits = sum over odd j of 2^kBits / (j d^j), rounded down. Adds to `error` what
/// it may be too small by: less than 2 a term, and less than 1 for the terms that are not added.
UInt128 inverseTanh(std::uint64_t d, unsigned &error)
{
    UInt128 power = (static_cast<UInt128>(1) << Logarithms::kBits) / d, sum = 0;
    for (unsigned j = 1; power; j += 2) {
        sum += power / j;
        error += 2;
        power = power / d / d;
    }
    error++;
    return sum;
}

std::vector<std::uint16_t> smallestFactors(int most)
{
    std::vector<std::uint16_t> factor(most + 1);
    for (int n = 2; n <= most; n++) factor[n] = static_cast<std::uint16_t>(n);
    for (int p = 2; p * p <= most; p++)
        if (factor[p] == p)
            for (int n = p * p; n <= most; n += p)
                if (factor[n] == n) factor[n] = static_cast<std::uint16_t>(p);
    return factor;
}

} // namespace

Logarithms::Logarithms(int most) : of(most + 1)
{
    const std::vector<std::uint16_t> factor = smallestFactors(most);
    std::vector<unsigned> errors(most + 1, 0);
    for (int n = 2; n <= most; n++) {
        const int p = factor[n];
        if (p < n) {
            of[n] = of[p] + of[n / p];
            errors[n] = errors[p] + errors[n / p];
        } else if (p == 2) {
            of[n] = kLn2;
            errors[n] = 1;
        } else {
            const int half = (p + 1) / 2;
            errors[n] = (errors[p - 1] + errors[half] + errors[2]) / 2 + 2;
            of[n] = (of[p - 1] + of[half] + of[2]) / 2 +
                    inverseTanh(2 * static_cast<std::uint64_t>(p) * p - 1, errors[n]);
        }
        error = std::max(error, errors[n]);
    }
}

} // namespace local_entropy
