// What counting takes beside the bytes of avx2.h. See counters.h.
#pragma once

#include "local_entropy/simd/avx2.h"

namespace local_entropy
{
namespace
{

struct Avx2Counters : Avx2Bytes
{
    [[gnu::always_inline]] static inline Vector subEqual(Vector sum, Vector a, Vector b)
    {
        return _mm256_add_epi8(sum, _mm256_cmpeq_epi8(a, b));
    }
    [[gnu::always_inline]] static inline void storeAny(void *p, Vector v)
    {
        _mm256_storeu_si256(static_cast<__m256i *>(p), v);
    }
    [[gnu::always_inline]] static inline Vector loadWords(const std::uint8_t *p)
    {
        return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
    }
    [[gnu::always_inline]] static inline Vector loadWords(const std::uint16_t *p)
    {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
    }
    [[gnu::always_inline]] static inline Vector addWords(Vector a, Vector b)
    {
        return _mm256_add_epi16(a, b);
    }
};

} // namespace
} // namespace local_entropy
