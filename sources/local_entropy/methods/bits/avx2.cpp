// The bit-sliced kernel in words of 32 bytes.

#include "local_entropy/methods/bits/task.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cstdint>
#include <immintrin.h>
#include <utility>

namespace local_entropy::bits
{

static bool worksHere() { return __builtin_cpu_supports("avx2"); }

} // namespace local_entropy::bits

// From here on, functions may use these instructions. Headers of the standard library have to be
// included before, and all that is included after has internal linkage: of an inline function that
// was compiled for two processors, the linker might keep the wrong one for both.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

namespace local_entropy::bits
{
namespace
{

typedef std::uint64_t Word __attribute__((vector_size(32)));

} // namespace
} // namespace local_entropy::bits

#include "local_entropy/methods/bits/hash.h"
#include "local_entropy/methods/bits/lookup.h"
#include "local_entropy/methods/bits/word.h"

namespace local_entropy::bits
{
namespace
{

using Hash = BinaryHash;

/// 32 cells to signed bytes, those beyond -128..127 to the nearest of these. The conversion rounds;
/// where that changes a cell it also raises a flag of the processor.
[[gnu::always_inline]] inline Word toBytes(const float *cells)
{
    __m256i q[4];
    for (int i = 0; i < 4; ++i) q[i] = _mm256_cvtps_epi32(_mm256_loadu_ps(cells + 8 * i));
    return (Word)_mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
}

[[gnu::always_inline]] inline Word inOrder(Word bytes)
{
    const __m256i fours = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (Word)_mm256_permutevar8x32_epi32((__m256i)bytes, fours);
}

/// 32 indices from their lower and upper bytes.
[[gnu::always_inline]] inline void storeIndices(std::uint16_t *to, Word low, Word high)
{
    const __m256i l = _mm256_unpacklo_epi8((__m256i)low, (__m256i)high);
    const __m256i h = _mm256_unpackhi_epi8((__m256i)low, (__m256i)high);
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm256_permute2x128_si256(l, h, 0x20));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + 16),
                        _mm256_permute2x128_si256(l, h, 0x31));
}

/// Looks up 16 entropies; stores around the cache only if they come in one go.
template <bool Stream, bool Gather>
[[gnu::always_inline]] inline void lookUpGroup(float *to, const std::uint16_t *index,
                                               const float *table)
{
    if constexpr (!Gather) return lookUpOneByOne(to, index, table);
    for (int i = 0; i < 16; i += 8) {
        const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i *>(index + i));
        const __m256 found = _mm256_i32gather_ps(table, _mm256_cvtepu16_epi32(eight), 4);
        if constexpr (Stream)
            _mm256_stream_ps(to + i, found);
        else
            _mm256_storeu_ps(to + i, found);
    }
}

/// 16 entropies around the cache.
[[gnu::always_inline]] inline void writeGroup(float *to, const float *from)
{
    const __m256 first = _mm256_loadu_ps(from), second = _mm256_loadu_ps(from + 8);
    _mm256_stream_ps(to, first);
    _mm256_stream_ps(to + 8, second);
}

inline void finishStreaming() { _mm_sfence(); }

} // namespace
} // namespace local_entropy::bits

#include "local_entropy/methods/bits/kernel.h"

namespace local_entropy::bits
{

const Kernel kAvx2 = {worksHere, false, sizeof(State), run};

} // namespace local_entropy::bits

#include "local_entropy/simd/end.h"

#else

namespace local_entropy::bits
{

static bool worksHere() { return false; }

const Kernel kAvx2 = {worksHere, false, 0, nullptr};

} // namespace local_entropy::bits

#endif
