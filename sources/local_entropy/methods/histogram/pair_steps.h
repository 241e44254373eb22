// What a cell adds to the sums of two neighbouring windows, by one look-up.
//
// Neighbouring windows share nearly all cells, so their counts n and m of a level are never far
// apart: |m - n| <= reach, see reachOf(). Then
//
//     index = n (width - 1) + m = n width + (m - n),    width = 2 reach + 1,
//
// is another number for each (n, m), and a table of (cells + 1) width + reach + 1 entries holds
// what both windows' sums gain if a cell enters both: F(n + 1) - F(n) and F(m + 1) - F(m). An index
// is a counter itself: a cell that enters both windows adds `width` to it, one that enters the left
// window only adds width - 1, and the right one only, 1.
#pragma once

#include "local_entropy/methods/histogram/edges.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

/// The two steps of an index.
struct alignas(16) PairStep
{
    std::int64_t left, right;
};

/// How far the counts of neighbouring windows are apart at most.
int reachOf(const Shape &shape, const Edges &edges);

class PairSteps
{
public:
    static constexpr int kPairs = 4, kWindows = 2 * kPairs;
    using Index = std::uint16_t;
    using Word = std::uint64_t; ///< four indices, of 16 bits; the first pair's is the lowest

    PairSteps() = default;

    /// What unit() would be.
    static int unitFor(int cells, int reach);

    /// `steps[n]`: F(n) - F(n - 1), n = 0 .. cells. Empty if indices do not fit 16 bits.
    PairSteps(int cells, int reach, const std::vector<std::int64_t> &steps);

    bool empty() const { return table.empty(); }

    /// Indices are kept as multiples of this: 2 where that fits, as a processor then finds the
    /// entry (16 bytes) at 8 times what it has loaded, without a shift; else 1. 0 if empty.
    int unit() const { return unitOfIndex; }

    /// enters()[index]: a cell enters both windows, which had n and m cells of its level before.
    const PairStep *enters() const { return table.data() + width; }
    /// leaves()[index]: it leaves. Before it did, windows had one cell more.
    const PairStep *leaves() const { return table.data(); }

    /// What is added to a word if a cell enters windows first .. last of its eight.
    Word added(int first, int last) const { return addedTo[first][last]; }

private:
    int width = 0, unitOfIndex = 0;
    std::vector<PairStep> table;
    Word addedTo[kWindows][kWindows] = {};
};

} // namespace local_entropy
