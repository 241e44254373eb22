// Rows of cells for the kernels of few levels (.cu), wherever the plane has them: in an image that
// stays where it is they begin at any address, and its cells may be no levels. Those are seen here,
// where they are read anyway, at the price of a few instructions for all columns of a thread.
#pragma once

#include "local_entropy/methods/levels/launch_counts.h"
#include "local_entropy/methods/levels/launch_task.h"

#include <cstdint>

namespace local_entropy::boxes
{

constexpr std::uint32_t kTops = 0x80808080; ///< of bytes

/// The piece of the plane that a warp reads: all columns of its threads.
template <int kColumns>
__device__ const PieceView<std::uint8_t> &pieceOf(const Task &task, int column)
{
    return task.plane.pieceOf(column, column + kColumns);
}

/// A row that is not in the piece: apart from the kernels, which rarely ask.
template <int kColumns>
__device__ __noinline__ const std::uint8_t *rowBeyond(const Task &task, int column, int y)
{
    return pieceOf<kColumns>(task, column).row(y);
}

/// The rows of a thread's columns, those from `x` of a warp's from `column`.
template <int kColumns>
class Rows
{
public:
    __device__ Rows(const Task &task, int column, int x)
        : task(task), column(column), x(min(x, task.planeWidth))
    {
        const PieceView<std::uint8_t> &piece = pieceOf<kColumns>(task, column);
        cells = piece.cells + this->x;
        stride = piece.stride;
        top = piece.top;
        rows = piece.rows;
    }

    __device__ const std::uint8_t *row(int y) const
    {
        if (static_cast<unsigned>(y - top) < static_cast<unsigned>(rows)) return cells + y * stride;
        return rowBeyond<kColumns>(task, column, y) + x;
    }

private:
    const Task &task;
    const int column, x;
    const std::uint8_t *cells;
    std::int64_t stride;
    int top, rows;
};

/// kOwn cells of a row on their way from memory.
template <int kOwn>
class Arriving
{
public:
    __device__ void load(const std::uint8_t *from)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        shift = static_cast<unsigned>(address) * 8; // of which five bits count
#pragma unroll
        for (int i = 0; i <= kOwn / 4; ++i) words[i] = __ldg(aligned + i);
    }

    /// Its levels; `mask`: see Plane. Bytes of `seen` get their highest bit where a cell was none.
    __device__ Cells<kOwn> levels(std::uint32_t mask, std::uint32_t toTop,
                                  std::uint32_t &seen) const
    {
        Cells<kOwn> cells;
#pragma unroll
        for (int i = 0; i < kOwn / 4; ++i) {
            const std::uint32_t word = __funnelshift_r(words[i], words[i + 1], shift);
            // A level has not the highest bit, nor reaches it.
            seen |= word | ((word & ~kTops) + toTop);
            cells.words[i] = word & mask;
        }
        return cells;
    }
    __device__ Cells<kOwn> levels(std::uint32_t mask) const
    {
        std::uint32_t unused = 0;
        return levels(mask, 0, unused);
    }

private:
    std::uint32_t words[kOwn / 4 + 1];
    unsigned shift;
};

/// By a warp that has seen that an item has cells that are no levels: which is the first. Pieces
/// that are loaded have none. Cells of columns beyond the plane's are read, but are not looked at.
template <int kColumns>
__device__ __noinline__ void tellBadCells(const Task &task, int column, int first, int end)
{
    const PieceView<std::uint8_t> &piece = pieceOf<kColumns>(task, column);
    const int most = 127 - static_cast<int>(task.toTop & 0xff);
    BadCell least = kNoBadCell;
    for (int y = first; y < end + task.windowHeight - 1; ++y) {
        const int there = y - piece.top >= 0 && y - piece.top < piece.rows
                              ? y - piece.top
                              : rowBeyondEdge(piece.border, y - piece.top, piece.rows);
        if (there < 0) continue;
        const std::uint8_t *const cells = piece.row(y);
        const int behind = min(column + kColumns, task.planeWidth);
        for (int x = column + static_cast<int>(threadIdx.x) % kLanes; x < behind; x += kLanes)
            if (cells[x] > most)
                least = min(least, static_cast<BadCell>(there) << kBadCellBits |
                                       static_cast<BadCell>(task.imageX + x));
    }
    if (least != kNoBadCell) atomicMin(task.bad, least);
}

} // namespace local_entropy::boxes
