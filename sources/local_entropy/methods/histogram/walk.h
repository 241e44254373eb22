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

#include "local_entropy/problem/plane_view.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::walk
{

constexpr int kLanes = 32;
constexpr int kMostThreads = 512;
constexpr bool kMasksCells = true; ///< Row::load() ANDs with the mask of the plane

/// What the kernel reads and writes.
template <typename Cell>
struct Task
{
    PlaneView<Cell> plane;
    int values; ///< of cells
    int windowWidth, windowHeight;
    float *result;
    int width, height; ///< of the result
    std::int64_t resultStride;
    bool fours;                      ///< whether rows of results begin at addresses that 16 divides
    const std::int32_t *differences; ///< F(n + 1) - F(n), n = 0 ... windowCells - 1
    const std::int64_t *sums;        ///< F(n), n = 0 ... windowCells
    const double *scales;            ///< of N cells: what D is multiplied by; scales[0] is 0
    int windowCells;
    double error; ///< of D
    float empty;  ///< the result where no cell counts
    std::uint32_t *undecided;
    std::int64_t wordsARow;
    int strips, rows, items; ///< an item: so many rows of a strip, the columns of a warp
};

/// Shared memory by its own 32-bit addresses: what is computed with them fits one instruction.
__device__ inline std::uint32_t addressOf(const void *shared)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
__device__ inline std::uint32_t addTo(std::uint32_t address, std::uint32_t what)
{
    std::uint32_t before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(address), "r"(what));
    return before;
}
__device__ inline std::uint32_t wordAt(std::uint32_t address)
{
    std::uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}
/// Of the table of differences, which does not change: the compiler may move it.
template <int kOffset>
__device__ inline std::int32_t differenceAt(std::uint32_t address)
{
    std::int32_t difference;
    asm("ld.shared.s32 %0, [%1 + %2];" : "=r"(difference) : "r"(address), "n"(kOffset));
    return difference;
}

/// kWindows counters of kBits in a word.
template <int kBits>
struct Counters
{
    static constexpr int kWindows = 32 / kBits;

    /// A one for each window that holds column `i` of the thread's columns: those from i - width +
    /// 1 to i.
    __device__ static constexpr std::uint32_t ones(int i, int width)
    {
        std::uint32_t word = 0;
        for (int window = 0; window < kWindows; ++window)
            if (holds(i, window, width)) word |= 1u << (kBits * window);
        return word;
    }
    __device__ static constexpr bool holds(int i, int window, int width)
    {
        return i >= window && i < window + width;
    }
    /// Four times a window's counter, plus an address: of the table's entry.
    __device__ static std::uint32_t entry(std::uint32_t word, int window, std::uint32_t table)
    {
        if constexpr (kBits == 8)
            return __dp4a(word, 4u << (8 * window), table);
        else
            return table + 4 * (window ? word >> 16 : word & 0xffff);
    }
    __device__ static int count(std::uint32_t word, int window)
    {
        return static_cast<int>(word >> (kBits * window) & ((1u << kBits) - 1));
    }
};

/// A row of the thread's columns: kCells of them, from any address.
template <typename Cell, int kCells>
struct Row
{
    static constexpr int kCellsAWord = 4 / static_cast<int>(sizeof(Cell));
    static constexpr int kWords = (kCells + kCellsAWord - 1) / kCellsAWord;
    std::uint32_t words[kWords];

