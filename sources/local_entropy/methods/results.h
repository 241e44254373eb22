// Where results go.
#pragma once

#include "local_entropy/problem/problem.h"

namespace local_entropy
{

/// The results of row `y` of a tile; Value is float or double, as problem.result says.
template <typename Value>
Value *resultRow(const Problem &problem, const Region &place, std::int64_t y)
{
    return static_cast<Value *>(problem.result.data) +
           (place.y - problem.region.y + y) * problem.result.stride + (place.x - problem.region.x);
}

} // namespace local_entropy
