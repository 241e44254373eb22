// Where the rows are that a disk's steps read (.cu): see foot_disk.h. A step from row y knows them
// by their number from y on.
#pragma once

#include "local_entropy/methods/histogram/foot.h"

namespace local_entropy::footprint
{

/// Rows of one piece, one below the other.
template <typename Cell>
class RowsOfPiece
{
public:
    static constexpr int kMost = 1 << 30; ///< rows, from the first one on

    __device__ static bool can(const PieceView<Cell> &piece) { return piece.stride >> 28 == 0; }

    /// For columns from `x` on.
    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
        stride = static_cast<std::uint32_t>(piece.stride);
        first = reinterpret_cast<std::uintptr_t>(piece.cells + y * piece.stride + x);
        last = reinterpret_cast<std::uintptr_t>(
            piece.cells + (std::int64_t(piece.top) + piece.rows - 1) * piece.stride + x);
    }
    __device__ void next() { first += stride; }

    __device__ std::uint64_t address(int row) const { return first + std::uint64_t(stride) * row; }
    /// The address modulo 2^32.
    __device__ std::uint32_t place(int row) const
    {
        return static_cast<std::uint32_t>(first) + stride * row;
    }
    /// Orders a row that will be read some steps later.
    __device__ void prefetch(int row) const
    {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(min(address(row), last)));
    }

private:
    std::uint64_t first; ///< address of column x in the row of the next loads
    std::uint64_t last;  ///< the same in the last row that there is
    std::uint32_t stride;
};

/// Any rows, also those that the border takes for others: each lane knows where one of them is. The
/// lanes have to ask together.
template <typename Cell>
class RowsOfLanes
{
public:
    static constexpr int kMost = kLanes;

    __device__ static bool can(const PieceView<Cell> &) { return true; }

    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
        const int lane = threadIdx.x % kLanes;
        own = reinterpret_cast<std::uintptr_t>(rowOf(piece, y + lane));
        offset = sizeof(Cell) * x;
        first = 0;
    }
    __device__ void next() { ++first; }

    __device__ std::uint64_t address(int row) const
    {
        return __shfl_sync(~0u, own, first + row) + offset;
    }
    __device__ std::uint32_t place(int row) const
    {
        return __shfl_sync(~0u, static_cast<std::uint32_t>(own), first + row) + offset;
    }
    __device__ void prefetch(int) const {}

private:
    unsigned long long own;
    std::uint32_t offset;
    int first;
};

} // namespace local_entropy::footprint
