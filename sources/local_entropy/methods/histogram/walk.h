// Histograms in the shared memory of a GPU, for kernels (.cu).
//
// A thread owns kWindows neighbouring columns of results and walks down. Their windows share one
// histogram: a word for each level holds a counter for each of them, so that a cell that enters or
// leaves changes all the windows that it lies in by one addition. The words of a warp's threads lie
// side by side, [level][lane], so that a lane always meets its own bank, whatever the levels are.
//
// A step down: the cells of the row above leave, those of the row below enter. The addition is an
// atomic one, not because anybody else could come between, but because it gives back the old counts
// and is done by the memory itself: the thread goes on with the next cell, and there is no wait for
// a load, an addition and a store, one after another, even where cells are equal. All additions of
// a step come before its look-ups. A level's count that goes from n to n + 1 adds F(n + 1) - F(n)
// to the window's sum; these differences lie in shared memory too. See scale.h for F.
//
// Cells that do not exist are of level 0, and a window knows how many it has. Cells that a mask or
// nodata takes away are one more level. Its count n says how many they are: the window has N - n
// cells, and F(n) is in the sum.
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
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    std::int64_t whole;              ///< F(N) of a window that is all there
    double wholeScale, wholeMargin;  ///< what its D is multiplied by, and then off by
    int one;                         ///< 1, see Sums
    int strips, pieces;
    int slowLeft, slowRight;    ///< how many strips at the left and right have windows that are cut
    int slowChunks, fastChunks; ///< into which those are cut, and the others
};

/// A row of the thread's columns: kCells of them, from any address.
template <typename Cell, int kCells>
struct Row
{
    static constexpr int kCellsAWord = 4 / static_cast<int>(sizeof(Cell));
    static constexpr int kWords = (kCells + kCellsAWord - 1) / kCellsAWord;
    std::uint32_t words[kWords + 1];
    unsigned shift;

    __device__ void load(const Cell *from)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        shift = static_cast<unsigned>(address) * 8; // of which five bits count
#pragma unroll
        for (int i = 0; i <= kWords; ++i) words[i] = __ldg(aligned + i);
    }
    /// Before its cells are used; apart from load(), so that nothing waits for memory in between.
    /// `mask`: see Plane.
    __device__ void align(std::uint32_t mask)
    {
#pragma unroll
        for (int i = 0; i < kWords; ++i)
            words[i] = __funnelshift_r(words[i], words[i + 1], shift) & mask;
    }

    /// Where the counters of cell i are, in a histogram that begins there.
    __device__ std::uint32_t counters(int i, std::uint32_t histogram) const
    {
        constexpr unsigned kBytes = 4 * kLanes; // of a level
        const std::uint32_t word = words[i / kCellsAWord];
        if constexpr (sizeof(Cell) == 1)
            return __dp4a(word, kBytes << (8 * (i % 4)), histogram);
        else
            return __dp2a_lo(word, kBytes << (8 * (i % 2)), histogram);
    }
};

/// One thread's histogram and sums. kWidth is the window's width.
template <typename Cell, int kWidth, int kBits, bool kShort>
class Walker
{
public:
    using In = Counters<kBits>;
    static constexpr int kWindows = In::kWindows, kCells = kWidth + kWindows - 1;
    using CellsOfRow = Row<Cell, kCells>;
    using Sum = typename Sums<kWindows, kShort>::Sum;

    /// What a step finds in the histogram.
    struct Step
    {
        std::uint32_t left[kCells], entered[kCells];
        std::uint32_t none; ///< the word of the cells that do not count
    };

    __device__ Walker(std::uint32_t histogram, std::uint32_t table, std::uint32_t mask, int one)
        : histogram(histogram), table(table), mask(mask), one(one)
    {
    }

