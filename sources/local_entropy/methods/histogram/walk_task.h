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

/// What the kernel reads and writes. Strips are as wide as a warp's columns.
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
    int strips, items;
    int slowLeft, slowRight;    ///< how many strips at the left and right have windows that are cut
    int slowChunks, fastChunks; ///< into which those are cut, and the others

    // For shareItems() and itemOf().
    using Item = walk::Item;
    HOST_DEVICE int rows() const { return results.height; }
    HOST_DEVICE int placeOf(int strip) const { return strip; }
};

} // namespace local_entropy::walk
