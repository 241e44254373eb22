// A thread's histogram of a footprint's windows, and the steps that any footprint can take (.cu):
// see foot.h.
#pragma once

#include "local_entropy/methods/histogram/foot.h"

namespace local_entropy::footprint
{

/// One thread's histogram and rests.
template <typename Cell, typename In>
class Walker
{
public:
    static constexpr int kWindows = In::kWindows;

    /// `pieces` are in shared memory; `part` is that of the words.
    __device__ Walker(const Task<Cell> &task, std::uint32_t histogram, std::uint32_t table,
                      const Piece *pieces, int part)
        : task(task), histogram(histogram), table(table), pieces(pieces),
          shift(In::kSharing > 1 ? In::kBits * kWindows * part : 0)
    {
    }

    /// Counts the window of row y. `x` is the first of the thread's columns.
    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
        clear();
        rests.clear(task.total);
        change<Pieces::All>([&piece](int row) { return rowOf(piece, row); }, x, y);
    }
    /// Where two warps share a word, one leaves the other's part as it is, which may change
    /// meanwhile.
    __device__ void clear()
    {
        constexpr int kBitsOfPart = 32 / In::kSharing % 32;
        const std::uint32_t others = ~(((1u << kBitsOfPart) - 1) << shift);
#pragma unroll 4
        for (int value = 0; value < task.values; ++value) {
            const std::uint32_t counters = histogram + value * 4 * kLanes;
            if constexpr (In::kSharing > 1)
                asm volatile("red.shared.and.b32 [%0], %1;" ::"r"(counters), "r"(others));
            else
                asm volatile("st.shared.u32 [%0], %1;" ::"r"(counters), "r"(0));
        }
    }
    /// After all of a window has been counted.
    __device__ void sumUp()
    {
        constexpr int kTogether = 4; // levels: neighbours are often in the same windows
        rests.clear(task.total);
#pragma unroll 1
        for (int value = 0; value < task.values; value += kTogether) {
            std::uint32_t words[kTogether], any = 0;
#pragma unroll
            for (int i = 0; i < kTogether; ++i) {
                words[i] = value + i < task.values ? counters(value + i) : 0;
                any |= words[i];
            }
            if (__any_sync(~0u, any != 0)) // most levels are in few windows
#pragma unroll
                for (int i = 0; i < kTogether; ++i)
#pragma unroll
                    for (int window = 0; window < kWindows; ++window)
                        rests.subtract(window,
                                       __ldg(&task.results.sums[In::count(words[i], window)]));
        }
    }

    /// From row y to y + 1. `rowAt` gives column 0 of a row. All cells leave before others enter:
    /// so no counter is ever above the window's cells.
    template <typename RowAt>
    __device__ void step(const RowAt &rowAt, int x, int y)
    {
        change<Pieces::Leaving>(rowAt, x, y);
        change<Pieces::Entering>(rowAt, x, y);
    }

    /// Adds to counters and gives what they were.
    __device__ std::uint32_t add(std::uint32_t counters, std::uint32_t what) const
    {
        return addTo(counters, what << shift);
    }
    /// A cell entered or left where the counters had been `before`: from n to n - 1, the difference
    /// is the one before n's.
    __device__ void entered(int window, std::uint32_t before)
    {
        rests.add(window, -differenceAt<0>(In::entry(before, window, table, shift)));
    }
    __device__ void left(int window, std::uint32_t before)
    {
        rests.add(window, differenceAt<-4>(In::entry(before, window, table, shift)));
    }
    __device__ void fold(int window) { rests.fold(window, task.one); }

    __device__ std::int64_t rest(int window) const { return rests.of(window); }
    /// Relaxed: another warp may add to other bits of the word.
    __device__ std::uint32_t counters(std::uint32_t value) const
    {
        std::uint32_t word;
        asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];"
                     : "=r"(word)
                     : "r"(histogram + value * 4 * kLanes));
        return word >> shift;
    }

    const Task<Cell> &task;
    const std::uint32_t histogram, table;

private:
    template <int kKind, typename RowAt>
    __device__ void change(const RowAt &rowAt, int x, int y)
    {
        change<kKind, 4, 1>(rowAt, x, y);
        change<kKind, 3, 1>(rowAt, x, y);
        change<kKind, 2, 2>(rowAt, x, y);
        change<kKind, 1, 4>(rowAt, x, y);
    }

    /// Pieces of a kind and length, kTogether at a time: their atomics do not wait for each other.
    template <int kKind, int kLength, int kTogether, typename RowAt>
    __device__ void change(const RowAt &rowAt, int x, int y)
    {
        constexpr int kPlace = Pieces::place(kKind, kLength);
        int i = kPlace ? task.pieceEnds[kPlace - 1] : 0;
        const int end = task.pieceEnds[kPlace];
        Together<kLength, kTogether> next;
        if (i + kTogether <= end) next.load(rowAt, pieces + i, x, y, task.plane.mask);
#pragma unroll 1
        for (; i + kTogether <= end; i += kTogether) {
            const Together<kLength, kTogether> now = next;
            if (i + 2 * kTogether <= end)
                next.load(rowAt, pieces + i + kTogether, x, y, task.plane.mask);
            apply<kKind>(now);
        }
        if (kTogether > 1)
#pragma unroll 1
            for (; i < end; ++i) {
                Together<kLength, 1> last;
                last.load(rowAt, pieces + i, x, y, task.plane.mask);
                apply<kKind>(last);
            }
    }

    /// The cells of some pieces.
    template <int kLength, int kTogether>
    struct Together
    {
        static_assert(kLength * kTogether <= 4, "their differences add up in 32 bits");
        Cells<Cell, kLength + kWindows - 1> of[kTogether];

        template <typename RowAt>
        __device__ void load(const RowAt &rowAt, const Piece *from, int x, int y,
                             std::uint32_t mask)
        {
#pragma unroll
            for (int i = 0; i < kTogether; ++i)
                of[i].load(rowAt(y + from[i].row) + x + from[i].column, mask);
        }
    };

    template <int kKind, int kLength, int kTogether>
    __device__ void apply(const Together<kLength, kTogether> &cells)
    {
        constexpr int kCells = kLength + kWindows - 1;
        std::uint32_t before[kTogether][kCells];
#pragma unroll
        for (int i = 0; i < kTogether; ++i)
#pragma unroll
            for (int cell = 0; cell < kCells; ++cell) {
                const std::uint32_t ones = In::ones(cell, kLength);
                before[i][cell] = add(cells.of[i].counters(cell, histogram),
                                      kKind == Pieces::Leaving ? 0u - ones : ones);
            }
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
#pragma unroll
            for (int i = 0; i < kTogether; ++i)
#pragma unroll
                for (int cell = window; cell < window + kLength; ++cell)
                    if (kKind == Pieces::Leaving)
                        left(window, before[i][cell]);
                    else
                        entered(window, before[i][cell]);
            fold(window);
        }
    }

    Rests<kWindows> rests;
    const Piece *const pieces;
    const int shift; ///< of the part of words
};

} // namespace local_entropy::footprint
