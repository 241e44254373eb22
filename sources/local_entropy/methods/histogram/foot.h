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
    // Of a window of which all cells count:
    std::int64_t total; ///< F(N)
    double scale, scaledError; ///< results.scales[N], and what it makes of results.error
    std::int32_t one; ///< 1, see Rests

    // The strips, each as wide as a warp's columns. The first and the last ones, whose windows an
    // edge may cut, take longer: a row of them counts as kEdgeRow, one of the others as kInnerRow.
    int edgesBefore, edges, strips;
    std::int64_t part, parts; ///< of a warp; of all
};

constexpr int kInnerRow = 4, kEdgeRow = 6;

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

/// Four times a window's counter, plus an address: of the table's entry. One instruction, a product
/// of four bytes or of two halves.
template <int kBits>
__device__ std::uint32_t entry(std::uint32_t word, int window, std::uint32_t table)
{
    const std::uint32_t four = 4u << (8 * window);
    return kBits == 8 ? __dp4a(word, four, table) : __dp2a_lo(word, four, table);
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
        return __dp2a_lo(words[window / 2], kBytes << (8 * (window % 2)), histogram);
    }
};
// Two windows of bytes fill half a word.
template <>
struct Cells<std::uint8_t, 2> : Cells<std::uint8_t, 4>
{
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
template <typename Cell, int kBits>
class Walker
{
public:
    using In = Counters<kBits>;
    static constexpr int kWindows = In::kWindows;

    /// `runs` are in shared memory.
    __device__ Walker(const Task<Cell> &task, std::uint32_t histogram, std::uint32_t table,
                      const ColumnRun *runs)
        : task(task), histogram(histogram), table(table), runs(runs)
    {
    }

