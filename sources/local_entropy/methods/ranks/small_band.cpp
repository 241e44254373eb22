#include "local_entropy/methods/ranks/small_band.h"

#include <algorithm>

namespace local_entropy
{
namespace
{

constexpr int kWidestBlock = 40; ///< columns: what a row of blocks takes must stay in the L1 cache
constexpr int kUsualBlock = 32;

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

SmallMemory memoryOf(const SmallTile &tile, int lanes, int columns, std::uint8_t *scratch)
{
    const std::int64_t vector = lanes, around = tile.width - 1;
    const std::int64_t groups = ceilDiv(columns, 16), whole = std::max(columns, 16);
    const int keys = keyBytes(tile.width * tile.height);
    const std::int64_t loaded = std::max<std::int64_t>((columns + around) * tile.cellBytes, 16);
    SmallMemory memory;
    memory.rowBytes = (2 * around * tile.cellBytes + loaded) * vector;
    memory.planeBytes = (around + whole) * vector;
    memory.sumBytes = keys * memory.planeBytes;
    std::int64_t at = 0;
    const auto take = [&](std::int64_t bytes) {
        std::uint8_t *const part = scratch + at;
        at += ceilDiv(bytes, 64) * 64;
        return part;
    };
    memory.rows = take(tile.height * memory.rowBytes);
    memory.state = take((columns + around) * tile.width * vector);
    memory.sums = take(tile.height * memory.sumBytes);
    memory.codes = take(keys * groups * 16 * vector);
    memory.units = reinterpret_cast<SmallUnit *>(take(groups * lanes * sizeof(SmallUnit)));
    memory.total = at;
    return memory;
}

/// How many blocks, of how many columns, lie side by side and one above the other: what is
/// cheapest, counted in passes over a vector (the ranks of one row) and look-ups.
void chooseBlocks(const SmallTile &tile, int lanes, std::int64_t columns, SmallBand &band,
                  std::int64_t &across, std::int64_t &down)
{
    std::int64_t least = INT64_MAX;
    for (int k = 1; k <= std::min<std::int64_t>(kWidestBlock, columns); k++) {
        const std::int64_t nx = ceilDiv(columns, k);
        if (nx > lanes) continue;
        const std::int64_t ny = std::min(lanes / nx, tile.rows);
        const std::int64_t rows = ceilDiv(tile.rows, ny);
        const std::int64_t work = (rows + tile.height - 1) * (k + tile.width - 1) * tile.height +
                                  rows * ceilDiv(k, 16) * 16 * 2;
        if (work >= least) continue;
        least = work;
        across = nx, down = ny;
        band.columns = k;
        band.rows = rows;
    }
}

} // namespace

std::int64_t cutBand(const SmallTile &tile, int lanes, std::int64_t x, SmallBand &band,
                     std::uint8_t *scratch)
{
    std::int64_t columns = tile.columns - x, across = 1, down = 1;
    if (columns > lanes * kWidestBlock) columns = lanes * kUsualBlock;
    chooseBlocks(tile, lanes, columns, band, across, down);
    band.blocks = static_cast<int>(across * down);
    band.groups = (band.columns + 15) / 16;
    band.memory = memoryOf(tile, lanes, band.columns, scratch);
    SmallUnit *unit = band.memory.units;
    const int keys = keyBytes(tile.width * tile.height);
    for (int lane = 0; lane < lanes; lane++) {
        const std::int64_t block = lane < band.blocks ? lane : 0;
        // the last blocks overlap others instead of running over
        const std::int64_t column =
            x + std::min(block % across * band.columns, columns - band.columns);
        const std::int64_t row = std::min(block / across * band.rows, tile.rows - band.rows);
        band.cellOffset[lane] = row * tile.stride + column * tile.cellBytes;
        for (int group = 0; group < band.groups && lane < band.blocks; group++) {
            const std::int64_t first = column + band.groupColumn(group);
            *unit++ = {(group * 16 + lane % 16) * keys * lanes + lane / 16 * 16,
                       row * tile.resultStride + first, row * tile.absentStride + first};
        }
    }
    return columns;
}

std::size_t smallScratchBytes(int vectorBytes, const SmallTile &tile)
{
    return static_cast<std::size_t>(memoryOf(tile, vectorBytes, kWidestBlock, nullptr).total);
}

} // namespace local_entropy
