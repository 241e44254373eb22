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
#include <type_traits>

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
    const std::uint32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    std::int64_t whole;               ///< F(N) of a window that is all there
    double wholeScale, wholeMargin;   ///< what its D is multiplied by, and then off by
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

    /// kOrdered: the compiler keeps it before and behind the additions that it stands between.
    template <bool kOrdered = false>
    __device__ void load(const Cell *from)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        shift = static_cast<unsigned>(address) * 8; // of which five bits count
#pragma unroll
        for (int i = 0; i <= kWords; ++i)
            if constexpr (kOrdered)
                asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(words[i]) : "l"(aligned + i));
            else
                words[i] = __ldg(aligned + i);
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

/// The sums of a thread's windows: of 32 bits, if all that a window can have fits them, or of 64.
/// To these, a difference that comes and one that goes are two instructions, additions of three
/// numbers, the second with what the first carries.
template <int kWindows, bool kShort>
class Totals
{
public:
    using Sum = std::conditional_t<kShort, std::uint32_t, std::int64_t>;

    __device__ void clear()
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window) sums[window] = 0;
    }
    __device__ void add(int window, std::uint32_t comes) { sums[window] += comes; }
    __device__ void add(int window, std::uint32_t comes, std::uint32_t goes)
    {
        sums[window] += comes;
        sums[window] -= goes;
    }
    __device__ Sum of(int window) const { return sums[window]; }

private:
    Sum sums[kWindows];
};

/// One thread's histogram and sums. kWidth is the window's width.
template <typename Cell, int kWidth, int kBits, bool kShort>
class Walker
{
public:
    using In = Counters<kBits>;
    static constexpr int kWindows = In::kWindows, kCells = kWidth + kWindows - 1;
    using CellsOfRow = Row<Cell, kCells>;
    using Sum = typename Totals<kWindows, kShort>::Sum;

    /// What a step finds in the histogram.
    struct Step
    {
        std::uint32_t left[kCells], entered[kCells];
        std::uint32_t none; ///< the word of the cells that do not count
    };

    __device__ Walker(std::uint32_t histogram, std::uint32_t table, std::uint32_t mask)
        : histogram(histogram), table(table), mask(mask)
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
                if (In::holds(i, window, kWidth))
                    sums.add(window, differenceAt<0>(In::entry(before[i], window, table)));
    }

    /// Changes the counters.
    template <bool kMissing>
    __device__ Step change(CellsOfRow leaving, CellsOfRow entering, std::uint32_t none)
    {
        leaving.align(mask);
        entering.align(mask);
        Step step;
#pragma unroll
        for (int i = 0; i < kCells; ++i) changeColumn(i, leaving, entering, step);
        if constexpr (kMissing) step.none = word(none);
        return step;
    }

    /// Changes the sums as the counters were changed.
    __device__ void settle(const Step &step)
    {
#pragma unroll
        for (int i = 0; i < kCells; ++i) settleColumn(i, step);
    }

    /// settle(), and the next change() besides, column by column: nothing is looked up before a row
    /// of other work has passed since it was asked for.
    template <bool kMissing>
    __device__ void advance(Step &step, CellsOfRow leaving, CellsOfRow entering, std::uint32_t none)
    {
        leaving.align(mask);
        entering.align(mask);
#pragma unroll
        for (int i = 0; i < kCells; ++i) {
            const Step before = step; // of which only this column is used
            changeColumn(i, leaving, entering, step);
            settleColumn(i, before);
        }
        if constexpr (kMissing) step.none = word(none);
    }

    __device__ Sum sum(int window) const { return sums.of(window); }
    __device__ std::uint32_t word(std::uint32_t value) const
    {
        return wordAt(histogram + value * 4 * kLanes);
    }
    __device__ int count(std::uint32_t word, int window) const { return In::count(word, window); }

private:
    __device__ void changeColumn(int i, const CellsOfRow &leaving, const CellsOfRow &entering,
                                 Step &step)
    {
        step.left[i] = addTo(leaving.counters(i, histogram), 0u - In::ones(i, kWidth));
        step.entered[i] = addTo(entering.counters(i, histogram), In::ones(i, kWidth));
    }
    __device__ void settleColumn(int i, const Step &step)
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window)
            if (In::holds(i, window, kWidth)) // from n to n - 1: the difference before n's
                sums.add(window, differenceAt<0>(In::entry(step.entered[i], window, table)),
                         differenceAt<-4>(In::entry(step.left[i], window, table)));
    }

    const std::uint32_t histogram, table, mask;
    Totals<kWindows, kShort> sums;
};

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

