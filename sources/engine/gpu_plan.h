// How the work of a launch of the GPU kernel is cut into items for warps.
#pragma once

#include "engine/partitions.h"

#include <algorithm>
#include <cstdint>

namespace engine
{

/// Rows that a warp takes at once: one more than a window has, so that the ring of rows in which a
/// warp keeps them has a free place for the row that enters.
constexpr int kBatch = kWindow + 1;

/// Strips of columns, and of each strip, items of rows. As many big items as there are warps are
/// dealt at once; then each warp takes small ones, until none is left: no warp waits long for the
/// last.
struct Plan
{
    std::int64_t width = 0, height = 0; ///< of the array
    std::int64_t begin = 0, end = 0;    ///< rows to be computed
    std::int64_t bigEnd = 0;            ///< where big items end and small ones begin
    std::int64_t bigRows = 0, smallRows = 0;
    unsigned strips = 0, bigItems = 0, items = 0;
    unsigned eight = 8; ///< see codeOf()
};

inline Plan makePlan(std::int64_t width, std::int64_t height, std::int64_t begin, std::int64_t end,
                     int stripColumns, std::int64_t warps)
{
    constexpr double kBigShare = 0.985; // of the rows, if there are kManyRows for a warp
    constexpr std::int64_t kManyRows = 100;
    const auto ceilDiv = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    // Rows of results whose windows reach over that many batches of cells.
    const auto rowsOf = [](std::int64_t batches) { return batches * kBatch - (kWindow - 1); };
    const auto batchesOf = [&](std::int64_t rows) { return ceilDiv(rows + kWindow - 1, kBatch); };
    Plan plan;
    plan.width = width;
    plan.height = height;
    plan.begin = begin;
    plan.end = end;
    plan.strips = static_cast<unsigned>(ceilDiv(width, stripColumns));
    const std::int64_t itemsPerStrip = std::max<std::int64_t>(warps / plan.strips, 1);
    const std::int64_t rows = ceilDiv(end - begin, itemsPerStrip);
    const auto share = static_cast<std::int64_t>(rows * kBigShare);
    plan.bigRows = rowsOf(rows >= kManyRows ? batchesOf(share) - 1 : batchesOf(rows));
    plan.smallRows = rowsOf(2);
    plan.bigEnd = std::min(end, begin + itemsPerStrip * plan.bigRows);
    plan.bigItems = static_cast<unsigned>(plan.strips * ceilDiv(plan.bigEnd - begin, plan.bigRows));
    plan.items = plan.bigItems +
                 static_cast<unsigned>(plan.strips * ceilDiv(end - plan.bigEnd, plan.smallRows));
    return plan;
}

} // namespace engine
