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

#include "local_entropy/methods/levels/box_tile.h"
#include "local_entropy/methods/levels/dealt.h"
#include "local_entropy/methods/levels/plane_tables.h"

#include <cstring>

namespace local_entropy
{
namespace
{

class PlaneLookUp
{
public:
    PlaneLookUp(const PlaneTables &tables, const Finish &finish, int levels)
        : tables(tables), finish(finish), levels(levels)
    {
    }

    void row(const std::uint8_t *counts, std::int64_t stride, std::int64_t x, std::int64_t y,
             std::int64_t n) const
    {
        float *const to = finish.row<float>(y) + x;
        for (std::int64_t i = 0; i < n; i += kBlock) {
            const int some = blockAt(i, n);
            const Finish::Missing missing = finish.missing(x + i, y, some);
            if (missing.end - missing.begin < some) {
                float floats[kBlock];
                block(counts + i, stride, some == kBlock ? to + i : floats, some);
                if (some < kBlock) std::memcpy(to + i, floats, some * sizeof(float));
            }
            if (missing.end)
                finish.block(counts + i + missing.begin, stride, x + i + missing.begin, y,
                             missing.end - missing.begin);
        }
    }

private:
    static constexpr int kPlanes = PlaneTables::kPlanes;

    /// Sums of 16 windows' bytes, by plane.
    struct Sums
    {
        __m512i plane[kPlanes];
    };

    /// Windows are dealt to four vectors (dealt.h).
    void block(const std::uint8_t *counts, std::int64_t stride, float *to, int some) const
    {
        __m512i floats[4], most = _mm512_setzero_si512();
        if (tables.beyondNeeded)
            for (int level = 0; level < levels; level++)
                most = _mm512_max_epu8(most, load(counts + level * stride));
        const std::uint64_t undecided = half<false>(counts, stride, most, floats) |
                                        half<true>(counts, stride, most, floats + 2) << 32;
        storeDealt(floats, to);
        if (undecided) decide(undecided, counts, stride, to, some);
    }

    /// Vectors 0 and 1 (of the lower halves of 16 bytes), or 2 and 3.
    template <bool high>
    [[gnu::always_inline]] inline std::uint64_t
    half(const std::uint8_t *counts, std::int64_t stride, __m512i most, __m512i *floats) const
    {
        Sums a, b;
#pragma GCC unroll 5
        for (int p = 0; p < kPlanes; p++) a.plane[p] = b.plane[p] = _mm512_setzero_si512();
        const std::uint8_t *const end = counts + levels * stride;
        for (const std::uint8_t *four = counts; four < end; four += 4 * stride) {
            const __m512i c01 = unpack<high>(load(four), load(four + stride));
            const __m512i c23 = unpack<high>(load(four + 2 * stride), load(four + 3 * stride));
            addPlanes(_mm512_unpacklo_epi16(c01, c23), _mm512_unpackhi_epi16(c01, c23), a, b);
        }
        if (const __mmask64 large = _mm512_movepi8_mask(most)) addBeyond<high>(large, most, a, b);
        return finishWindows(a, floats[0]) | finishWindows(b, floats[1]) << 16;
    }

    template <bool high>
    [[gnu::always_inline]] static inline __m512i unpack(__m512i a, __m512i b)
    {
        return high ? _mm512_unpackhi_epi8(a, b) : _mm512_unpacklo_epi8(a, b);
    }

    [[gnu::always_inline]] inline void addPlanes(__m512i inA, __m512i inB, Sums &a, Sums &b) const
    {
        const __m512i ones = _mm512_set1_epi8(1);
#pragma GCC unroll 5
        for (int p = 0; p < kPlanes; p++) {
            const __m512i low = load(tables.plane[p]), high = load(tables.plane[p] + 64);
            a.plane[p] =
                _mm512_dpbusd_epi32(a.plane[p], _mm512_permutex2var_epi8(low, inA, high), ones);
            b.plane[p] =
                _mm512_dpbusd_epi32(b.plane[p], _mm512_permutex2var_epi8(low, inB, high), ones);
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
            a.plane[p] = _mm512_dpbusd_epi32(a.plane[p], ones, _mm512_unpacklo_epi16(words, zero));
            b.plane[p] = _mm512_dpbusd_epi32(b.plane[p], ones, _mm512_unpackhi_epi16(words, zero));
        }
    }

    /// 16 windows; returns which of them are undecided: see PlaneTables::error.
    [[gnu::always_inline]] inline std::uint64_t finishWindows(const Sums &sums,
                                                              __m512i &floats) const
    {
        const __m512i low =
            _mm512_add_epi32(sums.plane[0], _mm512_add_epi32(shiftLeft<8>(sums.plane[1]),
                                                             shiftLeft<16>(sums.plane[2])));
        const __m512i high = _mm512_add_epi32(sums.plane[3], shiftLeft<8>(sums.plane[4]));
        const __m512d first = difference(lowerHalf(low), lowerHalf(high));
        const __m512d second = difference(upperHalf(low), upperHalf(high));
        const __m512d scale = _mm512_set1_pd(tables.scale), error = _mm512_set1_pd(tables.error);
        const __m512 least =
            toFloats(_mm512_fmsub_pd(first, scale, error), _mm512_fmsub_pd(second, scale, error));
        const __m512 most =
            toFloats(_mm512_fmadd_pd(first, scale, error), _mm512_fmadd_pd(second, scale, error));
        // The smallest D but 0 is above ln N and much above the error: negative means 0.
        const auto mixed =
            static_cast<__mmask16>(~_mm512_movepi32_mask(_mm512_castps_si512(least)));
        floats = _mm512_maskz_mov_epi32(mixed, _mm512_castps_si512(most));
        return _mm512_mask_cmp_ps_mask(mixed, least, most, _CMP_NEQ_UQ);
    }

    /// D = high 2^24 + low.
    [[gnu::always_inline]] static inline __m512d difference(__m256i low, __m256i high)
    {
        return _mm512_fmadd_pd(toDoubles(high), _mm512_set1_pd(0x1p24), toDoubles(low));
    }

    [[gnu::noinline]] void decide(std::uint64_t undecided, const std::uint8_t *counts,
                                  std::int64_t stride, float *to, int some) const
    {
        for (; undecided; undecided &= undecided - 1) {
            const int bit = __builtin_ctzll(undecided);
            const int q = bit / 16, j = bit % 16 / 4, i = bit % 4;
            const int window = 16 * j + 4 * q + i;
            if (window < some) to[window] = finish.one(counts + window, stride);
        }
    }

    [[gnu::always_inline]] static inline __m512i load(const void *p)
    {
        return _mm512_loadu_si512(p);
    }

    const PlaneTables &tables;
    const Finish &finish;
    const int levels;
};

} // namespace
} // namespace local_entropy
