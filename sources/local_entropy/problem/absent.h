// How many cells of each window of a tile do not count.
#pragma once

#include "local_entropy/problem/load.h"

namespace local_entropy
{

/// Sets `absent` of a tile that has cells `none`; its memory is the scratch's (slot Absent).
void countAbsent(Tile &tile, const Shape &shape, Scratch &scratch);

} // namespace local_entropy
