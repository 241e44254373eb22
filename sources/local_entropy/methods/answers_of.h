// The answers that a problem asks for.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/problem/problem.h"

namespace local_entropy
{

/// `extraCells`: how many more cells than a window's a method counts at some moment.
inline Answers answersOf(const Problem &problem, int extraCells = 0, int mostBits = 48)
{
    const Filter &filter = problem.filter;
    return Answers(filter.measure, filter.order, filter.base, problem.shape.cells + extraCells,
                   filter.empty, mostBits);
}

} // namespace local_entropy
