// The histogram method: packed sliding histograms, for any window and footprint, any number of
// levels, in plain C++.
//
// A window's histogram follows it down a column; a step touches only the cells that enter and
// leave. edges.h says which cells those are, pairs.h and packed.h how neighbouring windows share a
// histogram, strip.h how sixteen of them walk down a tile. Where fewer cells enter from the side,
// the tile is turned. Its cost is a look-up for every cell that enters or leaves, and for floats
// half a look-up, unless windows are very large: pair_steps.h. It does not depend on the number of
// levels while the histograms fit the caches.
#pragma once

#include "local_entropy/methods/method.h"

namespace local_entropy
{

const Method &histogramMethod();

} // namespace local_entropy
