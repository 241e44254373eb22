#include "local_entropy/methods/histogram/scale.h"

#include "local_entropy/answers/answers.h"
#include "local_entropy/answers/base.h"
#include "local_entropy/answers/defect.h"
#include "local_entropy/answers/partitions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace local_entropy
{
namespace
{

constexpr int kFraction = 104; ///< of Answers::wideSums()

/// factor (n log2 n) / 2, rounded, from n ln n; and how far that is off, itself off by less than
/// 2^-60.
std::int64_t rounded(UInt128 wideSum, std::uint32_t factor, double &error)
{
    // With 104 bits of fraction, rounded down: n log2 n / 2, whose mantissa is that of n log2 n.
    const int shift = wideSum ? 128 - bitLength(wideSum) : 0;
    const UInt128 half = multiplyHigh(wideSum << shift, kWideInverseLn2) >> shift;
    // Times the factor, more than 128 bits: 52 bits of the fraction apart from the rest.
    constexpr int kLow = 52;
    const UInt128 low = (half & ((UInt128(1) << kLow) - 1)) * factor >> kLow;
    const UInt128 product = (half >> kLow) * factor + low; // 52 bits of fraction are left
    const UInt128 unit = UInt128(1) << (kFraction - kLow);
    const auto sum = static_cast<std::int64_t>((product + unit / 2) / unit);
    const auto rest = static_cast<std::int64_t>(product % unit);
    const double part = std::ldexp(static_cast<double>(rest), kLow - kFraction);
    error = part < 0.5 ? -part : 1 - part;
    return sum;
}

/// The most that errors of counts, times `sign`, can add up to if no count is n by itself and their
/// sum is at most n, for n = 0 ... cells: a knapsack of which all sizes and any number of each may
/// be taken. (The sum need not be n: a single cell is no error.)
///
/// A count whose error is no more than what smaller ones of that sum reach can be replaced by them
/// wherever it is taken: it is left out. So few are left that this is nearly linear in `cells`.
std::vector<double> largestSums(const std::vector<double> &errors, double sign)
{
    std::vector<double> ofSeveral(errors.size()), best(errors.size()); // best: also n by itself
    std::vector<int> taken; // counts that nothing replaces
    for (int sum = 1; sum < static_cast<int>(errors.size()); ++sum) {
        best[sum] = best[sum - 1];
        for (const int n : taken) best[sum] = std::max(best[sum], best[sum - n] + sign * errors[n]);
        ofSeveral[sum] = best[sum];
        if (sign * errors[sum] <= best[sum]) continue;
        best[sum] = sign * errors[sum];
        taken.push_back(sum);
    }
    return ofSeveral;
}

} // namespace

/// Factors for which n log2 n / 2 is nearly an integer for 3, 5, 6, 7, ... all at once: of all
/// integers from three quarters of the largest possible for 26, 35, 49, ... 65025 cells up to that,
/// the ones that left windows of so many cells the least error; so for both bounds, and one for
/// whole windows of 81. They descend.
constexpr std::uint32_t kGoodFactors[] = {
    1202620644, 1131227479, 1100589282, 998477871, 953687915, 884194286, 835090066,
    792454688,  680051513,  603262548,  557562308, 169713015, 152086582, 148425557,
    137791191,  134649144,  122377795,  111076572, 107538572, 96924813,  91739598,
    87049988,   81764978,   79598785,   71393165,  70463755,  61002226};

namespace
{

Answers answersFor(int cells) { return Answers(Measure::Entropy, 1, Base::E, cells, 0); }

/// Takes that factor if it leaves fewer whole windows in doubt than the one before.
void consider(SumScale &scale, std::uint32_t candidate, const Answers &answers)
{
    const int cells = answers.mostCells();
    std::vector<std::int64_t> found(cells + 1);
    std::vector<double> off(cells + 1), errors(cells + 1);
    for (int n = 0; n <= cells; ++n) found[n] = rounded(answers.wideSums()[n], candidate, off[n]);
    const std::vector<double> above = largestSums(off, 1), below = largestSums(off, -1);
    constexpr double kUp = 1 + 0x1p-30;
    // Of F(N) - sum F(n), from - above + F(N)'s own to below + F(N)'s own.
    for (int n = 1; n <= cells; ++n)
        errors[n] = std::max(above[n] - off[n], below[n] + off[n]) * kUp;
    if (scale.factor != 0 && errors[cells] / candidate >= scale.wholeError() / scale.factor) return;
    scale.factor = candidate;
    scale.error = *std::max_element(errors.begin(), errors.end());
    scale.errors = errors;
    scale.sums = found;
}

} // namespace

SumScale::SumScale(int cells, double bound)
{
    // A difference of neighbouring F is below factor (1 + ln N) / (2 ln 2).
    const double step = (1 + std::log(static_cast<double>(cells))) / (2 * std::log(2.0));
    const double largest = bound / step - 1;
    const Answers answers = answersFor(cells);
    for (const std::uint32_t candidate : kGoodFactors)
        if (candidate <= largest) consider(*this, candidate, answers);
}

// Of 49 cells, which windows of 7x7 have, common ways to share them lie near the middle between two
// floats.
bool SumScale::knowsWhole(int cells) { return cells == 49; }

SumScale SumScale::forWhole(Base base, int cells)
{
    if (!knowsWhole(cells)) return SumScale(cells, kOneByOne);
    // Found by trying random ones, with the scale that follows from the factor.
    const std::uint32_t factor = base == Base::Two   ? 1119131870
                                 : base == Base::Ten ? 1140714877
                                                     : 1071876858;
    SumScale scale;
    consider(scale, factor, answersFor(cells));
    scale.isExactForWhole = true;
    return scale;
}

std::vector<double> SumScale::scales(Base base) const
{
    std::vector<double> all = {0};
    for (std::size_t n = 1; n < sums.size(); ++n)
        all.push_back(nats(static_cast<int>(n)) * perNat(base));
    return all;
}

std::vector<std::int32_t> differencesOf(const std::vector<std::int64_t> &sums)
{
    std::vector<std::int32_t> all;
    for (std::size_t n = 0; n + 1 < sums.size(); ++n)
        all.push_back(static_cast<std::int32_t>(sums[n + 1] - sums[n]));
    return all;
}

namespace
{

/// For the bases e, 2 and 10: tools that search are no part of this, see ExactScale for how.
std::uint32_t exactFactor(Base base)
{
    return base == Base::Two ? 60386219 : base == Base::Ten ? 65503000 : 69137409;
}

/// One way to share cells: D, and the float that it has to become.
struct Sharing
{
    double difference;
    float answer;
};

/// A scale that rounds every D to its float.
double commonScale(const std::vector<Sharing> &sharings)
{
    double low = 0, high = std::numeric_limits<double>::max();
    for (const auto &[difference, answer] : sharings) {
        if (difference == 0) continue; // one level
        // Halfway to the next floats, which doubles hold.
        const double below = (double(answer) + std::nextafter(answer, 0.0f)) / 2;
        const double above = (double(answer) + std::nextafter(answer, 1e9f)) / 2;
        low = std::max(low, below / difference);
        high = std::min(high, above / difference);
    }
    const double scale = high == std::numeric_limits<double>::max() ? 0 : low + (high - low) / 2;
    for (const auto &[difference, answer] : sharings)
        if (difference < 0 || static_cast<float>(difference * scale) != answer)
            defect("a scale for small windows does not round all of them right");
    return scale;
}

} // namespace

ExactScale::ExactScale(Base base, int cells)
{
    const Answers answers(Measure::Entropy, 1, base, cells, 0);
    for (int n = 0; n <= cells; ++n) {
        double error;
        sums.push_back(rounded(answers.wideSums()[n], exactFactor(base), error));
    }
    scales.push_back(0);
    for (int all = 1; all <= cells; ++all) {
        std::vector<Sharing> sharings;
        forEachPartition(all, [&](const std::vector<int> &counts) {
            std::int64_t sum = 0;
            for (const int n : counts) sum += sums[n];
            sharings.push_back({static_cast<double>(sums[all] - sum),
                                answers.floatOf(counts.data(), static_cast<int>(counts.size()))});
        });
        scales.push_back(commonScale(sharings));
    }
}

} // namespace local_entropy
