// Windows that slide down, in the memory of a GPU: the plan for the kernels of slide.h. With CUDA
// only.
#pragma once

#include "local_entropy/methods/plane_plan.h"

#include <memory>

namespace local_entropy::equal
{

/// Bytes of shared memory that a block needs, at least.
int slideSharedBytes(const Problem &problem);

/// Throws Error (Unavailable) without a GPU.
std::unique_ptr<const PlanePlan> makeSlidePlan(const Problem &problem);

} // namespace local_entropy::equal
