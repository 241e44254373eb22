// What the kernels of walk.h are given. For .cu files that nvcc compiles.
#pragma once

#include "common/host_device.h"
#include "local_entropy/methods/histogram/counters.h"
#include "local_entropy/methods/rows_of_items.h"
#include "local_entropy/problem/plane_view.h"

#include <cstdint>

namespace local_entropy::walk
{

/// What a warp computes: rows first ... end - 1 of a strip.
struct Item
{
    int strip, first, end;
};

/// What the kernel reads and writes. The strips of its items are as wide as a warp's columns, and
/// slow where windows are cut.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int values; ///< of cells
    int windowWidth, windowHeight;
    Results results;
    const std::uint32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    std::int64_t whole;               ///< F(N) of a window that is all there
    double wholeScale, wholeMargin;   ///< what its D is multiplied by, and then off by
    ItemsOfStrips items;

    using Item = walk::Item; // see itemOf()
    HOST_DEVICE int rows() const { return results.height; }
    HOST_DEVICE int placeOf(int strip) const { return strip; }
};

} // namespace local_entropy::walk
