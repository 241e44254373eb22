#include "local_entropy/schedule/parts.h"

#include <algorithm>

namespace local_entropy
{
namespace
{

Problem partOf(const Problem &whole, std::int64_t left, std::int64_t right, std::int64_t top,
               std::int64_t bottom)
{
    Problem part = whole;
    part.region = {left, top, right - left, bottom - top};
    const std::int64_t offset =
        (top - whole.region.y) * whole.result.stride + (left - whole.region.x);
    part.result.data =
        static_cast<char *>(whole.result.data) +
        offset * static_cast<std::int64_t>(whole.result.isDouble ? sizeof(double) : sizeof(float));
    part.result.width = part.region.width;
    part.result.height = part.region.height;
    return part;
}

} // namespace

std::vector<Problem> partsOf(const Problem &problem)
{
    const Region &region = problem.region;
    const Shape &shape = problem.shape;
    const std::int64_t end = region.x + region.width, bottom = region.y + region.height;
    // The inner cells: left <= x < right, top <= y < low.
    const std::int64_t left = std::max<std::int64_t>(region.x, shape.left);
    const std::int64_t right = std::min(end, problem.image.width - (shape.width - 1 - shape.left));
    const std::int64_t top = std::max<std::int64_t>(region.y, shape.top);
    const std::int64_t low =
        std::min(bottom, problem.image.height - (shape.height - 1 - shape.top));
    const bool onlyTheEdge =
        problem.filter.border == Border::Cut && !problem.mask.data && !problem.filter.nodata;
    if (!onlyTheEdge || left >= right || top >= low ||
        2 * (right - left) * (low - top) < region.width * region.height)
        return {problem};

    std::vector<Problem> parts = {partOf(problem, left, right, top, low)};
    parts.front().mayMiss = // a cell may be NaN
        problem.image.type == CellType::Float32 && !problem.filter.nanIsError;
    if (region.y < top) parts.push_back(partOf(problem, region.x, end, region.y, top));
    if (low < bottom) parts.push_back(partOf(problem, region.x, end, low, bottom));
    if (region.x < left) parts.push_back(partOf(problem, region.x, left, top, low));
    if (right < end) parts.push_back(partOf(problem, right, end, top, low));
    return parts;
}

} // namespace local_entropy
