// Another look at the results that a method could not decide with the bits it has.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy
{

/// Computes the results of PlanePart::undecided, and no others, for all filters. Throws Error
/// (Unavailable) without CUDA or a GPU.
std::unique_ptr<const PlanePlan> makeSecondLook(const Problem &problem);

} // namespace local_entropy
