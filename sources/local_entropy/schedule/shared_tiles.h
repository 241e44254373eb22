// The tiles of a region for takers of two kinds: devices take large ones from its begin, the CPU's
// threads small ones from its end, until they meet.
#pragma once

#include "local_entropy/schedule/progress.h"
#include "local_entropy/schedule/tile_queue.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace local_entropy
{

/// Large tiles of whole small ones, of at most `mostCells` cells unless one small one has more:
/// enough of them that all parts of the way through a device have something to do, and broad, as
/// long rows are copied faster; not too flat, as their windows reach beyond them, and as a low tile
/// takes as many calls of CUDA as a high one.
TileSize largeTile(const Region &region, const TileSize &small, std::int64_t mostCells);

/// Every cell is in one tile of those that are taken, but for large ones that were given back:
/// these are taken again, as small ones, of which `progress` is not told again. From any thread.
class SharedTiles
{
public:
    SharedTiles(const Region &region, TileSize large, TileSize small, Progress &progress);

    /// False if there is none left, or the work was stopped.
    bool takeLarge(Region &tile);
    /// mayBegin: whether it may be the first one of a large tile that nobody has had.
    bool takeSmall(Region &tile, bool mayBegin = true);

    /// A large one whose results did not come.
    void giveBack(const Region &tile);

    /// Cells of the large ones that nobody has taken.
    std::int64_t leftInLarge() const;

private:
    /// A region cut into tiles, row of tiles by row of tiles.
    struct Grid
    {
        Grid(const Region &region, TileSize size);
        Region at(std::int64_t number) const;

        Region region;
        TileSize size;
        std::int64_t across, total;
    };

    bool nextSmall(Region &tile, bool mayBegin, std::int64_t &untold);

    const TileSize small;
    Progress &progress;
    mutable std::mutex mutex; ///< guards what follows
    const Grid large;
    std::int64_t begin = 0, end;    ///< of the large ones that nobody has
    Grid current{Region{}, {1, 1}}; ///< what small ones are taken from
    bool isTold = false;            ///< `current`, which was given back
    std::int64_t next = 0;          ///< of `current`
    std::vector<Region> returned;
    std::int64_t untaken; ///< cells of large ones
};

} // namespace local_entropy
