// A tile, strip by strip.
#pragma once

#include "local_entropy/methods/histogram/prepared.h"
#include "local_entropy/problem/load.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy
{

/// Bytes of histograms for tiles of up to so many values.
std::size_t histogramBytes(const Prepared &prepared, int values);

/// Fills results[y * stride + x] for all of a tile, down its columns; `way` is prepared.down or,
/// for a tile on its side, prepared.across. Cell is uint8 or uint16, as the tile has them; Value is
/// float or double, as the problem asks. Of a tile, reads 15 columns beyond the last that its
/// windows reach. `histograms`: histogramBytes() of zeros, and zeros again afterwards.
template <typename Cell, typename Value>
void walkTile(const Prepared &prepared, const Way &way, const Tile &tile, void *histograms,
              Value *results, std::int64_t stride);

} // namespace local_entropy
