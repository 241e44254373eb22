#include "local_entropy/schedule/shared_tiles.h"

#include "common/integer.h"

#include <algorithm>

namespace local_entropy
{

SharedTiles::Grid::Grid(const Region &region, TileSize wanted)
    : region(region), size{std::clamp<std::int64_t>(wanted.width, 1,
                                                    std::max<std::int64_t>(region.width, 1)),
                           std::clamp<std::int64_t>(wanted.height, 1,
                                                    std::max<std::int64_t>(region.height, 1))},
      across(common::ceilDiv(region.width, size.width)),
      total(across * common::ceilDiv(region.height, size.height))
{
}

Region SharedTiles::Grid::at(std::int64_t number) const
{
    const std::int64_t x = number % across * size.width, y = number / across * size.height;
    return {region.x + x, region.y + y, std::min(size.width, region.width - x),
            std::min(size.height, region.height - y)};
}

SharedTiles::SharedTiles(const Region &region, TileSize largest, TileSize small, Progress &progress)
    : small(small), progress(progress), large(region, largest), end(large.total),
      untaken(region.width * region.height)
{
}

bool SharedTiles::takeLarge(Region &tile)
{
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (begin == end) return false;
        tile = large.at(begin++);
        untaken -= tile.width * tile.height;
    }
    return progress.goOn(tile.width * tile.height);
}

/// `untold`: its cells that `progress` does not know of.
bool SharedTiles::nextSmall(Region &tile, bool mayBegin, std::int64_t &untold)
{
    const std::lock_guard<std::mutex> lock(mutex);
    if (next == current.total) {
        isTold = !returned.empty();
        if (isTold) {
            current = Grid(returned.back(), small);
            returned.pop_back();
        } else if (mayBegin && begin < end) {
            const Region whole = large.at(--end);
            untaken -= whole.width * whole.height;
            current = Grid(whole, small);
        } else {
            return false;
        }
        next = 0;
    }
    tile = current.at(next++);
    untold = isTold ? 0 : tile.width * tile.height;
    return true;
}

bool SharedTiles::takeSmall(Region &tile, bool mayBegin)
{
    std::int64_t untold = 0;
    return nextSmall(tile, mayBegin, untold) && progress.goOn(untold);
}

void SharedTiles::giveBack(const Region &tile)
{
    const std::lock_guard<std::mutex> lock(mutex);
    returned.push_back(tile);
}

std::int64_t SharedTiles::leftInLarge() const
{
    const std::lock_guard<std::mutex> lock(mutex);
    return untaken;
}

} // namespace local_entropy
