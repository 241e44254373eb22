// avx512.h with byte permutes (VBMI) and dot products of bytes (VNNI). Ends with end.h twice.
#pragma once

#include "local_entropy/simd/avx512.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512vbmi,avx512vnni"))), apply_to = function)
#else
#pragma GCC target("avx512vbmi,avx512vnni")
#endif
