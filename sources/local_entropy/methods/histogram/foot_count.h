// The first window of a disk, of which all cells are counted (.cu): see foot.h.
#pragma once

#include "local_entropy/methods/histogram/foot_rows.h"
#include "local_entropy/methods/histogram/foot_walker.h"

namespace local_entropy::footprint
{

/// Row by row: the cells of the next one are on their way meanwhile.
template <int kRadius, typename In>
class DiskCount
{
public:
    using Cell = std::uint8_t;

    /// Of row y.
    __device__ static void count(Walker<Cell, In> &walker, const PieceView<Cell> &piece, int x,
                                 int y)
    {
        const int lane = threadIdx.x % kLanes;
        const std::uint32_t ofLane = columnsOf(min(lane, 2 * kRadius) - kRadius);
        const std::uint32_t mask = walker.task.plane.mask;
        RowsOfLanes<Cell> rows;
        rows.begin(piece, x, y);
        const auto cellsOf = [&rows](int row) {
            return reinterpret_cast<const Cell *>(rows.address(row));
        };
        Row next;
        next.order(cellsOf(0));
        walker.clear();
#pragma unroll 1
        for (int row = 0; row <= 2 * kRadius; ++row) {
            const Row now = next;
            next.order(cellsOf(min(row + 1, 2 * kRadius)));
            add(walker, now.cells(mask), __shfl_sync(~0u, ofLane, row), row - kRadius);
        }
        walker.sumUp();
    }

private:
    static constexpr int kWindows = In::kWindows, kColumns = 2 * kRadius + kWindows;

    /// The words that a row's cells lie in. Shifted only when they are counted: so that nobody
    /// waits for them before.
    struct Row
    {
        std::uint32_t words[(kColumns + 6) / 4];
        unsigned shift;

        __device__ void order(const Cell *from)
        {
            const auto address = reinterpret_cast<std::uintptr_t>(from);
            const auto *const aligned =
                reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
            shift = address % 4 * 8;
#pragma unroll
            for (int i = 0; i < (kColumns + 6) / 4; ++i) words[i] = __ldg(aligned + i);
        }
        __device__ Cells<Cell, kColumns> cells(std::uint32_t mask) const
        {
            constexpr int kLast = (kColumns + 6) / 4 - 1;
            Cells<Cell, kColumns> shifted;
#pragma unroll
            for (int i = 0; i < shifted.kWords; ++i)
                shifted.words[i] =
                    __funnelshift_r(words[i], words[i < kLast ? i + 1 : i], shift) & mask;
            return shifted;
        }
    };

    /// The columns of a window that have a cell in that row from the middle, a bit each from the
    /// highest one on.
    __device__ static std::uint32_t columnsOf(int row)
    {
        const int x = reach(kRadius, row);
        return __brev(((2u << 2 * x) - 1) << (kRadius - x));
    }
    __device__ static void add(Walker<Cell, In> &walker, const Cells<Cell, kColumns> &cells,
                               std::uint32_t columns, int row)
    {
#pragma unroll
        for (int column = 0; column < kColumns; ++column) {
            // Bit w: whether column - w is one of the window's.
            const unsigned windows = columns >> (31 - column) & ((1u << kWindows) - 1);
            // Of none: it adds 0, and there is no branch that the next row's cells would wait for.
            walker.add(cells.counters(column, walker.histogram), In::spread(windows, row, column));
        }
    }
};

} // namespace local_entropy::footprint
