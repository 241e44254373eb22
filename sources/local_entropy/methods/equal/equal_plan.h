// Equality counts in the memory of a GPU.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy
{

/// Whether makeEqualPlan() can compute that: entropies as float, rectangles of few cells, levels
/// that two bytes hold, with one more for cells that do not count.
bool canCompare(const Problem &problem);

/// Bytes of shared memory that a block needs for it, at least; 0 without CUDA.
int compareSharedBytes(const Problem &problem);

/// Nanoseconds a result, about.
double compareCost(const Problem &problem);

/// Throws Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeEqualPlan(const Problem &problem);

} // namespace local_entropy
