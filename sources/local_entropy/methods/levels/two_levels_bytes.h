// Two levels, look-ups of 32 floats at a time, byte by byte among 16: for AVX2. Included behind
// simd/avx2.h.
//
//   n = min(count, N - count)            the answer is the same
//   least ... most of 32 windows         they are neighbours: far fewer numbers than N / 2
//   for first = least, + 16, ... most    for each of a float's four bytes:
//                                        byte |= shuffle(plane[first ... first + 15], n - first)
//                                        where n - first is above 15, the shuffle gives 0
#pragma once

#include "local_entropy/methods/levels/two_levels_kernel.h"

namespace local_entropy
{
namespace
{

/// kGroups: so many groups of 16 answers are all, or 0: as many as the windows need.
template <int kGroups>
class ByteBlocks
{
public:
    ByteBlocks(const TwoLevelTable &table, int cells) : table(table), cells(cells) {}

    template <class Count>
    [[gnu::always_inline]] inline void block(const Count *counts, float *to) const
    {
        for (int i = 0; i < kBlock; i += 32) half(counts + i, to + i);
    }

private:
    /// Beyond that one look-up after the other is faster.
    static constexpr int kWorthIt = 160;

    [[gnu::always_inline]] inline void half(const std::uint8_t *counts, float *to) const
    {
        const __m256i count = load(counts);
        const __m256i all = _mm256_set1_epi8(static_cast<char>(cells));
        const __m256i n = _mm256_min_epu8(count, _mm256_sub_epi8(all, count));
        if constexpr (kGroups > 0) {
            lookUp(n, 0, kGroups, to);
        } else {
            const int first = leastOf(n);
            const int last = 255 - leastOf(_mm256_xor_si256(n, _mm256_set1_epi8(-1)));
            lookUp(_mm256_sub_epi8(n, _mm256_set1_epi8(static_cast<char>(first))), first,
                   (last - first) / 16 + 1, to);
        }
    }

    [[gnu::always_inline]] inline void half(const std::uint16_t *counts, float *to) const
    {
        const __m256i all = _mm256_set1_epi16(static_cast<short>(cells));
        const __m256i a = load(counts), b = load(counts + 16);
        const __m256i nA = _mm256_min_epu16(a, _mm256_sub_epi16(all, a));
        const __m256i nB = _mm256_min_epu16(b, _mm256_sub_epi16(all, b));
        const int first = leastWord(_mm256_min_epu16(nA, nB));
        const int last =
            65535 - leastWord(_mm256_xor_si256(_mm256_max_epu16(nA, nB), _mm256_set1_epi16(-1)));
        if (last - first >= kWorthIt) return lookUpRow(table.floats.data(), counts, 32, to);
        const __m256i from = _mm256_set1_epi16(static_cast<short>(first));
        const __m256i dealt =
            _mm256_packus_epi16(_mm256_sub_epi16(nA, from), _mm256_sub_epi16(nB, from));
        lookUp(_mm256_permute4x64_epi64(dealt, 0xd8), first, (last - first) / 16 + 1, to);
    }

    /// The answers of 32 windows, from entry `first` on; n: how far behind it theirs are.
    [[gnu::always_inline]] inline void lookUp(__m256i n, int first, int groups, float *to) const
    {
        __m256i byte[4];
        for (int p = 0; p < 4; p++) byte[p] = _mm256_setzero_si256();
        for (int group = 0; group < groups; group++, first += 16) {
            // 0 ... 15 keep their lower four bits, all above get the highest one.
            const __m256i i = _mm256_adds_epu8(n, _mm256_set1_epi8(0x70));
            for (int p = 0; p < 4; p++)
                byte[p] = _mm256_or_si256(byte[p], _mm256_shuffle_epi8(sixteen(p, first), i));
            n = _mm256_sub_epi8(n, _mm256_set1_epi8(16));
        }
        const __m256i low01 = _mm256_unpacklo_epi8(byte[0], byte[1]);
        const __m256i low23 = _mm256_unpacklo_epi8(byte[2], byte[3]);
        const __m256i high01 = _mm256_unpackhi_epi8(byte[0], byte[1]);
        const __m256i high23 = _mm256_unpackhi_epi8(byte[2], byte[3]);
        const __m256i lowHalves[2] = {_mm256_unpacklo_epi16(low01, low23),
                                      _mm256_unpackhi_epi16(low01, low23)};
        const __m256i highHalves[2] = {_mm256_unpacklo_epi16(high01, high23),
                                       _mm256_unpackhi_epi16(high01, high23)};
        store(to, _mm256_permute2x128_si256(lowHalves[0], lowHalves[1], 0x20));
        store(to + 8, _mm256_permute2x128_si256(highHalves[0], highHalves[1], 0x20));
        store(to + 16, _mm256_permute2x128_si256(lowHalves[0], lowHalves[1], 0x31));
        store(to + 24, _mm256_permute2x128_si256(highHalves[0], highHalves[1], 0x31));
    }

    [[gnu::always_inline]] inline __m256i sixteen(int p, int first) const
    {
        return Avx2Counters::table(table.plane[p].data() + first);
    }

    /// The least of 32 bytes.
    [[gnu::always_inline]] static inline int leastOf(__m256i v)
    {
        const __m128i b = _mm_min_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        const __m128i words = _mm_min_epu8(b, _mm_srli_epi16(b, 8)); // the upper bytes are 0 now
        return _mm_cvtsi128_si32(_mm_minpos_epu16(words)) & 0xff;
    }

    /// The least of 16 words.
    [[gnu::always_inline]] static inline int leastWord(__m256i v)
    {
        const __m128i b = _mm_min_epu16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        return _mm_cvtsi128_si32(_mm_minpos_epu16(b)) & 0xffff;
    }

    [[gnu::always_inline]] static inline __m256i load(const void *p)
    {
        return Avx2Counters::loadAny(p);
    }
    [[gnu::always_inline]] static inline void store(float *p, __m256i v)
    {
        Avx2Counters::storeAny(p, v);
    }

    const TwoLevelTable &table;
    const int cells;
};

template <int kGroups>
void fillTwoByBytes(const BoxTile &tile, const TwoLevelTable &table, const Finish &finish,
                    Scratch &scratch)
{
    fillTwo<Avx2Counters, float>(tile, ByteBlocks<kGroups>(table, finish.cells()), finish, scratch);
}

/// Two levels on AVX2.
inline void fillTwoByBytes(const BoxTile &tile, const TwoLevelTable &table, const Finish &finish,
                           Scratch &scratch)
{
    if (table.isDouble)
        fillTwoLevels<Avx2Counters>(tile, table, finish, scratch);
    else if (finish.cells() < 2 * 16)
        fillTwoByBytes<1>(tile, table, finish, scratch);
    else if (finish.cells() < 2 * 32)
        fillTwoByBytes<2>(tile, table, finish, scratch);
    else
        fillTwoByBytes<0>(tile, table, finish, scratch);
}

} // namespace
} // namespace local_entropy
