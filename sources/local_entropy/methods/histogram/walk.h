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

#include <cstddef>
#include <cstdint>

namespace local_entropy::walk
{

constexpr int kMostThreads = 512;

/// What the kernel reads and writes.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int values; ///< of cells
    int windowWidth, windowHeight;
    Results results;
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    int strips, rows, items;         ///< an item: so many rows of a strip, the columns of a warp
};

/// A row of the thread's columns: kCells of them, from any address.
template <typename Cell, int kCells>
struct Row
{
    static constexpr int kCellsAWord = 4 / static_cast<int>(sizeof(Cell));
    static constexpr int kWords = (kCells + kCellsAWord - 1) / kCellsAWord;
    std::uint32_t words[kWords];

    __device__ void load(const Cell *from)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        const unsigned shift = address % 4 * 8;
        std::uint32_t next = __ldg(aligned);
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const std::uint32_t word = next;
            next = __ldg(aligned + i + 1);
            words[i] = __funnelshift_r(word, next, shift);
        }
    }

    /// Where the counters of cell i are, in a histogram that begins there.
    __device__ std::uint32_t counters(int i, std::uint32_t histogram) const
    {
        constexpr unsigned kBytes = 4 * kLanes; // of a level
        const std::uint32_t word = words[i / kCellsAWord];
        if constexpr (sizeof(Cell) == 1) return __dp4a(word, kBytes << (8 * (i % 4)), histogram);
        return histogram + kBytes * (i % 2 ? word >> 16 : word & 0xffff);
    }
};

/// One thread's histogram and sums. kWidth is the window's width.
template <typename Cell, int kWidth, int kBits>
class Walker
{
public:
    using In = Counters<kBits>;
    static constexpr int kWindows = In::kWindows, kCells = kWidth + kWindows - 1;
    using CellsOfRow = Row<Cell, kCells>;

    __device__ Walker(std::uint32_t histogram, std::uint32_t table)
        : histogram(histogram), table(table)
    {
    }

    __device__ void clear(int values)
    {
        for (int value = 0; value < values; ++value)
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(histogram + value * 4 * kLanes), "r"(0));
        sums.clear();
    }

    __device__ void enter(const CellsOfRow &row)
    {
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
                    if (isFourth(i, window)) sums.fold(window);
                }
    }

    __device__ void step(const CellsOfRow &leaving, const CellsOfRow &entering)
    {
        std::uint32_t left[kCells], entered[kCells];
#pragma unroll
        for (int i = 0; i < kCells; ++i) {
            left[i] = addTo(leaving.counters(i, histogram), 0u - In::ones(i, kWidth));
            entered[i] = addTo(entering.counters(i, histogram), In::ones(i, kWidth));
        }
#pragma unroll
        for (int i = 0; i < kCells; ++i)
#pragma unroll
            for (int window = 0; window < kWindows; ++window)
                if (In::holds(i, window, kWidth)) {
                    // from n to n - 1: the difference before n's
                    sums.add(window, differenceAt<0>(In::entry(entered[i], window, table)) -
                                         differenceAt<-4>(In::entry(left[i], window, table)));
                    if (isFourth(i, window)) sums.fold(window);
                }
    }

    __device__ std::int64_t sum(int window) const { return sums.of(window); }
    __device__ int count(std::uint32_t value, int window) const
    {
        return In::count(wordAt(histogram + value * 4 * kLanes), window);
    }

private:
    /// Whether this cell is a window's fourth, eighth, ... of a row, or its last one.
    __device__ static constexpr bool isFourth(int i, int window)
    {
        return (i - window) % 4 == 3 || i - window == kWidth - 1;
    }

    const std::uint32_t histogram, table;
    Sums<kWindows> sums;
};

template <typename Cell, int kWidth, int kBits, bool kMissing>
__global__ void __launch_bounds__(kMostThreads, 1) walk(const __grid_constant__ Task<Cell> task)
{
    using Own = Walker<Cell, kWidth, kBits>;
    constexpr int kWindows = Own::kWindows, kColumns = kWindows * kLanes;
    extern __shared__ std::uint32_t shared[]; // differences; a histogram for every warp
    const int tableWords = (task.results.windowCells + kLanes) / kLanes * kLanes;
    for (int n = threadIdx.x; n < task.results.windowCells; n += blockDim.x)
        shared[n] = static_cast<std::uint32_t>(task.differences[n]);
    __syncthreads();

    const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const int warps = blockDim.x / kLanes;
    Own walker(addressOf(shared + tableWords + warp * task.values * kLanes + lane),
               addressOf(shared));
    for (int item = warp * gridDim.x + blockIdx.x; item < task.items; item += gridDim.x * warps) {
        const int first = item / task.strips * task.rows;
        const int end = min(first + task.rows, task.results.height);
        const int own = item % task.strips * kColumns + lane * kWindows;
        // Threads beyond the last column do as the last ones do, and write nothing.
        const int x = min(own, (task.results.width - 1) / kWindows * kWindows);
        const int strip = own - lane * kWindows;
        const PieceView<Cell> piece =
            task.plane.pieceOf(strip, strip + kColumns + task.windowWidth - 1);
        int columns[kWindows]; // that exist
#pragma unroll
        for (int window = 0; window < kWindows; ++window)
            columns[window] = task.plane.columnsOf(x + window, task.windowWidth);
        int above = first, below = first; // the window's first row, and the one behind its last
        typename Own::CellsOfRow leaving, entering;
        walker.clear(task.values);
        for (int row = 0; row < task.windowHeight; ++row) {
            entering.load(piece.row(below++) + x);
            walker.enter(entering);
        }
        leaving.load(piece.row(above) + x);
        if (first + 1 < end) entering.load(piece.row(below) + x);
        float *to = task.results.result + first * task.results.stride + own;
        for (int y = first;; ++y, to += task.results.stride) {
            float answers[kWindows];
            std::uint32_t undecided = 0;
            const int rows = task.plane.rowsOf(y, task.windowHeight);
#pragma unroll
            for (int window = 0; window < kWindows; ++window) {
                const int existing = columns[window] * rows;
                const int ofFirst =
                    existing < task.results.windowCells ? walker.count(0, window) : 0;
                const int ofNone = kMissing ? walker.count(task.plane.none, window) : 0;
                if (finish<kMissing>(task.results, walker.sum(window), existing, ofFirst, ofNone,
                                     answers[window]))
                    undecided |= 1u << window;
            }
            write<kWindows>(task.results, to, own, answers);
            undecided &= own < task.results.width
                             ? (2u << min(task.results.width - 1 - own, kWindows - 1)) - 1
                             : 0;
            if (undecided)
                atomicOr(&task.results.undecided[y * task.results.wordsARow + own / 32],
                         undecided << (own % 32));
            if (y + 1 == end) break;
            const typename Own::CellsOfRow left = leaving, entered = entering;
            ++above, ++below;
            if (y + 2 < end) { // while the counters are changed
                leaving.load(piece.row(above) + x);
                entering.load(piece.row(below) + x);
            }
            walker.step(left, entered);
        }
    }
}

} // namespace local_entropy::walk
