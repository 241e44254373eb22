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
// 16 x 16 transposes of bytes lead from rows of an image to such vectors (load) and back (emit).
// Cells of two bytes are two vectors. The sums of a window over its W columns slide through
// registers: what begins at column i - a gets its cell a at column i (`sumUp`).
//
// Instructions for a vector of results, 5 x 5, bytes (AVX-512: 64 results; AVX2: 32):
//       40 compares, 40 additions of their outcomes, 4 x 9 for the differences and the ranks,
//       24 look-ups of weights, 2 x 24 + 8 additions of sums; 75 loads, 45 stores; an eighth more
//       since a block of 32 columns needs 36; transposes 15; and 4.5 a result for its look-up in
//       the table, which is done piece by piece between the vector instructions of the next row.
#pragma once

#include "local_entropy/methods/ranks/small_band.h"
#include "local_entropy/simd/bytes.h"

#include <cstdint>
#include <cstring>

namespace local_entropy
{
namespace
{

/// One band of a tile. W: width of the window; kKeyBytes: see tables.h.
template <typename Bytes, int W, int kCellBytes, int kKeyBytes>
class SmallRanks
{
    using V = typename Bytes::Vector;
    static constexpr int kBytes = Bytes::kBytes, P = W - 1;
    static constexpr int kCell = kCellBytes * kBytes;
    static constexpr int kMostCells = kKeyBytes == 1 ? kByteCells : kSmallCells;

public:
    SmallRanks(const SmallTile &tile, const SmallBand &band)
        : tile(tile), band(band), memory(band.memory),
          table(Bytes::table(rankWeights(tile.width * tile.height))), full(tile.table->full()),
          next(memory.units + band.blocks * band.groups), end(next)
    {
    }

    void run()
    {
        const int height = tile.height;
        for (std::int64_t y = 0; y < band.rows + height - 1; y++) {
            load(y);
            if (height == 1) {
                pass<true, true>(y, 0);
            } else if constexpr (2 * W <= kMostCells) {
                pass<true, false>(y, 0);
                for (int b = 1; b < height - 1 && b <= y; b++) pass<false, false>(y, b);
                if (y >= height - 1) pass<false, true>(y, height - 1);
            }
            while (pending()) lookUpNext();
            if (y >= height - 1) emit(y - height + 1);
        }
        while (pending()) lookUpNext();
    }

private:
    // ---- input ---------------------------------------------------------------------------------

    /// Column 0 of row y; P more are allocated on both sides, whose contents do not matter: they
    /// take part in sums of which differences are used that do not hold them.
    std::uint8_t *row(std::int64_t y) const
    {
        return memory.rows + y % tile.height * memory.rowBytes + P * kCell;
    }

    /// 16 bytes of each block at a time; the last ones end with the block, nothing behind is read.
    void load(std::int64_t y)
    {
        const std::uint8_t *const from = tile.cells + y * tile.stride;
        std::uint8_t *const to = row(y);
        const int bytes = (band.columns + P) * kCellBytes;
        for (int byte = 0;;) {
            V v[16];
            for (int k = 0; k < 16; k++) v[k] = Bytes::loadBlocks(from + byte, band.cellOffset + k);
            transpose16<Bytes>(v);
            for (int k = 0; k < 16; k++) Bytes::store(to + (byte + k) * kBytes, v[k]);
            if (byte + 16 >= bytes) break;
            byte = byte + 32 <= bytes || bytes < 16 ? byte + 16 : bytes - 16;
        }
    }

    // ---- ranks ---------------------------------------------------------------------------------

    /// What a pass has in registers at column i.
    struct Column
    {
        V low, high;            ///< its cells; of two bytes: both
        V sum, before[W];       ///< equal cells from -P up to now, up to distance -a - 1
        V pairs[W], weights[W]; ///< sums of windows that begin at column i - a, so far
    };

