// The method words on levels that have been loaded, in the memory of GPUs. In every build; without
// CUDA it says so.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy::words
{

/// For windows of 5x5 cells around their cell, of at most 16 levels, where every cell that exists
/// counts, to the entropy in base e as float. For the current GPU. Throws Error (Unavailable)
/// without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeLoadedPlan();

} // namespace local_entropy::words
