// Loading: from cells of any type, border, mask and nodata to levels and "no cell". What lies
// behind this door knows nothing of images.
#pragma once

#include "local_entropy/memory/scratch.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>

namespace local_entropy
{

/// The levels that the windows of a tile of results reach. The window of result (x, y) begins at
/// cells[y * stride + x] and is shape.width x shape.height cells; all of them are there.
struct Tile
{
    Region place;                       ///< of the results, in the image
    std::int64_t width = 0, height = 0; ///< results
    const void *cells = nullptr;        ///< uint8, uint16 or uint32
    int bytes = 1;                      ///< of a cell: 1, 2 or 4
    std::int64_t stride = 0;            ///< in cells
    int values = 0;                     ///< every cell is 0 .. values - 1
    /// Cells that do not count all have the value `none`, as if they were of one more level.
    /// Windows then have as many of these as `absent` says: one number a result.
    bool missing = false;
    std::uint32_t none = 0;
    const std::uint16_t *absent = nullptr;
    std::int64_t absentStride = 0;

    template <typename Cell>
    const Cell *row(std::int64_t y) const
    {
        return static_cast<const Cell *>(cells) + y * stride;
    }
};

/// Behind the last cell of every row, so many bytes may be read; what is there is a level too.
constexpr int kTileSlack = 256;

/// Loads a tile. Its memory is the caller's where cells of the image are levels already, and
/// otherwise scratch (slots Cells, Absent, Row), until the next tile is loaded with it.
/// A cell is a byte where 256 values are enough for the levels of this tile and "no cell", else
/// two, else (65536 levels and "no cell") four.
/// Throws Error (BadLevel), without a place, if a cell is not a level.
Tile loadTile(const Problem &problem, const Region &place, Scratch &scratch);

/// Throws Error (BadLevel) that names the first cell, row by row, that is not a level, among those
/// that the windows of a region reach.
void throwFirstBadCell(const Problem &problem);

} // namespace local_entropy
