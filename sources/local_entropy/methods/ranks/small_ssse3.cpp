// small.h for 16 bytes: SSSE3.
#include "local_entropy/methods/ranks/small_band.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include "local_entropy/simd/ssse3.h"

#include "local_entropy/methods/ranks/small.h"

namespace local_entropy
{

void smallTileSsse3(const SmallTile &tile, std::uint8_t *scratch)
{
    smallTile<Ssse3Bytes>(tile, scratch);
}

} // namespace local_entropy

#include "local_entropy/simd/end.h"
#endif
