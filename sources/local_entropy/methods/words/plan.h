// How the work of a launch of the GPU kernel is cut into items for teams of warps.
#pragma once

#include "common/host_device.h"
#include "common/integer.h"
#include "local_entropy/answers/partitions.h"

#include <algorithm>
#include <cstdint>

namespace local_entropy::words
{

/// Rows that a warp takes at once: one more than a window has, so that the ring of rows in which a
/// warp keeps them has a free place for the row that enters.
constexpr int kBatch = kWindow + 1;

/// Warps that walk side by side, in step, and share the rows that they have packed: so only the
/// outer ones have cells to fetch beside their strips. Pays where walks are long.
constexpr int kTeam = 4;

/// Rows are read in fours of cells, which begin up to so many cells before a strip or end behind
/// it.
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
    std::int64_t unsafeAbove = 0, unsafeBelow = 0; ///< see safeRows()
    unsigned eight = 8;                            ///< see codeOf()
};

/// Rows [begin, end).
struct RowRange
{
    std::int64_t begin, end;
};

/// Rows of a strip, which starts at that column, whose fours all lie in the memory of the array.
/// The first strip reaches into the row before, the last ones into rows behind.
HOST_DEVICE inline RowRange safeRows(const Plan &plan, std::int64_t strip, int stripColumns)
{
    const bool reachesBehind = strip + stripColumns + kMostBeside > plan.width;
    return {strip == 0 ? plan.unsafeAbove : 0,
            plan.height - (reachesBehind ? plan.unsafeBelow : 0)};
}

/// `stripColumns` are those of one warp; `warps`, a multiple of kTeam, are all there are.
inline Plan makePlan(std::int64_t width, std::int64_t height, std::int64_t begin, std::int64_t end,
                     int stripColumns, std::int64_t warps)
{
    constexpr double kBigShare = 0.985; // of the rows, if there are kManyRows for a team
    constexpr std::int64_t kManyRows = 80;
    constexpr std::int64_t kFewIdle = 16; // one strip in so many may lie outside the array
    using common::ceilDiv;
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
    const std::int64_t columns = std::int64_t(plan.strips) * plan.team * stripColumns;
    plan.unsafeAbove = ceilDiv(kMostBeside, width);
    plan.unsafeBelow = std::min(ceilDiv(columns + kMostBeside, width) - 1, height);
    const auto share = static_cast<std::int64_t>(rows * kBigShare);
    plan.bigRows = rowsOf(rows >= kManyRows ? batchesOf(share) - 1 : batchesOf(rows));
    plan.smallRows = rowsOf(2);
    plan.bigEnd = std::min(end, begin + itemsPerStrip * plan.bigRows);
    plan.bigItems = static_cast<unsigned>(plan.strips * ceilDiv(plan.bigEnd - begin, plan.bigRows));
    plan.items = plan.bigItems +
                 static_cast<unsigned>(plan.strips * ceilDiv(end - plan.bigEnd, plan.smallRows));
    return plan;
}

} // namespace local_entropy::words