    /// Counts the window of row y. `x` is the first of the thread's columns.
    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
        for (int value = 0; value < task.values; ++value)
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(histogram + value * 4 * kLanes), "r"(0));
        rests.clear(task.total);
        for (int i = 0; i < task.runCount; ++i) {
            const ColumnRun run = runs[i];
            for (int row = run.begin; row < run.end; ++row) {
                Cells<Cell, kWindows> cells;
                cells.load(rowOf(piece, y + row) + x + run.column);
                std::uint32_t before[kWindows];
#pragma unroll
                for (int window = 0; window < kWindows; ++window)
                    before[window] =
                        addTo(cells.counters(window, histogram), 1u << (kBits * window));
#pragma unroll
                for (int window = 0; window < kWindows; ++window) {
                    entered(window, before[window]);
                    fold(window);
                }
            }
        }
    }

    /// From row y to y + 1. `rowAt` gives column 0 of a row. kGroup runs are dealt with together.
    template <int kGroup, typename RowAt>
    __device__ void step(const RowAt &rowAt, int x, int y)
    {
        static_assert(kGroup <= 4, "their differences add up in 32 bits");
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

    /// A cell entered or left where the counters had been `before`: from n to n - 1, the difference
    /// is the one before n's.
    __device__ void entered(int window, std::uint32_t before)
    {
        rests.add(window, -differenceAt<0>(entry<kBits>(before, window, table)));
    }
    __device__ void left(int window, std::uint32_t before)
    {
        rests.add(window, differenceAt<-4>(entry<kBits>(before, window, table)));
    }
    __device__ void fold(int window) { rests.fold(window, task.one); }

    __device__ std::int64_t rest(int window) const { return rests.of(window); }
    __device__ std::uint32_t counters(std::uint32_t value) const
    {
        return walk::wordAt(histogram + value * 4 * kLanes);
    }

    const Task<Cell> &task;
    const std::uint32_t histogram, table;

private:
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
        std::uint32_t before[kRuns][kWindows], beforeEntered[kRuns][kWindows];
#pragma unroll
        for (int i = 0; i < kRuns; ++i)
#pragma unroll
            for (int window = 0; window < kWindows; ++window) {
                const std::uint32_t one = 1u << (kBits * window);
                before[i][window] =
                    addTo(changes.leaving[i].counters(window, histogram), 0u - one);
                beforeEntered[i][window] =
                    addTo(changes.entering[i].counters(window, histogram), one);
            }
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
#pragma unroll
            for (int i = 0; i < kRuns; ++i) {
                left(window, before[i][window]);
                entered(window, beforeEntered[i][window]);
            }
            fold(window);
        }
    }

    Rests<kWindows> rests;
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
    __device__ void change(Own &, bool) {}
    __device__ void lookUp(Own &walker, int x, int y)
    {
        const auto rowAt = [this](int row) {
            return cells + static_cast<std::uint64_t>(stride) * static_cast<std::uint32_t>(row);
        };
        walker.template step<4>(rowAt, x, y);
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

/// A thread's columns of results.
template <typename Cell, int kBits, bool kMissing>
class Columns
{
public:
    using In = Counters<kBits>;
    static constexpr int kWindows = In::kWindows;
    using Own = Walker<Cell, kBits>;

    __device__ Columns(const Task<Cell> &task, Own &walker, const PieceView<Cell> &piece, int column)
        : task(task), walker(walker), piece(piece), column(column),
          // Threads beyond the last column do as the last ones do, and write nothing.
          x(min(column, (task.results.width - 1) / kWindows * kWindows)),
          whole(task.results.fours && column + kWindows <= task.results.width)
    {
    }

    /// Rows y ... end - 1 of results. `first`: the window of row y is to be counted.
    /// Steps from the rows innerBegin ... innerEnd - 1 meet rows of the piece alone.
    template <typename Steps, bool kAllExist>
    __device__ void walkDown(int first, int end, int innerBegin, int innerEnd)
    {
        walker.begin(piece, x, first);
        for (int y = first;;) {
            if (y >= innerBegin && y < innerEnd) {
                Steps steps;
                steps.begin(piece, x, y);
                for (; y < innerEnd; ++y) inner<Steps, kAllExist>(steps, y, y + 1 < innerEnd);
            }
            writeCut(y, absent());
            if (++y == end) return;
            walker.template step<1>([this](int row) { return rowOf(piece, row); }, x, y - 1);
        }
    }

private:
    /// The counters that tell of cells that do not count.
    struct Absent
    {
        std::uint32_t first, none; ///< of level 0 and of `none`
    };

    __device__ Absent absent() const
    {
        return {walker.counters(0), kMissing ? walker.counters(task.plane.none) : 0};
    }

    /// What makes a float of a sum goes on while the counters are changed.
    template <typename Steps, bool kAllExist>
    __device__ void inner(Steps &steps, int y, bool another)
    {
        if constexpr (kAllExist) {
            steps.change(walker, another);
            writeWhole(y);
        } else {
            const Absent before = absent();
            steps.change(walker, another);
            writeCut(y, before);
        }
        steps.lookUp(walker, x, y);
    }

    /// Results of windows of which all cells count.
    __device__ void writeWhole(int y) const
    {
        float answers[kWindows];
        std::uint32_t undecided = 0;
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            // 2^52 + rest, in the bits of a double
            const std::int64_t rest = walker.rest(window);
            const double value = __longlong_as_double(rest + 0x4330000000000000) - 0x1p52;
            const auto low = static_cast<float>(fma(value, task.scale, -task.scaledError));
            const auto high = static_cast<float>(fma(value, task.scale, task.scaledError));
            answers[window] = value != 0 ? low : 0; // one level
            if (value != 0 && low != high) undecided |= 1u << window;
        }
        write(y, answers, undecided);
    }

    __device__ void writeCut(int y, const Absent &absent) const
    {
        const PlaneView<Cell> &plane = task.plane;
        const int width = task.windowWidth, height = task.windowHeight;
        const auto within = [](int i, int end) { return min(max(i, 0), end); };
        const std::int32_t *above = task.cellsBefore + within(plane.top - y, height) * (width + 1);
        const std::int32_t *below =
            task.cellsBefore + within(plane.bottom - y, height) * (width + 1);
        float answers[kWindows];
        std::uint32_t undecided = 0;
#pragma unroll
        for (int window = 0; window < kWindows; ++window) {
            const int left = within(plane.left - x - window, width);
            const int right = within(plane.right - x - window, width);
            const int existing = __ldg(below + right) - __ldg(below + left) -
                                 __ldg(above + right) + __ldg(above + left);
            if (walk::finish<kMissing>(task.results, task.total - walker.rest(window), existing,
                                       In::count(absent.first, window),
                                       In::count(absent.none, window), answers[window]))
                undecided |= 1u << window;
        }
        write(y, answers, undecided);
    }

    __device__ void write(int y, const float (&answers)[kWindows], std::uint32_t undecided) const
    {
        const walk::Results &results = task.results;
        float *const to = results.result + y * results.stride + column;
        if (whole) {
            if constexpr (kWindows == 4)
                __stcs(reinterpret_cast<float4 *>(to),
                       make_float4(answers[0], answers[1], answers[2], answers[3]));
            else
                __stcs(reinterpret_cast<float2 *>(to), make_float2(answers[0], answers[1]));
        } else {
#pragma unroll
            for (int window = 0; window < kWindows; ++window) {
                if (column + window < results.width)
                    __stcs(to + window, answers[window]);
                else
                    undecided &= ~(1u << window);
            }
        }
        if (undecided)
            atomicOr(&results.undecided[y * results.wordsARow + column / 32],
                     undecided << (column % 32));
    }

    const Task<Cell> &task;
    Own &walker;
    const PieceView<Cell> &piece;
    const int column, x;
    const bool whole;
};

/// `Quick` steps where they can, else `Any`.
template <typename Cell, int kBits, typename Quick, typename Any, bool kMissing>
__global__ void __launch_bounds__(Any::kMostThreads, 1)
    footprint(const __grid_constant__ Task<Cell> task)
{
    constexpr int kColumns = Counters<kBits>::kWindows * kLanes;
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
        const int left = stretch.strip * kColumns, right = left + kColumns + task.windowWidth - 1;
        const PlaneView<Cell> &plane = task.plane;
        const PieceView<Cell> piece = plane.pieceOf(left, right);
        const int innerBegin = max(max(first, piece.top), plane.top);
        const int innerEnd =
            min(end - 1, min(piece.top + piece.rows, plane.bottom) - task.windowHeight);
        Columns<Cell, kBits, kMissing> columns(
            task, walker, piece, left + lane * Counters<kBits>::kWindows);
        const bool allExist = !kMissing && left >= plane.left && right <= plane.right;
        if (allExist && Quick::can(piece, left))
            columns.template walkDown<Quick, !kMissing>(first, end, innerBegin, innerEnd);
        else if (allExist && Any::can(piece, left))
            columns.template walkDown<Any, !kMissing>(first, end, innerBegin, innerEnd);
        else
            columns.template walkDown<Any, false>(
                first, end, innerBegin, Any::can(piece, left) ? innerEnd : innerBegin);
    }
}

} // namespace local_entropy::footprint
