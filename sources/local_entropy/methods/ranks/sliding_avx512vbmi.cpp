// Sliding ranks: 64 lanes, AVX-512 with VBMI and VNNI.
#include "local_entropy/methods/ranks/sliding_plan.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)

#include "local_entropy/simd/avx512vbmi.h"

#include "local_entropy/methods/ranks/sliding.h"

namespace local_entropy
{
namespace
{

/// The last stages. The bytes of 4 ranks of one window are put side by side, so that one instruction
/// adds 4 looked-up bytes into 32 bits: no widening, no carries. That leaves the lanes in 4 quarters:
/// quarter q has those of block b (16 lanes) from 16 b + 4 q on.
struct Avx512VbmiSums : Avx512VbmiBytes
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

    /// How many tables of 64 entries the ranks need that were or-ed: 1, 2, or 4.
    [[gnu::always_inline]] static inline int tables(Vector all)
    {
        if (__builtin_expect(_mm512_test_epi8_mask(all, set(0xc0)) == 0, 1)) return 1;
        return _mm512_movepi8_mask(all) ? 4 : 2;
    }

    /// The cells with these ranks enter and leave windows. Returns a bit for every
    /// answer that is undecided: that of place(bit).
    [[gnu::always_inline]] static inline std::uint64_t update(const std::uint8_t *ranks, int groups,
                                                     int tables, const DeltaPlanes &planes,
                                                     double scale, std::uint32_t band,
                                                     double *differences, float *answers)
    {
        Vector sums[kQuarters][kPlanes];
        for (auto &quarter : sums)
            for (Vector &sum : quarter) sum = zero();
        if (__builtin_expect(tables == 1, 1))
            addDeltas<1>(ranks, groups, planes, sums);
        else if (tables == 2)
            addDeltas<2>(ranks, groups, planes, sums);
        else
            addDeltas<4>(ranks, groups, planes, sums);
        std::uint64_t undecided = 0;
#pragma GCC unroll 4
        for (int q = 0; q < kQuarters; ++q)
            undecided |= std::uint64_t(finish(sums[q], scale, band, differences + 16 * q,
                                              answers + 16 * q))
                         << 16 * q;
        return undecided;
    }

    /// nearBoundaries() has two doubles of its first vector, then two of its second.
    static int place(int bit) { return bit / 16 * 16 + bit % 4 / 2 * 8 + bit % 16 / 4 * 2 + bit % 2; }

    /// Places of a column are lanes of a row: to[i][c + k] = from[k * stride + i].
    static void write(const float *from, int stride, float *const *to, int c)
    {
        __m512 v[16];
        for (int k = 0; k < 16; ++k) v[k] = _mm512_load_ps(from + k * stride);
        transposeFloats(v);
        for (int i = 0; i < 16; ++i) _mm512_storeu_ps(to[i] + c, v[i]);
    }

private:
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

    template <int tables>
    [[gnu::always_inline]] static inline void addDeltas(const std::uint8_t *ranks, int groups,
                                                        const DeltaPlanes &planes,
                                                        Vector (&sums)[kQuarters][kPlanes])
    {
        const Vector weights = _mm512_set1_epi32(static_cast<int>(0xff01ff01)); // enter +, leave -
        Vector table[kPlanes];
        for (int p = 0; p < kPlanes; ++p) table[p] = load(planes.plane[p]);
        for (; groups > 0; --groups, ranks += 4 * kBytes) {
            const Vector a = load(ranks), b = load(ranks + kBytes), c = load(ranks + 2 * kBytes),
                         d = load(ranks + 3 * kBytes);
            const Vector abLow = unpackLow(a, b), cdLow = unpackLow(c, d);
            const Vector abHigh = unpackHigh(a, b), cdHigh = unpackHigh(c, d);
            const Vector quarter[kQuarters] = {
                _mm512_unpacklo_epi16(abLow, cdLow), _mm512_unpackhi_epi16(abLow, cdLow),
                _mm512_unpacklo_epi16(abHigh, cdHigh), _mm512_unpackhi_epi16(abHigh, cdHigh)};
#pragma GCC unroll 4
            for (int q = 0; q < kQuarters; ++q) {
                const Vector rank = quarter[q];
                const __mmask64 bit6 = tables > 1 ? _mm512_test_epi8_mask(rank, set(64)) : 0;
                const __mmask64 bit7 = tables > 2 ? _mm512_movepi8_mask(rank) : 0;
#pragma GCC unroll 5
                for (int p = 0; p < kPlanes; ++p) {
                    Vector delta = lookUp64(table[p], rank);
                    const std::uint8_t *plane = planes.plane[p];
                    if (tables > 1) delta = lookUp64(delta, bit6 & ~bit7, load(plane + 64), rank);
                    if (tables > 2) {
                        delta = lookUp64(delta, bit7 & ~bit6, load(plane + 128), rank);
                        delta = lookUp64(delta, bit7 & bit6, load(plane + 192), rank);
                    }
                    sums[q][p] = addProducts(sums[q][p], delta, weights);
                }
            }
        }
    }

