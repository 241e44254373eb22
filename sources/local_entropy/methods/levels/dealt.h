// 64 windows in four vectors, as unpacking bytes twice deals them: vector q has the windows
// 16 j + 4 q + i as elements 4 j + i (i, j < 4). Included behind simd/avx512.h.
#pragma once

namespace local_entropy
{
namespace
{

/// Stores 64 floats, dealt so, in their order: a transposition of 4 x 4 blocks.
[[gnu::always_inline]] inline void storeDealt(const __m512i *v, float *to)
{
    const __m512i a = _mm512_shuffle_i32x4(v[0], v[1], 0x44);
    const __m512i b = _mm512_shuffle_i32x4(v[2], v[3], 0x44);
    const __m512i c = _mm512_shuffle_i32x4(v[0], v[1], 0xee);
    const __m512i d = _mm512_shuffle_i32x4(v[2], v[3], 0xee);
    _mm512_storeu_si512(to, _mm512_shuffle_i32x4(a, b, 0x88));
    _mm512_storeu_si512(to + 16, _mm512_shuffle_i32x4(a, b, 0xdd));
    _mm512_storeu_si512(to + 32, _mm512_shuffle_i32x4(c, d, 0x88));
    _mm512_storeu_si512(to + 48, _mm512_shuffle_i32x4(c, d, 0xdd));
}

} // namespace
} // namespace local_entropy
