// What the kernels of small windows are given: one tile, with everything resolved. See small.h.
#pragma once

#include "local_entropy/methods/ranks/tables.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy
{

struct SmallTile
{
    int width = 0, height = 0;          ///< of the window; at most kSmallCells cells
    std::int64_t columns = 0, rows = 0; ///< of results, at least 1

    /// The window of result (x, y) begins at cells + y * stride + x * cellBytes. Behind the last
    /// cell of every row that windows reach, kTileSlack bytes may be read.
    const std::uint8_t *cells = nullptr;
    std::int64_t stride = 0; ///< in bytes
    int cellBytes = 1;       ///< 1 or 2

    /// How many cells of the window of result (x, y) do not count: absent[y * absentStride + x].
    /// These cells are equal to each other and to no other cell. Null: all cells count.
    const std::uint16_t *absent = nullptr;
    std::int64_t absentStride = 0;

    float *result = nullptr;
    std::int64_t resultStride = 0; ///< in floats
    const RankTable *table = nullptr;
};

/// Memory that a kernel needs, on a boundary of 64 bytes, for vectors of so many bytes.
std::size_t smallScratchBytes(int vectorBytes, const SmallTile &tile);

/// One for every kind of processor (simd/paths.h); only those that pathWorksHere() may be called.
using SmallKernel = void (*)(const SmallTile &tile, std::uint8_t *scratch);
void smallTileAvx512(const SmallTile &tile, std::uint8_t *scratch);
void smallTileAvx2(const SmallTile &tile, std::uint8_t *scratch);
void smallTileSsse3(const SmallTile &tile, std::uint8_t *scratch);
void smallTilePortable(const SmallTile &tile, std::uint8_t *scratch);

} // namespace local_entropy
