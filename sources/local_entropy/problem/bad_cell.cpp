// Which cell it was: looked for only once some cell is known to be no level.

#include "local_entropy/error.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/levels.h"
#include "local_entropy/problem/load.h"

#include <cstdio>
#include <string>
#include <vector>

namespace local_entropy
{
namespace
{

/// Which rows (or columns) of an image the windows of a region reach.
std::vector<char> reached(Border border, std::int64_t begin, std::int64_t end, std::int64_t size)
{
    std::vector<char> is(size);
    for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = borderIndex(border, i, size);
        if (at >= 0) is[at] = 1;
    }
    return is;
}

double valueAt(const Image &image, std::int64_t x, std::int64_t y)
{
    const std::int64_t i = y * image.stride + x;
    switch (image.type) {
    case CellType::Uint8: return static_cast<const std::uint8_t *>(image.data)[i];
    case CellType::Bool: return static_cast<const std::uint8_t *>(image.data)[i] != 0;
    case CellType::Uint16: return static_cast<const std::uint16_t *>(image.data)[i];
    case CellType::Int16: return static_cast<const std::int16_t *>(image.data)[i];
    case CellType::Float32: break;
    }
    return static_cast<const float *>(image.data)[i];
}

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string expected(const Levels &levels)
{
    if (levels.binned) return number(levels.low) + " to " + number(levels.high);
    return "an integer " + number(levels.low) + ".." + number(levels.low + levels.count - 1);
}

} // namespace

void throwFirstBadCell(const Problem &problem)
{
    const Image &image = problem.image;
    const Region &region = problem.region;
    const Shape &shape = problem.shape;
    const Border border = problem.filter.border;
    const std::int64_t x = region.x - shape.left, y = region.y - shape.top;
    const std::vector<char> rows =
        reached(border, y, y + region.height + shape.height - 1, image.height);
    const std::vector<char> columns =
        reached(border, x, x + region.width + shape.width - 1, image.width);
    const LevelRule rule(problem.filter);
    for (std::int64_t row = 0; row < image.height; ++row)
        for (std::int64_t column = 0; rows[row] && column < image.width; ++column) {
            if (!columns[column]) continue;
            if (problem.mask.data && !problem.mask.data[row * problem.mask.stride + column])
                continue;
            const double value = valueAt(image, column, row);
            if (rule(value) == kBadLevel)
                throw Error(Status::BadLevel, "the cell at x " + std::to_string(column) + ", y " +
                                                  std::to_string(row) + " is " + number(value) +
                                                  ", expected " + expected(problem.filter.levels));
        }
}

} // namespace local_entropy
