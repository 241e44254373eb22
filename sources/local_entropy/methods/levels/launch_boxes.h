// Few levels in the memory of a GPU, for kernels (.cu): all counts of a window, whatever its size,
// at the same cost.
//
// A warp owns a strip of columns and walks down; a thread has kOwn neighbouring columns of it. The
// counts of a window lie side by side in the bytes, or halves, of few words: so many additions at
// once. The window of the next row is that of this one, with a row of cells more and one less:
//
//   change(x) = before(x + width) - before(x),
//   before(x) = what the cells of this row left of x change: for each, a one for the level that
//               enters, less a one for the level that leaves.
//
// So a row's cost does not depend on the window. `before` is a sum over the threads to the left,
// and x + width is the column of another thread: its sums go through shared memory. They may be
// larger than a byte. That does no harm: words are added modulo 2^32, and in the difference every
// byte is the small number that it is. See launch_sums.h for what follows from the counts.
//
// Cells that do not exist are of level 0, and a window knows how many it has. Cells that a mask or
// nodata takes away are one more level.
#pragma once

#include "local_entropy/answers/answer_tables.h"
#include "local_entropy/methods/levels/launch_counts.h"
#include "local_entropy/problem/plane_view.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::boxes
{

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kMostWidth = 64;               ///< of a window
constexpr std::uint32_t kShift = 0x80000000; ///< what makes F positive
constexpr int kFineBits = 24;

/// What the kernel reads and writes.
struct Task
{
    PlaneView<std::uint8_t> plane; ///< loaded
    int columns;                   ///< that may be read
    int windowWidth, windowHeight;
    float *result;
    int width, height; ///< of the result
    std::int64_t resultStride;
    bool fours;               ///< whether rows of results begin at addresses that 16 divides
    const std::int32_t *sums; ///< F(n), n = 0 ... windowCells
    const std::int64_t *fine; ///< the same with kFineBits of fraction
    const double *scales;     ///< of N cells: what D is multiplied by; scales[0] is 0
    int windowCells;
    int tableWords;          ///< shared memory for F: more than windowCells
    double error, fineError; ///< of D, from F without and with the fraction
    float empty;             ///< the result where no cell counts
    AnswerTables answers;    ///< for what the sums do not decide
    int kept;                ///< columns of results of a strip
    int strips, rows, items; ///< an item: so many rows of a strip
};

/// What a window has, but for its levels.
struct Window
{
    int cells;  ///< that count
    int beyond; ///< that do not exist, and are among the `first` of level 0
    int first;
    int none; ///< that a mask or nodata takes away
};

/// D of a window from a table of F(n) and the sum of F over all levels.
template <typename Number>
__device__ std::int64_t differenceOf(const Window &window, const Number *table, std::int64_t sum)
{
    const std::int64_t own = sum + __ldg(&table[window.first - window.beyond]) -
                             __ldg(&table[window.first]) - __ldg(&table[window.none]);
    return __ldg(&table[window.cells]) - own;
}

/// The answer for a window whose sums leave two.
template <typename Counts>
__device__ __noinline__ float fromCounts(const Task &task, const Counts &counts,
                                         const Window &window)
{
    int sorted[Counts::kLevels], number = 0;
    for (int level = 0; level < Counts::kLevels; ++level) {
        int count = static_cast<int>(counts.ofAny(level)) - (level == 0 ? window.beyond : 0);
        if (task.plane.missing && level == static_cast<int>(task.plane.none)) count = 0;
        if (count == 0) continue;
        int place = number++;
        for (; place > 0 && sorted[place - 1] > count; --place) sorted[place] = sorted[place - 1];
        sorted[place] = count;
    }
    return answerOf<float>(task.answers, sorted, number);
}

template <int kOwn, int kWords, int kBits>
class Walker
{
public:
    using Own = Counts<kWords, kBits>;
    static constexpr int kColumns = kOwn * kLanes; ///< of a strip
    /// Words that a thread hands over at once: kParts such vectors make a column's.
    static constexpr int kVector = kWords < 4 ? kWords : 4, kParts = kWords / kVector;
    struct alignas(4 * kVector) Vector
    {
        std::uint32_t words[kVector];
    };
    /// Of a warp's columns, [part][column % kOwn][lane]; threads that have no results read behind.
    static constexpr int kShared = kParts * (kColumns + kMostWidth / kOwn + 1);

    __device__ Walker(const Task &task, const std::uint32_t *table, Vector *shared)
        : task(task), table(addressOf(table)), shared(shared), lane(threadIdx.x % kLanes)
    {
    }

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < kOwn; ++i) counts[i].clear();
    }

    /// A row enters; if kLeaves, another leaves.
    template <bool kLeaves>
    __device__ void step(const Cells<kOwn> &entering, const Cells<kOwn> &leaving)
    {
        std::uint32_t before[kOwn][kWords];
#pragma unroll
        for (int k = 0; k < kWords; ++k) {
            std::uint32_t sum = 0;
#pragma unroll
            for (int i = 0; i < kOwn; ++i) {
                before[i][k] = sum;
                sum += entering.ones(i, k) - (kLeaves ? leaving.ones(i, k) : 0);
            }
            const std::uint32_t left = sumsToTheLeft(sum);
#pragma unroll
            for (int i = 0; i < kOwn; ++i) before[i][k] += left;
        }
        __syncwarp(); // all have read what was there
#pragma unroll
        for (int i = 0; i < kOwn; ++i)
#pragma unroll
            for (int part = 0; part < kParts; ++part) {
                Vector vector;
#pragma unroll
                for (int k = 0; k < kVector; ++k) vector.words[k] = before[i][part * kVector + k];
                shared[(part * kOwn + i) * kLanes + lane] = vector;
            }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
            const int column = i + task.windowWidth;
            const Vector *const from = shared + column % kOwn * kLanes + column / kOwn + lane;
#pragma unroll
            for (int part = 0; part < kParts; ++part) {
                const Vector vector = from[part * kColumns];
#pragma unroll
                for (int k = 0; k < kVector; ++k)
                    counts[i].add(part * kVector + k,
                                  vector.words[k] - before[i][part * kVector + k]);
            }
        }
    }

    /// The results of row y, and whether they are undecided: a bit for each. `whole`: all cells of
    /// all windows of this warp count.
    __device__ std::uint32_t finish(int x, int y, bool whole, float *answers) const
    {
        std::uint32_t undecided = 0;
        if (whole) {
            const std::int64_t ofAll = __ldg(&task.sums[task.windowCells]) + kAllShifts;
            const double scale = __ldg(&task.scales[task.windowCells]);
            const double error = task.error * scale;
#pragma unroll
            for (int i = 0; i < kOwn; ++i)
                if (isUndecided(ofAll - sumOf(counts[i]), scale, error, answers[i]))
                    undecided |= 1u << i;
            return undecided;
        }
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
            const Window window = windowOf(counts[i], x + i, y);
            const std::int64_t sum = sumOf(counts[i]) - kAllShifts;
            const double scale = __ldg(&task.scales[window.cells]);
            if (isUndecided(differenceOf(window, task.sums, sum), scale, task.error * scale,
                            answers[i]))
                undecided |= 1u << i;
            if (window.cells == 0) answers[i] = task.empty;
        }
        return undecided;
    }

    /// Another look at result i of those from x: with the fraction of F, and if that leaves two
    /// floats, too, from the counts themselves.
    __device__ float again(int i, int x, int y) const
    {
        Own own = counts[0];
#pragma unroll
        for (int other = 1; other < kOwn; ++other)
            if (i == other) own = counts[other];
        std::int64_t sum = 0;
#pragma unroll
        for (int level = 0; level < Own::kLevels; ++level) sum += __ldg(&task.fine[own.of(level)]);
        const Window window = windowOf(own, x + i, y);
        const std::int64_t difference = differenceOf(window, task.fine, sum);
        const double value = static_cast<double>(difference) / (1 << kFineBits);
        const double scale = __ldg(&task.scales[window.cells]);
        const auto low = static_cast<float>((value - task.fineError) * scale);
        const auto high = static_cast<float>((value + task.fineError) * scale);
        return low == high ? low : fromCounts(task, own, window);
    }

