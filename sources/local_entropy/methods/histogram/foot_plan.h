// Packed histograms for footprints, in the memory of a GPU.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy
{

/// Whether makeFootprintPlan() can compute that, given the shared memory: entropies as float, any
/// footprint, fewer than 4096 levels.
bool canWalkFootprint(const Problem &problem);

/// Bytes of shared memory that a block needs for it, at least.
int footprintSharedBytes(const Problem &problem);

/// Nanoseconds a result, about.
double footprintCost(const Problem &problem);

/// Throws Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeFootprintPlan(const Problem &problem);

} // namespace local_entropy