    /// sum + 1 where the cell at distance dx equals the column's.
    template <int dx>
    [[gnu::always_inline]] static inline V count(const Column &c, V sum, const std::uint8_t *cells)
    {
        const std::uint8_t *const other = cells + dx * kCell;
        if constexpr (kCellBytes == 1)
            return Bytes::addEqual(sum, c.low, Bytes::load(other));
        else
            return Bytes::addEqual(sum, c.low, Bytes::load(other), c.high,
                                   Bytes::load(other + kBytes));
    }

    /// A row above, from the left up to distance -1.
    template <int dx>
    [[gnu::always_inline]] inline void countBefore(Column &c, const std::uint8_t *cells) const
    {
        if constexpr (dx < 0) {
            c.sum = count<dx>(c, c.sum, cells);
            c.before[-dx - 1] = c.sum;
            countBefore<dx + 1>(c, cells);
        }
    }

    /// The column's own row: before[a] becomes the rank, equal cells among the a to the left.
    template <int a>
    [[gnu::always_inline]] inline void countLeft(Column &c, const std::uint8_t *cells) const
    {
        if constexpr (a < W) {
            c.before[a] = count<-a>(c, c.before[a - 1], cells);
            countLeft<a + 1>(c, cells);
        }
    }

    /// Positions a, a - 1, .. 0 of the window: goes on to the right, and each rank moves into the
    /// sums as soon as it is known.
    template <int a, bool kFirst, bool kLast>
    [[gnu::always_inline]] inline void positions(Column &c, const std::uint8_t *cells,
                                                 std::uint8_t *state) const
    {
        if constexpr (a >= 0) {
            V rank;
            if constexpr (kFirst) {
                rank = c.before[a];
            } else {
                c.sum = count<P - a>(c, c.sum, cells);
                rank = a == P ? c.sum : Bytes::sub(c.sum, c.before[a]);
                rank = Bytes::add(rank, Bytes::load(state + a * kBytes));
            }
            if constexpr (!kLast) Bytes::store(state + a * kBytes, rank);
            const V weight = Bytes::lookUp(table, rank);
            if constexpr (a > 0) {
                if constexpr (kKeyBytes == 2) c.pairs[a] = Bytes::add(c.pairs[a - 1], rank);
                c.weights[a] = Bytes::add(c.weights[a - 1], weight);
            } else {
                if constexpr (kKeyBytes == 2) c.pairs[0] = rank;
                c.weights[0] = weight;
            }
            positions<a - 1, kFirst, kLast>(c, cells, state);
        }
    }

    /// Row y with the row b above. kFirst: b is 0; kLast: b is height - 1.
    template <bool kFirst, bool kLast>
    void pass(std::int64_t y, int b)
    {
        const std::uint8_t *here = row(y), *above = row(y - b);
        std::uint8_t *state = memory.state;
        const int slot = static_cast<int>((y + tile.height - b) % tile.height);
        std::uint8_t *sums = memory.sums + slot * memory.sumBytes;
        std::uint8_t *keys = kLast ? memory.keys : sums;
        const std::int64_t plane = memory.planeBytes;
        Column c;
        for (int a = 0; a < W; a++) c.pairs[a] = c.weights[a] = Bytes::zero();
        for (int i = band.columns + P; i > 0; i--) {
            c.low = Bytes::load(here);
            if constexpr (kCellBytes == 2) c.high = Bytes::load(here + kBytes);
            c.sum = c.before[0] = Bytes::zero();
            if constexpr (kFirst)
                countLeft<1>(c, above);
            else
                countBefore<-P>(c, above);
            positions<P, kFirst, kLast>(c, above, state);
            V pairs = c.pairs[P], weights = c.weights[P];
            if constexpr (!kFirst) {
                if constexpr (kKeyBytes == 2) pairs = Bytes::add(pairs, Bytes::load(sums + plane));
                weights = Bytes::add(weights, Bytes::load(sums));
            }
            if constexpr (kKeyBytes == 2) Bytes::store(keys + plane, pairs);
            Bytes::store(keys, weights);
            here += kCell, above += kCell, state += W * kBytes, sums += kBytes, keys += kBytes;
            if constexpr (!kFirst)
                if (pending()) lookUpNext();
        }
    }