private:
    /// Of all threads to the left.
    __device__ std::uint32_t sumsToTheLeft(std::uint32_t own) const
    {
        std::uint32_t sum = own;
#pragma unroll
        for (int apart = 1; apart < kLanes; apart *= 2) {
            const std::uint32_t other = __shfl_up_sync(kAllLanes, sum, apart);
            if (lane >= apart) sum += other;
        }
        return sum - own;
    }

    /// The sum of F, and kAllShifts.
    __device__ std::int64_t sumOf(const Own &own) const
    {
        std::uint64_t sum = 0; // of what is not negative: a carry is all that the upper half gets
#pragma unroll
        for (int level = 0; level < Own::kLevels; ++level) sum += entryAt(own.entry(level, table));
        return static_cast<std::int64_t>(sum);
    }

    __device__ Window windowOf(const Own &own, int x, int y) const
    {
        const int existing =
            task.plane.columnsOf(x, task.windowWidth) * task.plane.rowsOf(y, task.windowHeight);
        Window window{};
        window.first = static_cast<int>(own.of(0));
        window.beyond = task.windowCells - existing;
        if (task.plane.missing)
            window.none = static_cast<int>(own.ofAny(static_cast<int>(task.plane.none)));
        window.cells = existing - window.none;
        return window;
    }

    /// The float, and whether it may be another one. D is 0, for one level, or so large that its
    /// error does not matter for what is positive.
    __device__ static bool isUndecided(std::int64_t difference, double scale, double error,
                                       float &answer)
    {
        // It has less than 52 bits.
        const double value = __longlong_as_double(difference | 0x4330000000000000) - 0x1p52;
        const auto low = static_cast<float>(fma(value, scale, -error));
        const auto high = static_cast<float>(fma(value, scale, error));
        answer = fmaxf(low, 0);
        return low > 0 && low != high;
    }

    static constexpr std::int64_t kAllShifts = std::int64_t(kShift) * Own::kLevels;

    const Task &task;
    const std::uint32_t table; ///< F(n) + kShift, in shared memory
    Vector *const shared;
    const int lane;
    Own counts[kOwn];
};

