// What the kernels of walk.h are given, and how the rows of the results are cut into pieces, one
// for each warp. For .cu files that nvcc compiles.
#pragma once

#include "local_entropy/methods/histogram/counters.h"
#include "local_entropy/problem/plane_view.h"

#include <cstdint>

namespace local_entropy::walk
{

/// What the kernel reads and writes. The work is cut into a piece for each warp: strips, as wide as
/// a warp's columns, into chunks of rows. All strips but those with cut windows have the same
/// chunks, so that neighbours read and write the same rows at about the same time.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int values; ///< of cells
    int windowWidth, windowHeight;
    Results results;
    const std::uint32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    std::int64_t whole;               ///< F(N) of a window that is all there
    double wholeScale, wholeMargin;   ///< what its D is multiplied by, and then off by
    int strips, pieces;
    int slowLeft, slowRight;    ///< how many strips at the left and right have windows that are cut
    int slowChunks, fastChunks; ///< into which those are cut, and the others
};

/// What a warp computes: rows of a strip.
struct Piece
{
    int strip, first, end;
};
template <typename Cell>
__device__ Piece pieceOf(const Task<Cell> &task, int index)
{
    const int slow = task.slowLeft + task.slowRight, fast = task.strips - slow;
    const auto rowsOf = [&](int chunk, int chunks, int strip) {
        const std::int64_t height = task.results.height;
        return Piece{strip, static_cast<int>(height * chunk / chunks),
                     static_cast<int>(height * (chunk + 1) / chunks)};
    };
    if (index < slow * task.slowChunks) {
        const int strip = index % slow;
        return rowsOf(index / slow, task.slowChunks, strip < task.slowLeft ? strip : fast + strip);
    }
    index -= slow * task.slowChunks;
    return rowsOf(index / fast, task.fastChunks, task.slowLeft + index % fast);
}

} // namespace local_entropy::walk
