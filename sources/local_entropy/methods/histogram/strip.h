// A strip: sixteen neighbouring windows walk down a tile together, so that a row of their results
// is written at once, a cache line of floats.
#pragma once

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

/// What walks down the strips of one tile. Group<stride>: PackedGroup or PairGroup.
template <template <int> typename Group, typename Cell>
class Strip
{
public:
    using Some = Group<0>;
    using Word = typename Some::Word;
    using Sum = typename Some::Sum;
    using Steps = typename Some::Steps;
    static constexpr int kGroups = kStripColumns / Some::kColumns;
    static constexpr int kAllPacks = kGroups * Some::kPacks;

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

    /// `counts`: bytes(values) of zeros, zeros again after every walk.
    Strip(void *counts, int values, Steps steps)
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
        step(cells, Runs({}), Runs(all), sums[0], sums[0]);
        for (std::int64_t y = 0;;) {
            const std::int64_t begin = y, end = std::min(y + kBatch, height);
            for (y = std::max<std::int64_t>(y, 1); y < end; ++y) {
                cells += cellStride;
                step(cells, Runs(lost), Runs(gained), sums[(y - 1) % kBatch], sums[y % kBatch]);
            }
            for (std::int64_t row = begin; row < end; ++row) finish(row, sums[row % kBatch]);
            if (end == height) break;
        }
        clear(cells, cellStride, shape);
    }

private:
    struct Runs
    {
        const PlacedRun *begin, *end;
        explicit Runs(const std::vector<PlacedRun> &runs)
            : begin(runs.data()), end(runs.data() + runs.size())
        {
        }
    };

    /// A row further down, for all groups: `to` is `from`, less what is lost, and what is gained.
    /// What is lost leaves first: no count is ever above a window's cells.
    void step(const Cell *cells, const Runs &lost, const Runs &gained, const Sum *from, Sum *to)
    {
        for (int group = 0; group < kGroups; ++group) {
            const int first = group * Some::kColumns;
            stepGroup({counts + group * Some::kPacks * stride, stride, steps}, cells + first, lost,
                      gained, from + first, to + first);
        }
    }

    /// A function of its own: as little as possible to keep in registers beside the sums.
    [[gnu::noinline]] static void stepGroup(const Group<kFixedStride> group, const Cell *cells,
                                            const Runs &lost, const Runs &gained, const Sum *from,
                                            Sum *to)
    {
        typename Group<kFixedStride>::Sums sums;
        group.load(sums, from);
        for (const PlacedRun *run = lost.begin; run != lost.end; ++run)
            group.template moveRun<false>(cells + run->offset, run->length, sums);
        for (const PlacedRun *run = gained.begin; run != gained.end; ++run)
            group.template moveRun<true>(cells + run->offset, run->length, sums);
        group.store(sums, to);
    }

    /// Zeros: everywhere where levels are few, else the words of the cells of the last windows.
    void clear(const Cell *cells, std::ptrdiff_t cellStride, const Shape &shape)
    {
        const int columns = shape.width + Some::kWindows - 1;
        if (values <= columns * shape.height) {
            std::memset(counts, 0, bytes(values));
            return;
        }
        for (int pack = 0; pack < kAllPacks; ++pack, cells += Some::kWindows)
            for (int y = 0; y < shape.height; ++y)
                for (int x = 0; x < columns; ++x)
                    counts[pack * stride + cells[y * cellStride + x]] = 0;
    }

    Word *counts;
    int values;
    std::size_t stride;
    Steps steps;
    alignas(16) Sum sums[kBatch][kStripColumns];
};

} // namespace
} // namespace local_entropy
