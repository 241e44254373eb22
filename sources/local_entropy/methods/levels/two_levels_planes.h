// Two levels, look-ups of 64 floats at a time, byte by byte among 128 in two registers: for AVX-512
// with VBMI. Included behind simd/avx512.h and the extension.
//
//   n = min(count, N - count)            the answer is the same
//   least ... most of 64 windows         they are neighbours: nearly always fewer than 128 apart
//   for each of a float's four bytes     byte = permute(plane[least ... least + 127], n - least)
//
// Windows of up to 255 cells have n below 128 and need no least. So content hardly matters: only
// blocks with counts far apart are looked up as two_levels_floats.h does.
#pragma once

#include "local_entropy/methods/levels/two_levels_floats.h"

namespace local_entropy
{
namespace
{

class PlanesOfTwoBlocks
{
public:
    PlanesOfTwoBlocks(const TwoLevelTable &table, int cells)
        : table(table), cells(cells), others(table, cells)
    {
    }

    /// Windows of up to 255 cells.
    [[gnu::always_inline]] inline void block(const std::uint8_t *counts, float *to) const
    {
        const __m512i count = _mm512_loadu_si512(counts);
        const __m512i all = _mm512_set1_epi8(static_cast<char>(cells));
        const __m512i order =
            _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        lookUp(dealt(order, _mm512_min_epu8(count, _mm512_sub_epi8(all, count))), 0, to);
    }

    [[gnu::always_inline]] inline void block(const std::uint16_t *counts, float *to) const
    {
        const __m512i all = _mm512_set1_epi16(static_cast<short>(cells));
        const __m512i a = _mm512_loadu_si512(counts), b = _mm512_loadu_si512(counts + 32);
        const __m512i nA = _mm512_min_epu16(a, _mm512_sub_epi16(all, a));
        const __m512i nB = _mm512_min_epu16(b, _mm512_sub_epi16(all, b));
        const int first = leastOf(_mm512_min_epu16(nA, nB));
        const int last =
            kMost - leastOf(_mm512_sub_epi16(_mm512_set1_epi16(-1), _mm512_max_epu16(nA, nB)));
        if (last - first >= kEntries) return others.block(counts, to);
        const __m512i from = _mm512_set1_epi16(static_cast<short>(first));
        // Packed, the lanes hold windows 0 ... 7 and 32 ... 39, 8 ... 15 and 40 ... 47, and so on.
        const __m512i order =
            _mm512_setr_epi32(0, 8, 2, 10, 1, 9, 3, 11, 4, 12, 6, 14, 5, 13, 7, 15);
        lookUp(dealt(order,
                     _mm512_packus_epi16(_mm512_sub_epi16(nA, from), _mm512_sub_epi16(nB, from))),
               first, to);
    }

private:
    static constexpr int kMost = 65535, kEntries = 128;

    /// Fours of windows in an order in which unpacked floats come to lie one behind the other: lane
    /// l has those from windows 4 l, 16 + 4 l, 32 + 4 l and 48 + 4 l on.
    [[gnu::always_inline]] static inline __m512i dealt(__m512i order, __m512i n)
    {
        return _mm512_maskz_permutexvar_epi32(kAllSixteen, order, n);
    }

    /// The answers of 64 windows, dealt; n: how far behind entry `first` theirs are.
    [[gnu::always_inline]] inline void lookUp(__m512i n, int first, float *to) const
    {
        __m512i byte[4];
        for (int p = 0; p < 4; p++) {
            const std::uint8_t *const entries = table.plane[p].data() + first;
            byte[p] = _mm512_permutex2var_epi8(_mm512_loadu_si512(entries), n,
                                               _mm512_loadu_si512(entries + 64));
        }
        const __m512i low01 = _mm512_unpacklo_epi8(byte[0], byte[1]);
        const __m512i low23 = _mm512_unpacklo_epi8(byte[2], byte[3]);
        const __m512i high01 = _mm512_unpackhi_epi8(byte[0], byte[1]);
        const __m512i high23 = _mm512_unpackhi_epi8(byte[2], byte[3]);
        _mm512_storeu_si512(to, _mm512_unpacklo_epi16(low01, low23));
        _mm512_storeu_si512(to + 16, _mm512_unpackhi_epi16(low01, low23));
        _mm512_storeu_si512(to + 32, _mm512_unpacklo_epi16(high01, high23));
        _mm512_storeu_si512(to + 48, _mm512_unpackhi_epi16(high01, high23));
    }

    /// The least of 32 words.
    [[gnu::always_inline]] static inline int leastOf(__m512i v)
    {
        const __m256i half = _mm256_min_epu16(lowerHalf(v), upperHalf(v));
        const __m128i eight =
            _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        return _mm_cvtsi128_si32(_mm_minpos_epu16(eight)) & kMost;
    }

    const TwoLevelTable &table;
    const int cells;
    const FloatBlocks<false> others;
};

/// Two levels on AVX-512 with VBMI. Where 32 answers are all, two registers hold them as whole
/// floats: no planes need be put together.
inline void fillTwoByPlanes(const BoxTile &tile, const TwoLevelTable &table, const Finish &finish,
                            Scratch &scratch)
{
    if (table.isDouble || finish.cells() < FloatBlocks<true>::kCells)
        fillTwoByFloats(tile, table, finish, scratch);
    else
        fillTwo<Avx512Counters, float>(tile, PlanesOfTwoBlocks(table, finish.cells()), finish,
                                       scratch);
}

} // namespace
} // namespace local_entropy
