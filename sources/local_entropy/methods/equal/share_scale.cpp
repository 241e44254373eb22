#include "local_entropy/methods/equal/share_scale.h"

#include "local_entropy/answers/answers.h"
#include "local_entropy/answers/base.h"
#include "local_entropy/answers/partitions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace local_entropy::equal
{
namespace
{

/// A way to share cells between levels.
struct Share
{
    int cells;
    std::vector<int> counts; ///< of two and more
    float answer;
};

/// All, of windows of at most so many cells.
std::vector<Share> sharesOf(int most, const Answers &answers)
{
    std::vector<Share> shares;
    std::vector<int> counts;
    for (int cells = most; cells >= 1; --cells)
        forPartitions(cells, cells, counts, [&](const std::vector<int> &above) {
            const std::vector<int> all = withOnes(above, cells);
            shares.push_back(
                {cells, above, answers.floatOf(all.data(), static_cast<int>(all.size()))});
        });
    return shares;
}

std::int64_t differenceOf(const Share &share, const std::vector<std::int64_t> &sums)
{
    std::int64_t difference = sums[share.cells];
    for (const int n : share.counts) difference -= sums[n];
    return difference;
}

/// How far the sums of wrong answers are from the middle of two floats, at most; more than `enough`
/// is not told further.
double worst(const std::vector<Share> &shares, const std::vector<std::int64_t> &sums,
             const std::vector<double> &scales, double enough)
{
    double most = 0;
    for (const Share &share : shares) {
        const auto value = static_cast<double>(differenceOf(share, sums));
        const double scale = scales[share.cells];
        const auto answer = static_cast<float>(value * scale);
        if (answer == share.answer) continue;
        const double middle = (static_cast<double>(answer) + share.answer) / 2 / scale;
        most = std::max(most, std::fabs(value - middle) + 0x1p-12); // and what doubles are off
        if (most >= enough) break;
    }
    return most;
}

std::uint32_t lowerBits(double value)
{
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint32_t>(bits);
}

/// As few as hold the products that are rounded to a wrong answer.
Middles middlesOf(const std::vector<Share> &shares, int cells,
                  const std::vector<std::int64_t> &sums, double scale)
{
    constexpr std::uint32_t kUnit = 1u << (32 - Middles::kBits), kMiddle = 1u << 31;
    std::uint32_t most = 0; // from the middle
    bool isAny = false;
    for (const Share &share : shares) {
        if (share.cells != cells) continue;
        const double value = static_cast<double>(differenceOf(share, sums)) * scale;
        if (static_cast<float>(value) == share.answer) continue;
        const std::uint32_t lower = lowerBits(value) * kUnit;
        most = std::max(most, lower < kMiddle ? kMiddle - lower : lower - kMiddle);
        isAny = true;
    }
    return isAny ? Middles{kMiddle - most, 2 * most + kUnit} : Middles{};
}

} // namespace

ShareScale::ShareScale(int cells, Base base)
{
    const Answers answers(Measure::Entropy, 1, base, cells, 0);
    const std::vector<Share> shares = sharesOf(cells, answers);

    // A difference is below factor (1 + ln N) / (2 ln 2).
    constexpr int kTries = 2000, kSteps = 4;
    const double step = (1 + std::log(static_cast<double>(cells))) / (2 * std::log(2.0));
    const double largest = 0x1p31 / kSteps / step - 1;
    std::mt19937 random(20201122);
    error = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTries && error > 0; ++i) {
        const double share = 1 - 0.1 * (static_cast<double>(random()) / 0x1p32);
        const double factor = std::floor(largest * share);
        std::vector<std::int64_t> found(cells + 1);
        std::vector<double> ofCells(cells + 1);
        for (int n = 1; n <= cells; ++n) {
            found[n] = std::llround(factor * n * std::log2(static_cast<long double>(n)) / 2);
            ofCells[n] = 2 * 0x1.62e42fefa39efp-1 / factor / n * perNat(base);
        }
        const double off = worst(shares, found, ofCells, error);
        if (off >= error) continue;
        error = off;
        sums = found;
        scales = ofCells;
    }
    if (error == 0) return;
    middles = middlesOf(shares, cells, sums, scales[cells]);
    for (const Share &share : shares) {
        const std::int64_t difference = differenceOf(share, sums);
        const auto value = static_cast<double>(difference);
        const double scale = scales[share.cells];
        if (difference == 0) continue; // of one level: not near any middle
        if (static_cast<float>((value - 2 * error) * scale) !=
                static_cast<float>((value + 2 * error) * scale) ||
            (share.cells == cells && middles.hold(lowerBits(value * scale))))
            exceptions.push_back({exceptionKey(share.cells, difference), share.answer});
    }
    std::sort(exceptions.begin(), exceptions.end(),
              [](const Exception &a, const Exception &b) { return a.key < b.key; });
}

} // namespace local_entropy::equal