    /// `mask`: of the plane.
    __device__ void load(const Cell *from, std::uint32_t mask)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto *aligned = reinterpret_cast<const std::uint32_t *>(address & ~std::uintptr_t(3));
        const unsigned shift = address % 4 * 8;
        std::uint32_t next = __ldg(aligned);
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const std::uint32_t word = next;
            next = __ldg(aligned + i + 1);
            words[i] = __funnelshift_r(word, next, shift) & mask;
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

/// The sums of a thread's windows.
template <int kWindows>
class Sums
{
public:
    __device__ void clear()
    {
#pragma unroll
        for (int window = 0; window < kWindows; ++window) sums[window] = 0, part[window] = 0;
    }
    __device__ void add(int window, std::int32_t difference) { part[window] += difference; }
    /// After at most four pairs of differences.
    __device__ void fold(int window)
    {
        sums[window] += part[window];
        part[window] = 0;
    }
    __device__ std::int64_t of(int window) const { return sums[window]; }

private:
    std::int64_t sums[kWindows];
    std::int32_t part[kWindows];
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

/// The float for one window of which so many cells exist; true if its sum leaves two. `ofNone` are
/// the cells that a mask or nodata takes away, `ofFirst` those of level 0, with what does not
/// exist.
template <bool kMissing, typename Cell>
__device__ bool finish(const Task<Cell> &task, std::int64_t sum, int existing, int ofFirst,
                       int ofNone, float &answer)
{
    int cells = existing;
    if (existing < task.windowCells) {
        const int beyond = task.windowCells - existing;
        sum += __ldg(&task.sums[ofFirst - beyond]) - __ldg(&task.sums[ofFirst]);
    }
    if (kMissing) {
        cells -= ofNone;
        sum -= __ldg(&task.sums[ofNone]);
    }
    const std::int64_t difference = __ldg(&task.sums[cells]) - sum;
    const double scale = __ldg(&task.scales[cells]), value = static_cast<double>(difference);
    const auto low = static_cast<float>((value - task.error) * scale);
    const auto high = static_cast<float>((value + task.error) * scale);
    answer = difference ? low : 0; // one level
    if (cells == 0) answer = task.empty;
    return difference && low != high;
}

/// The results of a thread, those that are in its row.
template <int kWindows, typename Cell>
__device__ void write(const Task<Cell> &task, float *to, int x, const float *answers)
{
    if (task.fours && x + kWindows <= task.width) {
        if constexpr (kWindows == 4)
            __stcs(reinterpret_cast<float4 *>(to),
                   make_float4(answers[0], answers[1], answers[2], answers[3]));
        else
            __stcs(reinterpret_cast<float2 *>(to), make_float2(answers[0], answers[1]));
        return;
    }
#pragma unroll
    for (int window = 0; window < kWindows; ++window)
        if (x + window < task.width) __stcs(to + window, answers[window]);
}

template <typename Cell, int kWidth, int kBits, bool kMissing>
__global__ void __launch_bounds__(kMostThreads, 1) walk(const __grid_constant__ Task<Cell> task)
{
    using Own = Walker<Cell, kWidth, kBits>;
    constexpr int kWindows = Own::kWindows, kColumns = kWindows * kLanes;
    extern __shared__ std::uint32_t shared[]; // differences; a histogram for every warp
    const int tableWords = (task.windowCells + kLanes) / kLanes * kLanes;
    for (int n = threadIdx.x; n < task.windowCells; n += blockDim.x)
        shared[n] = static_cast<std::uint32_t>(task.differences[n]);
    __syncthreads();

    const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const int warps = blockDim.x / kLanes;
    Own walker(addressOf(shared + tableWords + warp * task.values * kLanes + lane),
               addressOf(shared));
    for (int item = warp * gridDim.x + blockIdx.x; item < task.items; item += gridDim.x * warps) {
        const int first = item / task.strips * task.rows;
        const int end = min(first + task.rows, task.height);
        const int own = item % task.strips * kColumns + lane * kWindows;
        // Threads beyond the last column do as the last ones do, and write nothing.
        const int x = min(own, (task.width - 1) / kWindows * kWindows);
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
            entering.load(piece.row(below++) + x, task.plane.mask);
            walker.enter(entering);
        }
        leaving.load(piece.row(above) + x, task.plane.mask);
        if (first + 1 < end) entering.load(piece.row(below) + x, task.plane.mask);
        float *to = task.result + first * task.resultStride + own;
        for (int y = first;; ++y, to += task.resultStride) {
            float answers[kWindows];
            std::uint32_t undecided = 0;
            const int rows = task.plane.rowsOf(y, task.windowHeight);
#pragma unroll
            for (int window = 0; window < kWindows; ++window) {
                const int existing = columns[window] * rows;
                const int ofFirst = existing < task.windowCells ? walker.count(0, window) : 0;
                const int ofNone = kMissing ? walker.count(task.plane.none, window) : 0;
                if (finish<kMissing>(task, walker.sum(window), existing, ofFirst, ofNone,
                                     answers[window]))
                    undecided |= 1u << window;
            }
            write<kWindows>(task, to, own, answers);
            undecided &= own < task.width ? (2u << min(task.width - 1 - own, kWindows - 1)) - 1 : 0;
            if (undecided)
                atomicOr(&task.undecided[y * task.wordsARow + own / 32], undecided << (own % 32));
            if (y + 1 == end) break;
            const typename Own::CellsOfRow left = leaving, entered = entering;
            ++above, ++below;
            if (y + 2 < end) { // while the counters are changed
                leaving.load(piece.row(above) + x, task.plane.mask);
                entering.load(piece.row(below) + x, task.plane.mask);
            }
            walker.step(left, entered);
        }
    }
}

} // namespace local_entropy::walk
