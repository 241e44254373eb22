// How other parts of the library take their share of what entropyOnCpu() does.
#pragma once

#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/bits/task.h"

#include <functional>

namespace local_entropy::bits
{

/// What each thread does about the blocks of a task; entropyOnCpu() does kernel.run(task, progress,
/// scratch).
using Worker =
    std::function<void(const Kernel &kernel, const Task &task, Progress &progress, void *scratch)>;

/// Columns [left, right) of rows [top, bottom).
struct Tile
{
    std::int64_t left, right, top, bottom;
};

/// The cells of a block of a task.
Tile tileOf(const Task &task, const Block &block);

/// entropyOnCpu() with other workers, who leave no block of the task undone. An array whose width
/// isNarrow() has no blocks: it is computed without them.
void runOnCpu(std::int64_t width, std::int64_t height, const float *sample, float *result,
              std::int64_t begin, std::int64_t end, const CpuOptions &options,
              const Worker &worker);

} // namespace local_entropy::bits
