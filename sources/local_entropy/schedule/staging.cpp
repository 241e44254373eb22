#include "local_entropy/schedule/staging.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace local_entropy
{
namespace
{

/// packLevels(), one by one.
bool packEach(const float *cells, std::size_t size, int levels, std::uint8_t *to)
{
    bool good = true;
    const auto end = static_cast<float>(levels);
    for (std::size_t i = 0; i < size; ++i) {
        const bool inRange = cells[i] >= 0 && cells[i] < end; // false for NaN
        to[i] = static_cast<std::uint8_t>(inRange ? cells[i] : 0);
        good &= inRange && static_cast<float>(to[i]) == cells[i];
    }
    return good;
}

} // namespace

#if defined(__SSE2__)

// Sixteen at once. A cell becomes an integer, and that a float again, which is the cell unless this
// is no integer: what fits no integer becomes the least one, which is no level. Compilers do not
// find this by themselves, as C++ does not say what such a cell becomes.
bool packLevels(const float *cells, std::size_t size, int levels, std::uint8_t *to)
{
    const __m128i highest = _mm_set1_epi32(levels - 1);
    __m128i bad = _mm_setzero_si128();
    const auto four = [&](const float *from) {
        const __m128 cell = _mm_loadu_ps(from);
        const __m128i level = _mm_cvttps_epi32(cell);
        const __m128 differs = _mm_cmpneq_ps(_mm_cvtepi32_ps(level), cell); // true for NaN
        const __m128i beyond =
            _mm_or_si128(_mm_cmpgt_epi32(level, highest), _mm_srai_epi32(level, 31));
        bad = _mm_or_si128(bad, _mm_or_si128(_mm_castps_si128(differs), beyond));
        return level;
    };
    std::size_t i = 0;
    for (; i + 16 <= size; i += 16) {
        const __m128i low = _mm_packs_epi32(four(cells + i), four(cells + i + 4));
        const __m128i high = _mm_packs_epi32(four(cells + i + 8), four(cells + i + 12));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i), _mm_packus_epi16(low, high));
    }
    return packEach(cells + i, size - i, levels, to + i) && _mm_movemask_epi8(bad) == 0;
}

#else

bool packLevels(const float *cells, std::size_t size, int levels, std::uint8_t *to)
{
    return packEach(cells, size, levels, to);
}

#endif

void copyResults(const float *from, std::size_t size, float *to)
{
    std::size_t i = 0;
#if defined(__SSE2__)
    for (; i < size && reinterpret_cast<std::uintptr_t>(to + i) % 64; ++i) to[i] = from[i];
    for (; i + 16 <= size; i += 16)
        for (int part = 0; part < 16; part += 4)
            _mm_stream_ps(to + i + part, _mm_loadu_ps(from + i + part));
    _mm_sfence();
#endif
    std::memcpy(to + i, from + i, (size - i) * sizeof(float));
}

} // namespace local_entropy
