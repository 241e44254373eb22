// Which cell it was: looked for only once some cell is known to be no level.

#include "local_entropy/error.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/levels.h"
#include "local_entropy/problem/load.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace local_entropy
{
namespace
{

struct Range
{
    std::int64_t begin, end;
};

/// The rows (or columns) of an image that the windows of a region reach, in order: those where the
/// windows are, and those that the border takes from elsewhere. Takes no memory by the image's
/// size.
std::vector<Range> reached(Border border, std::int64_t begin, std::int64_t end, std::int64_t size)
{
    const Range inside{std::max<std::int64_t>(begin, 0), std::min(end, size)};
    std::set<std::int64_t> others;
    const auto add = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
            const std::int64_t at = borderIndex(border, i, size);
            if (at >= 0 && (at < inside.begin || at >= inside.end)) others.insert(at);
        }
    };
    add(begin, inside.begin);
    add(inside.end, end);
    std::vector<Range> ranges{inside};
    for (const std::int64_t at : others) ranges.push_back({at, at + 1});
    std::sort(ranges.begin(), ranges.end(),
              [](const Range &one, const Range &other) { return one.begin < other.begin; });
    return ranges;
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
    const std::vector<Range> rows =
        reached(border, y, y + region.height + shape.height - 1, image.height);
    const std::vector<Range> columns =
        reached(border, x, x + region.width + shape.width - 1, image.width);
    const LevelRule rule(problem.filter);
    const auto look = [&](std::int64_t column, std::int64_t row) {
        if (problem.mask.data && !problem.mask.data[row * problem.mask.stride + column]) return;
        const double value = valueAt(image, column, row);
        if (rule(value) == kBadLevel)
            throw Error(Status::BadLevel, "the cell at x " + std::to_string(column) + ", y " +
                                              std::to_string(row) + " is " + number(value) +
                                              ", expected " + expected(problem.filter.levels));
    };
    for (const Range &some : rows)
        for (std::int64_t row = some.begin; row < some.end; ++row)
            for (const Range &few : columns)
                for (std::int64_t column = few.begin; column < few.end; ++column) look(column, row);
}

} // namespace local_entropy
