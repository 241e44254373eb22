// From sums to results, with a second look at the windows that their sums leave undecided.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/problem/load.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace local_entropy
{

/// Appends the counts of the levels in the window of result (x, y) of a tile.
template <typename Cell>
void countWindow(const Tile &tile, const Shape &shape, std::int64_t x, std::int64_t y,
                 std::vector<int> &counts)
{
    std::vector<Cell> cells;
    for (const Run &run : shape.runs) {
        const Cell *row = tile.row<Cell>(y + run.row) + x;
        for (int i = run.begin; i < run.end; ++i)
            if (!tile.missing || row[i] != tile.none) cells.push_back(row[i]);
    }
    std::sort(cells.begin(), cells.end());
    for (auto cell = cells.begin(); cell != cells.end();) {
        const auto next = std::upper_bound(cell, cells.end(), *cell);
        counts.push_back(static_cast<int>(next - cell));
        cell = next;
    }
}

/// The numbers of cells that do not count in n windows; nullptr if they are all 0.
inline const std::uint16_t *absentIn(const Tile &tile, std::int64_t x, std::int64_t y, int n)
{
    if (!tile.missing) return nullptr;
    const std::uint16_t *absent = tile.absent + y * tile.absentStride + x;
    std::uint16_t any = 0;
    for (int i = 0; i < n; ++i) any |= absent[i];
    return any ? absent : nullptr;
}

/// Results (x .. x + n - 1, y) of a tile.
template <typename Cell>
void finishRow(const Answers &answers, const Shape &shape, const Tile &tile, std::int64_t x,
               std::int64_t y, const std::int64_t *sums, float *results, int n)
{
    const std::uint16_t *absent = absentIn(tile, x, y, n);
    answers.finishRowExactly(
        sums, shape.cells, absent, results, n,
        [&](int i, std::vector<int> &counts) { countWindow<Cell>(tile, shape, x + i, y, counts); });
}

template <typename Cell>
void finishRow(const Answers &answers, const Shape &shape, const Tile &tile, std::int64_t x,
               std::int64_t y, const UInt128 *sums, double *results, int n)
{
    const std::uint16_t *absentOf = absentIn(tile, x, y, n);
    const UInt128 *wideSums = answers.wideSums();
    for (int i = 0; i < n; ++i) {
        const int absent = absentOf ? absentOf[i] : 0;
        results[i] = answers.nearestDouble(
            sums[i] - wideSums[absent], shape.cells - absent,
            [&](std::vector<int> &counts) { countWindow<Cell>(tile, shape, x + i, y, counts); });
    }
}

} // namespace local_entropy
