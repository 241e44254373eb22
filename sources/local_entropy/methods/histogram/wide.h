// The method for many levels in large windows in the memory of GPUs: see wide_walk.h. Not for
// CPUs, whose histograms have any number of levels (histogram.h).
#pragma once

#include "local_entropy/methods/method.h"

namespace local_entropy
{

const Method &wideMethod();

} // namespace local_entropy
