// The tiles of a region: threads, and devices, take one after the other until none is left.
#pragma once

#include "local_entropy/filter.h"
#include "local_entropy/schedule/progress.h"

#include <atomic>
#include <cstdint>

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
    TileQueue(const Region &region, TileSize size, Progress &progress);

    /// The next tile, in the image's coordinates, row of tiles by row of tiles; false when there is
    /// none left or the work was stopped. From any thread.
    bool take(Region &tile);

    /// How large the largest are.
    const TileSize &tileSize() const { return size; }

private:
    Region region;
    TileSize size;
    std::int64_t across, total;
    Progress &progress;
    std::atomic<std::int64_t> next{0};
};

} // namespace local_entropy
