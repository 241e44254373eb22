// Packed histograms in the memory of a GPU.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy
{

/// Whether makeWalkPlan() can compute that, given the shared memory: entropies as float, rectangles
/// of the widths that there is a kernel for, fewer than 400 levels.
bool canWalk(const Problem &problem);

/// Bytes of shared memory that a block needs for it, at least.
int walkSharedBytes(const Problem &problem);

/// Nanoseconds a result, about.
double walkCost(const Problem &problem);

/// Throws Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeWalkPlan(const Problem &problem);

} // namespace local_entropy
