// The answers that a problem asks for.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/problem/problem.h"

namespace local_entropy
{

inline Answers answersOf(const Problem &problem, int mostBits = 48)
{
    const Filter &filter = problem.filter;
    return Answers(filter.measure, filter.order, filter.base, problem.shape.cells, filter.empty,
                   mostBits);
}

} // namespace local_entropy
