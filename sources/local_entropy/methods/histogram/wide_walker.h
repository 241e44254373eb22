// How a warp of wide_walk.h counts (.cu): its histogram, the cells that its lanes bring, and the
// rows that wait until their changes are added up.
#pragma once

#include "local_entropy/methods/histogram/wide_answers.h"
#include "local_entropy/methods/histogram/wide_sums.h"
#include "local_entropy/methods/histogram/wide_task.h"
#include "local_entropy/problem/plane_view.h"

#include <cstdint>

namespace local_entropy::wide
{

/// One warp's histogram. kGroups: of 32 cells, of which a row has that many.
template <typename Cell, int kBits, int kGroups>
class Walker
{
public:
    static constexpr int kWindows = 32 / kBits, kRows = kLanes / kWindows;
    static constexpr int kAhead = 8; ///< rows that are on their way

    __device__ Walker(const Task<Cell> &task, std::uint32_t histogram, std::uint32_t table)
        : task(task), histogram(histogram), most(task.values - 1), lane(threadIdx.x % kLanes)
    {
        const std::uint32_t zero = table + 4 * (kZeros - 1), first = table + 4 * kZeros;
        none = table + 4 * lane;
        cells = task.windowWidth + kWindows - 1;
#pragma unroll
        for (int group = 0; group < kGroups; ++group) {
            const int column = lane + group * kLanes;
            steps[group] = column < cells ? 4 : 0;
            words[group] = column < cells ? histogram : none;
            ones[group] = 0;
#pragma unroll
            for (int window = 0; window < kWindows; ++window) {
                const bool holds = column >= window && column < window + task.windowWidth;
                if (holds) ones[group] |= 1u << (kBits * window);
                factors[group][window] = holds ? 4u << (8 * window) : 0;
                entries[group][window] = holds ? first : zero;
            }
        }
    }

    /// The windows of an item: rows first ... end - 1 of the results in the columns from x.
    __device__ void walk(int x, int first, int end)
    {
        clear();
        const PieceView<Cell> &piece = pieceOf(x);
        stride = piece.stride;
        top = piece.top;
        bottom = piece.top + piece.rows;
#pragma unroll
        for (int group = 0; group < kGroups; ++group)
            column[group] = piece.cells + x + min(lane + group * kLanes, cells - 1);
        const int firstWhole = max(first, top) + 1;
        const int behindWhole = min(end, bottom - task.windowHeight + 1);
        const Rows rows{x, first, end};
        seen = 0;
        std::int64_t sum = sumsBefore(x, first); // of this lane's window
#pragma unroll
        for (int row = 0; row < kAhead; ++row) load<false>(row, first + row, rows);
        for (int y = first; y < end; y += kRows) {
            const bool inner = y >= firstWhole && y + kRows + kAhead <= behindWhole;
            if (inner && !task.plane.missing && !isCut(x, y))
                batch<true>(y, rows, sum);
            else
                batch<false>(y, rows, sum);
        }
        __syncwarp();
        if (__any_sync(kAllLanes, seen > most)) tellBadCells(task, x, cells, first, end);
    }

private:
    /// An item.
    struct Rows
    {
        int x, first, end;
    };

    /// kRows rows of results; `sum` is that of this lane's window in the row before. kWhole: rows
    /// enter and leave for all of them and the next kAhead, and all cells count.
    template <bool kWhole>
    __device__ void batch(int y, const Rows &rows, std::int64_t &sum)
    {
        std::uint32_t ofFirst = 0, ofNone = 0; // counts of this lane's result
        std::uint32_t left[kRows][kGroups], entered[kRows][kGroups];
        std::int32_t changes[kLanes];
        // A row's old counts are looked up while the next row's are on their way.
#pragma unroll
        for (int row = 0; row <= kRows; ++row) {
            if (row < kRows) {
                exchange<kWhole>(row % kAhead, y + row, rows, left[row], entered[row]);
                if (!kWhole) {
                    const std::uint32_t zeros = wordAt(histogram);
                    const std::uint32_t nones =
                        task.plane.missing ? wordAt(histogram + 4 * task.plane.none) : 0;
                    if (lane / kWindows == row) ofFirst = counter(zeros), ofNone = counter(nones);
                    __syncwarp();
                }
                load<kWhole>(row % kAhead, y + row + kAhead, rows);
            }
            if (row > 0) {
                const bool enters = kWhole || y + row - 1 < rows.end;
                lookUp(enters, left[row - 1], entered[row - 1], changes + (row - 1) * kWindows);
            }
        }
        constexpr int kNarrow = kGroups == 1 ? 2 : 1;
        sum += sumsOverRows(sumOfOwn<kNarrow>(lane, changes));
        const int own = rows.x + lane % kWindows, row = y + lane / kWindows;
        if (own < task.width && (kWhole || row < rows.end))
            finish(task, own, row, sum, ofFirst, ofNone);
        sum = __shfl_sync(kAllLanes, sum, kLanes - kWindows + lane % kWindows);
    }

    __device__ void clear()
    {
        for (int value = lane; value < task.values; value += kLanes)
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(histogram + 4 * value), "r"(0));
        __syncwarp();
    }

    __device__ const PieceView<Cell> &pieceOf(int x) const
    {
        return task.plane.pieceOf(x, x + cells);
    }

    __device__ bool isCut(int x, int y) const
    {
        return x < task.plane.left || x + cells > task.plane.right || y < task.plane.top ||
               y + kRows - 1 + task.windowHeight > task.plane.bottom;
    }

    __device__ std::uint32_t wordOf(std::uint32_t cell, int group) const
    {
        return cell * steps[group] + words[group];
    }

    __device__ std::uint32_t counter(std::uint32_t word) const
    {
        return word >> (kBits * (lane % kWindows)) & ((1u << kBits) - 1);
    }

