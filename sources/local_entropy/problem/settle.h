// From rows of an image to rows of a tile: cells that do not count become `none`. Loops that
// compilers make vectors of: conditions are masks, and what was seen is asked after the row.
#pragma once

#include "local_entropy/problem/levels.h"

#include <algorithm>
#include <cstdint>

namespace local_entropy
{

/// What a row has.
struct Seen
{
    bool missing; ///< cells that do not count
    bool bad;     ///< cells that count, and are no levels
};

/// Which cells count, as -1 and 0: all.
struct AllCount
{
    std::int32_t operator()(std::int64_t) const { return -1; }
};

/// Those where the mask is not 0.
struct MaskCounts
{
    const std::uint8_t *mask;
    std::int32_t operator()(std::int64_t i) const { return -(mask[i] != 0); }
};

/// n cells that are levels as they are, if they are less than `count`.
template <typename From, typename Cell, typename Counts>
Seen settleCells(const From *from, std::int64_t n, const Counts &counts, int count, Cell none,
                 Cell *to)
{
    From largest = 0;
    Cell missing = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int32_t kept = counts(i);
        const auto level = static_cast<From>(from[i] & kept);
        const auto absent = static_cast<Cell>(~kept);
        largest = std::max(largest, level);
        missing = static_cast<Cell>(missing | absent);
        to[i] = static_cast<Cell>(level | (none & absent));
    }
    return {missing != 0, largest >= count};
}

/// n levels as RowReader gives them.
template <typename Cell, typename Counts>
Seen settleLevels(const std::int32_t *levels, std::int64_t n, const Counts &counts, Cell none,
                  Cell *to)
{
    const auto instead = static_cast<std::int32_t>(none);
    std::int32_t missing = 0, bad = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int32_t masked = ~counts(i), absent = levels[i] >> 31 | masked;
        missing |= absent;
        bad |= ~masked & -(levels[i] == kBadLevel);
        to[i] = static_cast<Cell>((levels[i] & ~absent) | (instead & absent));
    }
    return {missing != 0, bad != 0};
}

} // namespace local_entropy
