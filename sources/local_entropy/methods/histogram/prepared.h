// What the histogram method computes once for a filter.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/methods/histogram/edges.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

struct Prepared
{
    explicit Prepared(const Problem &problem);

    Answers answers;
    /// Windows walk along the rows, not down the columns: fewer cells enter. The method then turns
    /// the tile, and `shape` and `edges` are those of the turned window.
    bool turns;
    Shape shape;
    Edges edges;
    /// F(n) - F(n - 1), from n = 0 (0) to the most cells; one of them, for floats or for doubles.
    std::vector<std::int64_t> steps;
    std::vector<UInt128> wideSteps;

    bool countsAreBytes() const { return shape.cells <= 255; }
};

} // namespace local_entropy
