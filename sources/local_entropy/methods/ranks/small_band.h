// How the lanes of the vectors of small.h share a tile, and where what is in memory.
#pragma once

#include "local_entropy/methods/ranks/small_tile.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy
{

constexpr int kMaxLanes = 64;

/// 16 results side by side: where their keys are in the codes, and where they go.
struct SmallUnit
{
    std::int64_t keys, result, absent; ///< bytes; floats; numbers; from those of the band's row
};

/// Where the parts of a kernel's memory begin, all on boundaries of a vector.
struct SmallMemory
{
    std::uint8_t *rows, *state, *sums, *codes;
    SmallUnit *units;
    std::int64_t rowBytes, sumBytes, planeBytes;
    std::int64_t total;
};

/// A part of a tile: at most one block a lane, all of them as large.
struct SmallBand
{
    int columns = 0;       ///< of a block, in results
    std::int64_t rows = 0; ///< of a block
    int blocks = 0;        ///< in use; other lanes do what the first one does
    int groups = 0;        ///< of 16 columns; the last one may overlap the one before
    SmallMemory memory;

    std::int64_t cellOffset[kMaxLanes]; ///< where the blocks begin, in bytes

    /// The first column of a group.
    int groupColumn(int group) const
    {
        const int last = columns > 16 ? columns - 16 : 0;
        return 16 * group < last ? 16 * group : last;
    }
};

/// The band of a tile that begins at column x; returns how many columns it has.
std::int64_t cutBand(const SmallTile &tile, int lanes, std::int64_t x, SmallBand &band,
                     std::uint8_t *scratch);

} // namespace local_entropy
