#include "entropy/output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace entropy
{

// What rounds to zero is printed as zero: never -0.00000.
static double printable(float cell) { return std::fabs(cell) <= 5e-6f ? 0.0 : cell; }

namespace
{

constexpr int kCorner = 5; // cells each way of what is shown of an array

struct Part
{
    int x0, y0, x1, y1; // columns x0 up to x1, rows y0 up to y1
};

void printCells(const char *title, const Sample &sample, const float *cells, const Part &part)
{
    std::printf("%s\n", title);
    for (int y = part.y0; y < part.y1; ++y) {
        for (int x = part.x0; x < part.x1; ++x)
            std::printf("%12.5f", printable(cells[static_cast<std::size_t>(y) * sample.width + x]));
        std::printf("\n");
    }
}

/// The corner's worth of cells around (x, y), shifted where it would leave the array.
Part around(const Sample &sample, int x, int y)
{
    const auto begin = [](int center, int size) {
        return std::clamp(center - kCorner / 2, 0, std::max(0, size - kCorner));
    };
    const int x0 = begin(x, sample.width), y0 = begin(y, sample.height);
    return {x0, y0, std::min(x0 + kCorner, sample.width), std::min(y0 + kCorner, sample.height)};
}

void printWrong(const char *which, const WrongCell &cell)
{
    std::printf("%s wrong cell: x %d, y %d, expected %.7g, computed %.7g\n", which, cell.x, cell.y,
                cell.expected, cell.computed);
}

} // namespace

void printAnswer(const Sample &sample, const float *result, bool all)
{
    const int width = sample.width, height = sample.height;
    const Part part{all ? 0 : std::max(0, width - kCorner), all ? 0 : std::max(0, height - kCorner),
                    width, height};
    printCells("sample:", sample, sample.cells.data(), part);
    printCells("result:", sample, result, part);
}

void printVerdict(const Sample &sample, const float *result, const float *right,
                  const Comparison &comparison, bool inputChanged, double milliseconds)
{
    if (comparison.passed) {
        std::printf("%s: %.3f ms, largest error %.3g at x %d, y %d\n",
                    inputChanged ? "FAILED: the core changed its input; its answer is right"
                                 : "passed",
                    milliseconds, comparison.largestError, comparison.x, comparison.y);
        return;
    }
    std::printf("FAILED: %zu of %zu cells are wrong, %.3f ms, largest error %.3g at x %d, y %d%s\n",
                comparison.wrongCells, sample.cells.size(), milliseconds, comparison.largestError,
                comparison.x, comparison.y, inputChanged ? "; the core changed its input" : "");
    printWrong("first", comparison.first);
    printWrong("worst", comparison.worst);
    const Part part = around(sample, comparison.x, comparison.y);
    std::printf("columns %d to %d, rows %d to %d, around the worst:\n", part.x0, part.x1 - 1,
                part.y0, part.y1 - 1);
    printCells("expected:", sample, right, part);
    printCells("computed:", sample, result, part);
}

std::string csvLine(const Sample &sample, const float *result)
{
    std::string line = std::to_string(sample.width) + "," + std::to_string(sample.height) + ",";
    for (std::size_t cell = 0; cell < sample.cells.size(); ++cell) {
        char text[32];
        line.append(text, std::snprintf(text, sizeof text, "%.5f,", printable(result[cell])));
    }
    return line + "\n";
}

} // namespace entropy
