// The entropy's sums in bytes, for processors that look up 64 bytes at a time.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>

namespace local_entropy
{

/// G(n) = n ln(N / n), N cells in a window, in fixed point with 40 bits, cut into five planes of
/// bytes. The sum of G(count) over the levels is D = N H; G is small where n ln n is large, so that
/// 40 bits leave one window in a thousand undecided, at worst (Answers then have the last word).
///
/// Counts to 127 have an entry in each plane. One level at most has a count of 128 or more, since
/// windows have up to 255 cells: `beyond` has what G(n) is more than G(n - 128), in signed bytes.
struct PlaneTables
{
    static constexpr int kPlanes = 5, kEntries = 128, kMostCells = 255;
    static constexpr int kMostLevels = 120; ///< sums of bytes of three planes fit 31 bits

    alignas(64) std::uint8_t plane[kPlanes][kEntries];
    alignas(64) std::int8_t beyond[kPlanes][kEntries];
    double scale;      ///< H = D scale
    bool beyondNeeded; ///< counts may be 128 or more

    // A double H is undecided if ((bits of H) + near) & far is 0: it is so close to the boundary
    // of two floats that D's error of half a unit for each level could move it across.
    std::int64_t near, far;

    /// For windows of `cells` cells, 2 to kMostCells, of up to `levels` levels, and an entropy.
    PlaneTables(const Answers &answers, int cells, int levels);
};

/// Whether there are such tables for a question.
bool planesCan(const Problem &problem);

} // namespace local_entropy
