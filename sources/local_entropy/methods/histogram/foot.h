// Packed histograms for footprints (.cu). See walk.h for histograms that walk down, counters.h for
// their parts.
//
// A footprint is runs of cells, one below the other, in its columns. When the window goes a row
// down, each run loses its first cell and gains the one behind its last: all other cells stay. So a
// step changes as many cells as the footprint has ends. Cells that leave, or enter, side by side
// are dealt with together, at once for all of a thread's windows: each such piece of `n` cells
// changes n + kWindows - 1 words. Any footprint does so by a table, piece by piece; disks by code
// that the compiler makes of their radius (foot_disk.h).
//
// The results are strips, as wide as a warp's columns. A block gets its part of all strips' rows, one
// strip after the other, and its warps take stretches of them: long ones first, short ones in the
// end, so that all end together. A whole window is counted where a stretch begins, and where it goes
// on in another strip.
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

/// Words of shared memory for so many.
HOST_DEVICE constexpr int wordsFor(int count) { return (count + kLanes - 1) / kLanes * kLanes; }

/// What the kernels read and write.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int values; ///< of cells
    int windowWidth, windowHeight;
    const Piece *pieces;
    int pieceEnds[3 * kLongest]; ///< see Pieces
    const std::int32_t *cellsBefore; ///< see foot_changes.h
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    walk::Results results;
    // Of a window of which all cells count:
    std::int64_t total; ///< F(N)
    double scale, scaledError; ///< results.scales[N], and what it makes of results.error
    std::int32_t one; ///< 1, see Rests

    /// Those of the first and the last strips whose windows an edge may cut take longer: each block
    /// gets as many rows of them.
    int edgesBefore, edges, strips;
};

/// Rows first ... end - 1 of a strip.
struct Stretch
{
    int strip, first, end;
};

/// The part of one block.
class Part
{
public:
    template <typename Cell>
    __device__ Part(const Task<Cell> &task, int warps)
        : height(task.results.height), edgesBefore(task.edgesBefore), edges(task.edges),
          strips(task.strips), warps(warps)
    {
        const std::int64_t ofEdges = std::int64_t(edges) * height;
        const std::int64_t ofOthers = std::int64_t(strips - edges) * height;
        firstOfEdges = ofEdges * blockIdx.x / gridDim.x;
        edgeRows = ofEdges * (blockIdx.x + 1) / gridDim.x - firstOfEdges;
        firstOfOthers = ofOthers * blockIdx.x / gridDim.x;
        rows = edgeRows + ofOthers * (blockIdx.x + 1) / gridDim.x - firstOfOthers;
    }

    /// A warp takes rows begin ... end - 1 of the part, by all its lanes; false: there are no more.
    /// `next` is in shared memory, 0 at first.
    __device__ bool take(unsigned long long *next, std::int64_t &begin, std::int64_t &end) const
    {
        constexpr std::int64_t kShort = 24; // rows that take some times as long as a first window
        unsigned long long from = 0, size = 0;
        if (threadIdx.x % kLanes == 0) {
            const std::int64_t least = min(kShort, (rows + warps - 1) / warps);
            from = *static_cast<volatile unsigned long long *>(next);
            for (bool taken = false; !taken && from < static_cast<unsigned long long>(rows);) {
                const std::int64_t left = rows - static_cast<std::int64_t>(from);
                size = min(left, max(left * 3 / (4 * warps), least));
                const unsigned long long seen = atomicCAS(next, from, from + size);
                taken = seen == from;
                from = taken ? from : seen;
            }
        }
        begin = __shfl_sync(~0u, from, 0);
        end = begin + static_cast<std::int64_t>(__shfl_sync(~0u, size, 0));
        return begin < rows;
    }

    /// As much of these rows as lies in one strip.
    __device__ Stretch stretch(std::int64_t begin, std::int64_t end) const
    {
        const bool isEdge = begin < edgeRows;
        const std::int64_t row = isEdge ? firstOfEdges + begin : firstOfOthers + begin - edgeRows;
        const auto index = static_cast<int>(row / height);
        const auto first = static_cast<int>(row % height);
        if (isEdge) end = min(end, edgeRows);
        const int last = index < edgesBefore ? index : strips - edges + index;
        return {isEdge ? last : index + edgesBefore, first,
                static_cast<int>(min(first + end - begin, std::int64_t(height)))};
    }

private:
    const int height, edgesBefore, edges, strips, warps;
    std::int64_t firstOfEdges, edgeRows, firstOfOthers, rows;
};

/// Four times a window's counter, plus an address: of the table's entry. One instruction, a product
/// of four bytes or of two halves.
template <int kBits>
__device__ std::uint32_t entry(std::uint32_t word, int window, std::uint32_t table)
{
    const std::uint32_t four = 4u << (8 * window);
    return kBits == 8 ? __dp4a(word, four, table) : __dp2a_lo(word, four, table);
}

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
template <typename Cell, int kBits>
class Walker
{
public:
    using In = Counters<kBits>;
    static constexpr int kWindows = In::kWindows;

