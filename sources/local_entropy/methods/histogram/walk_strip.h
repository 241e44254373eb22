// What a warp of walk.h does in a strip (.cu): which rows are loaded, counted and finished when.
// Rows of which all windows are whole go by a loop of their own, which asks nothing about edges.
#pragma once

#include "local_entropy/methods/histogram/walk_answers.h"
#include "local_entropy/methods/histogram/walk_counts.h"
#include "local_entropy/methods/histogram/walk_task.h"

#include <cstdint>

namespace local_entropy::walk
{

/// A strip of a warp, from one row of results to another: what its threads do there.
template <typename Cell, int kWidth, int kBits, bool kShort, bool kMissing>
class Strip
{
public:
    using Own = Walker<Cell, kWidth, kBits, kShort>;
    static constexpr int kWindows = Own::kWindows, kColumns = kWindows * kLanes;

    __device__ Strip(const Task<Cell> &task, Own &walker, std::uint32_t withouts, int strip,
                     int lane)
        : task(task), walker(walker), begin(strip * kColumns), own(begin + lane * kWindows),
          x(min(own, (task.results.width - 1) / kWindows * kWindows)),
          piece(task.plane.pieceOf(begin, begin + kColumns + task.windowWidth - 1)),
          results(task, withouts, own)
    {
    }

    /// Results of the rows first ... end - 1.
    __device__ void compute(int first, int end)
    {
        fetchFirst(first, end);
        if constexpr (!kShort) clearBits(first, end);
        // The window of row first - 1. Of row -1 there is nothing, and row 0 enters and leaves.
        walker.clear(task.values);
        enterFirst(first);
        // Rows of which all windows are whole, and all cells where the piece has them.
        int middle = end, last = end;
        if (areColumnsWhole()) {
            middle = max(max(first, max(piece.top, 0) + 1), task.plane.top);
            // Rows behind them are read, too.
            last = min(min(end, task.plane.bottom - task.windowHeight + 1),
                       piece.top + piece.rows - task.windowHeight - 1);
            if (last <= middle) middle = last = end;
        }
#pragma unroll 1
        for (int at = first; at < end;) {
            if (at == middle) {
                if (task.results.aligned)
                    computeWhole<true>(middle, last);
                else
                    computeWhole<false>(middle, last);
                at = last;
            } else { // before those, or after
                const int to = at < middle ? middle : end;
                computeAny(at, to);
                at = to;
            }
        }
    }

private:
    using CellsOfRow = typename Own::CellsOfRow;
    using Step = typename Own::Step;
    /// How the additions of a row and the look-ups of the row above take turns: see computeWhole().
    /// Which is quickest for a width was measured.
    enum class Order { ByTwos, Apart, Alone };
    static constexpr Order kOrder = kWidth <= 5   ? Order::ByTwos
                                    : kWidth <= 9 ? Order::Apart
                                                  : Order::Alone;
    static constexpr int kAhead = 8; ///< rows from the one that is asked for to the one in use

    __device__ static void fetch(const void *at)
    {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
    }
    __device__ void fetchFirst(int first, int end)
    {
        const int last = min(first + kAhead, end) + task.windowHeight - 1;
        for (int row = max(first - 1, 0); row < last; ++row) fetch(piece.row(row) + x);
    }
    /// The rows of the window above row `first`. Each arrives while the one before it is entered.
    __device__ void enterFirst(int first)
    {
        const int last = max(first + task.windowHeight - 2, 0);
        CellsOfRow arriving;
        arriving.load(piece.row(max(first - 1, 0)) + x);
#pragma unroll 1
        for (int row = first - 1; row < first + task.windowHeight - 1; ++row) {
            const CellsOfRow entering = arriving;
            arriving.template load<true>(piece.row(min(row + 1, last)) + x);
            walker.enter(entering);
        }
    }
    /// The bits of these results: whole words, which are no other warp's.
    __device__ void clearBits(int first, int end) const
    {
        constexpr int kWords = kColumns / 32; // of a row
        const Results &to = task.results;
        for (int i = threadIdx.x % kLanes; i < (end - first) * kWords; i += kLanes) {
            const int word = begin / 32 + i % kWords;
            if (word < to.wordsARow) to.undecided[(first + i / kWords) * to.wordsARow + word] = 0;
        }
        __syncwarp(); // a lane sets bits that another has cleared
    }
    __device__ bool areColumnsWhole() const
    {
        return begin >= task.plane.left &&
               begin + kColumns + task.windowWidth - 1 <= task.plane.right &&
               begin + kColumns <= task.results.width;
    }