    /// 16 windows: the differences, then the floats. Sums of planes are below 2^13 each.
    [[gnu::always_inline]] static inline __mmask16 finish(const Vector *sums, double scale,
                                                          std::uint32_t band, double *differences,
                                                          float *answers)
    {
        const Vector low = _mm512_add_epi32(
            sums[0], _mm512_add_epi32(_mm512_maskz_slli_epi32(kAll16, sums[1], 8), _mm512_maskz_slli_epi32(kAll16, sums[2], 16)));
        const Vector high = _mm512_add_epi32(sums[3], _mm512_maskz_slli_epi32(kAll16, sums[4], 8));
        const __m512d first = slide(half<0>(low), half<0>(high),
                                    differences);
        const __m512d second = slide(half<1>(low),
                                     half<1>(high), differences + 8);
        const __m512d scales = _mm512_set1_pd(scale);
        const __m512d a = _mm512_mul_pd(first, scales), b = _mm512_mul_pd(second, scales);
        const __m512 floats = _mm512_castps256_ps512(_mm512_maskz_cvtpd_ps(kAll8, a));
        _mm512_store_ps(answers, _mm512_insertf32x8(floats, _mm512_maskz_cvtpd_ps(kAll8, b), 1));
        return nearBoundaries(a, b, band);
    }

    /// The differences of 8 windows, less the sums' change.
    [[gnu::always_inline]] static inline __m512d slide(__m256i low, __m256i high,
                                                       double *differences)
    {
        const __m512d difference = _mm512_sub_pd(_mm512_load_pd(differences),
                                                 _mm512_maskz_cvtepi32_pd(kAll8, low));
        const __m512d slid = _mm512_fnmadd_pd(_mm512_maskz_cvtepi32_pd(kAll8, high), _mm512_set1_pd(0x1p24),
                                              difference);
        _mm512_store_pd(differences, slid);
        return slid;
    }

    /// nearBoundary() for 16 doubles: the lowest 29 bits, moved up to 32, without the upper half.
    [[gnu::always_inline]] static inline __mmask16 nearBoundaries(__m512d a, __m512d b,
                                                                  std::uint32_t band)
    {
        const __m512 bits = _mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 0x88);
        const std::uint32_t start = (1u << 28) - band;
        const Vector low = _mm512_sub_epi32(_mm512_castps_si512(bits),
                                            _mm512_set1_epi32(static_cast<int>(start)));
        return _mm512_cmple_epu32_mask(_mm512_maskz_slli_epi32(kAll16, low, 3),
                                       _mm512_set1_epi32(static_cast<int>(2 * band << 3)));
    }

    static void transposeFloats(__m512 *v);
};

/// Rows and columns of 16 floats: within blocks of 4 x 4, then the blocks.
[[gnu::always_inline]] inline void Avx512VbmiSums::transposeFloats(__m512 *v)
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

#include "local_entropy/simd/end.h"

#endif

namespace local_entropy
{

SlidingKernel slidingKernelAvx512Vbmi([[maybe_unused]] int cellBytes,
                                      [[maybe_unused]] int windowHeight)
{
#if defined(__x86_64__)
    if (cellBytes == 1) return slidingKernel<Avx512VbmiSums, 1>(windowHeight);
    return slidingKernel<Avx512VbmiSums, 2>(windowHeight);
#else
    return nullptr;
#endif
}

} // namespace local_entropy
