// avx512.h with byte permutes (VBMI) and dot products of bytes (VNNI). Ends with end.h twice.
#pragma once

#include <immintrin.h>

// Before avx512.h, since clang gives a function the outermost of several lists.
#if defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((                                                                                \
        target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vnni"))),        \
    apply_to = function)
#else
#pragma GCC target("avx512vbmi,avx512vnni")
#endif

#include "local_entropy/simd/avx512.h"
