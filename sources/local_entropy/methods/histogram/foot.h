// Packed histograms for footprints (.cu). See walk.h for histograms that walk down, counters.h for
// their parts.
//
// A footprint is runs of cells, one below the other, in its columns. When the window goes a row
// down, each run loses its first cell and gains the one behind its last: all other cells stay. So a
// step takes as many additions as the footprint has ends, not cells. They are dealt with in two
// ways. Any footprint: run by run, from a table; a thread's windows each lose and gain a cell of
// their own, side by side. Disks (foot_disk.h): a cell at once for all the windows that it leaves
// or enters, which the compiler finds out.
//
// Warps share the results as one long sequence, strip after strip, in equal parts. Where a part
// begins, and where it goes on in another strip, a whole window is counted.
#pragma once

#include "local_entropy/methods/histogram/counters.h"
#include "local_entropy/methods/histogram/foot_changes.h"
#include "local_entropy/problem/plane_view.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::footprint
{

using walk::addTo;
using walk::Counters;
using walk::differenceAt;
using walk::kLanes;

/// What the kernels read and write.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int values; ///< of cells
    int windowWidth, windowHeight;
    const ColumnRun *runs;
    int runCount;
    const std::int32_t *cellsBefore; ///< see foot_changes.h
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    walk::Results results;
    double total, scale; ///< of a window of which all cells count: F(N), and results.scales[N]

    // The strips, each as wide as a warp's columns. The first and the last ones, whose windows an
    // edge may cut, take longer: a row of them counts as kEdgeRow, one of the others as kInnerRow.
    int edgesBefore, edges, strips;
    std::int64_t part, parts; ///< of a warp; of all
};

constexpr int kInnerRow = 4, kEdgeRow = 7;

/// Rows first ... end - 1 of a strip; behind them the sequence goes on at `next`.
struct Stretch
{
    int strip, first, end;
    std::int64_t next;
};

template <typename Cell>
__device__ Stretch stretchAt(const Task<Cell> &task, std::int64_t at, std::int64_t partEnd)
{
    const std::int64_t edgeParts = std::int64_t(task.edges) * task.results.height * kEdgeRow;
    const bool isEdge = at < edgeParts;
    const int row = isEdge ? kEdgeRow : kInnerRow;
    const std::int64_t ofStrip = std::int64_t(task.results.height) * row;
    const std::int64_t base = isEdge ? 0 : edgeParts;
    const auto index = static_cast<int>((at - base) / ofStrip);
    const std::int64_t begin = base + index * ofStrip, end = min(begin + ofStrip, partEnd);
    // A row belongs to the part in which it begins.
    const auto rowAt = [&](std::int64_t place) {
        return static_cast<int>((place - begin + row - 1) / row);
    };
    const int inner = index + task.edgesBefore;
    const int edge =
        index < task.edgesBefore ? index : task.strips - task.edges + index;
    return {isEdge ? edge : inner, rowAt(at), rowAt(end), end};
}

/// As many cells side by side as a thread has windows, from any address.
template <typename Cell, int kWindows>
struct Cells
{
    std::uint32_t words[sizeof(Cell) * kWindows / 4];

    __device__ void load(const Cell *from)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        const unsigned shift = address % 4 * 8;
        std::uint32_t next = __ldg(aligned);
#pragma unroll
        for (std::uint32_t &word : words) {
            const std::uint32_t low = next;
            next = __ldg(++aligned);
            word = __funnelshift_r(low, next, shift);
        }
    }

    /// Where the counters of the cell of a window are, in a histogram that begins there.
    __device__ std::uint32_t counters(int window, std::uint32_t histogram) const
    {
        constexpr unsigned kBytes = 4 * kLanes; // of a level
        if constexpr (sizeof(Cell) == 1)
            return __dp4a(words[0], kBytes << (8 * window), histogram);
        const std::uint32_t word = words[window / 2];
        return histogram + kBytes * (window % 2 ? word >> 16 : word & 0xffff);
    }
};
// Two windows of bytes fill half a word.
template <>
struct Cells<std::uint8_t, 2> : Cells<std::uint8_t, 4>
{
};

/// One thread's histogram and sums, which go on by a table of runs.
template <typename Cell, int kBits>
class Walker
{
public:
    using In = Counters<kBits>;
    static constexpr int kWindows = In::kWindows;

    /// `runs` are in shared memory.
    __device__ Walker(const Task<Cell> &task, std::uint32_t histogram, std::uint32_t table,
                      const ColumnRun *runs)
        : histogram(histogram), table(table), task(task), runs(runs)
    {
    }