    __device__ void clear(int values)
    {
        for (int value = 0; value < values; ++value)
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(histogram + value * 4 * kLanes), "r"(0));
        sums.clear();
    }

    __device__ void enter(CellsOfRow row)
    {
        row.align(mask);
        std::uint32_t before[kCells];
#pragma unroll
        for (int i = 0; i < kCells; ++i)
            before[i] = addTo(row.counters(i, histogram), In::ones(i, kWidth));
#pragma unroll
        for (int i = 0; i < kCells; ++i)
#pragma unroll
            for (int window = 0; window < kWindows; ++window)
                if (In::holds(i, window, kWidth)) {
                    sums.add(window, differenceAt<0>(In::entry(before[i], window, table)));
                    if (isFourth(i, window)) sums.fold(window, one);
                }
    }

    /// Changes the counters.
    template <bool kMissing>
    __device__ Step change(CellsOfRow leaving, CellsOfRow entering, std::uint32_t none)
    {
        leaving.align(mask);
        entering.align(mask);
        Step step;
#pragma unroll
        for (int i = 0; i < kCells; ++i) {
            step.left[i] = addTo(leaving.counters(i, histogram), 0u - In::ones(i, kWidth));
            step.entered[i] = addTo(entering.counters(i, histogram), In::ones(i, kWidth));
        }
        if constexpr (kMissing) step.none = wordAt(histogram + none * 4 * kLanes);
        return step;
    }

    /// Changes the sums as the counters were changed.
    __device__ void settle(const Step &step)
    {
#pragma unroll
        for (int i = 0; i < kCells; ++i)
#pragma unroll
            for (int window = 0; window < kWindows; ++window)
                if (In::holds(i, window, kWidth)) {
                    // from n to n - 1: the difference before n's
                    sums.add(window, differenceAt<0>(In::entry(step.entered[i], window, table)) -
                                         differenceAt<-4>(In::entry(step.left[i], window, table)));
                    if (isFourth(i, window)) sums.fold(window, one);
                }
    }

    __device__ Sum sum(int window) const { return sums.of(window); }
    __device__ std::uint32_t word(std::uint32_t value) const
    {
        return wordAt(histogram + value * 4 * kLanes);
    }
    __device__ int count(std::uint32_t word, int window) const { return In::count(word, window); }

private:
    /// Whether this cell is a window's fourth, eighth, ... of a row, or its last one.
    __device__ static constexpr bool isFourth(int i, int window)
    {
        return (i - window) % 4 == 3 || i - window == kWidth - 1;
    }
    const std::uint32_t histogram, table, mask;
    const int one;
    Sums<kWindows, kShort> sums;
};

/// A strip of a warp, from one row of results to another: what its threads do there.
template <typename Cell, int kWidth, int kBits, bool kShort, bool kMissing>
class Strip
{
public:
    using Own = Walker<Cell, kWidth, kBits, kShort>;
    static constexpr int kWindows = Own::kWindows, kColumns = kWindows * kLanes;

    __device__ Strip(const Task<Cell> &task, Own &walker, int strip, int lane)
        : task(task), walker(walker), begin(strip * kColumns), own(begin + lane * kWindows),
          x(min(own, (task.results.width - 1) / kWindows * kWindows)),
          piece(task.plane.pieceOf(begin, begin + kColumns + task.windowWidth - 1))
    {
    }

