// 32 bytes: AVX2. What follows this header is compiled for it (see bytes.h).
#pragma once

#include <immintrin.h>

#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2")
#endif

namespace local_entropy
{
namespace
{

struct Avx2Bytes
{
    using Vector = __m256i;
    static constexpr int kBytes = 32;

    [[gnu::always_inline]] static inline Vector zero() { return _mm256_setzero_si256(); }
    [[gnu::always_inline]] static inline Vector all(std::uint8_t b)
    {
        return _mm256_set1_epi8(static_cast<char>(b));
    }
    [[gnu::always_inline]] static inline Vector load(const void *p)
    {
        return _mm256_load_si256(static_cast<const Vector *>(p));
    }
    [[gnu::always_inline]] static inline Vector loadAny(const void *p)
    {
        return _mm256_loadu_si256(static_cast<const Vector *>(p));
    }
    [[gnu::always_inline]] static inline Vector loadBlocks(const std::uint8_t *p,
                                                           const std::int64_t *offsets)
    {
        return _mm256_inserti128_si256(_mm256_castsi128_si256(loadBlock(p + offsets[0])),
                                       loadBlock(p + offsets[16]), 1);
    }
    [[gnu::always_inline]] static inline void store(void *p, Vector v)
    {
        _mm256_store_si256(static_cast<Vector *>(p), v);
    }
    [[gnu::always_inline]] static inline Vector add(Vector a, Vector b)
    {
        return _mm256_add_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector sub(Vector a, Vector b)
    {
        return _mm256_sub_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a, Vector b)
    {
        return _mm256_sub_epi8(sum, _mm256_cmpeq_epi8(a, b)); // equal is -1
    }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a0, Vector b0,
                                                         Vector a1, Vector b1)
    {
        return _mm256_sub_epi8(
            sum, _mm256_and_si256(_mm256_cmpeq_epi8(a0, b0), _mm256_cmpeq_epi8(a1, b1)));
    }
    [[gnu::always_inline]] static inline Vector table(const std::uint8_t *p)
    {
        return _mm256_broadcastsi128_si256(loadBlock(p));
    }
    [[gnu::always_inline]] static inline Vector lookUp(Vector t, Vector i)
    {
        return _mm256_shuffle_epi8(t, i);
    }
    struct Table32
    {
        __m256 eight[4];
    };
    [[gnu::always_inline]] static inline Table32 table32(const float *p)
    {
        return {{_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), _mm256_loadu_ps(p + 16),
                 _mm256_loadu_ps(p + 24)}};
    }
    [[gnu::always_inline]] static inline void lookUp32(const Table32 &t, const std::uint8_t *keys,
                                                       float *to)
    {
        _mm256_storeu_ps(to, lookUp8(t, keys));
        _mm256_storeu_ps(to + 8, lookUp8(t, keys + 8));
    }
    [[gnu::always_inline]] static inline Vector unpackLow(Vector a, Vector b)
    {
        return _mm256_unpacklo_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector unpackHigh(Vector a, Vector b)
    {
        return _mm256_unpackhi_epi8(a, b);
    }

private:
    /// Looks up in each eight by bits 0 to 2; a blend chooses by the sign, where bits 3 and 4 go.
    [[gnu::always_inline]] static inline __m256 lookUp8(const Table32 &t, const std::uint8_t *keys)
    {
        const __m256i i =
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(keys)));
        const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(i, 28));
        const __m256 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(i, 27));
        const __m256 low = _mm256_blendv_ps(_mm256_permutevar8x32_ps(t.eight[0], i),
                                            _mm256_permutevar8x32_ps(t.eight[1], i), bit3);
        const __m256 high = _mm256_blendv_ps(_mm256_permutevar8x32_ps(t.eight[2], i),
                                             _mm256_permutevar8x32_ps(t.eight[3], i), bit3);
        return _mm256_blendv_ps(low, high, bit4);
    }
    [[gnu::always_inline]] static inline __m128i loadBlock(const void *p)
    {
        return _mm_loadu_si128(static_cast<const __m128i *>(p));
    }
};

} // namespace
} // namespace local_entropy
