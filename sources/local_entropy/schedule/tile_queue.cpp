#include "local_entropy/schedule/tile_queue.h"

#include "common/integer.h"

#include <algorithm>

namespace local_entropy
{

using common::ceilDiv;

TileQueue::TileQueue(const Region &region, TileSize wanted, Progress &progress)
    : region(region), size{std::clamp<std::int64_t>(wanted.width, 1, region.width),
                           std::clamp<std::int64_t>(wanted.height, 1, region.height)},
      across(ceilDiv(region.width, size.width)),
      total(across * ceilDiv(region.height, size.height)), progress(progress)
{
}

bool TileQueue::take(Region &tile)
{
    // To look is cheaper than to take: a call for a few cells asks twice.
    if (next.load(std::memory_order_relaxed) >= total) return false;
    const std::int64_t number = next.fetch_add(1, std::memory_order_relaxed);
    if (number >= total) return false;
    const std::int64_t x = number % across * size.width, y = number / across * size.height;
    tile = {region.x + x, region.y + y, std::min(size.width, region.width - x),
            std::min(size.height, region.height - y)};
    return progress.goOn(tile.width * tile.height);
}

} // namespace local_entropy
