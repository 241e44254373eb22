// Packed histograms for footprints (.cu). See walk.h for histograms that walk down, counters.h for
// their parts.
//
// A footprint is runs of cells, one below the other, in its columns. When the window goes a row
// down, each run loses its first cell and gains the one behind its last: all other cells stay. So a
// step changes as many cells as the footprint has ends. Cells that leave, or enter, side by side
// are dealt with together, at once for all of a thread's windows: each such piece of `n` cells
// changes n + kWindows - 1 words. Any footprint does so by a table, piece by piece; disks by code
// that the compiler makes of their radius (foot_disk.h).
#pragma once

#include "local_entropy/methods/histogram/counters.h"
#include "local_entropy/methods/histogram/foot_changes.h"
#include "local_entropy/problem/plane_view.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::footprint
{

using walk::addTo;
using walk::differenceAt;
using walk::kLanes;

/// What the kernels read and write.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int values; ///< of cells
    int windowWidth, windowHeight;
    const Piece *pieces;
    int pieceEnds[3 * kLongest];     ///< see Pieces
    const std::int32_t *cellsBefore; ///< see foot_changes.h
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    walk::Results results;
    // Of a window of which all cells count:
    std::int64_t total;        ///< F(N)
    double scale, scaledError; ///< results.scales[N], and what it makes of results.error
    std::int32_t one;          ///< 1, see Rests

    int edgesBefore, edges, strips; ///< see foot_part.h
};

/// Counters of kBits for so many windows: kSharing warps share the words of a histogram, each has
/// its part of them. More warps wait less, fewer windows to a word take more additions.
template <int kBits_, int kWindows_>
struct Counters
{
    static constexpr int kBits = kBits_, kWindows = kWindows_, kSharing = 32 / (kBits * kWindows);

    /// A one for each window that holds column `i` of a piece that begins in each one's own first.
    HOST_DEVICE static constexpr std::uint32_t ones(int i, int length)
    {
        std::uint32_t word = 0;
        for (int window = 0; window < kWindows; ++window)
            if (i >= window && i < window + length) word |= 1u << (kBits * window);
        return word;
    }
    HOST_DEVICE static constexpr int count(std::uint32_t part, int window)
    {
        return static_cast<int>(part >> (kBits * window) & ((1u << kBits) - 1));
    }
};

/// Cells side by side, from any address.
template <typename Cell, int kCells>
struct Cells
{
    static constexpr int kBytes = sizeof(Cell) * kCells, kWords = (kBytes + 3) / 4;
    std::uint32_t words[kWords];

    __device__ void load(const Cell *from)
    {
        constexpr int kMostWords = (kBytes + 4 - static_cast<int>(sizeof(Cell)) + 3) / 4;
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        const unsigned shift = address % 4 * 8;
        std::uint32_t next = __ldg(aligned);
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const std::uint32_t low = next;
            if (i + 1 < kMostWords) next = __ldg(aligned + i + 1);
            words[i] = __funnelshift_r(low, next, shift);
        }
    }

    /// Where the counters of cell i are, in a histogram that begins there.
    __device__ std::uint32_t counters(int i, std::uint32_t histogram) const
    {
        constexpr unsigned kBytesOfLevel = 4 * kLanes;
        constexpr int kCellsAWord = 4 / static_cast<int>(sizeof(Cell));
        const std::uint32_t word = words[i / kCellsAWord];
        const std::uint32_t times = kBytesOfLevel << (8 * (i % kCellsAWord));
        return kCellsAWord == 4 ? __dp4a(word, times, histogram)
                                : __dp2a_lo(word, times, histogram);
    }
};

/// A row that need not be there. Not inline: much code that few rows need.
template <typename Cell>
__device__ __noinline__ const Cell *rowOf(const PieceView<Cell> &piece, int y)
{
    return piece.row(y);
}

/// What is left of a window's entropy, F(N) - sum F(n) of all N cells, levels and missing ones.
template <int kWindows>
class Rests
{
public:
    __device__ void clear(std::int64_t total)
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window) rests[window] = total, part[window] = 0;
    }
    __device__ void add(int window, std::int32_t difference) { part[window] += difference; }
    /// After at most four pairs of differences. `one` is 1, but the compiler does not know: so that
    /// it takes one multiplication with an addition of 64 bits, not two additions and a shift.
    __device__ void fold(int window, std::int32_t one)
    {
        asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(rests[window]) : "r"(part[window]), "r"(one));
        part[window] = 0;
    }
    __device__ std::int64_t of(int window) const { return rests[window]; }

