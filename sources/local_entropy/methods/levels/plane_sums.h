// Look-ups of 64 counts at a time, byte plane by byte plane: for AVX-512 with VBMI and VNNI.
// Included behind simd/avx512.h and the two extensions.
//
//   counts of four levels   a a a a ..   b b b b ..   c c c c ..   d d d d ..      64 windows each
//   interleaved             a b c d a b c d ..   (16 windows in a vector, four vectors)
//   for each plane          byte = permute(plane, counts)         128 entries in two registers
//                           sum += dot(bytes, 1 1 1 1)            four levels, 16 windows
//
// For 64 windows and a level: 2 unpacks, 5 permutes, 5 dot products. Then, for 64 windows, about 90
// operations put the planes together, scale, find the undecided, and convert to floats.
#pragma once

#include "local_entropy/methods/levels/dealt.h"
#include "local_entropy/methods/levels/nearest_avx512.h"
#include "local_entropy/methods/levels/plane_tables.h"

#include <cstdint>

namespace local_entropy
{
namespace
{

/// Sums of G(count) over the levels, and their floats.
class PlaneSums
{
public:
    PlaneSums(const PlaneTables &tables, int levels) : tables(tables), levels(levels) {}

    /// What counts of 128 or more add to the sums of 64 windows.
    struct Large
    {
        const std::uint8_t *upper; ///< rows of 64 numbers of entries of PlaneTables::upper
        int rows;
        const std::int64_t *more; ///< to be added to the sums; nullptr: nothing
    };

    /// The floats of 64 windows, from their counts. Rows of zeros make the levels, and upper rows,
    /// a multiple of 4. Returns which are undecided: bit 16 q + 4 j + i is of window 16 j + 4 q + i
    /// (dealt.h).
    std::uint64_t block(const std::uint8_t *counts, std::int64_t stride, const Large &large,
                        float *to) const
    {
        return tables.beyondNeeded ? block<true>(counts, stride, large, to)
                                   : block<false>(counts, stride, large, to);
    }

private:
    static constexpr int kPlanes = PlaneTables::kPlanes;

    /// Sums of 16 windows' bytes, by plane. As 32-bit integers, which __m512i is not: g++ would
    /// copy each to and fro in the loop over the levels.
    struct Sums
    {
        typedef std::int32_t Integers __attribute__((vector_size(64)));
        Integers plane[kPlanes];

        __m512i of(int p) const { return (__m512i)plane[p]; }
    };

    [[gnu::always_inline]] static inline void addProducts(Sums::Integers &sum, __m512i bytes,
                                                          __m512i weights)
    {
        sum = (Sums::Integers)_mm512_dpbusd_epi32((__m512i)sum, bytes, weights);
    }

    template <bool beyond>
    [[gnu::always_inline]] inline std::uint64_t
    block(const std::uint8_t *counts, std::int64_t stride, const Large &large, float *to) const
    {
        __m512i floats[4], most = _mm512_setzero_si512();
        std::uint64_t undecided = half<false, beyond>(counts, stride, large, most, floats);
        undecided |= half<true, beyond>(counts, stride, large, most, floats + 2) << 32;
        storeDealt(floats, to);
        return undecided;
    }

    /// Vectors 0 and 1 (of the lower halves of 16 bytes), or 2 and 3. The first also finds the
    /// largest count of each of the 64 windows.
    template <bool high, bool beyond>
    [[gnu::always_inline]] inline std::uint64_t half(const std::uint8_t *counts,
                                                     std::int64_t stride, const Large &large,
                                                     __m512i &most, __m512i *floats) const
    {
        Sums a, b;
#pragma GCC unroll 5
        for (int p = 0; p < kPlanes; p++) a.plane[p] = b.plane[p] = Sums::Integers{};
        addRows<high, beyond && !high>(tables.plane, counts, stride, levels, most, a, b);
        if (large.rows) addRows<high, false>(tables.upper, large.upper, 64, large.rows, most, a, b);
        if (const __mmask64 beyond128 = beyond ? _mm512_movepi8_mask(most) : 0)
            addBeyond<high>(beyond128, most, a, b);
        const std::int64_t *const more = large.more ? large.more + 8 * high : nullptr;
        return finishWindows(a, more, floats[0]) |
               finishWindows(b, more ? more + 4 : more, floats[1]) << 16;
    }

