// Steps of any footprint, by the table of its pieces (.cu): see foot.h.
#pragma once

#include "local_entropy/methods/histogram/foot_walker.h"

namespace local_entropy::footprint
{

/// Steps of any footprint, by the table, where all its rows are rows of a piece.
template <typename Cell, typename In>
class TableSteps
{
public:
    using Own = Walker<Cell, In>;

    static constexpr int kParts = 0; ///< steps are done at once

    __device__ static bool can(const PieceView<Cell> &piece, int)
    {
        return piece.stride >> 31 == 0; // 32 bits in `rowAt`
    }
    /// Counts the window of row y.
    __device__ static void count(Own &walker, const PieceView<Cell> &piece, int x, int y)
    {
        walker.begin(piece, x, y);
    }
    __device__ void begin(const PieceView<Cell> &piece, int, int)
    {
        cells = piece.cells;
        stride = static_cast<std::uint32_t>(piece.stride);
    }
    __device__ void step(Own &walker, int x, int y, bool another)
    {
        if (another) touch(y + 1 + walker.task.windowHeight, x, walker.task.windowWidth);
        const auto rowAt = [this](int row) {
            return cells + static_cast<std::uint64_t>(stride) * static_cast<std::uint32_t>(row);
        };
        walker.step(rowAt, x, y);
    }

private:
    /// Brings a row near, which is read in the next step for the first time.
    __device__ void touch(int row, int x, int width) const
    {
        const Cell *const at = cells + static_cast<std::uint64_t>(stride) * row + x;
        asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
        asm volatile("prefetch.global.L1 [%0];" ::"l"(at + width - 1));
    }

    const Cell *cells;
    std::uint32_t stride;
};

/// The same, whatever the rows are.
template <typename Cell, typename In>
class AnyTableSteps
{
public:
    using Own = Walker<Cell, In>;

    static constexpr int kParts = 0, kMost = 1 << 30;

    __device__ void begin(const PieceView<Cell> &of, int, int) { piece = &of; }
    __device__ void step(Own &walker, int x, int y, bool)
    {
        walker.step([this](int row) { return rowOf(*piece, row); }, x, y);
    }

private:
    const PieceView<Cell> *piece;
};

} // namespace local_entropy::footprint