    /// Counts the window of row y. `x` is the first of the thread's columns.
    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
        for (int value = 0; value < task.values; ++value)
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(histogram + value * 4 * kLanes), "r"(0));
        sums.clear();
        for (int i = 0; i < task.runCount; ++i) {
            const ColumnRun run = runs[i];
            for (int row = run.begin; row < run.end; ++row) {
                Cells<Cell, kWindows> cells;
                cells.load(piece.row(y + row) + x + run.column);
                std::uint32_t before[kWindows];
#pragma unroll
                for (int window = 0; window < kWindows; ++window)
                    before[window] =
                        addTo(cells.counters(window, histogram), 1u << (kBits * window));
#pragma unroll
                for (int window = 0; window < kWindows; ++window) {
                    sums.add(window, differenceAt<0>(In::entry(before[window], window, table)));
                    sums.fold(window);
                }
            }
        }
    }

    /// From row y to y + 1. `rowAt` gives column 0 of a row.
    template <typename RowAt>
    __device__ void step(const RowAt &rowAt, int x, int y)
    {
        int i = 0;
        Changes<kGroup> next;
        if (kGroup <= task.runCount) next.load(rowAt, runs, x, y);
        for (; i + kGroup <= task.runCount; i += kGroup) {
            const Changes<kGroup> changes = next;
            if (i + 2 * kGroup <= task.runCount) next.load(rowAt, runs + i + kGroup, x, y);
            apply(changes);
        }
        for (; i < task.runCount; ++i) {
            Changes<1> last;
            last.load(rowAt, runs + i, x, y);
            apply(last);
        }
    }

    __device__ std::int64_t sum(int window) const { return sums.of(window); }
    __device__ int count(std::uint32_t value, int window) const
    {
        return In::count(walk::wordAt(histogram + value * 4 * kLanes), window);
    }

    const std::uint32_t histogram, table;
    walk::Sums<kWindows> sums;

private:
    static constexpr int kGroup = 4; ///< runs whose differences add up in 32 bits

    template <int kRuns>
    struct Changes
    {
        Cells<Cell, kWindows> leaving[kRuns], entering[kRuns];

        template <typename RowAt>
        __device__ void load(const RowAt &rowAt, const ColumnRun *from, int x, int y)
        {
#pragma unroll
            for (int i = 0; i < kRuns; ++i) {
                const ColumnRun run = from[i];
                leaving[i].load(rowAt(y + run.begin) + x + run.column);
                entering[i].load(rowAt(y + run.end) + x + run.column);
            }
        }
    };

    /// A cell leaves before another enters: so no counter is ever above the window's cells.
    template <int kRuns>
    __device__ void apply(const Changes<kRuns> &changes)
    {
        std::uint32_t left[kRuns][kWindows], entered[kRuns][kWindows];
#pragma unroll
        for (int i = 0; i < kRuns; ++i)
#pragma unroll
            for (int window = 0; window < kWindows; ++window) {
                const std::uint32_t one = 1u << (kBits * window);
                left[i][window] = addTo(changes.leaving[i].counters(window, histogram), 0u - one);
                entered[i][window] = addTo(changes.entering[i].counters(window, histogram), one);
            }
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
#pragma unroll
            for (int i = 0; i < kRuns; ++i) // from n to n - 1: the difference before n's
                sums.add(window,
                         differenceAt<0>(In::entry(entered[i][window], window, table)) -
                             differenceAt<-4>(In::entry(left[i][window], window, table)));
            sums.fold(window);
        }
    }

    const Task<Cell> &task;
    const ColumnRun *const runs;
};

/// Steps of any footprint, by the table, where all its rows are rows of a piece.
template <typename Cell, int kBits>
class TableSteps
{
public:
    using Own = Walker<Cell, kBits>;
    static constexpr int kMostThreads = 512;

    __device__ static bool can(const PieceView<Cell> &piece, int)
    {
        return piece.stride >> 31 == 0; // 32 bits in `rowAt`
    }
    __device__ void begin(const PieceView<Cell> &piece, int, int)
    {
        cells = piece.cells;
        stride = static_cast<std::uint32_t>(piece.stride);
    }
    __device__ void step(Own &walker, int x, int y, bool)
    {
        const auto rowAt = [this](int row) {
            return cells + static_cast<std::uint64_t>(stride) * static_cast<std::uint32_t>(row);
        };
        walker.step(rowAt, x, y);
    }

private:
    const Cell *cells;
    std::uint32_t stride;
};

/// The same number in all lanes, which the compiler knows.
__device__ inline int uniform(int number)
{
#if __CUDA_ARCH__ >= 800
    return static_cast<int>(__reduce_max_sync(~0u, static_cast<unsigned>(number)));
#else
    return number;
#endif
}

