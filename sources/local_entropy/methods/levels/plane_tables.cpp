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

/// G in fixed point.
struct FixedG
{
    const Answers &answers;
    const int cells, bits; ///< of fraction

    /// With as many bits of fraction as let G(n), n <= most, fit `all` bits.
    FixedG(const Answers &answers, int cells, int most, int all)
        : answers(answers), cells(cells), bits(std::min(40, all - wholeBits(cells, most)))
    {
    }

    std::int64_t operator()(int n) const
    {
        // One level only has no entropy at all; the wide sums leave an error of a unit there.
        return n == 0 || n >= cells ? 0 : rounded(wideG(answers, n, cells), bits);
    }

    double scale() const
    {
        return std::ldexp(answers.scales()[cells], answers.fractionBits() - bits);
    }

    /// Half a unit of D for each level; then the roundings of a double of less than 16.
    double error(int levels) const
    {
        return (0.5 * std::min(cells, levels) + 1) * scale() + 0x1p-47;
    }

private:
    static int wholeBits(int cells, int most)
    {
        constexpr double kInverseE = 0.36787944117144233; // G is largest at n = N / e
        const double n = std::min<double>(cells * kInverseE, most);
        return static_cast<int>(std::ceil(std::log2(n * std::log(cells / n))));
    }
};

} // namespace

PlaneTables::PlaneTables(const Answers &answers, int cells, int levels)
    : beyondNeeded(cells >= kEntries && cells <= kNarrow)
{
    // Differences of two need a sign.
    const FixedG g(answers, cells, kNarrow, beyondNeeded ? 39 : 40);
    for (int n = 0; n < kEntries; n++) {
        const std::int64_t value = g(n);
        for (int p = 0; p < kPlanes; p++) plane[p][n] = static_cast<std::uint8_t>(value >> 8 * p);
        std::int64_t more = !beyondNeeded || n + kEntries > cells ? 0 : g(n + kEntries) - value;
        for (int p = 0; p < kPlanes; p++) {
            beyond[p][n] = static_cast<std::int8_t>(more & 255);
            more = (more - beyond[p][n]) / 256;
        }
        const std::int64_t above = n == 0 ? 0 : g(kEntries - 1 + n);
        for (int p = 0; p < kPlanes; p++) upper[p][n] = static_cast<std::uint8_t>(above >> 8 * p);
    }
    if (cells > kNarrow) {
        large.resize(cells + 1);
        for (int n = kNarrow; n <= cells; n++) large[n] = g(n);
    }
    scale = g.scale();
    error = g.error(std::min(levels, kMostLevels));
}

WordPlaneTables::WordPlaneTables(const Answers &answers, int cells, int levels)
{
    const FixedG g(answers, cells, cells, kPlanes * kBits);
    for (int n = 0; n < kEntries * kChunks; n++)
        for (int p = 0; p < kPlanes; p++)
            plane[p][n] = static_cast<std::uint16_t>(g(n) >> kBits * p & ((1 << kBits) - 1));
    scale = g.scale();
    error = g.error(levels);
}

bool planesCan(const Problem &problem)
{
    const int levels = std::min(problem.filter.levels.count, PlaneTables::kMostLevels);
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble &&
           problem.shape.cells >= 2 &&
           problem.shape.cells <=
               std::max(PlaneTables::kNarrow, PlaneTables::kCellsPerLevel * levels);
}

bool wordPlanesCan(const Problem &problem)
{
    return planesCan(problem) && problem.shape.cells <= PlaneTables::kNarrow;
}

} // namespace local_entropy
