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
    [[gnu::always_inline]] static inline void lookUp32(const float *t, const std::uint8_t *keys,
                                                       float *to)
    {
        for (int k = 0; k < 16; k++) to[k] = t[keys[k] & 31];
    }
    [[gnu::always_inline]] static inline Vector unpackLow(Vector a, Vector b)
    {
        return _mm256_unpacklo_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector unpackHigh(Vector a, Vector b)
    {
        return _mm256_unpackhi_epi8(a, b);
    }
    [[gnu::always_inline]] static inline void storeBlock(void *p, Vector v, int q)
    {
        _mm_storeu_si128(static_cast<__m128i *>(p),
                         q == 0 ? _mm256_castsi256_si128(v) : _mm256_extracti128_si256(v, 1));
    }

private:
    [[gnu::always_inline]] static inline __m128i loadBlock(const void *p)
    {
        return _mm_loadu_si128(static_cast<const __m128i *>(p));
    }
};

} // namespace
} // namespace local_entropy
