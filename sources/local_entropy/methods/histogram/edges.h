// What changes when a window moves down by a row: the cells that it gains and those that it loses.
// Of a rectangle these are a row each; of a footprint, the lower and the upper edge of its columns.
#pragma once

#include "local_entropy/problem/problem.h"

#include <vector>

namespace local_entropy
{

/// Runs of cells, from the upper left corner of the window after the move. Rows of `gained` are
/// 0 .. height - 1; rows of `lost` are one less, -1 .. height - 2.
struct Edges
{
    std::vector<Run> gained, lost; ///< as many cells in both; short runs first

    int cells() const; ///< how many a window gains in a move
};

Edges edgesOf(const Shape &shape);

/// The shape whose columns are the rows of another.
Shape turned(const Shape &shape);

} // namespace local_entropy
