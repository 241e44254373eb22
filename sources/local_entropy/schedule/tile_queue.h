// The tiles of a region: threads, and devices, take one after the other until none is left.
#pragma once

#include "local_entropy/filter.h"

#include <atomic>
#include <cstdint>
#include <functional>

namespace local_entropy
{

/// How many results a tile has at most.
struct TileSize
{
    std::int64_t width, height;
};

class TileQueue
{
public:
    TileQueue(const Region &region, TileSize size);

    /// The next tile, in the image's coordinates, row of tiles by row of tiles; false when there is
    /// none left or the work was stopped. From any thread.
    bool take(Region &tile);

    /// Called before each tile is taken, by the thread that takes it.
    std::function<void()> beforeEach;

    std::int64_t tiles() const { return total; }
    std::int64_t taken() const; ///< so far

    /// Nobody gets another tile.
    void stop() { stopped = true; }
    bool wasStopped() const { return stopped; }

private:
    Region region;
    TileSize size;
    std::int64_t across = 0, total = 0;
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stopped{false};
};

} // namespace local_entropy