    /// Results of the rows first ... end - 1.
    __device__ void compute(int first, int end)
    {
        fetchFirst(first, end);
        // The window of row first - 1. Of row -1 there is nothing, and row 0 enters and leaves.
        walker.clear(task.values);
        enter(max(first - 1, 0));
        for (int row = first; row < first + task.windowHeight - 1; ++row) enter(row);
        // Rows of which all windows are whole, and all cells where the piece has them.
        int middle = end, last = end;
        if (areColumnsWhole()) {
            middle = max(max(first, max(piece.top, 0) + 1), task.plane.top);
            last = min(end, min(piece.top + piece.rows, task.plane.bottom) - task.windowHeight + 1);
            last -= (last - middle) % 2; // they go by twos
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
    static constexpr int kAhead = 8; ///< rows from the one that is asked for to the one in use

    __device__ static void fetch(const Cell *at)
    {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
    }
    __device__ void fetchFirst(int first, int end)
    {
        const int last = min(first + kAhead, end) + task.windowHeight - 1;
        for (int row = max(first - 1, 0); row < last; ++row) fetch(piece.row(row) + x);
    }
    __device__ void enter(int row)
    {
        CellsOfRow cells;
        cells.load(piece.row(row) + x);
        walker.enter(cells);
    }
    __device__ bool areColumnsWhole() const
    {
        return begin >= task.plane.left &&
               begin + kColumns + task.windowWidth - 1 <= task.plane.right &&
               begin + kColumns <= task.results.width;
    }
    __device__ float *resultRow(int y) const
    {
        return task.results.result + y * task.results.stride + own;
    }
    __device__ std::uint32_t *undecidedRow(int y) const
    {
        return task.results.undecided + y * task.results.wordsARow + own / 32;
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

            float answers[kWindows];
            std::uint32_t undecided = 0;
            const int rows = task.plane.rowsOf(y, task.windowHeight);
            const std::uint32_t ofFirst = walker.word(0);
#pragma unroll
            for (int window = 0; window < kWindows; ++window) {
                const int ofNone = kMissing ? walker.count(step.none, window) : 0;
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
    }

    /// Rows of which all is there.
    template <bool kAligned>
    __device__ void computeWhole(int first, int end)
    {
        const std::int64_t stride = piece.stride;
        const Cell *leavingAt = piece.cells + (first - 1) * stride + x;
        const Cell *enteringAt = leavingAt + task.windowHeight * stride;
        const Cell *aheadAt = enteringAt + kAhead * stride;
        float *to = resultRow(first);
        std::uint32_t *bits = undecidedRow(first);
        // Two rows are on their way while another is worked on; behind the last one it is read
        // again.
        CellsOfRow leaving[2], entering[2];
        int ahead = first; // the row that is loaded next
        const auto load = [&](int to) {
            leaving[to].load(leavingAt);
            entering[to].load(enteringAt);
            if (ahead + kAhead < end) fetch(aheadAt);
            aheadAt += stride;
            if (++ahead < end) leavingAt += stride, enteringAt += stride;
        };
        const auto change = [&](int of) {
            const Step step =
                walker.template change<kMissing>(leaving[of], entering[of], task.plane.none);
            load(of);
            return step;
        };
        load(0);
        load(1);
        for (int y = first; y < end; y += 2) {
            answer<kAligned>(change(0), to, bits);
            answer<kAligned>(change(1), to, bits);
        }
    }

    template <bool kAligned>
    __device__ void answer(const Step &step, float *&to, std::uint32_t *&bits)
    {
        walker.settle(step);
        float answers[kWindows];
        std::uint32_t undecided = 0;
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            bool open = false;
            if constexpr (kMissing)
                open = finish<true>(task.results, walker.sum(window), task.results.windowCells, 0,
                                    walker.count(step.none, window), answers[window]);
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

    /// kWhole: all are in the row. kAligned: and where writeTogether() can write them.
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
    Own &walker;
    const int begin, own; ///< columns of results: the warp's first, and the thread's
    const int x;          ///< that the thread reads for; of its own, if that is in the row
    const PieceView<Cell> piece;
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

template <typename Cell, int kWidth, int kBits, bool kShort, bool kMissing, int kMostThreads>
__global__ void __launch_bounds__(kMostThreads, 1) walk(const __grid_constant__ Task<Cell> task)
{
    using Own = Walker<Cell, kWidth, kBits, kShort>;
    extern __shared__ std::uint32_t shared[]; // differences; histograms
    const int tableWords = (task.results.windowCells + kLanes) / kLanes * kLanes;
    for (int n = threadIdx.x; n < task.results.windowCells; n += blockDim.x)
        shared[n] = static_cast<std::uint32_t>(task.differences[n]);
    __syncthreads();

    const int lane = threadIdx.x % kLanes;
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / kLanes, 0);
    Own walker(addressOf(shared + tableWords + warp * task.values * kLanes + lane),
               addressOf(shared), task.plane.mask, task.one);
    int index = warp * gridDim.x + blockIdx.x;
    for (; index < task.pieces; index += gridDim.x * blockDim.x / kLanes) {
        const Piece piece = pieceOf(task, index);
        Strip<Cell, kWidth, kBits, kShort, kMissing>(task, walker, piece.strip, lane)
            .compute(piece.first, piece.end);
    }
}

} // namespace local_entropy::walk
