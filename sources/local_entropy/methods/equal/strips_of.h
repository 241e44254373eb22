// What plans of this folder tell all their kernels: where the results are, and how warps share the
// rows. For .cu files that nvcc compiles.
#pragma once

#include "common/integer.h"
#include "local_entropy/methods/equal/strip.h"
#include "local_entropy/methods/plane_plan.h"
#include "local_entropy/methods/rows_of_items.h"

#include <algorithm>
#include <cstdint>

namespace local_entropy::equal
{

/// What is the same for all kernels; shareRows() is still to come.
template <typename Cell>
Strips<Cell> stripsOf(const PlanePart &part)
{
    const Result &result = part.problem.result;
    Strips<Cell> strips{};
    strips.plane = PlaneView<Cell>(part.plane);
    strips.windowHeight = part.problem.shape.height;
    strips.windowCells = part.problem.shape.cells;
    strips.result = static_cast<float *>(result.data);
    strips.width = static_cast<int>(result.width);
    strips.height = static_cast<int>(result.height);
    strips.resultStride = result.stride;
    strips.fours =
        reinterpret_cast<std::uintptr_t>(result.data) % 16 == 0 && result.stride % 4 == 0;
    return strips;
}

/// Items for so many warps, of strips that are so many columns apart: as many as there are warps,
/// if that leaves each so many rows that the rows it shares with the next do not count.
template <typename Cell>
void shareRows(Strips<Cell> &strips, int columns, int warps)
{
    constexpr int kTimesLonger = 3; // an end's row may take; then it is alone on its multiprocessor
    strips.strips = common::ceilDiv(strips.width, columns);
    const int ends = std::min(strips.strips, 2), inner = strips.strips - ends;
    const int least = std::min(strips.height, strips.windowHeight);
    strips.rows = rowsOfItems(strips.height, inner + ends * kTimesLonger, warps, least);
    strips.rowsAtEnds = std::max(common::ceilDiv(strips.rows, kTimesLonger), least);
    strips.itemsAtEnds = ends * common::ceilDiv(strips.height, strips.rowsAtEnds);
    strips.items = strips.itemsAtEnds + inner * common::ceilDiv(strips.height, strips.rows);
}

} // namespace local_entropy::equal
