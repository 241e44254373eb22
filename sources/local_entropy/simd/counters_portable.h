// What counting takes beside the bytes of portable.h. See counters.h.
#pragma once

#include "local_entropy/simd/portable.h"

namespace local_entropy
{
namespace
{

struct PortableCounters : PortableBytes
{
    typedef std::uint16_t Words __attribute__((vector_size(16)));

    [[gnu::always_inline]] static inline Vector subEqual(Vector sum, Vector a, Vector b)
    {
        return sum + (Vector)(a == b); // equal is -1
    }
    [[gnu::always_inline]] static inline void storeAny(void *p, Vector v)
    {
        std::memcpy(p, &v, sizeof v);
    }
    [[gnu::always_inline]] static inline Vector loadWords(const std::uint8_t *p)
    {
        typedef std::uint8_t Half __attribute__((vector_size(8)));
        Half half;
        std::memcpy(&half, p, sizeof half);
        return (Vector) __builtin_convertvector(half, Words);
    }
    [[gnu::always_inline]] static inline Vector loadWords(const std::uint16_t *p)
    {
        return loadAny(p);
    }
    [[gnu::always_inline]] static inline Vector addWords(Vector a, Vector b)
    {
        return (Vector)((Words)a + (Words)b);
    }
};

} // namespace
} // namespace local_entropy
