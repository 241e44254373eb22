// Looking up sixteen entropies one by one: what a processor without gather instructions does, and
// one on which they are slow (some are, since their microcode was mended).
#pragma once

#include <cstdint>

namespace local_entropy::bits
{
namespace
{

[[gnu::always_inline]] inline void lookUpOneByOne(float *to, const std::uint16_t *index,
                                                  const float *table)
{
    for (int i = 0; i < 16; i += 4) { // four indices in one load
        std::uint64_t four;
        __builtin_memcpy(&four, index + i, sizeof four);
        to[i] = table[four & 0xffff];
        to[i + 1] = table[four >> 16 & 0xffff];
        to[i + 2] = table[four >> 32 & 0xffff];
        to[i + 3] = table[four >> 48];
    }
}

} // namespace
} // namespace local_entropy::bits
