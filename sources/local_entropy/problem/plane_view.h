// A plane (plane.h) as kernels see it. For .cu files that nvcc compiles.
#pragma once

#include "local_entropy/problem/border.h"
#include "local_entropy/problem/plane.h"

namespace local_entropy
{

/// Apart from the kernels, which ask rarely, in many places, for rows beyond the edge.
inline __device__ __noinline__ int rowBeyondEdge(Border border, int y, int rows)
{
    return static_cast<int>(borderIndex(border, y, rows));
}

/// One piece of it.
template <typename Cell>
struct PieceView
{
    const Cell *cells;
    std::int64_t stride;
    int top, rows;
    Border border;
    const Cell *beyond;

    /// Where column 0 of a row of the plane would be. The addresses of a piece's rows differ in
    /// their last bits where its stride does.
    __device__ const Cell *row(int y) const
    {
        if (static_cast<unsigned>(y - top) < static_cast<unsigned>(rows)) return cells + y * stride;
        return rowBeyond(y);
    }

private:
    __device__ const Cell *rowBeyond(int y) const
    {
        const int there = rowBeyondEdge(border, y - top, rows);
        return there < 0 ? beyond : cells + (top + there) * stride;
    }
};

/// All of it. To be passed to a kernel by value.
template <typename Cell>
struct PlaneView
{
    int innerBegin, innerEnd;
    PieceView<Cell> before, middle, after;
    bool missing;
    std::uint32_t none, mask;
    int left, top, right, bottom; ///< what exists, see Plane

    PlaneView() = default;
    explicit PlaneView(const Plane &plane)
        : innerBegin(plane.innerBegin), innerEnd(plane.innerEnd),
          before(piece(plane, plane.before)), middle(piece(plane, plane.middle)),
          after(piece(plane, plane.after)), missing(plane.missing), none(plane.none),
          mask(plane.mask), left(plane.left), top(plane.top), right(plane.right),
          bottom(plane.bottom)
    {
    }

    /// The piece that has the columns first ... end - 1, of which there are at most kMostStrip and
    /// a window's. The words of 32 bits that they lie in, and the next one, may be read.
    __device__ const PieceView<Cell> &pieceOf(int first, int end) const
    {
        return first < innerBegin ? before : end > innerEnd ? after : middle;
    }

    __device__ bool exists(int x, int y) const
    {
        return x >= left && x < right && y >= top && y < bottom;
    }

    /// Of a window of that many columns that begins in column x, the columns that exist; so for
    /// rows.
    __device__ int columnsOf(int x, int width) const
    {
        return max(min(x + width, right) - max(x, left), 0);
    }
    __device__ int rowsOf(int y, int height) const
    {
        return max(min(y + height, bottom) - max(y, top), 0);
    }

private:
    static PieceView<Cell> piece(const Plane &plane, const PlanePiece &one)
    {
        return {static_cast<const Cell *>(one.cells),   one.stride, one.top, one.rows, plane.border,
                static_cast<const Cell *>(plane.beyond)};
    }
};

} // namespace local_entropy
