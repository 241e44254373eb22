// The last stages of sliding ranks for 64 lanes that AVX-512 with and without VBMI share. Included
// after a path's header (bytes.h says how).
//
// What the kernel (sliding.h) asks of a path, besides the vectors of bytes.h:
//   loadLanes, write        from rows to lanes and back
//   cancel, both            of the ranks of a cell that enters and one that leaves
//   tablesUpTo, Seen, united   which tables ranks need, quickly and exactly; for both sets
//   update                  from ranks to sums and answers
#pragma once

#include "local_entropy/methods/ranks/sliding_plan.h"

namespace local_entropy
{
namespace
{

/// The lanes of sums and answers are in 4 quarters: quarter q has those of block b (16 lanes) from
/// 16 b + 4 q on, as unpacking bytes and words leaves them.
struct Avx512Results : Avx512Bytes
{
    static constexpr int kPlanes = DeltaPlanes::kPlanes, kQuarters = 4;
    static constexpr int kWritten = 16; ///< columns, and lanes, that write() turns at once

    /// The lane of place i of a column's differences and answers.
    static int lane(int i) { return i % 16 / 4 * 16 + i / 16 * 4 + i % 4; }

    /// v[k], block q: 16 cells from column c on of lane 16 q + k, of every cell byte `byte`.
    template <int cellBytes>
    [[gnu::always_inline]] static inline void loadLanes(const std::uint8_t *const *from, int c,
                                                        int byte, Vector *v)
    {
        for (int k = 0; k < 16; ++k) {
            __m128i block[4];
            for (int q = 0; q < 4; ++q) {
                const auto *p = reinterpret_cast<const __m128i *>(from[16 * q + k] + c * cellBytes);
                block[q] = _mm_loadu_si128(p);
                if constexpr (cellBytes == 2)
                    block[q] = oneByte(block[q], _mm_loadu_si128(p + 1), byte);
            }
            const __m512i low = _mm512_inserti32x4(_mm512_castsi128_si512(block[0]), block[1], 1);
            v[k] = _mm512_inserti32x4(_mm512_inserti32x4(low, block[2], 2), block[3], 3);
        }
    }

    /// A cell that enters and one that leaves with the same rank change nothing: both become 0, so
    /// that flat parts of an image need no large tables.
    [[gnu::always_inline]] static inline void cancel(Vector &enter, Vector &leave)
    {
        const __mmask64 differ = _mm512_cmpneq_epi8_mask(enter, leave);
        enter = _mm512_maskz_mov_epi8(differ, enter);
        leave = _mm512_maskz_mov_epi8(differ, leave);
    }

    /// Two ranks more.
    [[gnu::always_inline]] static inline Vector both(Vector all, Vector a, Vector b)
    {
        return _mm512_ternarylogic_epi64(all, a, b, 0xfe); // or
    }

    /// nearBoundaries() has two doubles of its first vector, then two of its second.
    static int place(int bit)
    {
        return bit / 16 * 16 + bit % 4 / 2 * 8 + bit % 16 / 4 * 2 + bit % 2;
    }

    /// Places of a column are lanes of a row: to[i][c + k] = from[k * stride + i].
    static void write(const float *from, int stride, float *const *to, int c)
    {
        __m512 v[16];
        for (int k = 0; k < 16; ++k) v[k] = _mm512_load_ps(from + k * stride);
        transposeFloats(v);
        for (int i = 0; i < 16; ++i) _mm512_storeu_ps(to[i] + c, v[i]);
    }

protected:
    /// Masks that keep all: g++ 12 warns of its own plain intrinsics.
    static constexpr __mmask16 kAll16 = 0xffff;
    static constexpr __mmask8 kAll8 = 0xff;

    template <int which>
    [[gnu::always_inline]] static inline __m256i half(Vector v)
    {
        return _mm512_maskz_extracti64x4_epi64(kAll8, v, which);
    }

    [[gnu::always_inline]] static inline Vector set(int byte)
    {
        return all(static_cast<std::uint8_t>(byte));
    }

