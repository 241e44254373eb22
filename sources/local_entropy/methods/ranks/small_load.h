// Loading for small.h: a row of a tile becomes vectors, a block a lane.
#pragma once

#include "local_entropy/methods/ranks/small_band.h"
#include "local_entropy/simd/bytes.h"

#include <cstdint>

namespace local_entropy
{
namespace
{

/// Row y of every block: byte k of a block's row to its lane of the vector `to` + k * kBytes.
/// 16 bytes of each block at a time; the last ones end with the block, nothing behind is read. The
/// next row is fetched into the cache meanwhile; it is there when the passes over this one are
/// done.
template <typename Bytes>
[[gnu::noinline]] void loadRow(const SmallTile &tile, const SmallBand &band, std::int64_t y,
                               std::uint8_t *to)
{
    const std::uint8_t *const from = tile.cells + y * tile.stride;
    const int bytes = (band.columns + tile.width - 1) * tile.cellBytes;
    for (int byte = 0;;) {
        typename Bytes::Vector v[16];
        for (int k = 0; k < 16; k++) v[k] = Bytes::loadBlocks(from + byte, band.cellOffset + k);
        transpose16<Bytes>(v);
        for (int k = 0; k < 16; k++) Bytes::store(to + (byte + k) * Bytes::kBytes, v[k]);
        if (byte + 16 >= bytes) break;
        byte = byte + 32 <= bytes || bytes < 16 ? byte + 16 : bytes - 16;
    }
    if (y + 1 < band.rows + tile.height - 1)
        for (int lane = 0; lane < Bytes::kBytes; lane++)
            __builtin_prefetch(from + tile.stride + band.cellOffset[lane]);
}

} // namespace
} // namespace local_entropy