/// The results of a thread, those that are in its row.
template <int kOwn>
__device__ void write(const Task &task, float *to, int x, const float *answers)
{
    if (task.fours && x + kOwn <= task.width) {
#pragma unroll
        for (int i = 0; i < kOwn; i += 4)
            __stcs(reinterpret_cast<float4 *>(to + i),
                   make_float4(answers[i], answers[i + 1], answers[i + 2], answers[i + 3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < kOwn; ++i)
        if (x + i < task.width) __stcs(to + i, answers[i]);
}

template <int kOwn, int kWords, int kBits, int kThreads>
__global__ void __launch_bounds__(kThreads, 1) boxes(const __grid_constant__ Task task)
{
    using Own = Walker<kOwn, kWords, kBits>;
    extern __shared__ __align__(16) std::uint32_t shared[]; // F; what the warps hand over
    for (int n = threadIdx.x; n <= task.windowCells; n += blockDim.x)
        shared[n] = static_cast<std::uint32_t>(task.sums[n]) + kShift;
    __syncthreads();

    const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const int warps = blockDim.x / kLanes;
    auto *const handed = reinterpret_cast<typename Own::Vector *>(shared + task.tableWords);
    Own walker(task, shared, handed + warp * Own::kShared);
    const PieceView<std::uint8_t> &plane = task.plane.middle;
    for (int item = warp * gridDim.x + blockIdx.x; item < task.items; item += gridDim.x * warps) {
        const int first = item / task.strips * task.rows;
        const int end = min(first + task.rows, task.height);
        const int strip = item % task.strips * task.kept;
        const int x = strip + lane * kOwn;
        const bool active = lane * kOwn < task.kept && x < task.width;
        const bool whole =
            !task.plane.missing && strip >= task.plane.left &&
            min(strip + task.kept, task.width) + task.windowWidth - 1 <= task.plane.right;
        const std::uint8_t *const column = plane.cells + min(x, task.columns - kOwn);
        const std::uint8_t *above = column + first * plane.stride; // the window's first row
        const std::uint8_t *below = above;                         // the row behind its last
        Cells<kOwn> leaving, entering;
        walker.clear();
        for (int row = 0; row < task.windowHeight; ++row, below += plane.stride) {
            entering.load(below);
            walker.template step<false>(entering, entering);
        }
        leaving.load(above);
        if (first + 1 < end) entering.load(below);
        float *to = task.result + first * task.resultStride + x;
        for (int y = first;; ++y, to += task.resultStride) {
            if (active) {
                float answers[kOwn];
                const bool all =
                    whole && y >= task.plane.top && y + task.windowHeight <= task.plane.bottom;
                std::uint32_t undecided = walker.finish(x, y, all, answers);
                write<kOwn>(task, to, x, answers);
                undecided &= (2u << min(task.width - 1 - x, kOwn - 1)) - 1;
                for (; undecided; undecided &= undecided - 1) {
                    const int i = __ffs(static_cast<int>(undecided)) - 1;
                    to[i] = walker.again(i, x, y);
                }
            }
            if (y + 1 == end) break;
            const Cells<kOwn> left = leaving, entered = entering;
            above += plane.stride, below += plane.stride;
            if (y + 2 < end) { // while the counts are changed
                leaving.load(above);
                entering.load(below);
            }
            walker.template step<true>(entered, left);
        }
    }
}

} // namespace local_entropy::boxes
