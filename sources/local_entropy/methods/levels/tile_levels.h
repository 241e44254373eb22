// The levels of a tile as bytes: a tile of a picture with many levels may hold few.
#pragma once

#include "local_entropy/memory/scratch.h"
#include "local_entropy/methods/levels/box_tile.h"
#include "local_entropy/problem/load.h"

#include <cstdint>

namespace local_entropy
{

/// Which values of bytes are to be counted in a tile.
class TileLevels
{
public:
    /// Looks which levels there are, unless there can be so few that counting all is cheaper.
    /// Cells of 16 bits become bytes: numbers of levels, in the slots MethodB and MethodC.
    TileLevels(const Tile &tile, const Shape &shape, Scratch &scratch);

    /// False: there are more than 255 levels, in cells of more than a byte.
    bool fit() const { return fits; }

    /// The tile for the kernels; refers to this object.
    BoxTile boxTile(const Tile &tile, const Shape &shape) const;

private:
    static constexpr int kMost = 256;
    static constexpr std::uint8_t kNotCounted = 255; ///< of ranks, which are 0 ... 254

    void takeAll(const Tile &tile);
    void findBytes(const Tile &tile);
    void rankWords(const Tile &tile, Scratch &scratch);

    const std::int64_t width, height; ///< of the cells that windows reach
    bool fits = true;
    const std::uint8_t *cells = nullptr;
    std::int64_t stride = 0;
    std::uint8_t values[kMost];
    int levels = 0;
};

} // namespace local_entropy
