// 64 bytes: AVX-512 F, BW, VL and DQ. What follows this header is compiled for them (see bytes.h).
#pragma once

#include <immintrin.h>

#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq"))),                   \
    apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq")
#endif

namespace local_entropy
{
namespace
{

/// Some intrinsics have a mask that keeps all: g++ 12 warns of its own plain ones.
struct Avx512Bytes
{
    using Vector = __m512i;
    static constexpr int kBytes = 64;

    [[gnu::always_inline]] static inline Vector zero() { return _mm512_setzero_si512(); }
    [[gnu::always_inline]] static inline Vector all(std::uint8_t b)
    {
        return _mm512_set1_epi8(static_cast<char>(b));
    }
    [[gnu::always_inline]] static inline Vector load(const void *p) { return _mm512_load_si512(p); }
    [[gnu::always_inline]] static inline Vector loadAny(const void *p)
    {
        return _mm512_loadu_si512(p);
    }
    [[gnu::always_inline]] static inline Vector loadBlocks(const std::uint8_t *p,
                                                           const std::int64_t *offsets)
    {
        Vector v = _mm512_castsi128_si512(loadBlock(p + offsets[0]));
        v = _mm512_inserti32x4(v, loadBlock(p + offsets[16]), 1);
        v = _mm512_inserti32x4(v, loadBlock(p + offsets[32]), 2);
        return _mm512_inserti32x4(v, loadBlock(p + offsets[48]), 3);
    }
    [[gnu::always_inline]] static inline void store(void *p, Vector v) { _mm512_store_si512(p, v); }
    [[gnu::always_inline]] static inline Vector add(Vector a, Vector b)
    {
        return _mm512_add_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector sub(Vector a, Vector b)
    {
        return _mm512_sub_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a, Vector b)
    {
        return _mm512_mask_sub_epi8(sum, _mm512_cmpeq_epi8_mask(a, b), sum, all(255));
    }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a0, Vector b0,
                                                         Vector a1, Vector b1)
    {
        const __mmask64 equal = _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(a0, b0), a1, b1);
        return _mm512_mask_sub_epi8(sum, equal, sum, all(255));
    }
    [[gnu::always_inline]] static inline Vector table(const std::uint8_t *p)
    {
        return _mm512_maskz_broadcast_i32x4(static_cast<__mmask16>(-1), loadBlock(p));
    }
    [[gnu::always_inline]] static inline Vector lookUp(Vector t, Vector i)
    {
        return _mm512_shuffle_epi8(t, i);
    }
    struct Table32
    {
        __m512 low, high;
    };
    [[gnu::always_inline]] static inline Table32 table32(const float *p)
    {
        return {_mm512_loadu_ps(p), _mm512_loadu_ps(p + 16)};
    }
    [[gnu::always_inline]] static inline void lookUp32(const Table32 &t, const std::uint8_t *keys,
                                                       float *to)
    {
        const __m512i wide =
            _mm512_maskz_cvtepu8_epi32(static_cast<__mmask16>(-1), loadBlock(keys));
        _mm512_storeu_ps(to, _mm512_permutex2var_ps(t.low, wide, t.high));
    }
    [[gnu::always_inline]] static inline Vector unpackLow(Vector a, Vector b)
    {
        return _mm512_unpacklo_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector unpackHigh(Vector a, Vector b)
    {
        return _mm512_unpackhi_epi8(a, b);
    }

private:
    [[gnu::always_inline]] static inline __m128i loadBlock(const void *p)
    {
        return _mm_loadu_si128(static_cast<const __m128i *>(p));
    }
    template <int q>
    [[gnu::always_inline]] static inline __m128i block(Vector v)
    {
        return _mm512_maskz_extracti32x4_epi32(static_cast<__mmask8>(-1), v, q);
    }
};

} // namespace
} // namespace local_entropy