private:
    std::int64_t rests[kWindows];
    std::int32_t part[kWindows];
};

/// One thread's histogram and rests.
template <typename Cell, typename In>
class Walker
{
public:
    static constexpr int kWindows = In::kWindows, kBits = In::kBits;

    /// `pieces` are in shared memory; `part` is that of the words.
    __device__ Walker(const Task<Cell> &task, std::uint32_t histogram, std::uint32_t table,
                      const Piece *pieces, int part)
        : task(task), histogram(histogram), table(table), pieces(pieces),
          shift(In::kSharing > 1 ? kBits * kWindows * part : 0)
    {
    }

    /// Counts the window of row y. `x` is the first of the thread's columns.
    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
#pragma unroll 4
        for (int value = 0; value < task.values; ++value) {
            const std::uint32_t counters = histogram + shift / 8 + value * 4 * kLanes;
            if constexpr (In::kSharing > 1)
                asm volatile("st.shared.u16 [%0], %1;" ::"r"(counters), "h"(std::uint16_t(0)));
            else
                asm volatile("st.shared.u32 [%0], %1;" ::"r"(counters), "r"(0));
        }
        rests.clear(task.total);
        change<Pieces::All>([&piece](int row) { return rowOf(piece, row); }, x, y);
    }

    /// From row y to y + 1. `rowAt` gives column 0 of a row. All cells leave before others enter:
    /// so no counter is ever above the window's cells.
    template <typename RowAt>
    __device__ void step(const RowAt &rowAt, int x, int y)
    {
        change<Pieces::Leaving>(rowAt, x, y);
        change<Pieces::Entering>(rowAt, x, y);
    }

    /// Adds `ones` to counters and gives what they were.
    __device__ std::uint32_t add(std::uint32_t counters, std::uint32_t ones) const
    {
        return addTo(counters, ones << shift);
    }
    /// A cell entered or left where the counters had been `before`: from n to n - 1, the difference
    /// is the one before n's.
    __device__ void entered(int window, std::uint32_t before)
    {
        rests.add(window, -differenceAt<0>(entry(before, window)));
    }
    __device__ void left(int window, std::uint32_t before)
    {
        rests.add(window, differenceAt<-4>(entry(before, window)));
    }
    __device__ void fold(int window) { rests.fold(window, task.one); }

    __device__ std::int64_t rest(int window) const { return rests.of(window); }
    /// An addition of 0 reads it: another warp may add to other bits of the word.
    __device__ std::uint32_t counters(std::uint32_t value) const
    {
        return walk::addTo(histogram + value * 4 * kLanes, 0) >> shift;
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
        if (i + kTogether <= end) next.load(rowAt, pieces + i, x, y);
#pragma unroll 1
        for (; i + kTogether <= end; i += kTogether) {
            const Together<kLength, kTogether> now = next;
            if (i + 2 * kTogether <= end) next.load(rowAt, pieces + i + kTogether, x, y);
            apply<kKind>(now);
        }
        if (kTogether > 1)
#pragma unroll 1
            for (; i < end; ++i) {
                Together<kLength, 1> last;
                last.load(rowAt, pieces + i, x, y);
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
        __device__ void load(const RowAt &rowAt, const Piece *from, int x, int y)
        {
#pragma unroll
            for (int i = 0; i < kTogether; ++i)
                of[i].load(rowAt(y + from[i].row) + x + from[i].column);
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

    /// Of the table: four times a window's counter, plus its address. One instruction, a product of
    /// four bytes or of two halves.
    __device__ std::uint32_t entry(std::uint32_t before, int window) const
    {
        const std::uint32_t four = 4u << (8 * window);
        return kBits == 8 ? __dp4a(before, four << shift, table)
                          : __dp2a_lo(before, four << shift / 2, table);
    }

    Rests<kWindows> rests;
    const Piece *const pieces;
    const int shift; ///< of the part of words
};

/// Steps of any footprint, by the table, where all its rows are rows of a piece.
template <typename Cell, typename In>
class TableSteps
{
public:
    using Own = Walker<Cell, In>;
    static constexpr int kMostThreads = 448;

    __device__ static bool can(const PieceView<Cell> &piece)
    {
        return piece.stride >> 31 == 0; // 32 bits in `rowAt`
    }
    __device__ void begin(const PieceView<Cell> &piece, int, int)
    {
        cells = piece.cells;
        stride = static_cast<std::uint32_t>(piece.stride);
    }
    __device__ void change(Own &) {}
    __device__ void lookUp(Own &walker, int x, int y, bool another)
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

} // namespace local_entropy::footprint
