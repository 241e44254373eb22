#include "local_entropy/schedule/shared_tiles.h"

#include "common/integer.h"

#include <algorithm>
#include <cmath>

namespace local_entropy
{

TileSize largeTile(const Region &region, const TileSize &small, std::int64_t mostCells)
{
    constexpr std::int64_t kTiles = 24, kFew = 1 << 17; // cells, for which a launch is long
    const std::int64_t most = std::max<std::int64_t>(mostCells, 1);
    const std::int64_t cells =
        std::clamp(region.width * region.height / kTiles, std::min(kFew, most), most);
    const auto broad = static_cast<std::int64_t>(2 * std::sqrt(static_cast<double>(cells)));
    const std::int64_t columns = std::max(broad, cells / std::min(region.height, cells));
    const auto whole = [](std::int64_t size, std::int64_t part) {
        return std::max<std::int64_t>(size / part, 1) * part;
    };
    const std::int64_t width = std::min(region.width, whole(columns, small.width));
    const std::int64_t rows = cells / width;
    const std::int64_t nearest = whole(rows + small.height / 2, small.height);
    const std::int64_t height = nearest * width <= most ? nearest : whole(rows, small.height);
    return {width, std::min(region.height, height)};
}

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
