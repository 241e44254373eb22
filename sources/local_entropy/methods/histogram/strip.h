// A strip: sixteen neighbouring windows walk down a tile together, so that a row of their results
// is written at once, a cache line of floats.
#pragma once

#include "local_entropy/methods/histogram/packed.h"
#include "local_entropy/problem/problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace local_entropy
{
namespace
{

constexpr int kStripColumns = 16;

/// Rows of sums that are kept before they are finished. The finishing step reads vectors of sums;
/// it would wait for sums that have just been stored one by one.
constexpr int kBatch = 8;

/// A run in the cells of a tile: where it begins, from the window's corner.
struct PlacedRun
{
    std::ptrdiff_t offset;
    int length;
};

/// What walks down the strips of one tile.
template <typename Packing, typename Cell, typename Sum>
class Strip
{
public:
    using Word = typename Packing::Word;
    static constexpr int kGroups = kStripColumns / Packing::kColumns;
    static constexpr int kAllPacks = kGroups * Packing::kPacks;

    /// Words from a pack to the next. A cache line more than the levels need: two levels of two
    /// packs whose addresses differ by a multiple of 4096 bytes look like one to the processor,
    /// which then waits for a store that it need not wait for.
    static constexpr int kPadding = 64 / sizeof(Word);
    static constexpr int kFixedStride = sizeof(Cell) == 1 ? 256 + kPadding : 0;
    static std::size_t packStride(int values)
    {
        return kFixedStride ? kFixedStride : values + kPadding;
    }

    static std::size_t bytes(int values) { return sizeof(Word) * packStride(values) * kAllPacks; }

    /// `counts`: bytes(values) of zeros, zeros again after every walk. `steps[n]`: F(n) - F(n - 1).
    Strip(void *counts, int values, const Sum *steps)
        : counts(static_cast<Word *>(counts)), values(values), stride(packStride(values)),
          steps(steps)
    {
    }

    /// Cells of windows that are at `cells` in their first row, for `height` rows of results.
    /// finish(y, sums) gets the 16 sums of row y. Reads kStripColumns - 1 columns more than the
    /// first window.
    template <typename Finish>
    void walk(const Cell *cells, std::ptrdiff_t cellStride, std::int64_t height, const Shape &shape,
              const std::vector<PlacedRun> &all, const std::vector<PlacedRun> &gained,
              const std::vector<PlacedRun> &lost, const Finish &finish)
    {
        for (Sum &sum : sums[0]) sum = 0;
        for (int group = 0; group < kGroups; ++group)
            moveGroup<true>(group, cells, all, sums[0], sums[0]);
        for (std::int64_t y = 0;;) {
            const std::int64_t begin = y, end = std::min(y + kBatch, height);
            for (y = std::max<std::int64_t>(y, 1); y < end; ++y) {
                cells += cellStride;
                step(cells, gained, lost, sums[(y - 1) % kBatch], sums[y % kBatch]);
            }
            for (std::int64_t row = begin; row < end; ++row) finish(row, sums[row % kBatch]);
            if (end == height) break;
        }
        clear(cells, cellStride, shape);
    }

private:
    using Histograms = Group<Packing, Sum, kFixedStride>;

    /// Sums of a group's windows: `to` is `from`, and the runs.
    template <bool kEnters>
    void moveGroup(int group, const Cell *cells, const std::vector<PlacedRun> &runs,
                   const Sum *from, Sum *to)
    {
        const Histograms histograms{counts + group * Packing::kPacks * stride, stride,
                                    kEnters ? steps + 1 : steps};
        const int first = group * Packing::kColumns;
        moveRuns<kEnters>(histograms, cells + first, runs.data(), runs.data() + runs.size(),
                          from + first, to + first);
    }

    /// A function of its own: as little as possible to keep in registers beside the sums.
    template <bool kEnters>
    [[gnu::noinline]] static void moveRuns(const Histograms histograms, const Cell *cells,
                                           const PlacedRun *run, const PlacedRun *end,
                                           const Sum *from, Sum *to)
    {
        constexpr int kColumns = Packing::kColumns;
        Sum sums[kColumns];
        for (int i = 0; i < kColumns; ++i) sums[i] = scalar(from[i]);
        for (; run != end; ++run)
            moveRun<kEnters>(histograms, cells + run->offset, run->length, sums);
        for (int i = 0; i < kColumns; ++i) to[i] = scalar(sums[i]);
    }

    /// What is lost leaves before what is gained enters: no count is ever above a window's cells.
    void step(const Cell *cells, const std::vector<PlacedRun> &gained,
              const std::vector<PlacedRun> &lost, const Sum *from, Sum *to)
    {
        for (int group = 0; group < kGroups; ++group) {
            moveGroup<false>(group, cells, lost, from, to);
            moveGroup<true>(group, cells, gained, to, to);
        }
    }

    /// Zeros: everywhere where levels are few, else the words of the cells of the last windows.
    void clear(const Cell *cells, std::ptrdiff_t cellStride, const Shape &shape)
    {
        const int columns = shape.width + Packing::kWindows - 1;
        if (values <= columns * shape.height) {
            std::memset(counts, 0, bytes(values));
            return;
        }
        for (int pack = 0; pack < kAllPacks; ++pack, cells += Packing::kWindows)
            for (int y = 0; y < shape.height; ++y)
                for (int x = 0; x < columns; ++x)
                    counts[pack * stride + cells[y * cellStride + x]] = 0;
    }

    Word *counts;
    int values;
    std::size_t stride;
    const Sum *steps;
    Sum sums[kBatch][kStripColumns];
};

} // namespace
} // namespace local_entropy
