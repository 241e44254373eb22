// How a thread of walk.h finishes a row (.cu): from the sums of its windows to floats, which it
// writes, and a bit for each that its sum leaves undecided.
#pragma once

#include "local_entropy/methods/histogram/counters.h"
#include "local_entropy/methods/histogram/walk_task.h"

#include <cstdint>

namespace local_entropy::walk
{

/// What makes a float of a window's sum if n of its cells do not count. With n = 0 ... windowCells
/// a table in shared memory, where there is room for it and it is needed.
struct alignas(16) Without
{
    std::int64_t whole; ///< F(N - n) + F(n), since the sum has F(n)
    double scale;       ///< of N - n cells
};
template <int kBits, bool kMissing>
constexpr bool kHasWithouts = kBits == 8 && kMissing;
__device__ inline Without withoutAt(std::uint32_t table, int n)
{
    Without without;
    asm("{ .reg .s64 scale; ld.shared.v2.s64 {%0, scale}, [%2]; mov.b64 %1, scale; }"
        : "=l"(without.whole), "=d"(without.scale)
        : "r"(table + n * static_cast<int>(sizeof without)));
    return without;
}

/// A thread's results, a row at a time. `Own` is the thread's Walker.
template <typename Cell, typename Own, int kBits, bool kShort, bool kMissing>
class RowAnswers
{
public:
    static constexpr int kWindows = Own::kWindows;

    /// `withouts`: where that table is; `own`: the thread's first column.
    __device__ RowAnswers(const Task<Cell> &task, std::uint32_t withouts, int own)
        : task(task), withouts(withouts), own(own)
    {
    }

    __device__ float *resultRow(int y) const
    {
        return task.results.result + y * task.results.stride + own;
    }
    __device__ std::uint32_t *undecidedRow(int y) const
    {
        return task.results.undecided + y * task.results.wordsARow + own / 32;
    }

    /// Of row y, which has `width` results, whatever there is of the windows: so many columns.
    /// `none`: Walker::Step::none.
    __device__ void finishAny(const Own &walker, std::uint32_t none, const int (&columns)[kWindows],
                              int width, int y) const
    {
        float answers[kWindows];
        std::uint32_t undecided = 0;
        const int rows = task.plane.rowsOf(y, task.windowHeight);
        const std::uint32_t ofFirst = walker.word(0);
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            const int ofNone = kMissing ? walker.count(none, window) : 0;
            if (finish<kMissing>(task.results, walker.sum(window), columns[window] * rows,
                                 walker.count(ofFirst, window), ofNone, answers[window]))
                undecided |= 1u << window;
        }
        write<false, false>(resultRow(y), answers);
        if constexpr (!kShort) {
            undecided &= own < width ? (2u << min(width - 1 - own, kWindows - 1)) - 1 : 0;
            note(undecidedRow(y), undecided << (own % 32));
        }
    }

    /// Of whole windows, at `to` and `bits`, which go on to the next row. kAligned: where
    /// writeTogether() can write them.
    template <bool kAligned>
    __device__ void finishWhole(const Own &walker, std::uint32_t none, float *&to,
                                std::uint32_t *&bits) const
    {
        float answers[kWindows];
        std::uint32_t undecided = 0;
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            bool open = false;
            if constexpr (kHasWithouts<kBits, kMissing>)
                open = answerOf(walker.count(none, window), walker.sum(window), answers[window]);
            else if constexpr (kMissing)
                open = finish<true>(task.results, walker.sum(window), task.results.windowCells, 0,
                                    walker.count(none, window), answers[window]);
            else
                open = decide(static_cast<typename Own::Sum>(task.whole) - walker.sum(window),
                              task.wholeScale, task.wholeMargin, answers[window]);
            if (open) undecided |= 1u << window;
        }
        write<true, kAligned>(to, answers);
        to += task.results.stride;
        if constexpr (!kShort) {
            note(bits, undecided << (own % 32));
            bits += task.results.wordsARow;
        }
    }

private:
    /// The result of a window of which so many cells do not count; true if it is undecided.
    __device__ bool answerOf(int without, typename Own::Sum sum, float &answer) const
    {
        const Without of = withoutAt(withouts, without);
        const bool open = decide(static_cast<typename Own::Sum>(of.whole) - sum, of.scale,
                                 task.results.error * of.scale, answer);
        if (without == task.results.windowCells) answer = task.results.empty;
        return open;
    }

    /// kWhole: all are in the row.
    template <bool kWhole, bool kAligned>
    __device__ void write(float *to, const float (&answers)[kWindows]) const
    {
        if constexpr (kAligned) {
            writeTogether(to, answers);
        } else {
#pragma unroll
            for (int window = 0; window < kWindows; ++window)
                if (kWhole || own + window < task.results.width)
                    __stcs(to + window, answers[window]);
        }
    }

    const Task<Cell> &task;
    const std::uint32_t withouts;
    const int own;
};

} // namespace local_entropy::walk
