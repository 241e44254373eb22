// What a footprint loses and gains when its window goes a row down.
#pragma once

#include "common/host_device.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>
#include <vector>

namespace local_entropy::footprint
{

/// Cells of a footprint one below the other: rows begin ... end - 1 of a column. When the window
/// goes from row y to y + 1, the cell in row y + begin leaves it, and that in row y + end enters.
struct ColumnRun
{
    std::uint8_t column, begin, end, unused;
};

/// All of them, column by column.
std::vector<ColumnRun> columnRuns(const Shape &shape);

/// How many cells of the footprint lie above row y and left of column x:
/// [y * (width + 1) + x], x = 0 ... width, y = 0 ... height.
std::vector<std::int32_t> cellsBefore(const Shape &shape);

/// How far a column of a disk reaches up and down from its middle row: the cells x, y with
/// x^2 + y^2 <= radius^2.
HOST_DEVICE constexpr int reach(int radius, int x)
{
    int y = 0;
    while ((y + 1) * (y + 1) + x * x <= radius * radius) ++y;
    return y;
}

/// The radius of the disk that the footprint is, in the smallest rectangle; 0: it is none.
int diskRadius(const Shape &shape);

} // namespace local_entropy::footprint
