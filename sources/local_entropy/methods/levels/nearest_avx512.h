// From sums to floats, 16 windows at a time. Included behind simd/avx512.h.
#pragma once

#include "local_entropy/simd/arithmetic_avx512.h"

namespace local_entropy
{
namespace
{

/// The floats of 16 windows, D of 8 and of 8 more. Returns which are undecided, see
/// PlaneTables::error.
[[gnu::always_inline]] inline __mmask16 nearestFloats(__m512d first, __m512d second, double scaleOf,
                                                      double errorOf, __m512i &floats)
{
    const __m512d scale = _mm512_set1_pd(scaleOf), error = _mm512_set1_pd(errorOf);
    const __m512 least =
        toFloats(_mm512_fmsub_pd(first, scale, error), _mm512_fmsub_pd(second, scale, error));
    const __m512 most =
        toFloats(_mm512_fmadd_pd(first, scale, error), _mm512_fmadd_pd(second, scale, error));
    // The smallest D but 0 is above ln N and much above the error: negative means 0.
    const auto mixed = static_cast<__mmask16>(~_mm512_movepi32_mask(_mm512_castps_si512(least)));
    floats = _mm512_maskz_mov_epi32(mixed, _mm512_castps_si512(most));
    return _mm512_mask_cmp_ps_mask(mixed, least, most, _CMP_NEQ_UQ);
}

/// Eight 64-bit integers as doubles.
[[gnu::always_inline]] inline __m512d toDoubles(__m512i v)
{
    return _mm512_maskz_cvtepi64_pd(kAllEight, v);
}

} // namespace
} // namespace local_entropy