    /// The table's entry for the count in a window of the cell of this lane.
    __device__ std::uint32_t entry(std::uint32_t word, int group, int window) const
    {
        if constexpr (kBits == 8)
            return __dp4a(word, factors[group][window], entries[group][window]);
        return __dp2a_lo(word, factors[group][window], entries[group][window]);
    }

    /// All but the last row of the windows of row `first` enter. The sum of this lane's window.
    __device__ std::int64_t sumsBefore(int x, int first)
    {
        std::int64_t own[kWindows] = {};
        for (int row = first; row < first + task.windowHeight - 1; ++row)
#pragma unroll
            for (int group = 0; group < kGroups; ++group) {
                const std::uint32_t cell = cellOf<false>(row, x, group);
                seen = max(seen, cell);
                const std::uint32_t before = addTo(wordOf(min(cell, most), group), ones[group]);
#pragma unroll
                for (int window = 0; window < kWindows; ++window)
                    own[window] += differenceAt<0>(entry(before, group, window));
            }
        std::int64_t sum = 0;
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
#pragma unroll
            for (int apart = kLanes / 2; apart > 0; apart /= 2)
                own[window] += __shfl_xor_sync(kAllLanes, own[window], apart);
            if (lane % kWindows == window) sum = own[window];
        }
        return sum;
    }

    /// What leaves and enters for the results of row y; of the first one, no row leaves.
    template <bool kWhole>
    __device__ void load(int row, int y, const Rows &rows)
    {
        const int last = kWhole ? y : min(y, rows.end - 1);
        const int above = kWhole ? y - 1 : max(last - 1, rows.first);
#pragma unroll
        for (int group = 0; group < kGroups; ++group) {
            leaving[row][group] = cellOf<kWhole>(above, rows.x, group);
            entering[row][group] = cellOf<kWhole>(last + task.windowHeight - 1, rows.x, group);
        }
    }

    /// This lane's cell of a row of the plane. kWhole: the piece has that row.
    template <bool kWhole>
    __device__ std::uint32_t cellOf(int row, int x, int group) const
    {
        if (kWhole || (row >= top && row < bottom)) return __ldg(column[group] + row * stride);
        return cellBeyond(task, x, cells, row, lane + group * kLanes);
    }

    /// A row leaves and a row enters. Where both have the same cell, nothing changes: a lane then
    /// adds 0 to its own word, whose 0 says so, F(1) being F(0). Where cells are all equal their
    /// additions, to one word, would wait for each other.
    template <bool kWhole>
    __device__ void exchange(int row, int y, const Rows &rows, std::uint32_t *left,
                             std::uint32_t *entered)
    {
        const bool leaves = kWhole || (y > rows.first && y < rows.end);
        const bool enters = kWhole || y < rows.end;
        std::uint32_t out[kGroups], in[kGroups], change[kGroups];
#pragma unroll
        for (int group = 0; group < kGroups; ++group) {
            const std::uint32_t outer = min(leaving[row][group], most);
            const std::uint32_t inner = min(entering[row][group], most);
            seen = max(seen, entering[row][group]);
            const bool changes = !kWhole || outer != inner;
            change[group] = changes ? ones[group] : 0;
            out[group] = changes ? wordOf(outer, group) : none;
            in[group] = changes ? wordOf(inner, group) : none;
        }
#pragma unroll
        for (int group = 0; group < kGroups; ++group)
            left[group] = addTo(out[group], leaves ? 0u - change[group] : 0);
        if (!leaves) // what stands before the table's first entry is 0
#pragma unroll
            for (int group = 0; group < kGroups; ++group) left[group] = 0;
        __syncwarp(); // a counter never has more than a window's cells
#pragma unroll
        for (int group = 0; group < kGroups; ++group)
            entered[group] = addTo(in[group], enters ? change[group] : 0);
        __syncwarp();
    }

    __device__ void lookUp(bool enters, const std::uint32_t *left, const std::uint32_t *entered,
                           std::int32_t *changes) const
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            std::int32_t change = 0;
#pragma unroll
            for (int group = 0; group < kGroups; ++group) {
                // from n to n - 1: the difference before n's
                const std::int32_t less = differenceAt<-4>(entry(left[group], group, window));
                const std::int32_t more = differenceAt<0>(entry(entered[group], group, window));
                change += (enters ? more : 0) - less;
            }
            changes[window] = change;
        }
    }

    /// Of what rows change, lane by lane, all to this lane's row.
    __device__ std::int64_t sumsOverRows(std::int64_t change) const
    {
#pragma unroll
        for (int apart = kWindows; apart < kLanes; apart *= 2) {
            const std::int64_t other = __shfl_up_sync(kAllLanes, change, apart);
            if (lane >= apart) change += other;
        }
        return change;
    }

    const Task<Cell> &task;
    const std::uint32_t histogram, most; ///< `most`: the largest level
    const int lane;
    int cells;                                    ///< of a row
    std::uint32_t none;                           ///< a word of this lane, always 0
    const Cell *column[kGroups] = {};             ///< of this lane's cells, in row 0 of a piece
    std::int64_t stride = 0;                      ///< of that
    int top = 0, bottom = 0;                      ///< rows that it has
    std::uint32_t seen = 0;                       ///< the largest cell that entered
    std::uint32_t steps[kGroups], words[kGroups]; ///< what makes an address of a level's word
    std::uint32_t ones[kGroups];                  ///< for the windows that hold them
    std::uint32_t factors[kGroups][kWindows];     ///< what makes an address of a counter
    std::uint32_t entries[kGroups][kWindows];     ///< and of which table
    std::uint32_t leaving[kAhead][kGroups], entering[kAhead][kGroups]; ///< cells of the next rows
};

} // namespace local_entropy::wide
