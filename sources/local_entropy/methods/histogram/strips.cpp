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
#include "local_entropy/methods/histogram/packed.h"
#include "local_entropy/methods/histogram/pairs.h"
#include "local_entropy/methods/histogram/strip.h"

namespace local_entropy
{
namespace
{

/// How the windows of a strip share words: the groups that strip.h asks for.
template <typename Word, int kWindows, int kPacks, typename Sum>
struct Packed
{
    template <int kStride>
    using Group = PackedGroup<Packing<Word, kWindows, kPacks>, Sum, kStride>;
};

template <typename Word, int kPacks, int kUnit>
struct Pairs
{
    template <int kStride>
    using Group = PairGroup<Word, kPacks, kUnit, kStride>;
};

template <typename Value>
using SumOf = std::conditional_t<std::is_same_v<Value, double>, UInt128, std::int64_t>;

/// Calls with(groups) for those that a window asks for: the fastest that were measured. Rows are
/// long runs, which many windows share, and eight sums (or vectors of them) fit the registers of
/// most processors. The edges of a footprint are short runs. Where these are a cell, the windows of
/// a pack take it one after the other, and on flat content all change the same word: small packs
/// that take turns wait least.
template <typename Value, typename With>
auto withGroups(const Prepared &prepared, const With &with)
{
    using Sum = SumOf<Value>;
    if constexpr (std::is_same_v<Value, float>) {
        if (prepared.pairs.unit() == 2)
            return prepared.down.shape.rectangle ? with(Pairs<std::uint64_t, 2, 2>())
                                                 : with(Pairs<std::uint16_t, 8, 2>());
        if (prepared.pairs.unit() == 1)
            return prepared.down.shape.rectangle ? with(Pairs<std::uint64_t, 2, 1>())
                                                 : with(Pairs<std::uint16_t, 8, 1>());
    }
    if (prepared.down.shape.rectangle)
        return prepared.countsAreBytes() ? with(Packed<std::uint64_t, 8, 1, Sum>())
                                         : with(Packed<std::uint64_t, 4, 2, Sum>());
    return prepared.countsAreBytes() ? with(Packed<std::uint32_t, 4, 4, Sum>())
                                     : with(Packed<std::uint64_t, 4, 4, Sum>());
}

std::vector<PlacedRun> placed(const std::vector<Run> &runs, std::int64_t stride)
{
    std::vector<PlacedRun> there;
    for (const Run &run : runs)
        there.push_back(
            {static_cast<std::ptrdiff_t>(run.row * stride + run.begin), run.end - run.begin});
    return there;
}

const PairSteps *stepsOf(const Prepared &prepared, const PairSteps *) { return &prepared.pairs; }
const std::int64_t *stepsOf(const Prepared &prepared, const std::int64_t *)
{
    return prepared.steps.data();
}
const UInt128 *stepsOf(const Prepared &prepared, const UInt128 *)
{
    return prepared.wideSteps.data();
}

template <typename Groups, typename Cell, typename Value>
void walkStrips(const Prepared &prepared, const Way &way, const Tile &tile, void *histograms,
                Value *results, std::int64_t stride)
{
    using Sum = SumOf<Value>;
    using ThisStrip = Strip<Groups::template Group, Cell>;
    ThisStrip strip(histograms, tile.values, stepsOf(prepared, typename ThisStrip::Steps()));
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
    const auto bytes = [&](auto groups) {
        using Groups = decltype(groups);
        return std::max(Strip<Groups::template Group, std::uint8_t>::bytes(256),
                        Strip<Groups::template Group, std::uint16_t>::bytes(values));
    };
    return prepared.isDouble() ? withGroups<double>(prepared, bytes)
                               : withGroups<float>(prepared, bytes);
}

template <typename Cell, typename Value>
void walkTile(const Prepared &prepared, const Way &way, const Tile &tile, void *histograms,
              Value *results, std::int64_t stride)
{
    withGroups<Value>(prepared, [&](auto groups) {
        walkStrips<decltype(groups), Cell>(prepared, way, tile, histograms, results, stride);
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
