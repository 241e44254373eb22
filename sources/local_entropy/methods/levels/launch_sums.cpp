#include "local_entropy/methods/levels/launch_sums.h"

#include "local_entropy/answers/answer_tables.h"
#include "local_entropy/answers/answers.h"
#include "local_entropy/answers/base.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace local_entropy
{
namespace
{

constexpr int kFraction = 104; ///< of Answers::wideSums()
constexpr int kKept = 52;      ///< of a product with a factor

/// (n log2 n) / 2 from n ln n, rounded down: its mantissa is that of n log2 n.
UInt128 halfBinary(UInt128 wideSum)
{
    const int shift = wideSum ? 128 - bitLength(wideSum) : 0;
    return multiplyHigh(wideSum << shift, kWideInverseLn2) >> shift;
}

/// factor (n log2 n) / 2, with kKept bits of fraction, rounded down twice.
UInt128 product(UInt128 half, std::uint32_t factor)
{
    constexpr int kDropped = kFraction - kKept;
    const UInt128 low = (half & ((UInt128(1) << kDropped) - 1)) * factor >> kDropped;
    return (half >> kDropped) * factor + low;
}

/// That with so many bits of fraction.
std::int64_t rounded(UInt128 product, int bits)
{
    const int dropped = kKept - bits;
    return static_cast<std::int64_t>((product + (UInt128(1) << (dropped - 1))) >> dropped);
}

/// What rounding takes away, below a half, with kKept bits of fraction.
std::int64_t restOf(UInt128 product)
{
    return static_cast<std::int64_t>(product -
                                     (static_cast<UInt128>(rounded(product, 0)) << kKept));
}

/// The slope that leaves n ln n - slope n the least range, and that range: e^(slope - 1) below 0,
/// at n = e^(slope - 1), as much as cells (ln cells - slope) above, at the end. Of (n log2 n) / 2.
double bestSlope(int cells, double &range)
{
    constexpr double kHalfInverseLn2 = 0x1.71547652b82fep-1;
    const double most = std::log(static_cast<double>(cells));
    double low = 0, high = most;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (std::exp(middle - 1) > cells * (most - middle) ? high : low) = middle;
    }
    range = std::max(std::exp(high - 1), cells * (most - low)) * kHalfInverseLn2;
    return high * kHalfInverseLn2;
}

/// The most that errors of at most `levels` counts can add up to, in the one direction or the
/// other, if the counts' sum is at most `cells`.
double largestSum(const std::vector<double> &errors, int cells, int levels)
{
    double most = 0;
    for (const double sign : {1.0, -1.0}) {
        std::vector<double> best(cells + 1), next;
        for (int level = 0; level < levels; ++level) {
            next = best;
            for (int sum = 1; sum <= cells; ++sum) {
                for (int n = 1; n <= sum; ++n)
                    next[sum] = std::max(next[sum], best[sum - n] + sign * errors[n]);
                next[sum] = std::max(next[sum], next[sum - 1]);
            }
            best.swap(next);
        }
        most = std::max(most, best[cells]);
    }
    return most;
}

/// Factors found by trying random ones that are near the largest possible for windows of 25, 49, 81
/// ... 961 cells: those that leave windows of sixteen levels the least error.
constexpr std::uint32_t kGoodFactors[] = {410177571, 206153719, 126424398, 85688556, 62407495,
                                          44193173,  36310168,  29499698,  23812327, 20039393,
                                          16347680,  14330485,  12510725,  11111101};

} // namespace

LevelSums::LevelSums(int cells, int levels, int fineBits)
{
    constexpr double kOperations = 1e7; // of the search, some milliseconds
    constexpr double kLeast = 0.8;      // of the largest factor
    double range = 0;
    const double slope = bestSlope(cells, range);
    const double largest = std::min(0x1p31 / range * (1 - 0x1p-10), 0x1p30);
    const Answers answers(Measure::Entropy, 1, Base::E, cells, 0);
    std::vector<UInt128> halves;
    for (int n = 0; n <= cells; ++n) halves.push_back(halfBinary(answers.wideSums()[n]));
    const double each = static_cast<double>(cells) * cells * levels;
    std::vector<double> errors(cells + 1);
    const auto attempt = [&](std::uint32_t candidate) {
        double ofAll = 0; // F(N) is off as well
        for (int n = 0; n <= cells; ++n) {
            errors[n] =
                std::ldexp(static_cast<double>(restOf(product(halves[n], candidate))), -kKept);
            ofAll = std::max(ofAll, std::fabs(errors[n]));
        }
        const double ofLevels = each <= 2 * kOperations ? largestSum(errors, cells, levels)
                                                        : std::min(cells, levels) * ofAll;
        const double bound = (ofLevels + ofAll) * (1 + 0x1p-30);
        if (factor != 0 && bound / candidate >= error / factor) return;
        factor = candidate;
        error = bound;
    };
    for (const std::uint32_t candidate : kGoodFactors)
        if (candidate <= largest && candidate >= kLeast * largest) attempt(candidate);
    std::mt19937 random(20201122); // the same factors everywhere
    const int tries = static_cast<int>(std::clamp(kOperations / each, 1.0, 1000.0));
    for (int i = 0; i < tries; ++i) {
        const double share = 1 - (1 - kLeast) * (static_cast<double>(random()) / 0x1p32);
        attempt(static_cast<std::uint32_t>(largest * share));
    }
    const std::int64_t steps = std::llround(slope * factor);
    for (int n = 0; n <= cells; ++n) {
        const UInt128 exact = product(halves[n], factor);
        sums.push_back(static_cast<std::int32_t>(rounded(exact, 0) - steps * n));
        fine.push_back(rounded(exact, fineBits));
    }
    fineError = (std::min(cells, levels) + 1) * 1.01 * std::ldexp(0.5, -fineBits);
}

std::vector<double> LevelSums::scales(Base base) const
{
    std::vector<double> all = {0};
    for (std::size_t n = 1; n < sums.size(); ++n)
        all.push_back(nats(static_cast<int>(n)) * perNat(base));
    return all;
}

} // namespace local_entropy
