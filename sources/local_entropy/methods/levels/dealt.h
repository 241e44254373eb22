// 64 windows in four vectors, as unpacking bytes twice deals them: vector q has the windows
// 16 j + 4 q + i as elements 4 j + i (i, j < 4). Included behind simd/avx512.h.
#pragma once

#include "local_entropy/simd/arithmetic_avx512.h"

namespace local_entropy
{
namespace
{

/// Stores 64 floats, dealt so, in their order: a transposition of 4 x 4 blocks.
[[gnu::always_inline]] inline void storeDealt(const __m512i *v, float *to)
{
    const __m512i a = takeBlocks<0x44>(v[0], v[1]);
    const __m512i b = takeBlocks<0x44>(v[2], v[3]);
    const __m512i c = takeBlocks<0xee>(v[0], v[1]);
    const __m512i d = takeBlocks<0xee>(v[2], v[3]);
    _mm512_storeu_si512(to, takeBlocks<0x88>(a, b));
    _mm512_storeu_si512(to + 16, takeBlocks<0xdd>(a, b));
    _mm512_storeu_si512(to + 32, takeBlocks<0x88>(c, d));
    _mm512_storeu_si512(to + 48, takeBlocks<0xdd>(c, d));
}

} // namespace
} // namespace local_entropy
