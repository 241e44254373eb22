// The bit-sliced kernel for any processor: words of 16 bytes in the vector notation that g++ and
// clang++ share. They make of it what the processor has: SSE2, NEON, or plain registers.

#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace local_entropy::bits
{
namespace
{

typedef std::uint64_t Word __attribute__((vector_size(16)));

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

#if defined(__SSE2__)

/// 16 cells to signed bytes, those beyond -128..127 to the nearest of these. The conversion rounds;
/// where that changes a cell it also raises a flag of the processor.
[[gnu::always_inline]] inline Word toBytes(const float *cells)
{
    __m128i q[4];
    for (int i = 0; i < 4; ++i) q[i] = _mm_cvtps_epi32(_mm_loadu_ps(cells + 4 * i));
    return (Word)_mm_packs_epi16(_mm_packs_epi32(q[0], q[1]), _mm_packs_epi32(q[2], q[3]));
}

#else

/// 16 cells to bytes. Adding 1.5 * 2^23 leaves an integer in the lowest bits of a float;
/// subtracting it again must give the cell back, and only 0..15 may be set in these bits, or upper
/// bits of the byte are.
[[gnu::always_inline]] inline Word toBytes(const float *cells)
{
    constexpr float kShift = 12582912.0f;
    constexpr std::uint32_t kBits = 0x4b400000; // of kShift
    alignas(Word) std::uint8_t bytes[sizeof(Word)];
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
        const float shifted = cells[i] + kShift;
        std::uint32_t bits;
        __builtin_memcpy(&bits, &shifted, sizeof bits);
        bits -= kBits;
        const bool wrong = (bits > 15) | (shifted - kShift != cells[i]);
        bytes[i] = static_cast<std::uint8_t>((bits & 15) | (wrong ? 0xf0 : 0));
    }
    Word word;
    __builtin_memcpy(&word, bytes, sizeof word);
    return word;
}

#endif

[[gnu::always_inline]] inline Word inOrder(Word bytes) { return bytes; }

/// 16 indices from their lower and upper bytes.
[[gnu::always_inline]] inline void storeIndices(std::uint16_t *to, Word low, Word high)
{
#if defined(__SSE2__)
    const __m128i l = (__m128i)low, h = (__m128i)high;
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to), _mm_unpacklo_epi8(l, h));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + 8), _mm_unpackhi_epi8(l, h));
#else
    std::uint8_t lowBytes[16], highBytes[16];
    __builtin_memcpy(lowBytes, &low, 16);
    __builtin_memcpy(highBytes, &high, 16);
    for (int i = 0; i < 16; ++i)
        to[i] = static_cast<std::uint16_t>(lowBytes[i] | highBytes[i] << 8);
#endif
}

/// Looks up 16 entropies; there is one way only.
template <bool Stream, bool Gather>
[[gnu::always_inline]] inline void lookUpGroup(float *to, const std::uint16_t *index,
                                               const float *table)
{
    lookUpOneByOne(to, index, table);
}

/// 16 entropies, around the cache where the compiler is known to have stores for that.
[[gnu::always_inline]] inline void writeGroup(float *to, const float *from)
{
#if defined(__SSE2__)
    const __m128 line[4] = {_mm_loadu_ps(from), _mm_loadu_ps(from + 4), _mm_loadu_ps(from + 8),
                            _mm_loadu_ps(from + 12)};
    for (int i = 0; i < 4; ++i) _mm_stream_ps(to + 4 * i, line[i]);
#else
    __builtin_memcpy(to, from, 16 * sizeof(float));
#endif
}

inline void finishStreaming()
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

} // namespace
} // namespace local_entropy::bits

#include "local_entropy/methods/bits/kernel.h"

namespace local_entropy::bits
{

static bool worksHere() { return true; }

const Kernel kPortable = {worksHere, false, sizeof(State), run};

} // namespace local_entropy::bits