    /// Whatever there is of the windows.
    __device__ void computeAny(int first, int end)
    {
        if (first >= end) return;
        const int width = task.results.width;
        int columns[kWindows]; // that exist
#pragma unroll
        for (int window = 0; window < kWindows; ++window)
            columns[window] = task.plane.columnsOf(x + window, task.windowWidth);
        CellsOfRow leaving, entering;
        leaving.load(piece.row(max(first - 1, 0)) + x);
        entering.load(piece.row(first + task.windowHeight - 1) + x);
        for (int y = first; y < end; ++y) {
            const Step step = walker.template change<kMissing>(leaving, entering, task.plane.none);
            const int next = min(y + 1, end - 1); // while that is summed
            leaving.load(piece.row(max(next - 1, 0)) + x);
            entering.load(piece.row(next + task.windowHeight - 1) + x);
            walker.settle(step);
            results.finishAny(walker, step.none, columns, width, y);
        }
    }

    /// Rows of which all is there. A row's additions are sent off before the look-ups of the row
    /// above, whose old words are there by then: column by column (ByTwos: two rows in a turn of
    /// the loop, Alone: one), or row by row (Apart).
    template <bool kAligned>
    __device__ void computeWhole(int first, int end)
    {
        const std::int64_t stride = piece.stride;
        const Cell *leavingAt = piece.cells + (first - 1) * stride + x;
        const Cell *enteringAt = leavingAt + task.windowHeight * stride;
        // What a warp reads of a row reaches beyond its lanes' first cells, into the next strip:
        // all of it is fetched, else whoever is ahead of its neighbour would wait for memory.
        constexpr int kApart =
            (static_cast<int>(sizeof(Cell)) * (kColumns + Own::kCells) + 8 + 30) / 31; // bytes
        const auto *aheadAt =
            reinterpret_cast<const char *>(enteringAt + kAhead * stride - (own - begin)) +
            (own - begin) / kWindows * kApart;
        float *to = results.resultRow(first);
        std::uint32_t *bits = results.undecidedRow(first);
        // Rows that are on their way. Behind the last one, two more are read.
        constexpr int kRows = kOrder == Order::Alone ? 1 : 2;
        CellsOfRow leaving[kRows], entering[kRows];
        int ahead = first; // the row that is loaded next
        const auto load = [&](int i) {
            leaving[i].template load<kRows == 2>(leavingAt);
            entering[i].template load<kRows == 2>(enteringAt);
            if (ahead + kAhead < end) fetch(aheadAt);
            ++ahead;
            leavingAt += stride, enteringAt += stride;
            aheadAt += stride * static_cast<int>(sizeof(Cell));
        };
        const auto change = [&](int i) {
            const Step step =
                walker.template change<kMissing>(leaving[i], entering[i], task.plane.none);
            load(i);
            return step;
        };
        const auto settle = [&](const Step &step) {
            walker.settle(step);
            results.template finishWhole<kAligned>(walker, step.none, to, bits);
        };
        for (int i = 0; i < kRows; ++i) load(i);
        Step step = change(0);
        int y = first; // of `step`
        if constexpr (kOrder == Order::Apart) {
#pragma unroll 1
            for (; y + 2 < end; y += 2) {
                const Step other = change(1);
                settle(step);
                step = change(0);
                settle(other);
            }
            if (y + 1 < end) {
                const Step other = change(1);
                settle(step);
                step = other;
            }
        } else {
            const auto advance = [&](int i) {
                const std::uint32_t none = step.none;
                walker.template advance<kMissing>(step, leaving[i], entering[i], task.plane.none);
                load(i);
                results.template finishWhole<kAligned>(walker, none, to, bits);
            };
#pragma unroll 1
            for (; y + kRows < end; y += kRows) {
                advance(kRows - 1);
                if (kRows == 2) advance(0);
            }
            if (kRows == 2 && y + 1 < end) advance(kRows - 1);
        }
        settle(step);
    }

    const Task<Cell> &task;
    Own &walker;
    const int begin, own; ///< columns of results: the warp's first, and the thread's
    const int x;          ///< that the thread reads for; of its own, if that is in the row
    const PieceView<Cell> piece;
    const RowAnswers<Cell, Own, kBits, kShort, kMissing> results;
};

} // namespace local_entropy::walk
