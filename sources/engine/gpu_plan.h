// How the work of a launch of the GPU kernel is cut into items for warps.
#pragma once

#include <algorithm>
#include <cstdint>

namespace engine
{

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
    constexpr int kUnrolled = 5;      // rows: the kernel is fastest at multiples
    constexpr double kBigShare = 0.9; // of the rows, if there are kManyRows for a warp
    constexpr std::int64_t kSmallRows = 15, kManyRows = 100;
    const auto ceilDiv = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    Plan plan;
    plan.width = width;
    plan.height = height;
    plan.begin = begin;
    plan.end = end;
    plan.strips = static_cast<unsigned>(ceilDiv(width, stripColumns));
    const std::int64_t itemsPerStrip = std::max<std::int64_t>(warps / plan.strips, 1);
    const std::int64_t rows = ceilDiv(end - begin, itemsPerStrip);
    plan.bigRows = rows >= kManyRows
                       ? static_cast<std::int64_t>(rows * kBigShare) / kUnrolled * kUnrolled
                       : ceilDiv(rows, kUnrolled) * kUnrolled;
    plan.smallRows = kSmallRows;
    plan.bigEnd = std::min(end, begin + itemsPerStrip * plan.bigRows);
    plan.bigItems = static_cast<unsigned>(plan.strips * ceilDiv(plan.bigEnd - begin, plan.bigRows));
    plan.items =
        plan.bigItems + static_cast<unsigned>(plan.strips * ceilDiv(end - plan.bigEnd, kSmallRows));
    return plan;
}

} // namespace engine
