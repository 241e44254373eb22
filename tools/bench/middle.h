// The whole that lies in the middle: what belongs together stays together, as in a median of each
// part it would not.
#pragma once

#include <algorithm>
#include <vector>

namespace bench
{

/// The one of `values`, which are not empty, with the median numberOf(value); of an even number the
/// upper one of the two in the middle.
template <typename Value, typename NumberOf>
Value middleOf(std::vector<Value> values, NumberOf numberOf)
{
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end(),
                     [&](const Value &a, const Value &b) { return numberOf(a) < numberOf(b); });
    return *middle;
}

} // namespace bench
