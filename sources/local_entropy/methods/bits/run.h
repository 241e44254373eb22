// How other parts of the engine take their share of what entropyOnCpu() does.
#pragma once

#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/bits/job.h"

#include <functional>

namespace local_entropy::bits
{

/// What each thread does about the blocks of a job; entropyOnCpu() does kernel.run(job, scratch).
using Worker = std::function<void(const Kernel &kernel, Job &job, void *scratch)>;

/// Columns [left, right) of rows [top, bottom).
struct Tile
{
    std::int64_t left, right, top, bottom;
};

/// The cells of a block of a job.
Tile tileOf(const Job &job, std::int64_t block);

/// A job of that block alone. May be called while others take blocks.
Job jobOf(const Job &job, std::int64_t block);

/// entropyOnCpu() with other workers, who leave no block of the job undone. An array whose width
/// isNarrow() has no blocks: it is computed without them.
void runOnCpu(std::int64_t width, std::int64_t height, const float *sample, float *result,
              std::int64_t begin, std::int64_t end, const CpuOptions &options,
              const Worker &worker);

} // namespace local_entropy::bits
