// Windows of at most 25 cells, any number of levels: no histogram, no sorting, no branch.
//
// Ranks. The rank of a cell is the number of equal cells before it in its window (rows from the
// top, cells from the left). A level with n cells has the ranks 0 .. n - 1, so sums over the window
// of the ranks, and of w[rank], depend on the counts of its levels only; two such sums modulo 256
// name them, and a table (tables.h) has the result. For example, 3 x 2 cells:
//
//       a b a        ranks   0 0 1      levels a: 0 1 2, b: 0 1, c: 0
//       c b a                0 1 2      sum of ranks 4, sum of weights 3 w0 + 2 w1 + w2
//
// Sharing. Whether a cell equals the cell at some distance is compared once for all windows that
// hold both. Let a cell be at column a and row b of a window of width W; P = W - 1. Its rank is
//
//       the equal ones among the a cells to its left, and
//       for each row d = 1 .. b above: the equal ones at distances -a .. P - a,
//
//                  -P         -a        0         P - a        P      distance
//       row - d     |  before  |=========|===========|         |
//                              rank counts these: a difference of two sums from the left
//
// A *pass* takes a row of cells and a row d above it: 2 W - 1 compares from the left give the W
// ranks (one for each a) of every cell for b = d, made from those for b = d - 1, which are kept
// (`state`). Row y is row b of the windows that begin at row y - b; their sums so far (`sums`) get
// W ranks and weights each. After the pass b = height - 1 the windows that began height - 1 rows
// above are complete.
//
// Lanes. A lane of the vectors walks through a block of the tile (small_band.h), column by column;
// byte lanes are enough since ranks are below 25. So the neighbour to the right is in the same
// lane of the next vector: all loads are aligned, nothing is shuffled. 32 columns, 4 lanes:
//
//       image  |----block 0----|----block 1----|----block 2----|----block 3----|
//       vector i = { column i of block 0, of block 1, of block 2, of block 3 }
//
// 16 x 16 transposes of bytes lead from rows of an image to such vectors (small_load.h) and back
// (small_results.h). Cells of two bytes are two vectors. The sums of a window over its W columns
// slide through registers: what begins at column i - a gets its cell a at column i
// (small_column.h).
//
// Instructions for a vector of results, 5 x 5, bytes (AVX-512: 64 results; AVX2: 32):
//       40 compares, 40 additions of their outcomes, 4 x 9 for the differences and the ranks,
//       24 look-ups of weights, 2 x 24 + 8 additions of sums; 75 loads, 45 stores; an eighth more
//       since a block of 32 columns needs 36; transposes 15; and 4.5 a result for its look-up in
//       the table, which is done piece by piece between the vector instructions of the next row.
#pragma once

#include "local_entropy/methods/ranks/small_band.h"
#include "local_entropy/methods/ranks/small_column.h"
#include "local_entropy/methods/ranks/small_load.h"
#include "local_entropy/methods/ranks/small_results.h"

#include <cstdint>

namespace local_entropy
{
namespace
{

/// One band of a tile. W: width of the window; kKeyBytes: see tables.h.
template <typename Bytes, int W, int kCellBytes, int kKeyBytes>
class SmallRanks
{
    using V = typename Bytes::Vector;
    using Column = SmallColumn<Bytes, W, kCellBytes, kKeyBytes>;
    static constexpr int kBytes = Bytes::kBytes, P = W - 1;
    static constexpr int kMostCells = kKeyBytes == 1 ? kByteCells : kSmallCells;

public:
    SmallRanks(const SmallTile &tile, const SmallBand &band)
        : tile(tile), band(band), memory(band.memory),
          weights(Bytes::table(rankWeights(tile.width * tile.height))), results(tile, band)
    {
    }

    void run()
    {
        const int height = tile.height;
        for (std::int64_t y = 0; y < band.rows + height - 1; y++) {
            loadRow<Bytes>(tile, band, y, row(slot));
            if (height == 1) {
                pass<true, true>(0);
            } else if constexpr (2 * W <= kMostCells) {
                pass<true, false>(0);
                for (int b = 1; b < height - 1 && b <= y; b++) pass<false, false>(b);
                if (y >= height - 1) pass<false, true>(height - 1);
            }
            results.finish();
            slot = slot + 1 < height ? slot + 1 : 0;
            if (y >= height - 1)
                results.begin(y - height + 1, memory.sums + slot * memory.sumBytes);
        }
        results.finish();
    }

private:
    /// Column 0 of the row in a slot; P more are allocated on both sides, whose contents do not
    /// matter: they take part in sums of which differences are used that do not hold them.
    std::uint8_t *row(int slot) const
    {
        return memory.rows + slot * memory.rowBytes + P * Column::kCell;
    }

    /// The last row with the row b above. kFirst: b is 0; kLast: b is height - 1.
    template <bool kFirst, bool kLast>
    void pass(int b)
    {
        const int upper = slot >= b ? slot - b : slot - b + tile.height;
        const std::uint8_t *here = row(slot), *above = row(upper);
        std::uint8_t *state = memory.state, *sums = memory.sums + upper * memory.sumBytes;
        const std::int64_t plane = memory.planeBytes;
        SmallLookUps<Bytes> lookUps = results.left;
        Column column;
        for (int i = band.columns + P; i > 0; i--) {
            column.template enter<kFirst, kLast>(weights, here, above, state);
            V pairSum = column.pairsOfRow(), weightSum = column.weightsOfRow();
            if constexpr (!kFirst) {
                if constexpr (kKeyBytes == 2)
                    pairSum = Bytes::add(pairSum, Bytes::load(sums + plane));
                weightSum = Bytes::add(weightSum, Bytes::load(sums));
            }
            if constexpr (kKeyBytes == 2) Bytes::store(sums + plane, pairSum);
            Bytes::store(sums, weightSum);
            here += Column::kCell, above += Column::kCell, state += W * kBytes;
            sums += kBytes;
            if constexpr (kKeyBytes == 2 && !kFirst)
                if (lookUps.pending()) lookUps.lookUpNextWords(results.full);
        }
        results.left = lookUps;
    }

    const SmallTile &tile;
    const SmallBand &band;
    const SmallMemory memory;
    const V weights; ///< a table
    SmallResults<Bytes, kKeyBytes> results;
    int slot = 0; ///< of the last row: of its cells, and of the sums of windows that begin there
};

template <typename Bytes, int W, int kCellBytes, int kKeyBytes>
void smallTileOf(const SmallTile &tile, std::uint8_t *scratch)
{
    for (std::int64_t x = 0; x < tile.columns;) {
        SmallBand band;
        x += cutBand(tile, Bytes::kBytes, x, band, scratch);
        SmallRanks<Bytes, W, kCellBytes, kKeyBytes>(tile, band).run();
    }
}

/// The kernel for a window's width: W or more.
template <typename Bytes, int W = 1>
void smallTile(const SmallTile &tile, std::uint8_t *scratch)
{
    if constexpr (W < kSmallCells)
        if (tile.width > W) return smallTile<Bytes, W + 1>(tile, scratch);
    if constexpr (W <= kByteCells)
        if (keyBytes(tile.width * tile.height) == 1)
            return tile.cellBytes == 1 ? smallTileOf<Bytes, W, 1, 1>(tile, scratch)
                                       : smallTileOf<Bytes, W, 2, 1>(tile, scratch);
    return tile.cellBytes == 1 ? smallTileOf<Bytes, W, 1, 2>(tile, scratch)
                               : smallTileOf<Bytes, W, 2, 2>(tile, scratch);
}

} // namespace
} // namespace local_entropy
