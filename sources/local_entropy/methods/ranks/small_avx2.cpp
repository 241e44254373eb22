// small.h for 32 bytes: AVX2.
#include "local_entropy/methods/ranks/small_band.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include "local_entropy/simd/avx2.h"

#include "local_entropy/methods/ranks/small.h"

namespace local_entropy
{

void smallTileAvx2(const SmallTile &tile, std::uint8_t *scratch)
{
    smallTile<Avx2Bytes>(tile, scratch);
}

} // namespace local_entropy

#include "local_entropy/simd/end.h"
#endif
