// Where the kernels that count in packed histograms leave results. For .cu files that nvcc
// compiles.
#pragma once

#include "local_entropy/methods/histogram/counters.h"
#include "local_entropy/methods/plane_plan.h"

namespace local_entropy::walk
{

/// For threads that write so many results at a time. What makes results of sums is still to come:
/// sums, scales, and error.
inline Results resultsOf(const PlanePart &part, int atATime)
{
    const Result &result = part.problem.result;
    Results results{};
    results.result = static_cast<float *>(result.data);
    results.width = static_cast<int>(result.width);
    results.height = static_cast<int>(result.height);
    results.stride = result.stride;
    results.aligned =
        reinterpret_cast<std::uintptr_t>(result.data) % (atATime * sizeof(float)) == 0 &&
        result.stride % atATime == 0;
    results.windowCells = part.problem.shape.cells;
    results.empty = static_cast<float>(part.problem.filter.empty);
    results.undecided = part.undecided.words;
    results.wordsARow = part.undecided.wordsARow;
    return results;
}

} // namespace local_entropy::walk
