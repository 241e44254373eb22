// The end of small.h: sums become results.
//
// Keys of one byte have 32 results, which vector registers hold. Those of two bytes are looked up
// in memory, one by one, for which processors have other units than for vectors: so a row's
// look-ups are done piece by piece between the vector instructions of the next row.
//
// A processor that writes into memory waits for the line of the cache first. The line that the row
// below will need is fetched ahead, when a result is written.
#pragma once

#include "local_entropy/methods/ranks/small_band.h"
#include "local_entropy/simd/bytes.h"

#include <cstdint>
#include <cstring>

namespace local_entropy
{
namespace
{

/// The look-ups that are left of a row, 16 results each. Small, so that a loop can have its own
/// copy in registers.
template <typename Bytes>
struct SmallLookUps
{
    const SmallUnit *next = nullptr, *end = nullptr;
    const std::uint8_t *codes = nullptr;
    float *row = nullptr;
    std::int64_t below = 0; ///< floats from a result to the one in the row below; 0: there is none

    [[gnu::always_inline]] inline bool pending() const { return next < end; }

    /// Keys of two bytes.
    [[gnu::always_inline]] inline void lookUpNextWords(const float *table)
    {
        float *const to = beginNext();
        lookUpWords(table, codes + next->keys, to);
        lookUpWords(table, codes + next->keys + Bytes::kBytes, to + 8);
        next++;
    }

    /// Keys of one byte.
    [[gnu::always_inline]] inline void lookUpNextBytes(const typename Bytes::Table32 &table)
    {
        float *const to = beginNext();
        Bytes::lookUp32(table, codes + next->keys, to);
        next++;
    }

private:
    [[gnu::always_inline]] inline float *beginNext() const
    {
        float *const to = row + next->result;
        __builtin_prefetch(to + below, 1);
        return to;
    }
};

template <typename Bytes, int kKeyBytes>
class SmallResults
{
    using V = typename Bytes::Vector;
    static constexpr int kBytes = Bytes::kBytes;

public:
    SmallResults(const SmallTile &tile, const SmallBand &band)
        : full(tile.table->full()), tile(tile), band(band), memory(band.memory)
    {
    }

    /// The sums of the windows of row y are complete: the look-up of its results begins.
    [[gnu::noinline]] void begin(std::int64_t y, const std::uint8_t *sums)
    {
        arrange(sums);
        left.next = memory.units;
        left.end = memory.units + band.blocks * band.groups;
        left.codes = memory.codes;
        left.row = tile.result + y * tile.resultStride;
        left.below = y + 1 < band.rows ? tile.resultStride : 0;
        if (tile.absent || band.columns < 16)
            finishWithAbsent(y);
        else if constexpr (kKeyBytes == 1)
            finish();
    }

    /// All that are left.
    [[gnu::noinline]] void finish()
    {
        SmallLookUps<Bytes> here = left;
        if constexpr (kKeyBytes == 1) {
            const typename Bytes::Table32 table = Bytes::table32(full);
            while (here.pending()) here.lookUpNextBytes(table);
        } else {
            while (here.pending()) here.lookUpNextWords(full);
        }
        left = here;
    }

    SmallLookUps<Bytes> left;
    const float *const full; ///< results of windows of which all cells count

private:
    /// From sums, a lane a block, to codes: keys of 16 results of a block together.
    void arrange(const std::uint8_t *sums)
    {
        std::uint8_t *to = memory.codes;
        for (int group = 0; group < band.groups; group++) {
            const std::uint8_t *const from =
                sums + (tile.width - 1 + band.groupColumn(group)) * kBytes;
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
    }

    /// All of row y, where cells may be absent or blocks are narrower than 16 results.
    [[gnu::noinline]] void finishWithAbsent(std::int64_t y)
    {
        const int n = band.columns < 16 ? band.columns : 16;
        for (; left.pending(); left.next++) {
            const SmallUnit &unit = *left.next;
            const std::uint16_t *const absent =
                tile.absent ? tile.absent + y * tile.absentStride + unit.absent : nullptr;
            if (n == 16 && allZero(absent)) {
                SmallLookUps<Bytes> here = left;
                if constexpr (kKeyBytes == 1)
                    here.lookUpNextBytes(Bytes::table32(full));
                else
                    here.lookUpNextWords(full);
                continue;
            }
            for (int k = 0; k < n; k++) left.row[unit.result + k] = single(unit, k, absent);
        }
    }

    static bool allZero(const std::uint16_t *absent)
    {
        std::uint64_t four[4];
        std::memcpy(four, absent, sizeof four);
        return (four[0] | four[1] | four[2] | four[3]) == 0;
    }

    /// Result k of a unit.
    float single(const SmallUnit &unit, int k, const std::uint16_t *absent) const
    {
        const std::uint8_t *key = memory.codes + unit.keys;
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
};

} // namespace
} // namespace local_entropy
