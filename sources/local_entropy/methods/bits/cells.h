// The entropy of a few cells, one by one, and what cells there are.
#pragma once

#include "local_entropy/filter.h"
#include "local_entropy/memory/scratch.h"
#include "local_entropy/methods/bits/task.h"

namespace local_entropy::bits
{

/// Computes rows [begin, end) of a task whose cells are known to be Good.
void computeCells(const Task &task, std::int64_t begin, std::int64_t end, Scratch &scratch);

/// Of the cells that windows reach.
enum class Cells {
    Good,    ///< all are integers 0..15
    Missing, ///< all but some NaN, which do not count
    Bad      ///< some are neither
};

/// What the windows of a tile reach.
Cells lookAt(const Task &task, const Region &place);

} // namespace local_entropy::bits
