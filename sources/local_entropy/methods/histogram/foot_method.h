// Footprints in the memory of a GPU.
#pragma once

#include "local_entropy/methods/method.h"

namespace local_entropy
{

/// Packed histograms of footprints; on GPUs alone. See foot.h.
const Method &footprintMethod();

} // namespace local_entropy
