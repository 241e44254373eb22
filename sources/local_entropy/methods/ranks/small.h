#pragma once

#include "local_entropy/methods/ranks/small_band.h"
#include "local_entropy/simd/bytes.h"

#include <cstdint>

namespace local_entropy
{
namespace
{

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

    std::uint8_t *row(std::int64_t y) const
    {
        return memory.rows + y % tile.height * memory.rowBytes + P * kCell;
    }

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

    struct Column
    {
        V pairs[W], weights[W];
        V before[W];
        V sum, low, high;
    };

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

    template <int dx>
    [[gnu::always_inline]] inline void countBefore(Column &c, const std::uint8_t *cells) const
    {
        if constexpr (dx < 0) {
            c.sum = count<dx>(c, c.sum, cells);
            c.before[-dx - 1] = c.sum;
            countBefore<dx + 1>(c, cells);
        }
    }

    template <int a>
    [[gnu::always_inline]] inline void countLeft(Column &c, const std::uint8_t *cells) const
    {
        if constexpr (a < W) {
            c.before[a] = count<-a>(c, c.before[a - 1], cells);
            countLeft<a + 1>(c, cells);
        }
    }

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
        next = memory.units;
        if (tile.absent || band.columns < 16) lookUpWithAbsent(y);
    }

    bool pending() const { return next < end; }

    [[gnu::always_inline]] inline void lookUpNext()
    {
        const std::uint8_t *const keys = memory.codes + next->keys;
        float *const to = resultRow + next->result;
        next++;
        if constexpr (kKeyBytes == 1) {
            Bytes::lookUp32(full, keys, to);
        } else {
            lookUpWords(full, keys, to);
            lookUpWords(full, keys + kBytes, to + 8);
        }
    }

    [[gnu::noinline]] void lookUpWithAbsent(std::int64_t y)
    {
        const int n = band.columns < 16 ? band.columns : 16;
        for (; next < end; next++) {
            const std::uint16_t *const absent =
                tile.absent ? tile.absent + y * tile.absentStride + next->absent : nullptr;
            for (int k = 0; k < n; k++) {
                const std::uint8_t *key = memory.codes + next->keys;
                unsigned weights, pairs = 0;
                if constexpr (kKeyBytes == 2) {
                    key += k / 8 * kBytes + k % 8 * 2;
                    weights = key[0], pairs = key[1];
                } else {
                    weights = key[k] & 31;
                }
                resultRow[next->result + k] =
                    absent && absent[k] ? tile.table->withAbsent(pairs, weights, absent[k])
                                        : full[pairs << 8 | weights];
            }
        }
    }

    const SmallTile &tile;
    const SmallBand &band;
    const SmallMemory memory;
    const V table;
    const float *const full;
    const SmallUnit *next, *const end; ///< the look-ups that are left of the last row
    float *resultRow = nullptr;
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
