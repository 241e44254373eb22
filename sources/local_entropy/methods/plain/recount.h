// Counting windows on a GPU, one by one: the method plain there, and the second look at what other
// methods could not decide.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy
{

/// Counts every window: for all filters. Throws Error (Unavailable) without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeRecountOfAll(const Problem &problem);

/// Counts the windows of PlanePart::undecided, and no others. The bits are 0 again afterwards.
std::unique_ptr<const PlanePlan> makeRecountOfUndecided(const Problem &problem);

} // namespace local_entropy
