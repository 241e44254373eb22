// The levels that a GPU's methods read: a Plane, where border, mask and nodata are resolved. Most
// images are loaded: copied, in the memory of the GPU, from cells of any type to levels. An image
// whose cells are levels, whatever they are, stays where it is, but for its left and right ends.
// (For the CPU: load.h. What kernels see of it: plane_view.h.)
#pragma once

#include "local_entropy/problem/problem.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy
{

/// A part of a plane, some of its columns, in device memory.
struct PlanePiece
{
    /// Where column 0 of row 0 of the plane is, or would be if it were of this part.
    const void *cells = nullptr;
    std::int64_t stride = 0; ///< in cells
    int top = 0, rows = 0;   ///< rows top ... top + rows - 1 are there
};

/// The levels that the windows of a region reach. The window of result (x, y) has the columns x ...
/// x + shape.width - 1 and the rows y ... y + shape.height - 1 of the plane.
struct Plane
{
    int bytes = 1;             ///< of a cell: 1, 2 or 4
    int width = 0, height = 0; ///< cells
    int values = 0;            ///< every cell is 0 ... values - 1
    /// Every word of cells that is read, of 32 bits, is to be ANDed with this before: an image that
    /// stays where it is may have cells that are no levels. Not 0xffffffff only where a kernel does
    /// so, see planeFor().
    std::uint32_t mask = 0xffffffff;
    bool isChecked = true; ///< whether there are no such cells; else fillPlane() looks for them
    /// Whether there may be cells, of a mask or nodata, that do not count. They have the value
    /// `none`, as if they were of one more level.
    bool missing = false;
    std::uint32_t none = 0;

    /// Where the edge of the image cuts windows, the columns left ... right - 1 and rows top ...
    /// bottom - 1 exist. All others are of level 0 but do not count. Elsewhere everything exists.
    int left = 0, top = 0, right = 0, bottom = 0;

    /// What a kernel reads of the columns innerBegin ... innerEnd - 1 alone is in `middle`, else in
    /// the one of the others that is nearer. A loaded plane is all in each of them.
    int innerBegin = 0, innerEnd = 0;
    PlanePiece before, middle, after;
    /// Rows that are not there are those that this border takes for them; of Border::Cut and
    /// Border::Constant, `beyond`, which begins as a piece does.
    Border border = Border::Cut;
    const void *beyond = nullptr;

    bool isLoaded = true; ///< the pieces are one
    std::size_t size = 0; ///< bytes of memory for what is loaded
    int endColumns = 0;   ///< of `before` and of `after`, unless all is loaded
    std::int64_t loadedStride = 0, endStride = 0; ///< of what is loaded, in cells
};

/// A kernel's warps may read the columns of one piece from a column that innerBegin ... innerEnd
/// has to this many further, and the window's; and kPlaneSlack behind the last that they need.
constexpr int kMostStrip = 256, kPlaneSlack = 64;

/// The plane for the region of a problem, without memory. Regions, and images that stay where they
/// are, have at most 2^30 columns and rows, other images at most as many as a BadCell can tell
/// (fitsPlane). `masked`: the kernel ANDs what it reads
/// with Plane::mask; then images of less levels than their type has stay where they are, too.
Plane planeFor(const Problem &problem, bool masked = false);
bool fitsPlane(const Problem &problem);

/// An address in device memory that 256 divides, with plane.size bytes behind it.
void placePlane(const Problem &problem, Plane &plane, void *memory);

/// Of a plane whose ends alone are loaded: the first column of `after`, a multiple of 64.
int firstColumnAfter(const Plane &plane);

/// A cell of an image that is no level, such that the first one, row by row, is the least:
/// y 2^32 + x.
using BadCell = unsigned long long;
constexpr BadCell kNoBadCell = ~0ull;
constexpr int kBadCellBits = 32; ///< of x
/// Columns and rows that it can tell.
constexpr std::int64_t kMostBadRows = (std::int64_t(1) << kBadCellBits) - 1;

/// Loads what is to be loaded of `plane`, which has its memory, in `stream`, a cudaStream_t, from
/// arrays in the memory of the current GPU. Lowers `*bad`, in its memory too, to the first cell
/// that is no level.
void fillPlane(const Problem &problem, const Plane &plane, BadCell *bad, void *stream);

} // namespace local_entropy
