#include "local_entropy/schedule/staging.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Compiled for several processors; the program takes the best that it finds at run time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

namespace local_entropy
{

FOR_EACH_PROCESSOR bool packLevels(const float *cells, std::size_t size, int levels,
                                   std::uint8_t *to)
{
    std::int32_t bad = 0;
    const auto end = static_cast<float>(levels);
    for (std::size_t i = 0; i < size; ++i) {
        const bool inRange = cells[i] >= 0 && cells[i] < end; // false for NaN
        const auto level = static_cast<std::int32_t>(inRange ? cells[i] : 0);
        bad |= !inRange | (static_cast<float>(level) != cells[i]);
        to[i] = static_cast<std::uint8_t>(level);
    }
    return bad == 0;
}

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
