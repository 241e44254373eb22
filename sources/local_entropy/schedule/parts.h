// How a problem is cut: its inner cells, whose windows are whole, and the frame around them.
#pragma once

#include "local_entropy/problem/problem.h"

#include <vector>

namespace local_entropy
{

/// The problems that make up `problem`, the largest first. Where only an edge that cuts windows
/// makes cells miss, what lies within needs neither a copy of its cells nor a count of those that
/// miss, and a method that is fast in the one need not be fast in the other.
std::vector<Problem> partsOf(const Problem &problem);

} // namespace local_entropy
