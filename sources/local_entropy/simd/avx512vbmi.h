// 64 bytes: AVX-512 with VBMI and VNNI. What follows this header is compiled for them (see
// bytes.h).
#pragma once

#include "local_entropy/simd/avx512.h"
#include "local_entropy/simd/end.h" // clang takes one set of instructions at a time

#if defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((                                                                                \
        target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vnni"))),        \
    apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vnni")
#endif

namespace local_entropy
{
namespace
{

/// Avx512Bytes, and
///   lookUp64(t, i)        t[i modulo 64] byte by byte, across all blocks
///   lookUp128(t, u, i)    the same, i modulo 128: from 64 on in u
///   addProducts(sum, b, w)   in every 4 bytes: sum + b0 w0 + b1 w1 + b2 w2 + b3 w3 as 32 bits; b
///                            without a sign, w with one
struct Avx512VbmiBytes : Avx512Bytes
{
    [[gnu::always_inline]] static inline Vector lookUp64(Vector table, Vector i)
    {
        return _mm512_maskz_permutexvar_epi8(~__mmask64{0}, i, table);
    }
    [[gnu::always_inline]] static inline Vector lookUp128(Vector low, Vector high, Vector i)
    {
        return _mm512_permutex2var_epi8(low, i, high);
    }
    [[gnu::always_inline]] static inline Vector addProducts(Vector sum, Vector bytes,
                                                            Vector weights)
    {
        return _mm512_dpbusd_epi32(sum, bytes, weights);
    }
};

} // namespace
} // namespace local_entropy