    template <bool high, bool findMost>
    [[gnu::always_inline]] inline void addRows(const std::uint8_t (*plane)[PlaneTables::kEntries],
                                               const std::uint8_t *rows, std::int64_t stride, int n,
                                               __m512i &most, Sums &a, Sums &b) const
    {
        const std::uint8_t *const end = rows + n * stride;
        for (const std::uint8_t *four = rows; four < end; four += 4 * stride) {
            const __m512i c0 = load(four), c1 = load(four + stride);
            const __m512i c2 = load(four + 2 * stride), c3 = load(four + 3 * stride);
            if (findMost)
                most = _mm512_max_epu8(
                    most, _mm512_max_epu8(_mm512_max_epu8(c0, c1), _mm512_max_epu8(c2, c3)));
            const __m512i c01 = unpack<high>(c0, c1), c23 = unpack<high>(c2, c3);
            addPlanes(plane, _mm512_unpacklo_epi16(c01, c23), _mm512_unpackhi_epi16(c01, c23), a,
                      b);
        }
    }

    template <bool high>
    [[gnu::always_inline]] static inline __m512i unpack(__m512i a, __m512i b)
    {
        return high ? _mm512_unpackhi_epi8(a, b) : _mm512_unpacklo_epi8(a, b);
    }

    [[gnu::always_inline]] static inline void
    addPlanes(const std::uint8_t (*plane)[PlaneTables::kEntries], __m512i inA, __m512i inB, Sums &a,
              Sums &b)
    {
        const __m512i ones = _mm512_set1_epi8(1);
#pragma GCC unroll 5
        for (int p = 0; p < kPlanes; p++) {
            const __m512i low = load(plane[p]), high = load(plane[p] + 64);
            addProducts(a.plane[p], _mm512_permutex2var_epi8(low, inA, high), ones);
            addProducts(b.plane[p], _mm512_permutex2var_epi8(low, inB, high), ones);
        }
    }

    /// The planes index by a count modulo 128; what is missing of the one that may be larger.
    template <bool high>
    [[gnu::always_inline]] inline void addBeyond(__mmask64 large, __m512i most, Sums &a,
                                                 Sums &b) const
    {
        const __m512i zero = _mm512_setzero_si512(), ones = _mm512_set1_epi8(1);
#pragma GCC unroll 5
        for (int p = 0; p < kPlanes; p++) {
            const __m512i bytes = _mm512_maskz_permutex2var_epi8(large, load(tables.beyond[p]),
                                                                 most, load(tables.beyond[p] + 64));
            const __m512i words = unpack<high>(bytes, zero);
            addProducts(a.plane[p], ones, _mm512_unpacklo_epi16(words, zero));
            addProducts(b.plane[p], ones, _mm512_unpackhi_epi16(words, zero));
        }
    }

    /// 16 windows; returns which of them are undecided.
    [[gnu::always_inline]] inline std::uint64_t
    finishWindows(const Sums &sums, const std::int64_t *more, __m512i &floats) const
    {
        const __m512i low = _mm512_add_epi32(
            sums.of(0), _mm512_add_epi32(shiftLeft<8>(sums.of(1)), shiftLeft<16>(sums.of(2))));
        const __m512i high = _mm512_add_epi32(sums.of(3), shiftLeft<8>(sums.of(4)));
        __m512d first = difference(lowerHalf(low), lowerHalf(high));
        __m512d second = difference(upperHalf(low), upperHalf(high));
        if (more) {
            first = _mm512_add_pd(first, dealtDoubles(more));
            second = _mm512_add_pd(second, dealtDoubles(more + 32));
        }
        return nearestFloats(first, second, tables.scale, tables.error, floats);
    }

    /// D = high 2^24 + low.
    [[gnu::always_inline]] static inline __m512d difference(__m256i low, __m256i high)
    {
        return _mm512_fmadd_pd(toDoubles(high), _mm512_set1_pd(0x1p24), toDoubles(low));
    }

    /// Four of windows, and the four that are 16 windows further on.
    [[gnu::always_inline]] static inline __m512d dealtDoubles(const std::int64_t *p)
    {
        const __m512i four = _mm512_castsi256_si512(loadFour(p));
        return toDoubles(_mm512_maskz_inserti64x4(kAllEight, four, loadFour(p + 16), 1));
    }

    [[gnu::always_inline]] static inline __m256i loadFour(const std::int64_t *p)
    {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
    }

    [[gnu::always_inline]] static inline __m512i load(const void *p)
    {
        return _mm512_loadu_si512(p);
    }

    const PlaneTables &tables;
    const int levels;
};

} // namespace
} // namespace local_entropy
