// What counting takes beside the bytes of avx512.h. See counters.h.
#pragma once

#include "local_entropy/simd/avx512.h"

namespace local_entropy
{
namespace
{

struct Avx512Counters : Avx512Bytes
{
    [[gnu::always_inline]] static inline Vector subEqual(Vector sum, Vector a, Vector b)
    {
        return _mm512_mask_add_epi8(sum, _mm512_cmpeq_epi8_mask(a, b), sum, all(255));
    }
    [[gnu::always_inline]] static inline void storeAny(void *p, Vector v)
    {
        _mm512_storeu_si512(p, v);
    }
    [[gnu::always_inline]] static inline Vector loadWords(const std::uint8_t *p)
    {
        return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
    }
    [[gnu::always_inline]] static inline Vector loadWords(const std::uint16_t *p)
    {
        return _mm512_loadu_si512(p);
    }
    [[gnu::always_inline]] static inline Vector addWords(Vector a, Vector b)
    {
        return _mm512_add_epi16(a, b);
    }
};

} // namespace
} // namespace local_entropy
