#include "local_entropy/methods/levels/plane_tables.h"

#include <algorithm>
#include <cmath>

namespace local_entropy
{
namespace
{

constexpr int kWideBits = 104; ///< of fraction in Answers::wideSums()

/// G(n) 2^104, off by less than 2.
UInt128 wideG(const Answers &answers, int n, int cells)
{
    const UInt128 *f = answers.wideSums();
    const UInt128 each = f[cells] / cells, rest = f[cells] % cells; // n f[cells] may not fit
    return n * each + n * rest / cells - f[n];
}

std::int64_t rounded(UInt128 wide, int bits)
{
    const int dropped = kWideBits - bits;
    return static_cast<std::int64_t>((wide + (UInt128(1) << (dropped - 1))) >> dropped);
}

/// As many bits of fraction as let the planes' G fit 40 bits, or 39 where differences of two need a
/// sign.
int fractionBits(int cells)
{
    constexpr double kInverseE = 0.36787944117144233; // G is largest at n = N / e
    const double n = std::min(cells * kInverseE, PlaneTables::kEntries - 1.0);
    const int all = cells < PlaneTables::kEntries ? 40 : 39;
    return std::min(40, all - static_cast<int>(std::ceil(std::log2(n * std::log(cells / n)))));
}

} // namespace

PlaneTables::PlaneTables(const Answers &answers, int cells, int levels)
    : beyondNeeded(cells >= kEntries && cells <= kNarrow)
{
    const int bits = fractionBits(cells);
    const auto g = [&](int n) {
        // One level only has no entropy at all; the wide sums leave an error of a unit there.
        return n == 0 || n >= cells ? 0 : rounded(wideG(answers, n, cells), bits);
    };
    for (int n = 0; n < kEntries; n++) {
        const std::int64_t value = g(n);
        for (int p = 0; p < kPlanes; p++) plane[p][n] = static_cast<std::uint8_t>(value >> 8 * p);
        std::int64_t more = !beyondNeeded || n + kEntries > cells ? 0 : g(n + kEntries) - value;
        for (int p = 0; p < kPlanes; p++) {
            beyond[p][n] = static_cast<std::int8_t>(more & 255);
            more = (more - beyond[p][n]) / 256;
        }
    }
    if (cells > kNarrow) {
        large.resize(cells + 1);
        for (int n = kEntries; n <= cells; n++) large[n] = g(n);
    }
    scale = std::ldexp(answers.scales()[cells], answers.fractionBits() - bits);

    // Half a unit of D for each level; then the roundings of a double of less than 16.
    error = (0.5 * std::min({cells, levels, kMostLevels}) + 1) * scale + 0x1p-47;
}

bool planesCan(const Problem &problem)
{
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble &&
           problem.shape.cells >= 2 &&
           problem.shape.cells <= std::max(PlaneTables::kNarrow,
                                           PlaneTables::kCellsPerLevel *
                                               std::min(problem.filter.levels.count,
                                                        PlaneTables::kMostLevels));
}

} // namespace local_entropy
