// What the histogram method computes once for a filter.
#pragma once

#include "local_entropy/answers/answers.h"
#include "local_entropy/methods/histogram/edges.h"
#include "local_entropy/methods/histogram/pair_steps.h"
#include "local_entropy/problem/problem.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace local_entropy
{

/// A direction that windows walk in: down the columns, or down those of a tile on its side.
struct Way
{
    explicit Way(const Shape &shape) : shape(shape), edges(edgesOf(shape)) {}

    Shape shape;
    Edges edges;

    /// Look-ups a result if windows walk `length` rows: a whole window first, then edges.
    double cost(std::int64_t length) const
    {
        return 2.0 * edges.cells() + static_cast<double>(shape.cells) / static_cast<double>(length);
    }
};

/// How far the counts of neighbouring windows are apart at most, whichever way they walk.
inline int reachOf(const Way &down, const Way &across)
{
    return std::max(reachOf(down.shape, down.edges), reachOf(across.shape, across.edges));
}

struct Prepared
{
    explicit Prepared(const Problem &problem);

    Answers answers;
    Way down, across;
    /// F(n) - F(n - 1), from n = 0 (0) to the most cells; one of them, for floats or for doubles.
    std::vector<std::int64_t> steps;
    std::vector<UInt128> wideSteps;
    PairSteps pairs; ///< of `steps`, for both ways; empty for doubles and for the largest windows

    bool isDouble() const { return steps.empty(); }

    bool countsAreBytes() const { return down.shape.cells <= 255; }

    /// Whether to turn so many results: fewer cells enter from the side, or the walk is longer.
    bool turns(std::int64_t width, std::int64_t height) const
    {
        constexpr double kTurn = 8; // look-ups that take as long as turning a tile and its results
        return across.cost(width) + kTurn < down.cost(height);
    }
};

} // namespace local_entropy
