// Sliding ranks: windows of 26 to 255 cells, any number of levels. What the kernels of all paths
// share; sliding.h has the kernel.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/problem/load.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy
{

/// F(rank + 1) - F(rank), cut into bytes: planes[p][rank] is byte p. All 0 for ranks that no window
/// has, and for rank 0 (F(0) = F(1) = 0): a vector of zeros adds nothing.
struct DeltaPlanes
{
    static constexpr int kPlanes = 5;        ///< 40 bits
    static constexpr int kFractionBits = 37; ///< ln 255 + 1 < 8 needs three more
    alignas(64) std::uint8_t plane[kPlanes][256] = {};

    explicit DeltaPlanes(const Answers &answers);
};

/// How a tile is shared out among the lanes: lane = band * strips + strip. A band is `rows` rows of
/// windows, a strip `columns` columns of cells.
///
///        strip 0   strip 1   strip 2   strip 3
///      +---------+---------+---------+---------+
///      | lane 0  | lane 1  | lane 2  | lane 3 -| band 0     the last windowWidth - 1 windows
///      +---------+---------+---------+---------+            of a band's last strip do not exist
///      | lane 4  | lane 5  | lane 6  | lane 7 -| band 1
///      +---------+---------+---------+---------+
struct SlidingLayout
{
    static constexpr int kLeastColumns = 16, kMostColumns = 48;

    int strips = 1;
    int columns = kLeastColumns; ///< not less than the window's width
    std::int64_t rows = 1;

    /// Where a lane's part begins, from the tile's corner on.
    std::int64_t x(int lane) const { return static_cast<std::int64_t>(lane % strips) * columns; }
    std::int64_t y(int lane) const { return lane / strips * rows; }

    /// The cheapest for a tile of that size.
    static SlidingLayout of(const Shape &window, std::int64_t width, std::int64_t height,
                            int lanes);

    /// Columns of ranks that are computed for all rows, and for the start of the bands: the cost.
    double work(const Shape &window) const;
};

/// Whether a double that is off by up to `band` units of its last place leaves two floats.
bool nearBoundary(double value, std::uint32_t band);

/// One tile: what a kernel gets.
struct SlidingJob
{
    const Shape &window;
    const Answers &answers;     ///< of DeltaPlanes::kFractionBits
    const Answers &fineAnswers; ///< of more bits: they decide nearly all
    const DeltaPlanes &planes;
    const Tile &tile;
    float *result; ///< of the tile's first window
    std::int64_t resultStride;
    SlidingLayout layout;
    Scratch &scratch;

    /// Whether a window's F(N) - S, one that Answers::band() does not decide, leaves two floats.
    /// That band is right for any window. S bounds how many levels have two cells or more, and with
    /// them what their rounded F(n) are off: often little beside F(N) - S.
    bool undecided(double difference) const;

    /// The float of the window of result (x, y), from its cells. `tallies`: a byte for every value
    /// of a cell, all 0 before and after.
    float recount(std::int64_t x, std::int64_t y, std::uint8_t *tallies) const;

    /// Whether any of n windows from result (x, y) on has missing cells.
    bool hasMissing(std::int64_t x, std::int64_t y, int n) const;

    /// `sums` are the sums of the windows of results x ... x + n - 1 of row y: writes those that
    /// have missing cells over `out`.
    void finishMissing(std::int64_t x, std::int64_t y, const std::int64_t *sums, float *out, int n,
                       std::uint8_t *tallies) const;
};

/// Fills the results of a tile with cells of 1 or 2 bytes.
using SlidingKernel = void (*)(const SlidingJob &);

/// Kernels for a height of the window; how many lanes they have.
SlidingKernel slidingKernelAvx512Vbmi(int cellBytes, int windowHeight);
SlidingKernel slidingKernelAvx512(int cellBytes, int windowHeight);
SlidingKernel slidingKernelAvx2(int cellBytes, int windowHeight);
constexpr int kLanesAvx512 = 64, kLanesAvx2 = 32;

const Method &slidingRanksMethod();

} // namespace local_entropy