    /// The lower (0) or upper bytes of 16 cells of 2 bytes.
    [[gnu::always_inline]] static inline __m128i oneByte(__m128i a, __m128i b, int byte)
    {
        if (byte == 1) return _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8));
        const __m128i low = _mm_set1_epi16(255);
        return _mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low));
    }

    /// 16 windows: the differences, less the change of their sums, low + factor high; then the
    /// floats. Returns a bit for every answer that is undecided.
    [[gnu::always_inline]] static inline __mmask16 finish(Vector low, Vector high, double factor,
                                                          double scale, std::uint32_t band,
                                                          double *differences, float *answers)
    {
        const __m512d first = slide(half<0>(low), half<0>(high), factor, differences);
        const __m512d second = slide(half<1>(low), half<1>(high), factor, differences + 8);
        const __m512d scales = _mm512_set1_pd(scale);
        const __m512d a = _mm512_mul_pd(first, scales), b = _mm512_mul_pd(second, scales);
        const __m512 floats = _mm512_castps256_ps512(_mm512_maskz_cvtpd_ps(kAll8, a));
        _mm512_store_ps(answers, _mm512_insertf32x8(floats, _mm512_maskz_cvtpd_ps(kAll8, b), 1));
        return nearBoundaries(a, b, band);
    }

private:
    [[gnu::always_inline]] static inline __m512d slide(__m256i low, __m256i high, double factor,
                                                       double *differences)
    {
        const __m512d difference =
            _mm512_sub_pd(_mm512_load_pd(differences), _mm512_maskz_cvtepi32_pd(kAll8, low));
        const __m512d slid = _mm512_fnmadd_pd(_mm512_maskz_cvtepi32_pd(kAll8, high),
                                              _mm512_set1_pd(factor), difference);
        _mm512_store_pd(differences, slid);
        return slid;
    }

    /// nearBoundary() for 16 doubles: the lowest 29 bits, moved up to 32, without the upper half.
    [[gnu::always_inline]] static inline __mmask16 nearBoundaries(__m512d a, __m512d b,
                                                                  std::uint32_t band)
    {
        const __m512 bits = _mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 0x88);
        const std::uint32_t start = (1u << 28) - band;
        const Vector low =
            _mm512_sub_epi32(_mm512_castps_si512(bits), _mm512_set1_epi32(static_cast<int>(start)));
        return _mm512_cmple_epu32_mask(_mm512_maskz_slli_epi32(kAll16, low, 3),
                                       _mm512_set1_epi32(static_cast<int>(2 * band << 3)));
    }

    static void transposeFloats(__m512 *v);
};

/// Rows and columns of 16 floats: within blocks of 4 x 4, then the blocks.
[[gnu::always_inline]] inline void Avx512Results::transposeFloats(__m512 *v)
{
    __m512 w[16];
    for (int k = 0; k < 16; k += 4) {
        const __m512d a = _mm512_castps_pd(_mm512_maskz_unpacklo_ps(kAll16, v[k], v[k + 1]));
        const __m512d b = _mm512_castps_pd(_mm512_maskz_unpacklo_ps(kAll16, v[k + 2], v[k + 3]));
        const __m512d c = _mm512_castps_pd(_mm512_maskz_unpackhi_ps(kAll16, v[k], v[k + 1]));
        const __m512d d = _mm512_castps_pd(_mm512_maskz_unpackhi_ps(kAll16, v[k + 2], v[k + 3]));
        w[k] = _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(kAll8, a, b));
        w[k + 1] = _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(kAll8, a, b));
        w[k + 2] = _mm512_castpd_ps(_mm512_maskz_unpacklo_pd(kAll8, c, d));
        w[k + 3] = _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(kAll8, c, d));
    }
    for (int i = 0; i < 4; ++i) { // w[k + i]: rows k ... k + 3 of columns i, 4 + i, 8 + i, 12 + i
        const __m512 a = _mm512_maskz_shuffle_f32x4(kAll16, w[i], w[4 + i], 0x44);
        const __m512 b = _mm512_maskz_shuffle_f32x4(kAll16, w[8 + i], w[12 + i], 0x44);
        const __m512 c = _mm512_maskz_shuffle_f32x4(kAll16, w[i], w[4 + i], 0xee);
        const __m512 d = _mm512_maskz_shuffle_f32x4(kAll16, w[8 + i], w[12 + i], 0xee);
        v[i] = _mm512_maskz_shuffle_f32x4(kAll16, a, b, 0x88);
        v[4 + i] = _mm512_maskz_shuffle_f32x4(kAll16, a, b, 0xdd);
        v[8 + i] = _mm512_maskz_shuffle_f32x4(kAll16, c, d, 0x88);
        v[12 + i] = _mm512_maskz_shuffle_f32x4(kAll16, c, d, 0xdd);
    }
}

} // namespace
} // namespace local_entropy
