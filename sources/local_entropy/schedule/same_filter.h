// Whether two filters are the same to the last bit.
#pragma once

#include "local_entropy/filter.h"

namespace local_entropy
{

/// All members are compared, numbers bit by bit: some may be NaN.
bool isSame(const Filter &a, const Filter &b);

} // namespace local_entropy
