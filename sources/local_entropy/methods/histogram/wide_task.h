// What the kernel of wide_walk.h is given, and what its warps rarely do with it: cells beyond the
// edge, and cells that are no levels. For .cu files that nvcc compiles.
#pragma once

#include "local_entropy/methods/dominated.h"
#include "local_entropy/methods/histogram/wide_sums.h"
#include "local_entropy/methods/shared_words.h"
#include "local_entropy/problem/plane_view.h"

#include <cstdint>

namespace local_entropy::wide
{

using shared_words::addressOf, shared_words::addTo, shared_words::differenceAt,
    shared_words::wordAt;

constexpr int kMostThreads = 512;
/// Words of 0 before the table of differences: what cells that a window does not hold look up, and
/// for each lane that has no cell of a row a word of its own, to which it adds 0.
constexpr int kZeros = 2 + kLanes;

/// What the kernel reads and writes.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int planeWidth; ///< the columns that windows reach
    int values;     ///< of cells that are levels, or do not count
    int windowWidth, windowHeight;
    float *result;
    int width, height; ///< of the result
    std::int64_t resultStride;
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    const std::int64_t *sums;        ///< F(n), n = 0 ... windowCells
    const double *scales;            ///< of N cells: what D is multiplied by; scales[0] is 0
    int windowCells;
    double error;  ///< of D
    Margin margin; ///< of D of windows whose cells all count
    float empty;   ///< the result where no cell counts
    std::uint32_t *undecided;
    std::int64_t wordsARow;
    int tableWords;          ///< of shared memory, a multiple of kLanes
    int strips, rows, items; ///< an item: so many rows of a strip, the columns of a warp
    int imageX;              ///< of the plane's first column
    BadCell *bad;            ///< lowered to the first cell that is no level
};

/// A cell of a row that is not in the piece: apart from the kernel, which rarely asks.
template <typename Cell>
__device__ __noinline__ std::uint32_t cellBeyond(const Task<Cell> &task, int x, int cells, int y,
                                                 int column)
{
    return __ldg(task.plane.pieceOf(x, x + cells).row(y) + x + min(column, cells - 1));
}

/// By a warp that has seen that an item, whose columns are x ... x + cells - 1, has cells that are
/// no levels: which is the first. Pieces that are loaded have none.
template <typename Cell>
__device__ __noinline__ void tellBadCells(const Task<Cell> &task, int x, int cells, int first,
                                          int end)
{
    const PieceView<Cell> &piece = task.plane.pieceOf(x, x + cells);
    const int behind = min(x + cells, task.planeWidth);
    BadCell least = kNoBadCell;
    for (int y = first; y < end + task.windowHeight - 1; ++y) {
        const int inPiece = y - piece.top;
        const bool isThere = inPiece >= 0 && inPiece < piece.rows;
        const int there = isThere ? inPiece : rowBeyondEdge(piece.border, inPiece, piece.rows);
        if (there < 0) continue;
        const Cell *const row = piece.row(y);
        for (int column = x + threadIdx.x % kLanes; column < behind; column += kLanes)
            if (row[column] >= task.values)
                least = min(least, static_cast<BadCell>(there) << kBadCellBits |
                                       static_cast<BadCell>(task.imageX + column));
    }
    if (least != kNoBadCell) atomicMin(task.bad, least);
}

} // namespace local_entropy::wide
