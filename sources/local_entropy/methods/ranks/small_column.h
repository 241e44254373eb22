// What a pass of small.h does at one column: from cells to ranks, and from these to sums.
#pragma once

#include "local_entropy/methods/ranks/tables.h"
#include "local_entropy/simd/bytes.h"

#include <cstdint>

namespace local_entropy
{
namespace
{

/// W: width of the window; kKeyBytes: see tables.h. What a pass has in registers at column i, and
/// takes along to column i + 1.
template <typename Bytes, int W, int kCellBytes, int kKeyBytes>
class SmallColumn
{
    using V = typename Bytes::Vector;
    static constexpr int kBytes = Bytes::kBytes, P = W - 1;

public:
    static constexpr int kCell = kCellBytes * kBytes; ///< bytes of a column's cells

    [[gnu::always_inline]] inline SmallColumn()
    {
        for (int a = 0; a < W; a++) pairs[a] = weights[a] = Bytes::zero();
    }

    /// Goes to the column with the cells `here`, whose upper ones are `above`. Its W ranks are
    /// added to those in `state` and left there. kFirst: `above` is the same row, and `state` is
    /// not read; kLast: `state` is not written. `table`: the weights.
    template <bool kFirst, bool kLast>
    [[gnu::always_inline]] inline void enter(V table, const std::uint8_t *here,
                                             const std::uint8_t *above, std::uint8_t *state)
    {
        low = Bytes::load(here);
        if constexpr (kCellBytes == 2) high = Bytes::load(here + kBytes);
        sum = before[0] = Bytes::zero();
        if constexpr (kFirst)
            countLeft<1>(above);
        else
            countBefore<-P>(above);
        positions<P, kFirst, kLast>(table, above, state);
    }

    /// The sums over this row of the window that ends here.
    [[gnu::always_inline]] inline V pairsOfRow() const { return pairs[P]; }
    [[gnu::always_inline]] inline V weightsOfRow() const { return weights[P]; }

private:
    /// before + 1 where the cell at distance dx equals the column's.
    template <int dx>
    [[gnu::always_inline]] inline V count(V before, const std::uint8_t *cells) const
    {
        const std::uint8_t *const other = cells + dx * kCell;
        if constexpr (kCellBytes == 1)
            return Bytes::addEqual(before, low, Bytes::load(other));
        else
            return Bytes::addEqual(before, low, Bytes::load(other), high,
                                   Bytes::load(other + kBytes));
    }

    /// A row above, from the left up to distance -1.
    template <int dx>
    [[gnu::always_inline]] inline void countBefore(const std::uint8_t *cells)
    {
        if constexpr (dx < 0) {
            sum = count<dx>(sum, cells);
            before[-dx - 1] = sum;
            countBefore<dx + 1>(cells);
        }
    }

    /// The column's own row: before[a] becomes the rank, equal cells among the a to the left.
    template <int a>
    [[gnu::always_inline]] inline void countLeft(const std::uint8_t *cells)
    {
        if constexpr (a < W) {
            before[a] = count<-a>(before[a - 1], cells);
            countLeft<a + 1>(cells);
        }
    }

    /// Positions a, a - 1, .. 0 of the window: goes on to the right, and each rank moves into the
    /// sums as soon as it is known.
    template <int a, bool kFirst, bool kLast>
    [[gnu::always_inline]] inline void positions(V table, const std::uint8_t *cells,
                                                 std::uint8_t *state)
    {
        if constexpr (a >= 0) {
            V rank;
            if constexpr (kFirst) {
                rank = before[a];
            } else {
                sum = count<P - a>(sum, cells);
                rank = a == P ? sum : Bytes::sub(sum, before[a]);
                rank = Bytes::add(rank, Bytes::load(state + a * kBytes));
            }
            if constexpr (!kLast) Bytes::store(state + a * kBytes, rank);
            const V weight = Bytes::lookUp(table, rank);
            if constexpr (a > 0) {
                if constexpr (kKeyBytes == 2) pairs[a] = Bytes::add(pairs[a - 1], rank);
                weights[a] = Bytes::add(weights[a - 1], weight);
            } else {
                if constexpr (kKeyBytes == 2) pairs[0] = rank;
                weights[0] = weight;
            }
            positions<a - 1, kFirst, kLast>(table, cells, state);
        }
    }

    V low, high;            ///< the column's cells; of two bytes: both
    V sum, before[W];       ///< equal cells from -P up to now, up to distance -a - 1
    V pairs[W], weights[W]; ///< sums of windows that begin at column i - a, so far
};

} // namespace
} // namespace local_entropy