    /// `pieces` are in shared memory.
    __device__ Walker(const Task<Cell> &task, std::uint32_t histogram, std::uint32_t table,
                      const Piece *pieces)
        : task(task), histogram(histogram), table(table), pieces(pieces)
    {
    }

    /// Counts the window of row y. `x` is the first of the thread's columns.
    __device__ void begin(const PieceView<Cell> &piece, int x, int y)
    {
#pragma unroll 4
        for (int value = 0; value < task.values; ++value)
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(histogram + value * 4 * kLanes), "r"(0));
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
                before[i][cell] = addTo(cells.of[i].counters(cell, histogram),
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
};

/// Steps of any footprint, by the table, where all its rows are rows of a piece.
template <typename Cell, int kBits>
class TableSteps
{
public:
    using Own = Walker<Cell, kBits>;
    static constexpr int kMostThreads = 256;

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

    /// Results of rows first ... end - 1. Steps from rows innerBegin ... innerEnd - 1, of windows
    /// whose rows all exist, meet rows of the piece alone. allExist: so do their columns.
    template <typename Quick, typename Any>
    __device__ void walkDown(int first, int end, int innerBegin, int innerEnd, bool allExist,
                             bool quick)
    {
        walker.begin(piece, x, first);
        for (int y = first;;) {
            if (y >= innerBegin && y < innerEnd) {
                if (!kMissing && quick)
                    inner<Quick, true>(y, innerEnd, true);
                else
                    inner<Any, false>(y, innerEnd, allExist);
                y = innerEnd;
            }
            writeCut(y, absent());
            if (++y == end) return;
            walker.step([this](int row) { return rowOf(piece, row); }, x, y - 1);
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

    /// Rows y ... end - 1 and the steps from them. What makes a float of a sum goes on while the
    /// counters are changed.
    template <typename Steps, bool kAllExist>
    __device__ void inner(int y, int end, bool allExist)
    {
        Steps steps;
        steps.begin(piece, x, y);
        for (; y < end; ++y) {
            const bool another = y + 1 < end;
            if (!kMissing && (kAllExist || allExist)) {
                steps.change(walker, another);
                writeWhole(y);
            } else {
                const Absent before = absent();
                steps.change(walker, another);
                writeCut(y, before);
            }
            steps.lookUp(walker, x, y);
        }
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
    constexpr int kWindows = Counters<kBits>::kWindows, kColumns = kWindows * kLanes;
    // How much of its part a block has taken; differences; pieces; a histogram for every warp.
    extern __shared__ std::uint32_t shared[];
    auto *const taken = reinterpret_cast<unsigned long long *>(shared);
    std::uint32_t *const table = shared + kLanes;
    auto *const pieces = reinterpret_cast<Piece *>(table + wordsFor(task.results.windowCells + 1));
    const int pieceCount = task.pieceEnds[3 * kLongest - 1];
    if (threadIdx.x == 0) *taken = 0;
    for (int n = threadIdx.x; n < task.results.windowCells; n += blockDim.x)
        table[n] = static_cast<std::uint32_t>(task.differences[n]);
    for (int i = threadIdx.x; i < pieceCount; i += blockDim.x) pieces[i] = task.pieces[i];
    __syncthreads();

    const int lane = threadIdx.x % kLanes, warp = uniform(threadIdx.x / kLanes);
    const std::uint32_t *const own = table + wordsFor(task.results.windowCells + 1) +
                                     wordsFor((pieceCount + 1) / 2) + warp * task.values * kLanes;
    Walker<Cell, kBits> walker(task, walk::addressOf(own + lane), walk::addressOf(table), pieces);
    const Part part(task, blockDim.x / kLanes);
    for (std::int64_t begin, end; part.take(taken, begin, end);)
        while (begin < end) {
            const Stretch stretch = part.stretch(begin, end);
            begin += stretch.end - stretch.first;
            const int first = uniform(stretch.first), last = uniform(stretch.end);
            const int left = uniform(stretch.strip) * kColumns;
            const int right = left + kColumns + task.windowWidth - 1;
            const PlaneView<Cell> &plane = task.plane;
            const PieceView<Cell> piece = plane.pieceOf(left, right);
            const bool allExist = !kMissing && left >= plane.left && right <= plane.right;
            const int innerBegin = max(max(first, piece.top), plane.top);
            const int innerEnd = min(
                last - 1, min(piece.top + piece.rows, plane.bottom) - task.windowHeight);
            Columns<Cell, kBits, kMissing> columns(task, walker, piece, left + lane * kWindows);
            columns.template walkDown<Quick, Any>(
                first, last, innerBegin, Any::can(piece, left) ? innerEnd : innerBegin, allExist,
                allExist && Quick::can(piece, left));
        }
}

} // namespace local_entropy::footprint
