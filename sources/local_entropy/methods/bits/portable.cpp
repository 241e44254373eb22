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
/// where that changes a cell it also raises a flag of the processor, which run() looks at.
[[gnu::always_inline]] inline __m128i toBytes(const float *cells)
{
    __m128i q[4];
    for (int i = 0; i < 4; ++i) q[i] = _mm_cvtps_epi32(_mm_loadu_ps(cells + 4 * i));
    return _mm_packs_epi16(_mm_packs_epi32(q[0], q[1]), _mm_packs_epi32(q[2], q[3]));
}

/// pairs[i][j] = lane i + 16 * lane (i + 4), of 64 cells each; outOfRange collects bits of cells
/// that are not in 0..15. Of these, no bit gets into another cell: they may lie in rows that do not
/// count.
[[gnu::always_inline]] inline void packPairs(const float *cells, std::uint8_t (*pairs)[64],
                                             Word &outOfRange)
{
    const Word lower = repeated(0x0f);
    __m128i seen = _mm_setzero_si128();
    for (int lane = 0; lane < 4; ++lane)
        for (int j = 0; j < 64; j += 16) {
            const __m128i low = toBytes(cells + 60 * lane + j);
            const __m128i high = toBytes(cells + 60 * (lane + 4) + j);
            seen = _mm_or_si128(seen, _mm_or_si128(low, high));
            const Word both = select(lower, (Word)low, (Word)_mm_slli_epi16(high, 4));
            _mm_store_si128(reinterpret_cast<__m128i *>(pairs[lane] + j), (__m128i)both);
        }
    outOfRange |= andNot((Word)seen, lower);
}

#else

/// pairs[i][j] = lane i + 16 * lane (i + 4), of 64 cells each. Adding 1.5 * 2^23 leaves an integer
/// in the lowest bits of a float; subtracting it again must give the cell back, and only 0..15 may
/// be set in these bits, or `outOfRange` becomes more than 0.
inline void packPairs(const float *cells, std::uint8_t (*pairs)[64], Word &outOfRange)
{
    constexpr float kShift = 12582912.0f;
    constexpr std::uint32_t kBits = 0x4b400000; // of kShift
    std::uint32_t wrong = 0;
    for (int lane = 0; lane < 4; ++lane) {
        const float *low = cells + 60 * lane, *high = low + 60 * 4;
        for (int j = 0; j < 64; ++j) {
            const float a = low[j] + kShift, b = high[j] + kShift;
            std::uint32_t bitsA, bitsB;
            __builtin_memcpy(&bitsA, &a, 4);
            __builtin_memcpy(&bitsB, &b, 4);
            bitsA -= kBits, bitsB -= kBits;
            wrong |= (bitsA | bitsB) >> 4;
            wrong |= (a - kShift != low[j]) | (b - kShift != high[j]);
            pairs[lane][j] = static_cast<std::uint8_t>((bitsA & 15) | bitsB << 4);
        }
    }
    outOfRange |= Word{wrong, wrong};
}

#endif

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

#if defined(__SSE2__)
#include "local_entropy/methods/bits/flags.h"
#endif
#include "local_entropy/methods/bits/kernel.h"

namespace local_entropy::bits
{

static bool worksHere() { return true; }

static void run(const Task &task, Blocks &blocks, void *scratch)
{
#if defined(__SSE2__)
    const ConversionFlags flags;
    runBlocks(task, blocks, scratch);
    if (flags.raised()) blocks.suspicious = true;
#else
    runBlocks(task, blocks, scratch);
#endif
}

const Kernel kPortable = {"portable", worksHere, false, sizeof(State), run};

} // namespace local_entropy::bits