/// A thread's results of a row, from windows that have been counted.
template <bool kMissing, typename Cell, int kBits>
__device__ void write(const Task<Cell> &task, const Walker<Cell, kBits> &walker, int own, int x,
                      int y, bool allExist)
{
    constexpr int kWindows = Counters<kBits>::kWindows;
    const walk::Results &results = task.results;
    float answers[kWindows];
    std::uint32_t undecided = 0;
    if (allExist && !kMissing) {
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            const double value = task.total - static_cast<double>(walker.sum(window));
            const auto low = static_cast<float>((value - results.error) * task.scale);
            const auto high = static_cast<float>((value + results.error) * task.scale);
            answers[window] = value != 0 ? low : 0; // one level
            if (value != 0 && low != high) undecided |= 1u << window;
        }
    } else {
        const PlaneView<Cell> &plane = task.plane;
        const int width = task.windowWidth, height = task.windowHeight;
        const auto within = [](int i, int end) { return min(max(i, 0), end); };
        const std::int32_t *above = task.cellsBefore + within(plane.top - y, height) * (width + 1);
        const std::int32_t *below =
            task.cellsBefore + within(plane.bottom - y, height) * (width + 1);
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            const int left = within(plane.left - x - window, width);
            const int right = within(plane.right - x - window, width);
            const int existing = __ldg(below + right) - __ldg(below + left) -
                                 __ldg(above + right) + __ldg(above + left);
            const int ofFirst = existing < results.windowCells ? walker.count(0, window) : 0;
            const int ofNone = kMissing ? walker.count(plane.none, window) : 0;
            if (walk::finish<kMissing>(results, walker.sum(window), existing, ofFirst, ofNone,
                                       answers[window]))
                undecided |= 1u << window;
        }
    }
    walk::write<kWindows>(results, results.result + y * results.stride + own, own, answers);
    undecided &= own < results.width ? (2u << min(results.width - 1 - own, kWindows - 1)) - 1 : 0;
    if (undecided)
        atomicOr(&results.undecided[y * results.wordsARow + own / 32], undecided << (own % 32));
}

template <typename Cell, int kBits, typename Steps, bool kMissing>
__global__ void __launch_bounds__(Steps::kMostThreads, 1)
    footprint(const __grid_constant__ Task<Cell> task)
{
    constexpr int kWindows = Counters<kBits>::kWindows, kColumns = kWindows * kLanes;
    extern __shared__ std::uint32_t shared[]; // differences; runs; a histogram for every warp
    const int tableWords = (task.results.windowCells + kLanes) / kLanes * kLanes;
    const int runWords = (task.runCount + kLanes - 1) / kLanes * kLanes;
    auto *runs = reinterpret_cast<ColumnRun *>(shared + tableWords);
    for (int n = threadIdx.x; n < task.results.windowCells; n += blockDim.x)
        shared[n] = static_cast<std::uint32_t>(task.differences[n]);
    for (int i = threadIdx.x; i < task.runCount; i += blockDim.x) runs[i] = task.runs[i];
    __syncthreads();

    const int lane = threadIdx.x % kLanes, warp = uniform(threadIdx.x / kLanes);
    std::uint32_t *const own = shared + tableWords + runWords + warp * task.values * kLanes + lane;
    Walker<Cell, kBits> walker(task, walk::addressOf(own), walk::addressOf(shared), runs);
    std::int64_t at = (std::int64_t(warp) * gridDim.x + blockIdx.x) * task.part;
    const std::int64_t partEnd = min(at + task.part, task.parts);
    while (at < partEnd) {
        const Stretch stretch = stretchAt(task, at, partEnd);
        at = stretch.next;
        const int first = stretch.first, end = stretch.end;
        if (first >= end) continue;
        const int left = stretch.strip * kColumns, column = left + lane * kWindows;
        // Threads beyond the last column do as the last ones do, and write nothing.
        const int x = min(column, (task.results.width - 1) / kWindows * kWindows);
        const PieceView<Cell> piece =
            task.plane.pieceOf(left, left + kColumns + task.windowWidth - 1);
        const bool columnsExist = left >= task.plane.left &&
                                  left + kColumns + task.windowWidth - 1 <= task.plane.right;
        // Steps from these rows meet rows of the piece alone.
        const bool can = Steps::can(piece, left);
        const int innerBegin = can ? max(first, piece.top) : end;
        const int innerEnd = min(end - 1, piece.top + piece.rows - task.windowHeight);

        Steps steps;
        walker.begin(piece, x, first);
        if (innerBegin == first && first < innerEnd) steps.begin(piece, x, first);
        for (int y = first;; ++y) {
            const bool rowsExist =
                y >= task.plane.top && y + task.windowHeight <= task.plane.bottom;
            write<kMissing>(task, walker, column, x, y, columnsExist && rowsExist);
            if (y + 1 == end) break;
            if (y >= innerBegin && y < innerEnd) {
                steps.step(walker, x, y, y + 1 < innerEnd);
            } else {
                walker.step([&piece](int row) { return piece.row(row); }, x, y);
                if (y + 1 == innerBegin && y + 1 < innerEnd) steps.begin(piece, x, y + 1);
            }
        }
    }
}

} // namespace local_entropy::footprint
