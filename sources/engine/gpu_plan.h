// How the work of a launch of the GPU kernel is cut into items for teams of warps.
#pragma once

#include "engine/partitions.h"

#include <algorithm>
#include <cstdint>

namespace engine
{

/// Rows that a warp takes at once: one more than a window has, so that the ring of rows in which a
/// warp keeps them has a free place for the row that enters.
constexpr int kBatch = kWindow + 1;

/// Warps that walk side by side, in step, and share the rows that they have packed: so only the
/// outer ones have cells to fetch beside their strips. Pays where walks are long.
constexpr int kTeam = 4;

/// Rows are read in fours of cells, which begin up to so many cells before a strip or end behind it.
constexpr int kMostBeside = 8;

/// Strips of columns, as wide as a team, and of each strip, items of rows. As many big items as
/// there are teams are dealt at once; then each team takes small ones, until none is left: no team
/// waits long for the last.
struct Plan
{
    std::int64_t width = 0, height = 0; ///< of the array
    std::int64_t begin = 0, end = 0;    ///< rows to be computed
    std::int64_t bigEnd = 0;            ///< where big items end and small ones begin
    std::int64_t bigRows = 0, smallRows = 0;
    unsigned team = 1; ///< warps: 1 or kTeam
    unsigned strips = 0, bigItems = 0, items = 0;
    /// Rows of the first and of the last strips whose fours might lie outside the memory of the array:
    /// so many at its top and so many at its end.
    std::int64_t rowsUnsafeAbove = 0, rowsUnsafeBelow = 0;
    unsigned eight = 8; ///< see codeOf()
};

/// `stripColumns` are those of one warp; `warps`, a multiple of kTeam, are all there are.
inline Plan makePlan(std::int64_t width, std::int64_t height, std::int64_t begin, std::int64_t end,
                     int stripColumns, std::int64_t warps)
{
    constexpr double kBigShare = 0.985; // of the rows, if there are kManyRows for a team
    constexpr std::int64_t kManyRows = 100;
    constexpr std::int64_t kFewIdle = 16; // one strip in so many may lie outside the array
    const auto ceilDiv = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    // Rows of results whose windows reach over that many batches of cells.
    const auto rowsOf = [](std::int64_t batches) { return batches * kBatch - (kWindow - 1); };
    const auto batchesOf = [&](std::int64_t rows) { return ceilDiv(rows + kWindow - 1, kBatch); };
    Plan plan;
    plan.width = width;
    plan.height = height;
    plan.begin = begin;
    plan.end = end;
    const std::int64_t strips = ceilDiv(width, stripColumns); // of one warp each
    std::int64_t itemsPerStrip = 0, rows = 0;
    for (const int team : {kTeam, 1}) {
        plan.team = team;
        plan.strips = static_cast<unsigned>(ceilDiv(strips, team));
        itemsPerStrip = std::max<std::int64_t>(warps / team / plan.strips, 1);
        rows = ceilDiv(end - begin, itemsPerStrip);
        const std::int64_t idle = std::int64_t(plan.strips) * team - strips;
        if (rows >= kManyRows && idle * kFewIdle <= strips) break;
    }
    plan.rowsUnsafeAbove = ceilDiv(kMostBeside, width);
    plan.rowsUnsafeBelow =
        std::min(ceilDiv(std::int64_t(plan.strips) * plan.team * stripColumns + kMostBeside, width) - 1,
                 height);
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
