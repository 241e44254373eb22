// The plain method: counts the cells of every window, one by one. It can do everything, and judges
// the others.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/problem/load.h"

namespace local_entropy
{

/// Fills the results of a tile of any type of cells. For methods that meet a tile they cannot do.
void plainTile(const Problem &problem, const Tile &tile, const Answers &answers);

const Method &plainMethod();

} // namespace local_entropy
