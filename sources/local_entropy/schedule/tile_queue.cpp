#include "local_entropy/schedule/tile_queue.h"

#include <algorithm>

namespace local_entropy
{

static std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

TileQueue::TileQueue(const Region &region, TileSize size)
    : region(region), size{std::max<std::int64_t>(size.width, 1),
                           std::max<std::int64_t>(size.height, 1)},
      across(ceilDiv(region.width, this->size.width)),
      total(across * ceilDiv(region.height, this->size.height))
{
}

bool TileQueue::take(Region &tile)
{
    if (beforeEach) beforeEach();
    if (stopped) return false;
    const std::int64_t number = next.fetch_add(1, std::memory_order_relaxed);
    if (number >= total) return false;
    const std::int64_t x = number % across * size.width, y = number / across * size.height;
    tile = {region.x + x, region.y + y, std::min(size.width, region.width - x),
            std::min(size.height, region.height - y)};
    return true;
}

std::int64_t TileQueue::taken() const
{
    return std::min(next.load(std::memory_order_relaxed), total);
}

} // namespace local_entropy
