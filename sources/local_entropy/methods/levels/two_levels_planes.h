// Look-ups of 64 floats at a time, byte by byte: for AVX-512 with VBMI. Windows of up to 255 cells:
// the answer for n is that for N - n, so that 128 entries are enough.
#pragma once

#include "local_entropy/methods/levels/dealt.h"
#include "local_entropy/methods/levels/two_levels_kernel.h"

namespace local_entropy
{
namespace
{

struct FoldedLookUp
{
    const TwoLevelTable &table;
    const Finish &finish;

    void row(const std::uint8_t *counts, std::int64_t, std::int64_t x, std::int64_t y,
             std::int64_t n) const
    {
        float *const to = finish.row<float>(y) + x;
        for (std::int64_t i = 0; i < n; i += kBlock) {
            const int some = blockAt(i, n);
            if (some == kBlock) {
                block(counts + i, to + i);
            } else {
                float floats[kBlock];
                block(counts + i, floats);
                std::memcpy(to + i, floats, some * sizeof(float));
            }
            finishTwo(finish, counts + i, x + i, y, some);
        }
    }

private:
    [[gnu::always_inline]] inline void block(const std::uint8_t *counts, float *to) const
    {
        const __m512i n = _mm512_loadu_si512(counts);
        const __m512i cells = _mm512_set1_epi8(static_cast<char>(finish.cells()));
        const __m512i folded = _mm512_min_epu8(n, _mm512_sub_epi8(cells, n));
        __m512i byte[4];
        for (int p = 0; p < 4; p++)
            byte[p] = _mm512_permutex2var_epi8(_mm512_load_si512(table.plane[p]), folded,
                                               _mm512_load_si512(table.plane[p] + 64));
        const __m512i low01 = _mm512_unpacklo_epi8(byte[0], byte[1]);
        const __m512i low23 = _mm512_unpacklo_epi8(byte[2], byte[3]);
        const __m512i high01 = _mm512_unpackhi_epi8(byte[0], byte[1]);
        const __m512i high23 = _mm512_unpackhi_epi8(byte[2], byte[3]);
        const __m512i floats[4] = {
            _mm512_unpacklo_epi16(low01, low23), _mm512_unpackhi_epi16(low01, low23),
            _mm512_unpacklo_epi16(high01, high23), _mm512_unpackhi_epi16(high01, high23)};
        storeDealt(floats, to);
    }
};

} // namespace
} // namespace local_entropy
