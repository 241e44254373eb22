// Two levels, look-ups of 64 floats at a time among 32 in two registers: for AVX-512. Included
// behind simd/avx512.h.
//
//   n = min(count, N - count)            the answer is the same
//   least ... most of 64 windows         they are neighbours: far fewer numbers than N / 2
//   for first = least, + 32, ... most    windows with first <= n < first + 32 take
//                                        permute(table[first ... first + 31], n - first)
#pragma once

#include "local_entropy/methods/levels/two_levels_kernel.h"
#include "local_entropy/simd/arithmetic_avx512.h"

namespace local_entropy
{
namespace
{

/// kSmall: N < kCells, so that the first 32 answers are all.
template <bool kSmall>
class FloatBlocks
{
public:
    static constexpr int kCells = 64;

    FloatBlocks(const TwoLevelTable &table, int cells) : table(table.floats.data()), cells(cells) {}

    template <class Count>
    [[gnu::always_inline]] inline void block(const Count *counts, float *to) const
    {
        const __m512i all = _mm512_set1_epi32(cells);
        __m512i n[4];
        for (int q = 0; q < 4; q++) {
            const __m512i wide = widen(counts + 16 * q);
            n[q] = least(wide, _mm512_sub_epi32(all, wide));
        }
        if constexpr (kSmall) {
            const __m512 low = _mm512_loadu_ps(table), high = _mm512_loadu_ps(table + 16);
            for (int q = 0; q < 4; q++)
                _mm512_storeu_ps(to + 16 * q, _mm512_permutex2var_ps(low, n[q], high));
        } else {
            const unsigned first = leastOf(least(least(n[0], n[1]), least(n[2], n[3])));
            const __m512i large = most(most(n[0], n[1]), most(n[2], n[3]));
            const unsigned last =
                kMost - leastOf(_mm512_sub_epi32(_mm512_set1_epi32(kMost), large));
            if (last - first < kWorthIt)
                lookUp(n, first, last, to);
            else
                lookUpRow(table, counts, kBlock, to);
        }
    }

private:
    static constexpr unsigned kMost = 65535;
    /// Beyond that one look-up after the other is faster.
    static constexpr unsigned kWorthIt = 192;

    [[gnu::always_inline]] inline void lookUp(const __m512i *n, unsigned first, unsigned last,
                                              float *to) const
    {
        __m512 floats[4];
        for (int q = 0; q < 4; q++) floats[q] = _mm512_setzero_ps();
        for (; first <= last; first += 32) {
            const __m512 low = _mm512_loadu_ps(table + first);
            const __m512 high = _mm512_loadu_ps(table + first + 16);
            for (int q = 0; q < 4; q++) {
                const __m512i i = _mm512_sub_epi32(n[q], _mm512_set1_epi32(first));
                const __mmask16 here = _mm512_cmplt_epu32_mask(i, _mm512_set1_epi32(32));
                floats[q] =
                    _mm512_mask_mov_ps(floats[q], here, _mm512_permutex2var_ps(low, i, high));
            }
        }
        for (int q = 0; q < 4; q++) _mm512_storeu_ps(to + 16 * q, floats[q]);
    }

    /// The least of 16 numbers below 65536.
    [[gnu::always_inline]] static inline unsigned leastOf(__m512i v)
    {
        const __m256i words = _mm512_maskz_cvtepi32_epi16(kAllSixteen, v);
        const __m128i eight =
            _mm_min_epu16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
        return static_cast<std::uint16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(eight)));
    }

    [[gnu::always_inline]] static inline __m512i widen(const std::uint8_t *p)
    {
        return _mm512_maskz_cvtepu8_epi32(kAllSixteen,
                                          _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
    }
    [[gnu::always_inline]] static inline __m512i widen(const std::uint16_t *p)
    {
        return _mm512_maskz_cvtepu16_epi32(
            kAllSixteen, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
    }
    [[gnu::always_inline]] static inline __m512i least(__m512i a, __m512i b)
    {
        return _mm512_maskz_min_epu32(kAllSixteen, a, b);
    }
    [[gnu::always_inline]] static inline __m512i most(__m512i a, __m512i b)
    {
        return _mm512_maskz_max_epu32(kAllSixteen, a, b);
    }

    const float *table;
    const int cells;
};

/// Two levels on any AVX-512.
inline void fillTwoByFloats(const BoxTile &tile, const TwoLevelTable &table, const Finish &finish,
                            Scratch &scratch)
{
    if (table.isDouble)
        fillTwoLevels<Avx512Counters>(tile, table, finish, scratch);
    else if (finish.cells() < FloatBlocks<true>::kCells)
        fillTwo<Avx512Counters, float>(tile, FloatBlocks<true>(table, finish.cells()), finish,
                                       scratch);
    else
        fillTwo<Avx512Counters, float>(tile, FloatBlocks<false>(table, finish.cells()), finish,
                                       scratch);
}

} // namespace
} // namespace local_entropy
