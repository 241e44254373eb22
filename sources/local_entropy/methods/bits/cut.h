// How a task is cut into blocks.
#pragma once

#include "local_entropy/methods/bits/task.h"

namespace local_entropy::bits
{

/// Blocks of that many panels by that many rows.
void cut(Task &task, std::int64_t panelsPerBlock, std::int64_t rowsPerBlock);

/// One block of all of it.
void leaveWhole(Task &task);

/// Blocks for that many threads. As large as fit twice into a second-level cache, since every block
/// reads four rows more than it writes, but several for each thread, so that none waits long for
/// the last one. Wide blocks are split before high ones: that costs nothing but shorter runs of
/// memory.
void divide(Task &task, int threads);

} // namespace local_entropy::bits
