// The entropy's sums in bytes or words, for processors that look up 64 or 32 at a time.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

/// G(n) = n ln(N / n), N cells in a window, in fixed point with 40 bits, cut into five planes of
/// bytes. The sum of G(count) over the levels is D = N H; G is small where n ln n is large, so that
/// 40 bits leave few windows undecided, for which Answers have the last word: one in 10000 of
/// random cells, one in 300 where entropies are small.
///
/// Counts to 127 have an entry in each plane. In a window of up to kNarrow cells one level at most
/// has a count of 128 or more: `beyond` has what G(n) is more than G(n - 128), in signed bytes. In
/// larger windows some levels may: `upper` has G(n) for up to kNarrow - 1, and `large` beyond.
struct PlaneTables
{
    static constexpr int kPlanes = 5, kEntries = 128, kNarrow = 255;
    static constexpr int kMostLevels = 120; ///< sums of bytes of three planes fit 31 bits

    /// Cells of a window for each level: above, and above kNarrow, too many counts are too large.
    static constexpr int kCellsPerLevel = 160;

    alignas(64) std::uint8_t plane[kPlanes][kEntries];
    alignas(64) std::int8_t beyond[kPlanes][kEntries];
    /// G(127 + i), but 0 for i = 0; for windows above kNarrow cells, as `large`.
    alignas(64) std::uint8_t upper[kPlanes][kEntries];
    double scale;      ///< H = D scale
    bool beyondNeeded; ///< counts may be 128 or more, in a window of up to kNarrow cells
    std::vector<std::int64_t> large; ///< G(n), but 0 for n < kNarrow

    /// How far D scale is off from H at most. H is undecided if D scale - error and D scale + error
    /// are not rounded to the same float, unless D is 0: then H is.
    double error;

    /// For windows of `cells` cells, at least 2, of up to `levels` levels, and an entropy.
    PlaneTables(const Answers &answers, int cells, int levels);
};

/// The same with three planes of 13 bits in words, for processors that look up 32 words at a time
/// among 64. Windows of up to PlaneTables::kNarrow cells.
struct WordPlaneTables
{
    static constexpr int kPlanes = 3, kBits = 13;
    static constexpr int kEntries = 64, kChunks = 4; ///< chunks of so many entries

    alignas(64) std::uint16_t plane[kPlanes][kEntries * kChunks];
    double scale, error; ///< as above

    WordPlaneTables(const Answers &answers, int cells, int levels);
};

/// Whether there are such tables for a question: PlaneTables, and the others.
bool planesCan(const Problem &problem);
bool wordPlanesCan(const Problem &problem);

} // namespace local_entropy
