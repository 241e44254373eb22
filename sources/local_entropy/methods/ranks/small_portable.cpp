// small.h for 16 bytes, on any processor: NEON on 64-bit ARM, vector extensions elsewhere.
#include "local_entropy/methods/ranks/small_band.h"

#include <cstdint>
#include <cstring>

#if defined(__aarch64__)
#include "local_entropy/simd/neon.h"
#else
#include "local_entropy/simd/portable.h"
#endif

#include "local_entropy/methods/ranks/small.h"

namespace local_entropy
{

#if defined(__aarch64__)
using SmallBytes = NeonBytes;
#else
using SmallBytes = PortableBytes;
#endif

void smallTilePortable(const SmallTile &tile, std::uint8_t *scratch)
{
    smallTile<SmallBytes>(tile, scratch);
}

} // namespace local_entropy
