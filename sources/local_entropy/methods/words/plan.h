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

/// From row to row, in cells or results: the kernels know it by 32 bits.
constexpr std::int64_t kMostStride = (std::int64_t(1) << 32) - 1;

/// How rows of cells and results lie, and how a warp's lanes share them.
enum class Layout {
    Aligned,  ///< all rows begin at addresses that a four of cells, or of results, divides
    Anywhere, ///< rows begin at any address
    Narrow    ///< the same; rows are so short that a warp has several side by side, see lanesFor()
};

/// An array of cells, and the rectangle of it that has results: columns [left, right) and rows
/// [begin, end).
struct Area
{
    std::int64_t width = 0, height = 0, stride = 0; ///< cells; from row to row
    std::int64_t left = 0, right = 0, begin = 0, end = 0;
};

/// Lanes that a row of a narrow array takes, four columns each, and one more, between it and the
/// next one: a power of two. 0 where a warp has no room for two of them, or where there are cells
/// beside the results.
inline int lanesFor(const Area &area)
{
    if (area.left != 0 || area.right != area.width) return 0;
    for (int lanes = 2; lanes <= 16; lanes *= 2)
        if (area.width <= 4 * (lanes - 1)) return lanes;
    return 0;
}

/// Strips of columns, as wide as a team, and of each strip, items of rows. As many big items as
/// there are teams are dealt at once; then each team takes small ones, until none is left: no team
/// waits long for the last.
///
/// A narrow array is one strip. An item of it has groups of rows that follow each other, one for
/// each group of lanes: they walk down side by side.
struct Plan
{
    std::int64_t width = 0, height = 0; ///< of the array
    std::int64_t stride = 0, resultStride = 0;
    std::int64_t left = 0, right = 0;        ///< columns to be computed
    std::int64_t begin = 0, end = 0;         ///< rows to be computed
    std::int64_t bigEnd = 0;                 ///< where big items end and small ones begin
    std::int64_t bigRows = 0, smallRows = 0; ///< of an item, or of each of its groups
    unsigned groups = 1, lanes = 32;         ///< of an item; of a group
    bool fromTop = false; ///< items begin with row 0, above which there is nothing to be read
    unsigned team = 1;    ///< warps: 1 or kTeam
    unsigned strips = 0, bigItems = 0, items = 0;
    std::int64_t unsafeAbove = 0, unsafeBelow = 0; ///< see safeRows()
    unsigned eight = 8;                            ///< see codeOf()
    unsigned levels = 16;                          ///< that bytes may have
};

/// What a team walks at once: `rows` rows from `begin` on, or of a narrow array as many for each
/// group, but none from `end` on. A warp's columns begin with `column`.
struct Item
{
    std::int64_t column, begin, end, rows;
};

/// Of the warp at that place in a team.
HOST_DEVICE inline Item itemOf(const Plan &plan, unsigned number, unsigned place, int stripColumns)
{
    const bool big = number < plan.bigItems;
    const unsigned index = big ? number : number - plan.bigItems;
    const std::int64_t rows = big ? plan.bigRows : plan.smallRows;
    const auto strip = std::int64_t(index % plan.strips) * plan.team + place;
    return {plan.left + strip * stripColumns,
            (big ? plan.begin : plan.bigEnd) +
                std::int64_t(index / plan.strips) * rows * plan.groups,
            big ? plan.bigEnd : plan.end, rows};
}

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
    return {strip < kMostBeside ? plan.unsafeAbove : 0,
            plan.height - (reachesBehind ? plan.unsafeBelow : 0)};
}

/// `stripColumns` are those of one warp; `warps`, a multiple of kTeam, are all there are. Rows take
/// that many lanes, see lanesFor(); 0: all of them.
inline Plan makePlan(const Area &area, int stripColumns, std::int64_t warps, int lanes = 0)
{
    constexpr double kBigShare = 0.985; // of the rows, if there are kManyRows for a team
    constexpr std::int64_t kManyRows = 80;
    constexpr std::int64_t kFewIdle = 16; // one strip in so many may lie outside the array
    constexpr int kFour = 4;              // cells
    using common::ceilDiv;
    Plan plan;
    plan.width = area.width;
    plan.height = area.height;
    plan.stride = plan.resultStride = area.stride;
    plan.left = area.left;
    plan.right = area.right;
    plan.begin = area.begin;
    plan.end = area.end;
    if (lanes) {
        plan.lanes = lanes;
        plan.groups = stripColumns / (kFour * lanes);
    }
    // Rows of results whose windows reach over that many batches of cells. The rows of groups, side
    // by side, begin equally far from a four, so that none has another's cells beside it.
    const std::int64_t step = plan.groups > 1 && area.stride % 2 ? 2 : 1;
    const auto rowsOf = [](std::int64_t batches) { return batches * kBatch - (kWindow - 1); };
    const auto batchesOf = [&](std::int64_t rows) {
        return ceilDiv(ceilDiv(rows + kWindow - 1, kBatch), step) * step;
    };
    const std::int64_t strips = ceilDiv(area.right - area.left, stripColumns); // of one warp each
    const std::int64_t height = area.end - area.begin;
    std::int64_t itemsPerStrip = 0, rows = 0;
    for (const int team : {kTeam, 1}) {
        plan.team = team;
        plan.strips = static_cast<unsigned>(ceilDiv(strips, team));
        itemsPerStrip = std::max<std::int64_t>(warps / team / plan.strips, 1);
        rows = ceilDiv(height, itemsPerStrip * plan.groups);
        const std::int64_t idle = std::int64_t(plan.strips) * team - strips;
        if (plan.groups == 1 && rows >= kManyRows && idle * kFewIdle <= strips) break;
    }
    const std::int64_t columns =
        plan.left + (lanes ? kFour * lanes : std::int64_t(plan.strips) * plan.team * stripColumns);
    plan.unsafeAbove = ceilDiv<std::int64_t>(kMostBeside, area.stride);
    plan.unsafeBelow = std::clamp<std::int64_t>(
        ceilDiv(std::max<std::int64_t>(columns + kMostBeside - area.width, 0), area.stride), 0,
        area.height);
    const auto share = static_cast<std::int64_t>(rows * kBigShare);
    plan.bigRows = rowsOf(rows >= kManyRows ? batchesOf(share) - step : batchesOf(rows));
    plan.smallRows = rowsOf(2);
    // Where a band of items has all the rows. That is a batch less for each, or changes nothing;
    // for some items of many it would be other code, which all would wait for.
    plan.fromTop = !lanes && area.begin == 0 && area.end <= plan.bigRows;
    const std::int64_t bigItem = plan.bigRows * plan.groups,
                       smallItem = plan.smallRows * plan.groups;
    plan.bigEnd = std::min(area.end, area.begin + itemsPerStrip * bigItem);
    plan.bigItems = static_cast<unsigned>(plan.strips * ceilDiv(plan.bigEnd - area.begin, bigItem));
    plan.items = plan.bigItems +
                 static_cast<unsigned>(plan.strips * ceilDiv(area.end - plan.bigEnd, smallItem));
    return plan;
}

} // namespace local_entropy::words
