#include "local_entropy/methods/levels/tile_levels.h"

#include <cstring>

namespace local_entropy
{
namespace
{

/// Looking at a cell costs as much as counting one to four levels.
constexpr int kCountAll = 32;

/// Marks the values of all cells that windows of a tile reach.
template <class Cell>
void mark(const Tile &tile, std::int64_t width, std::int64_t height, std::uint8_t *present)
{
    for (std::int64_t y = 0; y < height; y++) {
        const Cell *row = tile.row<Cell>(y);
        for (std::int64_t x = 0; x < width; x++) present[row[x]] = 1;
    }
}

} // namespace

TileLevels::TileLevels(const Tile &tile, const Shape &shape, Scratch &scratch)
    : width(tile.width + shape.width - 1), height(tile.height + shape.height - 1)
{
    if (tile.bytes == 1) {
        cells = static_cast<const std::uint8_t *>(tile.cells);
        stride = tile.stride;
        if (tile.values <= kCountAll + tile.missing)
            takeAll(tile);
        else
            findBytes(tile);
    } else if (tile.bytes == 2) {
        rankWords(tile, scratch);
    } else {
        fits = false;
    }
}

void TileLevels::takeAll(const Tile &tile)
{
    for (int value = 0; value < tile.values; value++)
        if (!tile.missing || value != static_cast<int>(tile.none))
            values[levels++] = static_cast<std::uint8_t>(value);
}

void TileLevels::findBytes(const Tile &tile)
{
    std::uint8_t present[256] = {};
    mark<std::uint8_t>(tile, width, height, present);
    if (tile.missing) present[tile.none] = 0;
    for (int value = 0; value < 256; value++)
        if (present[value]) values[levels++] = static_cast<std::uint8_t>(value);
}

void TileLevels::rankWords(const Tile &tile, Scratch &scratch)
{
    constexpr int kValues = 65536;
    auto *rank = static_cast<std::uint8_t *>(scratch.get(Scratch::MethodC, kValues));
    std::memset(rank, 0, kValues);
    mark<std::uint16_t>(tile, width, height, rank);
    if (tile.missing) rank[tile.none] = 0;
    for (int value = 0; value < kValues; value++) {
        if (!rank[value]) continue;
        if (levels == kNotCounted) {
            fits = false;
            return;
        }
        values[levels] = rank[value] = static_cast<std::uint8_t>(levels);
        levels++;
    }
    if (tile.missing) rank[tile.none] = kNotCounted;
    stride = roundUp(width, kBlock);
    auto *bytes =
        static_cast<std::uint8_t *>(scratch.get(Scratch::MethodB, stride * height + kTileSlack));
    cells = bytes;
    for (std::int64_t y = 0; y < height; y++, bytes += stride) {
        const std::uint16_t *row = tile.row<std::uint16_t>(y);
        for (std::int64_t x = 0; x < width; x++) bytes[x] = rank[row[x]];
    }
}

BoxTile TileLevels::boxTile(const Tile &tile, const Shape &shape) const
{
    BoxTile box;
    box.cells = cells;
    box.stride = stride;
    box.width = tile.width;
    box.height = tile.height;
    box.windowWidth = shape.width;
    box.windowHeight = shape.height;
    box.values = values;
    box.levels = levels;
    return box;
}

} // namespace local_entropy
