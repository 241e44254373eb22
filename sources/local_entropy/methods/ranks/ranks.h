// The ranks method: windows of at most 25 cells, any number of levels. Cells are compared with each
// other instead of being counted level by level; see small.h.
#pragma once

#include "local_entropy/methods/method.h"

namespace local_entropy
{

/// Rectangles of at most kSmallCells cells, results in float.
const Method &ranksMethod();

} // namespace local_entropy
