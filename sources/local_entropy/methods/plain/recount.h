// Counting windows on a GPU, one by one: the method plain there.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy
{

/// Counts every window: for all filters. Throws Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeRecount(const Problem &problem);

} // namespace local_entropy
