// Few levels in the memory of a GPU.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy
{

/// Whether makeLevelsPlan() can compute that, given the shared memory: entropies as float, at most
/// 32 values of a cell (that it is missing is one), rectangles up to 64 cells wide and of up to
/// 8192 cells.
bool canLaunchLevels(const Problem &problem);

/// Bytes of shared memory that a block needs for it, at least; 0 without CUDA.
int levelsSharedBytes(const Problem &problem);

/// Nanoseconds a result, about.
double levelsLaunchCost(const Problem &problem);

/// Throws Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeLevelsPlan(const Problem &problem);

} // namespace local_entropy
