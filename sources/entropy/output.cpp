#include "entropy/output.h"

#include <cmath>
#include <cstdio>

namespace entropy
{

// What rounds to zero is printed as zero: never -0.00000.
static double printable(float cell) { return std::fabs(cell) < 5e-6f ? 0.0 : cell; }

void printCells(const char *title, const Sample &sample, const float *cells, int x0, int y0)
{
    std::printf("%s\n", title);
    for (int y = y0; y < sample.height; ++y) {
        for (int x = x0; x < sample.width; ++x)
            std::printf("%12.5f", printable(cells[static_cast<std::size_t>(y) * sample.width + x]));
        std::printf("\n");
    }
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
