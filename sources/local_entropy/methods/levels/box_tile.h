// What the kernels of this method are given, and how a tile is cut for them.
#pragma once

#include "local_entropy/memory/scratch.h"
#include "local_entropy/methods/levels/finish.h"

#include <cstdint>

namespace local_entropy
{

/// A tile of bytes, the window, and the levels that are counted in it. Behind the last cell of a
/// row, kTileSlack bytes may be read.
struct BoxTile
{
    const std::uint8_t *cells = nullptr;
    std::int64_t stride = 0;
    std::int64_t width = 0, height = 0; ///< results
    int windowWidth = 0, windowHeight = 0;
    const std::uint8_t *values = nullptr; ///< of the cells that are counted; others are not
    int levels = 0;                       ///< how many values
};

/// Results that are computed side by side at a time; kernels count and finish whole blocks.
constexpr int kBlock = 64;

/// Levels that are looked up together: rows of counts that are 0 fill up the last ones.
constexpr int kTogether = 4;

/// How many of n results the block that begins at result i has.
constexpr int blockAt(std::int64_t i, std::int64_t n)
{
    return static_cast<int>(n - i < kBlock ? n - i : kBlock);
}

constexpr std::int64_t roundUp(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

/// How a box of `width` columns is summed: first `group` neighbouring columns, then `groups` of
/// these sums that lie side by side, and `rest` single columns at the end. A box of 31 is 5 sums
/// of 6 and a column: 12 loads instead of 31.
struct BoxPlan
{
    int group = 1, groups = 1, rest = 0;
    bool wide = false;       ///< counts may exceed 255: 16 bits
    bool wideGroups = false; ///< even those of a group
};

/// The cheapest, in loads of whole vectors.
BoxPlan planBox(int width, int height);

/// The memory of a strip: some columns of results of a tile, all rows. By level a row of column
/// counts and a row of box counts; kTogether rows of group sums of up to 16 bits.
struct StripLayout
{
    std::int64_t results = 0;      ///< at most, a multiple of kBlock
    std::int64_t columnStride = 0; ///< bytes: the columns that the windows reach, and slack
    std::int64_t countStride = 0;  ///< counts
    std::int64_t groupBytes = 0;   ///< of all group sums
    std::int64_t bytes = 0;        ///< of it all

    StripLayout(int windowWidth, int levels, bool wide);
};

} // namespace local_entropy
