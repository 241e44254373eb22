// The gold answer. Slow and plain, so that it can be believed; no core uses any of it to compute.
#pragma once

#include "entropy/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace entropy
{

/// -sum p ln p over the window around (x, y), straight from the definition, in double precision.
inline double referenceCell(int width, int height, const float *sample, int x, int y)
{
    std::array<int, kLevels> count{};
    int total = 0;
    for (int wy = y - kRadius; wy <= y + kRadius; ++wy)
        for (int wx = x - kRadius; wx <= x + kRadius; ++wx) {
            const bool inside = wx >= 0 && wx < width && wy >= 0 && wy < height;
            if (!inside) continue;
            ++count.at(static_cast<std::size_t>(sample[static_cast<std::size_t>(wy) * width + wx]));
            ++total;
        }
    double entropy = 0;
    for (const int n : count) {
        if (n == 0) continue; // p ln p -> 0 as p -> 0
        const double p = static_cast<double>(n) / total;
        entropy -= p * std::log(p);
    }
    return entropy;
}

/// The entropy of every cell, height rows of width, rounded to float. Rows run in parallel.
inline std::vector<float> reference(int width, int height, const float *sample)
{
    std::vector<float> entropy(static_cast<std::size_t>(width) * height);
#pragma omp parallel for schedule(guided)
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            entropy[static_cast<std::size_t>(y) * width + x] =
                static_cast<float>(referenceCell(width, height, sample, x, y));
    return entropy;
}

/// A cell of a result that is not right.
struct WrongCell
{
    int x = 0, y = 0;
    float expected = 0, computed = 0;
};

/// Outcome of comparing a result with the gold answer.
struct Comparison
{
    bool passed = true;
    double largestError = 0; ///< NaN if a cell of the result is NaN
    int x = 0, y = 0;        ///< where the largest error is: the first NaN, if there is one
    std::size_t wrongCells = 0;
    WrongCell first, worst; ///< of the wrong cells, row by row, if there are any
};

/// Compares `result` (height rows of width) with `gold`. A NaN anywhere fails.
inline Comparison compare(int width, int height, const float *result, const float *gold)
{
    Comparison comparison;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const std::size_t cell = static_cast<std::size_t>(y) * width + x;
            const double error = std::fabs(static_cast<double>(result[cell]) - gold[cell]);
            const WrongCell wrong{x, y, gold[cell], result[cell]};
            if (!(error <= kTolerance) && comparison.wrongCells++ == 0) comparison.first = wrong;
            // Also when this error is NaN; once the largest is, nothing is larger.
            if (!(error <= comparison.largestError) && !std::isnan(comparison.largestError)) {
                comparison.largestError = error;
                comparison.x = x;
                comparison.y = y;
                comparison.worst = wrong;
            }
        }
    comparison.passed = comparison.wrongCells == 0;
    return comparison;
}

} // namespace entropy
