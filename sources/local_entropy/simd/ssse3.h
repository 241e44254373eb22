// 16 bytes: SSSE3. What follows this header is compiled for it (see bytes.h).
#pragma once

#include <immintrin.h>

#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("ssse3"))), apply_to = function)
#else
#pragma GCC target("ssse3")
#endif

namespace local_entropy
{
namespace
{

struct Ssse3Bytes
{
    using Vector = __m128i;
    static constexpr int kBytes = 16;

    [[gnu::always_inline]] static inline Vector zero() { return _mm_setzero_si128(); }
    [[gnu::always_inline]] static inline Vector all(std::uint8_t b)
    {
        return _mm_set1_epi8(static_cast<char>(b));
    }
    [[gnu::always_inline]] static inline Vector load(const void *p)
    {
        return _mm_load_si128(static_cast<const Vector *>(p));
    }
    [[gnu::always_inline]] static inline Vector loadAny(const void *p)
    {
        return _mm_loadu_si128(static_cast<const Vector *>(p));
    }
    [[gnu::always_inline]] static inline Vector loadBlocks(const std::uint8_t *p,
                                                           const std::int64_t *offsets)
    {
        return loadAny(p + offsets[0]);
    }
    [[gnu::always_inline]] static inline void store(void *p, Vector v)
    {
        _mm_store_si128(static_cast<Vector *>(p), v);
    }
    [[gnu::always_inline]] static inline Vector add(Vector a, Vector b)
    {
        return _mm_add_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector sub(Vector a, Vector b)
    {
        return _mm_sub_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a, Vector b)
    {
        return _mm_sub_epi8(sum, _mm_cmpeq_epi8(a, b)); // equal is -1
    }
    [[gnu::always_inline]] static inline Vector addEqual(Vector sum, Vector a0, Vector b0,
                                                         Vector a1, Vector b1)
    {
        return _mm_sub_epi8(sum, _mm_and_si128(_mm_cmpeq_epi8(a0, b0), _mm_cmpeq_epi8(a1, b1)));
    }
    [[gnu::always_inline]] static inline Vector table(const std::uint8_t *p) { return loadAny(p); }
    [[gnu::always_inline]] static inline Vector lookUp(Vector t, Vector i)
    {
        return _mm_shuffle_epi8(t, i);
    }
    using Table32 = const float *;
    [[gnu::always_inline]] static inline Table32 table32(const float *p) { return p; }
    [[gnu::always_inline]] static inline void lookUp32(Table32 t, const std::uint8_t *keys,
                                                       float *to)
    {
        for (int k = 0; k < 16; k++) to[k] = t[keys[k] & 31];
    }
    [[gnu::always_inline]] static inline Vector unpackLow(Vector a, Vector b)
    {
        return _mm_unpacklo_epi8(a, b);
    }
    [[gnu::always_inline]] static inline Vector unpackHigh(Vector a, Vector b)
    {
        return _mm_unpackhi_epi8(a, b);
    }
};

} // namespace
} // namespace local_entropy
