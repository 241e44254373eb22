// How the rows of a GPU's results are cut into items, which warps take one by one.
#pragma once

#include "common/integer.h"

#include <algorithm>

namespace local_entropy
{

/// Rows of an item, if each of `strips` strips of so high results is cut into items of as many
/// rows, `wanted` items in all: no fewer than `least`, so that what an item does for its first row
/// alone does not count.
inline int rowsOfItems(int height, int strips, int wanted, int least)
{
    const int ofStrip = std::max(wanted / strips, 1);
    return std::max(common::ceilDiv(height, ofStrip), std::min(height, least));
}

} // namespace local_entropy
