#include "local_entropy/methods/histogram/strips.h"

#include "local_entropy/methods/histogram/finish_row.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

// No vectoriser: packed.h says why.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-slp-vectorize")
#endif
#include "local_entropy/methods/histogram/strip.h"

namespace local_entropy
{
namespace
{

// The fastest that were measured. Rows are long runs, which many windows share, and eight sums fit
// the registers of most processors. The edges of a footprint are short runs: what helps there is
// packs that take turns.
using RectangleBytes = Packing<std::uint64_t, 8, 1>;
using RectangleWords = Packing<std::uint64_t, 4, 2>;
using FootprintBytes = Packing<std::uint32_t, 4, 4>;
using FootprintWords = Packing<std::uint64_t, 4, 4>;

/// Calls with(packing) for the one that a window asks for.
template <typename With>
auto withPacking(const Prepared &prepared, const With &with)
{
    if (prepared.down.shape.rectangle)
        return prepared.countsAreBytes() ? with(RectangleBytes()) : with(RectangleWords());
    return prepared.countsAreBytes() ? with(FootprintBytes()) : with(FootprintWords());
}

std::vector<PlacedRun> placed(const std::vector<Run> &runs, std::int64_t stride)
{
    std::vector<PlacedRun> there;
    for (const Run &run : runs)
        there.push_back(
            {static_cast<std::ptrdiff_t>(run.row * stride + run.begin), run.end - run.begin});
    return there;
}

const std::int64_t *stepsOf(const Prepared &prepared, float) { return prepared.steps.data(); }
const UInt128 *stepsOf(const Prepared &prepared, double) { return prepared.wideSteps.data(); }

template <typename Packing, typename Cell, typename Value>
void walkStrips(const Prepared &prepared, const Way &way, const Tile &tile, void *histograms,
                Value *results, std::int64_t stride)
{
    using Sum = std::conditional_t<std::is_same_v<Value, double>, UInt128, std::int64_t>;
    Strip<Packing, Cell, Sum> strip(histograms, tile.values, stepsOf(prepared, Value()));
    const std::vector<PlacedRun> all = placed(way.shape.runs, tile.stride);
    const std::vector<PlacedRun> gained = placed(way.edges.gained, tile.stride);
    const std::vector<PlacedRun> lost = placed(way.edges.lost, tile.stride);
    for (std::int64_t x = 0; x < tile.width; x += kStripColumns) {
        const int n = static_cast<int>(std::min<std::int64_t>(kStripColumns, tile.width - x));
        strip.walk(tile.row<Cell>(0) + x, tile.stride, tile.height, way.shape, all, gained, lost,
                   [&](std::int64_t y, const Sum *sums) {
                       finishRow<Cell>(prepared.answers, way.shape, tile, x, y, sums,
                                       results + y * stride + x, n);
                   });
    }
}

} // namespace

std::size_t histogramBytes(const Prepared &prepared, int values)
{
    return withPacking(prepared, [&](auto packing) {
        using Packing = decltype(packing);
        return std::max(Strip<Packing, std::uint8_t, std::int64_t>::bytes(256),
                        Strip<Packing, std::uint16_t, std::int64_t>::bytes(values));
    });
}

template <typename Cell, typename Value>
void walkTile(const Prepared &prepared, const Way &way, const Tile &tile, void *histograms,
              Value *results, std::int64_t stride)
{
    withPacking(prepared, [&](auto packing) {
        walkStrips<decltype(packing), Cell>(prepared, way, tile, histograms, results, stride);
    });
}

template void walkTile<std::uint8_t>(const Prepared &, const Way &, const Tile &, void *, float *,
                                     std::int64_t);
template void walkTile<std::uint8_t>(const Prepared &, const Way &, const Tile &, void *, double *,
                                     std::int64_t);
template void walkTile<std::uint16_t>(const Prepared &, const Way &, const Tile &, void *, float *,
                                      std::int64_t);
template void walkTile<std::uint16_t>(const Prepared &, const Way &, const Tile &, void *, double *,
                                      std::int64_t);

} // namespace local_entropy
