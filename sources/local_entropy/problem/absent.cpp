// How many cells of each window of a tile do not count.

#include "local_entropy/problem/absent.h"

#include <algorithm>
#include <vector>

namespace local_entropy
{
namespace
{

/// sums[x] = power[x] + ... + power[x + side - 1] for x < n, by doubling: of the sums of 1, 2, 4,
/// ... columns, the binary digits of `side` choose. `power` is n + side - 1 columns, and changed.
void sumSideBySide(std::uint16_t *power, int side, std::int64_t n, std::uint16_t *sums)
{
    int begin = 0; // of the columns that are not summed yet
    for (int columns = 1;; columns *= 2) {
        if (side & columns) {
            const std::uint16_t *const more = power + begin;
            if (begin == 0)
                std::copy_n(more, n, sums);
            else
                for (std::int64_t x = 0; x < n; ++x)
                    sums[x] = static_cast<std::uint16_t>(sums[x] + more[x]);
            begin += columns;
        }
        if (begin == side) return;
        for (std::int64_t x = 0; x < n + side - 2 * columns; ++x)
            power[x] = static_cast<std::uint16_t>(power[x] + power[x + columns]);
    }
}

/// In rectangles: sums of columns slide down; those side by side are added up.
template <typename Cell>
void countInRectangles(const Tile &tile, const Shape &shape, std::uint16_t *absent)
{
    const std::int64_t width = tile.width + shape.width - 1;
    const auto none = static_cast<Cell>(tile.none);
    std::vector<std::uint16_t> column(width), power(width);
    for (int y = 0; y < shape.height - 1; ++y) {
        const Cell *const row = tile.row<Cell>(y);
        for (std::int64_t x = 0; x < width; ++x)
            column[x] = static_cast<std::uint16_t>(column[x] + (row[x] == none));
    }
    for (std::int64_t y = 0; y < tile.height; ++y) {
        const Cell *const entering = tile.row<Cell>(y + shape.height - 1);
        const Cell *const leaving = tile.row<Cell>(y);
        for (std::int64_t x = 0; x < width; ++x) {
            power[x] = static_cast<std::uint16_t>(column[x] + (entering[x] == none));
            column[x] = static_cast<std::uint16_t>(power[x] - (leaving[x] == none));
        }
        sumSideBySide(power.data(), shape.width, tile.width, absent + y * tile.absentStride);
    }
}

/// In footprints: each run is a difference of two sums from the left.
template <typename Cell>
void countInRuns(const Tile &tile, const Shape &shape, std::uint16_t *absent)
{
    const std::int64_t width = tile.width + shape.width - 1;
    std::vector<std::uint32_t> sums(width + 1);
    for (std::int64_t y = 0; y < tile.height; ++y)
        std::fill_n(absent + y * tile.absentStride, tile.width, std::uint16_t(0));
    for (std::int64_t row = 0; row < tile.height + shape.height - 1; ++row) {
        const Cell *cells = tile.row<Cell>(row);
        for (std::int64_t x = 0; x < width; ++x) sums[x + 1] = sums[x] + (cells[x] == tile.none);
        if (sums[width] == 0) continue;
        for (const Run &run : shape.runs) {
            const std::int64_t y = row - run.row;
            if (y < 0 || y >= tile.height) continue;
            std::uint16_t *const to = absent + y * tile.absentStride;
            for (std::int64_t x = 0; x < tile.width; ++x)
                to[x] = static_cast<std::uint16_t>(to[x] + sums[x + run.end] - sums[x + run.begin]);
        }
    }
}

template <typename Cell>
void count(const Tile &tile, const Shape &shape, std::uint16_t *absent)
{
    if (shape.rectangle)
        countInRectangles<Cell>(tile, shape, absent);
    else
        countInRuns<Cell>(tile, shape, absent);
}

} // namespace

void countAbsent(Tile &tile, const Shape &shape, Scratch &scratch)
{
    tile.absentStride = (tile.width + 31) / 32 * 32;
    auto *const absent = static_cast<std::uint16_t *>(
        scratch.get(Scratch::Absent, tile.absentStride * tile.height * sizeof(std::uint16_t)));
    if (tile.bytes == 1)
        count<std::uint8_t>(tile, shape, absent);
    else if (tile.bytes == 2)
        count<std::uint16_t>(tile, shape, absent);
    else
        count<std::uint32_t>(tile, shape, absent);
    tile.absent = absent;
}

} // namespace local_entropy
