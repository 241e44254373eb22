#include "local_entropy/problem/plane.h"

#include "common/integer.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/levels.h"

#include <algorithm>

namespace local_entropy
{

namespace
{

/// Rows begin at multiples of so many cells: of all that is loaded, and of ends.
constexpr int kBoundary = 256, kEndBoundary = 64;

int rounded(int cells, int boundary) { return common::ceilDiv(cells, boundary) * boundary; }

/// Whether a cell of the image may not count, whatever the border.
bool mayMissWithin(const Problem &problem)
{
    const Filter &filter = problem.filter;
    return problem.mask.data || filter.nodata ||
           (problem.image.type == CellType::Float32 && !filter.nanIsError);
}

/// Whether every cell that is a level is so as it is, and as large as a plane's; `masked`: see
/// planeFor().
bool mayStay(const Problem &problem, bool masked)
{
    const int count = problem.filter.levels.count, bytes = cellBytes(problem.image.type);
    return levelsAreCells(problem.filter, problem.image.type) && !problem.mask.data &&
           (count == 1 << (8 * bytes) ||
            (masked && count < 1 << (8 * bytes) && (bytes == 1 || count > 1 << 8)));
}

/// The least power of two that is not less.
int powerFrom(int count)
{
    int power = 1;
    while (power < count) power *= 2;
    return power;
}

/// Leaves the middle where it is, if the ends are less than all.
void leaveMiddle(const Problem &problem, Plane &plane)
{
    constexpr int kWords = 8; // bytes that may be read beyond the cells
    const auto x = static_cast<int>(problem.region.x) - problem.shape.left;
    plane.innerBegin = std::max(kWords - x, 0);
    plane.innerEnd = std::min(static_cast<int>(problem.image.width) - kWords - x, plane.width);
    const int strip = kMostStrip + problem.shape.width + kPlaneSlack;
    plane.endColumns = rounded(
        std::max(plane.innerBegin + strip, plane.width + strip - plane.innerEnd + kEndBoundary),
        kEndBoundary);
    if (plane.innerEnd - plane.innerBegin < 2 * plane.endColumns) return;
    plane.isLoaded = false;
    plane.endStride = plane.endColumns;
    plane.size = (2 * static_cast<std::size_t>(plane.endStride) * plane.height +
                  rounded(plane.width + kPlaneSlack, kBoundary)) *
                 plane.bytes;
}

} // namespace

int firstColumnAfter(const Plane &plane)
{
    return rounded(plane.width + kPlaneSlack - plane.endColumns, kEndBoundary);
}

bool fitsPlane(const Problem &problem)
{
    constexpr std::int64_t kMost = 1 << 30;
    const std::int64_t mostOfImage = mayStay(problem, true) ? kMost : kMostBadRows;
    return problem.region.width <= kMost && problem.region.height <= kMost &&
           problem.image.width <= mostOfImage && problem.image.height <= mostOfImage;
}

Plane planeFor(const Problem &problem, bool masked)
{
    const Region &region = problem.region;
    const Shape &shape = problem.shape;
    const int count = problem.filter.levels.count;
    Plane plane;
    plane.missing = mayMissWithin(problem);
    plane.none = static_cast<std::uint32_t>(count);
    plane.values = count + (plane.missing ? 1 : 0);
    plane.bytes = plane.values <= 1 << 8 ? 1 : plane.values <= 1 << 16 ? 2 : 4;
    plane.width = static_cast<int>(region.width) + shape.width - 1;
    plane.height = static_cast<int>(region.height) + shape.height - 1;
    plane.border = problem.filter.border;
    plane.right = plane.width;
    plane.bottom = plane.height;
    if (plane.border == Border::Cut) {
        const std::int64_t x = region.x - shape.left, y = region.y - shape.top;
        const auto within = [](std::int64_t i, int end) {
            return static_cast<int>(std::clamp<std::int64_t>(i, 0, end));
        };
        plane.left = within(-x, plane.width);
        plane.right = within(problem.image.width - x, plane.width);
        plane.top = within(-y, plane.height);
        plane.bottom = within(problem.image.height - y, plane.height);
    }
    if (mayStay(problem, masked)) leaveMiddle(problem, plane);
    if (!plane.isLoaded) {
        plane.isChecked = count == 1 << (8 * plane.bytes);
        plane.values = powerFrom(count);
        const auto largest = static_cast<std::uint32_t>(plane.values - 1);
        plane.mask = plane.bytes == 1 ? largest * 0x01010101 : largest * 0x00010001;
        return plane;
    }
    plane.innerEnd = plane.width;
    plane.loadedStride = rounded(plane.width + kPlaneSlack, kBoundary);
    plane.size = static_cast<std::size_t>(plane.loadedStride) * plane.height * plane.bytes;
    return plane;
}

void placePlane(const Problem &problem, Plane &plane, void *memory)
{
    char *const bytes = static_cast<char *>(memory);
    if (plane.isLoaded) {
        plane.before = plane.middle = plane.after = {bytes, plane.loadedStride, 0, plane.height};
        return;
    }
    const std::size_t ofEnd =
        static_cast<std::size_t>(plane.endStride) * plane.height * plane.bytes;
    plane.before = {bytes, plane.endStride, 0, plane.height};
    plane.after = {bytes + ofEnd -
                       static_cast<std::ptrdiff_t>(firstColumnAfter(plane)) * plane.bytes,
                   plane.endStride, 0, plane.height};
    plane.beyond = bytes + 2 * ofEnd;
    const Image &image = problem.image;
    const std::int64_t x = problem.region.x - problem.shape.left;
    const std::int64_t y = problem.region.y - problem.shape.top;
    plane.middle = {static_cast<const char *>(image.data) + (y * image.stride + x) * plane.bytes,
                    image.stride, static_cast<int>(-y), static_cast<int>(image.height)};
}

} // namespace local_entropy
