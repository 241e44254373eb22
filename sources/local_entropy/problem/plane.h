// Loading in the memory of a GPU: from cells of any type, border, mask and nodata to levels and "no
// cell". What a GPU's methods read is a Plane, and they know nothing of images. (For the CPU:
// load.h.)
#pragma once

#include "local_entropy/problem/problem.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy
{

/// The levels that the windows of a region reach, in device memory. The window of result (x, y)
/// begins at cells[y * stride + x] and is shape.width x shape.height cells; all of them are there.
struct Plane
{
    void *cells = nullptr; ///< uint8, uint16 or uint32; rows begin at addresses that 256 divides
    int bytes = 1;         ///< of a cell: 1, 2 or 4
    std::int64_t width = 0, height = 0; ///< cells
    std::int64_t stride = 0;            ///< in cells; behind a row, up to it, lie levels too
    int values = 0;                     ///< every cell is 0 .. values - 1
    /// Whether there may be cells that do not count. They have the value `none`, as if they were of
    /// one more level.
    bool missing = false;
    std::uint32_t none = 0;

    std::size_t size() const { return static_cast<std::size_t>(stride) * height * bytes; }
};

/// So many cells behind the last one that a window reaches may be read in every row.
constexpr int kPlaneSlack = 64;

/// The plane for the region of a problem, its memory still to be found: size() bytes.
Plane planeFor(const Problem &problem);

/// A cell of an image that is no level, such that the first one, row by row, is the least:
/// y 2^32 + x.
using BadCell = unsigned long long;
constexpr BadCell kNoBadCell = ~0ull;
constexpr int kBadCellBits = 32; ///< of x

/// Fills `plane`, of planeFor(problem), in `stream`, a cudaStream_t, from arrays in the memory of
/// the current GPU. Lowers `*bad`, in its memory too, to the first cell that is no level.
void fillPlane(const Problem &problem, const Plane &plane, BadCell *bad, void *stream);

} // namespace local_entropy