/// A strip of a warp, from one row of results to another: what its threads do there.
template <typename Cell, int kWidth, int kBits, bool kShort, bool kMissing>
class Strip
{
public:
    using Own = Walker<Cell, kWidth, kBits, kShort>;
    static constexpr bool kTabled = kHasWithouts<kBits, kMissing>;
    static constexpr int kWindows = Own::kWindows, kColumns = kWindows * kLanes;

    __device__ Strip(const Task<Cell> &task, Own &walker, std::uint32_t withouts, int strip,
                     int lane)
        : task(task), walker(walker), withouts(withouts), begin(strip * kColumns),
          own(begin + lane * kWindows), x(min(own, (task.results.width - 1) / kWindows * kWindows)),
          piece(task.plane.pieceOf(begin, begin + kColumns + task.windowWidth - 1))
    {
    }

    /// Results of the rows first ... end - 1.
    __device__ void compute(int first, int end)
    {
        fetchFirst(first, end);
        if constexpr (!kShort) clearBits(first, end);
        // The window of row first - 1. Of row -1 there is nothing, and row 0 enters and leaves.
        walker.clear(task.values);
        enter(max(first - 1, 0));
        for (int row = first; row < first + task.windowHeight - 1; ++row) enter(row);
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
    __device__ void enter(int row)
    {
        CellsOfRow cells;
        cells.load(piece.row(row) + x);
        walker.enter(cells);
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
        float *to = resultRow(first);
        std::uint32_t *bits = undecidedRow(first);
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
            answer<kAligned>(step.none, to, bits);
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
                answer<kAligned>(none, to, bits);
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

    template <bool kAligned>
    __device__ void answer(std::uint32_t none, float *&to, std::uint32_t *&bits)
    {
        float answers[kWindows];
        std::uint32_t undecided = 0;
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            bool open = false;
            if constexpr (kTabled)
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

    /// The result of a window of which so many cells do not count; true if it is undecided.
    __device__ bool answerOf(int without, typename Own::Sum sum, float &answer) const
    {
        const Without of = withoutAt(withouts, without);
        const bool open = decide(static_cast<typename Own::Sum>(of.whole) - sum, of.scale,
                                 task.results.error * of.scale, answer);
        if (without == task.results.windowCells) answer = task.results.empty;
        return open;
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
    const std::uint32_t withouts; ///< where this table is
    const int begin, own;         ///< columns of results: the warp's first, and the thread's
    const int x;                  ///< that the thread reads for; of its own, if that is in the row
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
    extern __shared__ uint4 shared[]; // what Without says; differences; histograms
    const Results &results = task.results;
    auto *const withouts = reinterpret_cast<Without *>(shared);
    const int withoutCells = kHasWithouts<kBits, kMissing> ? results.windowCells + 1 : 0;
    auto *const table = reinterpret_cast<std::uint32_t *>(withouts + withoutCells);
    const int tableWords = (results.windowCells + kLanes) / kLanes * kLanes;
    for (int n = threadIdx.x; n < results.windowCells; n += blockDim.x)
        table[n] = task.differences[n];
    for (int n = threadIdx.x; n < withoutCells; n += blockDim.x) {
        const int cells = results.windowCells - n;
        withouts[n] = {results.sums[cells] + results.sums[n], results.scales[cells]};
    }
    __syncthreads();

    const int lane = threadIdx.x % kLanes;
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / kLanes, 0);
    Own walker(addressOf(table + tableWords + warp * task.values * kLanes + lane), addressOf(table),
               task.plane.mask);
    int index = warp * gridDim.x + blockIdx.x;
    for (; index < task.pieces; index += gridDim.x * blockDim.x / kLanes) {
        const Piece piece = pieceOf(task, index);
        Strip<Cell, kWidth, kBits, kShort, kMissing>(task, walker, addressOf(withouts), piece.strip,
                                                     lane)
            .compute(piece.first, piece.end);
    }
}

} // namespace local_entropy::walk
