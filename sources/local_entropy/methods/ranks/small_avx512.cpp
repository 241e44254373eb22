// small.h for 64 bytes: AVX-512 F, BW, VL and DQ.
#include "local_entropy/methods/ranks/small_band.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include "local_entropy/simd/avx512.h"

#include "local_entropy/methods/ranks/small.h"

namespace local_entropy
{

void smallTileAvx512(const SmallTile &tile, std::uint8_t *scratch)
{
    smallTile<Avx512Bytes>(tile, scratch);
}

} // namespace local_entropy

#include "local_entropy/simd/end.h"
#endif
