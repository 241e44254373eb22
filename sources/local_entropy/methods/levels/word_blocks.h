// Blocks of results by planes of 13 bits in words, for AVX-512 without VBMI. Included behind
// simd/avx512.h.
//
//   counts of a level, 32 windows, 16 bits each
//   for each of three planes     words += permute(plane, counts)       64 entries in two registers
//   after 8 levels at the latest 16 bits may be full: they are added to sums of 32 bits
//
// For 32 windows and a level: a load, a comparison, 3 permutes and 3 additions. Counts of 64 or
// more take the next 64 entries, and so on: in a branch, since a window of up to 255 cells has
// three such levels at most, and neighbours have the same.
#pragma once

#include "local_entropy/methods/levels/nearest_avx512.h"
#include "local_entropy/methods/levels/plane_tables.h"
#include "local_entropy/methods/levels/row_look_up.h"

namespace local_entropy
{
namespace
{

class WordBlocks
{
public:
    WordBlocks(const WordPlaneTables &tables, const Finish &finish, int levels)
        : tables(tables), finish(finish), levels(levels)
    {
    }

    void block(const std::uint8_t *counts, std::int64_t stride, float *to, int some) const
    {
        for (int i = 0; i < some; i += kHalf) {
            std::uint32_t undecided = half(counts + i, stride, to + i);
            for (; undecided; undecided &= undecided - 1) {
                const int window = i + __builtin_ctz(undecided);
                to[window] = finish.one(counts + window, stride);
            }
        }
    }

private:
    static constexpr int kHalf = 32, kPlanes = WordPlaneTables::kPlanes;
    static constexpr int kEntries = WordPlaneTables::kEntries;
    static constexpr int kFit = 8; ///< levels whose 13 bits add up to 16

    struct Sums
    {
        __m512i plane[kPlanes][2]; ///< windows 0 ... 15 and 16 ... 31
    };

    [[gnu::always_inline]] inline std::uint32_t half(const std::uint8_t *counts,
                                                     std::int64_t stride, float *to) const
    {
        Sums sums;
#pragma GCC unroll 3
        for (int p = 0; p < kPlanes; p++) sums.plane[p][0] = sums.plane[p][1] = zero();
        for (int level = 0; level < levels;) {
            const int end = level + kFit < levels ? level + kFit : levels;
            __m512i words[kPlanes] = {zero(), zero(), zero()};
            for (; level < end; level++) {
                const __m512i n = widen(counts + level * stride);
                const __mmask32 large = _mm512_cmpge_epu16_mask(n, _mm512_set1_epi16(kEntries));
#pragma GCC unroll 3
                for (int p = 0; p < kPlanes; p++)
                    words[p] = _mm512_add_epi16(words[p], lookUp(~large, p, 0, n));
                if (large) addLarge(n, words);
            }
#pragma GCC unroll 3
            for (int p = 0; p < kPlanes; p++) {
                sums.plane[p][0] = _mm512_add_epi32(sums.plane[p][0], lower(words[p]));
                sums.plane[p][1] = _mm512_add_epi32(sums.plane[p][1], upper(words[p]));
            }
        }
        const std::uint32_t first = finish16(sums, 0, to);
        return first | std::uint32_t{finish16(sums, 1, to + 16)} << 16;
    }

    /// Entries kEntries chunk ... of a plane, 0 where the mask has no bit.
    [[gnu::always_inline]] inline __m512i lookUp(__mmask32 mask, int p, int chunk, __m512i n) const
    {
        const std::uint16_t *const entries = tables.plane[p] + kEntries * chunk;
        return _mm512_maskz_permutex2var_epi16(mask, _mm512_load_si512(entries), n,
                                               _mm512_load_si512(entries + 32));
    }

    [[gnu::always_inline]] inline void addLarge(__m512i n, __m512i *words) const
    {
        for (int chunk = 1; chunk < WordPlaneTables::kChunks; chunk++) {
            const __mmask32 here = _mm512_cmpeq_epi16_mask(
                _mm512_maskz_srli_epi16(~__mmask32{0}, n, 6), _mm512_set1_epi16(chunk));
            if (!here) continue;
#pragma GCC unroll 3
            for (int p = 0; p < kPlanes; p++)
                words[p] = _mm512_add_epi16(words[p], lookUp(here, p, chunk, n));
        }
    }

    /// 16 windows; returns which of them are undecided.
    [[gnu::always_inline]] inline __mmask16 finish16(const Sums &sums, int which, float *to) const
    {
        __m512d first = _mm512_setzero_pd(), second = _mm512_setzero_pd();
        double unit = 1;
#pragma GCC unroll 3
        for (int p = 0; p < kPlanes; p++, unit *= 1 << WordPlaneTables::kBits) {
            const __m512i of = sums.plane[p][which];
            first = _mm512_fmadd_pd(toDoubles(lowerHalf(of)), _mm512_set1_pd(unit), first);
            second = _mm512_fmadd_pd(toDoubles(upperHalf(of)), _mm512_set1_pd(unit), second);
        }
        __m512i floats;
        const __mmask16 undecided =
            nearestFloats(first, second, tables.scale, tables.error, floats);
        _mm512_storeu_si512(to, floats);
        return undecided;
    }

    [[gnu::always_inline]] static inline __m512i widen(const std::uint8_t *p)
    {
        return _mm512_maskz_cvtepu8_epi16(~__mmask32{0},
                                          _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
    }
    [[gnu::always_inline]] static inline __m512i lower(__m512i words)
    {
        return _mm512_maskz_cvtepu16_epi32(kAllSixteen, lowerHalf(words));
    }
    [[gnu::always_inline]] static inline __m512i upper(__m512i words)
    {
        return _mm512_maskz_cvtepu16_epi32(kAllSixteen, upperHalf(words));
    }
    [[gnu::always_inline]] static inline __m512i zero() { return _mm512_setzero_si512(); }

    const WordPlaneTables &tables;
    const Finish &finish;
    const int levels;
};

} // namespace
} // namespace local_entropy
