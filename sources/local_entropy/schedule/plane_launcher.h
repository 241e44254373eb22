// Methods that compute from loaded levels in the memory of GPUs.
#pragma once

#include "local_entropy/methods/method.h"

#include <memory>

namespace local_entropy
{

/// Loads the levels for a method that has PlanePlans, and puts it and the look at what it leaves
/// undecided into streams. Throws Error (Unavailable) where there is no GPU.
std::unique_ptr<Launcher> makePlaneLauncher(const Method &method);

} // namespace local_entropy
