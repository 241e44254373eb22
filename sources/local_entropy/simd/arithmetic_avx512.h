// Arithmetic of 32-bit integers, doubles and floats behind avx512.h. With masks that keep all: g++
// 12 warns of its own plain intrinsics ("may be used uninitialized"), and emits the same
// instructions.
#pragma once

namespace local_entropy
{
namespace
{

constexpr __mmask8 kAllEight = static_cast<__mmask8>(-1);
constexpr __mmask16 kAllSixteen = static_cast<__mmask16>(-1);

template <int bits>
[[gnu::always_inline]] inline __m512i shiftLeft(__m512i v)
{
    return _mm512_maskz_slli_epi32(kAllSixteen, v, bits);
}

/// Blocks of 16 bytes: two of a, then two of b, named by two bits each.
template <int blocks>
[[gnu::always_inline]] inline __m512i takeBlocks(__m512i a, __m512i b)
{
    return _mm512_maskz_shuffle_i32x4(kAllSixteen, a, b, blocks);
}

[[gnu::always_inline]] inline __m256i lowerHalf(__m512i v)
{
    return _mm512_maskz_extracti64x4_epi64(kAllEight, v, 0);
}

[[gnu::always_inline]] inline __m256i upperHalf(__m512i v)
{
    return _mm512_maskz_extracti64x4_epi64(kAllEight, v, 1);
}

[[gnu::always_inline]] inline __m512d toDoubles(__m256i v)
{
    return _mm512_maskz_cvtepi32_pd(kAllEight, v);
}

/// The nearest floats to 16 doubles.
[[gnu::always_inline]] inline __m512 toFloats(__m512d low, __m512d high)
{
    const __m512 twice =
        _mm512_maskz_broadcast_f32x8(kAllSixteen, _mm512_maskz_cvtpd_ps(kAllEight, low));
    return _mm512_maskz_insertf32x8(kAllSixteen, twice, _mm512_maskz_cvtpd_ps(kAllEight, high), 1);
}

} // namespace
} // namespace local_entropy
