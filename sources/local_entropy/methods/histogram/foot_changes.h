// What a footprint loses and gains when its window goes a row down.
#pragma once

#include "common/host_device.h"
#include "local_entropy/problem/problem.h"

#include <cstdint>
#include <vector>

namespace local_entropy::footprint
{

constexpr int kMostByteCells = 255; ///< of windows that counters of 8 bits can count
constexpr int kMostDisk = 10;       ///< radius of the largest disk with a kernel of its own

/// A few cells side by side: this many columns from `column`, in row `row`, from the window's upper
/// left corner.
struct Piece
{
    std::uint8_t row, column;
};
constexpr int kLongest = 4; ///< cells of a piece

/// Pieces by kind and length. Columns of a footprint are runs of cells, one below the other. When
/// the window goes from row y to y + 1, the first cell of each run leaves it, and the one behind
/// its last enters it, both counted from y: where such cells lie side by side, they are a piece.
/// Kind 0 leaves, kind 1 enters; of kind 2 are all the cells.
struct Pieces
{
    enum Kind { Leaving, Entering, All };
    std::vector<Piece> pieces;
    /// Those of a kind and length: ends[place - 1] ... ends[place] - 1.
    int ends[3 * kLongest] = {};

    HOST_DEVICE static constexpr int place(int kind, int length)
    {
        return kind * kLongest + kLongest - length;
    }
};

Pieces piecesOf(const Shape &shape);

/// How many cells leave a window when it goes a row down; as many enter.
int leavingCells(const Shape &shape);

/// Words of a block's shared memory: a few, differences and pieces. Then come its histograms.
struct TableWords
{
    static constexpr int kFew = 32; ///< a multiple of it, each
    int differences, pieces;

    HOST_DEVICE TableWords(int cells, int pieceCount)
        : differences(rounded(cells + 1)), pieces(rounded((pieceCount + 1) / 2))
    {
    }
    HOST_DEVICE int all() const { return kFew + differences + pieces; }

private:
    HOST_DEVICE static int rounded(int count) { return (count + kFew - 1) / kFew * kFew; }
};

/// How many cells of the footprint lie above row y and left of column x:
/// [y * (width + 1) + x], x = 0 ... width, y = 0 ... height.
std::vector<std::int32_t> cellsBefore(const Shape &shape);

/// How far a column of a disk reaches up and down from its middle row: the cells x, y with
/// x^2 + y^2 <= radius^2.
HOST_DEVICE constexpr int reach(int radius, int x)
{
    int y = 0;
    while ((y + 1) * (y + 1) + x * x <= radius * radius) ++y;
    return y;
}

/// The radius of the disk that the footprint is, in the smallest rectangle; 0: it is none.
int diskRadius(const Shape &shape);

} // namespace local_entropy::footprint