    // ---- results -------------------------------------------------------------------------------

    /// From sums to the codes of row y's results, 16 of a block together; their look-up begins.
    void emit(std::int64_t y)
    {
        std::uint8_t *to = memory.codes;
        for (int group = 0; group < band.groups; group++) {
            const std::uint8_t *const from = memory.keys + (P + band.groupColumn(group)) * kBytes;
            V v[16], u[16];
            for (int k = 0; k < 16; k++) v[k] = Bytes::load(from + k * kBytes);
            transpose16<Bytes>(v);
            if constexpr (kKeyBytes == 2) {
                for (int k = 0; k < 16; k++)
                    u[k] = Bytes::load(from + memory.planeBytes + k * kBytes);
                transpose16<Bytes>(u);
            }
            for (int k = 0; k < 16; k++, to += kKeyBytes * kBytes) {
                if constexpr (kKeyBytes == 2) {
                    Bytes::store(to, Bytes::unpackLow(v[k], u[k]));
                    Bytes::store(to + kBytes, Bytes::unpackHigh(v[k], u[k]));
                } else {
                    Bytes::store(to, v[k]);
                }
            }
        }
        resultRow = tile.result + y * tile.resultStride;
        ahead = y + 1 < band.rows ? tile.resultStride : 0;
        next = memory.units;
        if (tile.absent || band.columns < 16) lookUpWithAbsent(y);
    }

    bool pending() const { return next < end; }

    /// 16 results.
    [[gnu::always_inline]] inline void lookUpNext()
    {
        const std::uint8_t *const keys = memory.codes + next->keys;
        float *const to = resultRow + next->result;
        __builtin_prefetch(to + ahead, 1);
        next++;
        if constexpr (kKeyBytes == 1) {
            Bytes::lookUp32(full, keys, to);
        } else {
            lookUpWords(full, keys, to);
            lookUpWords(full, keys + kBytes, to + 8);
        }
    }

    /// All of row y, where cells may be absent or blocks are narrower than 16 results.
    [[gnu::noinline]] void lookUpWithAbsent(std::int64_t y)
    {
        const int n = band.columns < 16 ? band.columns : 16;
        while (pending()) {
            const std::uint16_t *const absent =
                tile.absent ? tile.absent + y * tile.absentStride + next->absent : nullptr;
            if (n == 16 && allZero(absent)) {
                lookUpNext();
                continue;
            }
            for (int k = 0; k < n; k++) resultRow[next->result + k] = single(k, absent);
            next++;
        }
    }

    static bool allZero(const std::uint16_t *absent)
    {
        std::uint64_t four[4];
        std::memcpy(four, absent, sizeof four);
        return (four[0] | four[1] | four[2] | four[3]) == 0;
    }

    /// Result k of the next 16.
    float single(int k, const std::uint16_t *absent) const
    {
        const std::uint8_t *key = memory.codes + next->keys;
        unsigned weights, pairs = 0;
        if constexpr (kKeyBytes == 2) {
            key += k / 8 * kBytes + k % 8 * 2;
            weights = key[0], pairs = key[1];
        } else {
            weights = key[k] & 31;
        }
        return absent && absent[k] ? tile.table->withAbsent(pairs, weights, absent[k])
                                   : full[pairs << 8 | weights];
    }

    const SmallTile &tile;
    const SmallBand &band;
    const SmallMemory memory;
    const V table;
    const float *const full;
    const SmallUnit *next, *const end; ///< the look-ups that are left of the last row
    float *resultRow = nullptr;
    std::int64_t ahead = 0; ///< floats from a result to the one below, which is fetched
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
