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
// Every lane looks F up in a copy of the table of its own, if the memory has room for so many:
// lanes that ask for different words of one bank would wait for each other.
//
// Cells that do not exist are of level 0, and a window knows how many it has. Cells that a mask or
// nodata takes away are one more level.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/methods/levels/launch_counts.h"
#include "local_entropy/methods/levels/launch_rows.h"
#include "local_entropy/methods/levels/launch_task.h"
#include "local_entropy/methods/levels/launch_waiting.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::boxes
{

constexpr std::uint32_t kShift = 0x80000000; ///< what makes F positive

template <int kOwn, int kWords, int kBits>
class Walker
{
public:
    using Own = Counts<kWords, kBits>;
    static constexpr int kColumns = kOwn * kLanes; ///< of a strip
    /// Words that a thread hands over at once, as many as its registers allow: kParts such vectors
    /// make a column's.
    static constexpr int kMostVector = kBits == 8 ? 4 : 2;
    static constexpr int kVector = kWords < kMostVector ? kWords : kMostVector;
    static constexpr int kParts = kWords / kVector;
    struct alignas(4 * kVector) Vector
    {
        std::uint32_t words[kVector];
    };
    /// Of a warp's columns, [column % kOwn][lane] for each part; threads that have no results read
    /// behind those, but not what others write for the next part.
    static constexpr int kPart = kColumns + kMostWidth / kOwn + 1, kShared = kParts * kPart;

    /// `table`: of the first lane.
    __device__ Walker(const Task &task, const std::uint32_t *table, Vector *shared)
        : task(task), lane(threadIdx.x % kLanes), step(4 * task.copies),
          table(addressOf(table + lane % task.copies)), shared(shared)
    {
    }

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < kOwn; ++i) counts[i].clear();
    }

    /// A row enters; if kLeaves, another leaves.
    template <bool kLeaves>
    __device__ void walk(const Cells<kOwn> &entering, const Cells<kOwn> &leaving)
    {
        __syncwarp(); // all have read what was there
#pragma unroll
        for (int part = 0; part < kParts; ++part) change<kLeaves>(part, entering, leaving);
    }

    /// The results of row y, and whether they are undecided: a bit for each. `whole`: all cells of
    /// all windows of this warp count.
    __device__ std::uint32_t finish(int x, int y, bool whole, float *answers) const
    {
        std::uint32_t undecided = 0;
        if (whole) {
            const std::int64_t ofAll = task.whole + kAllShifts;
#pragma unroll
            for (int i = 0; i < kOwn; ++i)
                if (isUndecided(ofAll - sumOf(counts[i]), task.wholeScale, task.wholeMargin,
                                answers[i]))
                    undecided |= 1u << i;
            return undecided;
        }
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
            const Window window = windowOf(task, counts[i], x + i, y);
            const std::int64_t sum = sumOf(counts[i]) - kAllShifts;
            const double scale = __ldg(&task.scales[window.cells]);
            if (isUndecided(differenceOf(window, task.sums, sum), scale, {task.error * scale, 0, 0},
                            answers[i]))
                undecided |= 1u << i;
            if (window.cells == 0) answers[i] = task.empty;
        }
        return undecided;
    }

    __device__ const Own (&own() const)[kOwn] { return counts; }

private:
    /// The counts of the levels of one part.
    template <bool kLeaves>
    __device__ void change(int part, const Cells<kOwn> &entering, const Cells<kOwn> &leaving)
    {
        Vector before[kOwn];
#pragma unroll
        for (int k = 0; k < kVector; ++k) {
            const int word = part * kVector + k;
            std::uint32_t sum = 0;
#pragma unroll
            for (int i = 0; i < kOwn; ++i) {
                before[i].words[k] = sum;
                sum += entering.ones(i, word) - (kLeaves ? leaving.ones(i, word) : 0);
            }
            const std::uint32_t left = sumsToTheLeft(sum);
#pragma unroll
            for (int i = 0; i < kOwn; ++i) before[i].words[k] += left;
        }
        Vector *const own = shared + part * kPart + lane;
#pragma unroll
        for (int i = 0; i < kOwn; ++i) own[i * kLanes] = before[i];
        __syncwarp();
        const int far = task.windowWidth / kOwn, turn = task.windowWidth % kOwn;
        const Vector *const there = own + turn * kLanes + far;
#pragma unroll
        for (int i = 0; i < kOwn; ++i) { // column (turn + i) % kOwn of a lane, or of the next one
            const Vector vector = there[i * kLanes + (i < kOwn - turn ? 0 : 1 - kColumns)];
#pragma unroll
            for (int k = 0; k < kVector; ++k)
                counts[i].add(part * kVector + k, vector.words[k] - before[i].words[k]);
        }
    }

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
        for (int level = 0; level < Own::kLevels; ++level)
            sum += entryAt(own.entry(level, step, table));
        return static_cast<std::int64_t>(sum);
    }

    /// The float, and whether it may be another one. D is 0, for one level, or so large that its
    /// error does not matter for what is positive.
    __device__ static bool isUndecided(std::int64_t difference, double scale, const Margin &margin,
                                       float &answer)
    {
        // It has less than 52 bits.
        const double value = __longlong_as_double(difference | 0x4330000000000000) - 0x1p52;
        const double error = margin.of(value);
        const auto low = static_cast<float>(fma(value, scale, -error));
        const auto high = static_cast<float>(fma(value, scale, error));
        answer = fmaxf(low, 0);
        return low > 0 && low != high;
    }

    static constexpr std::int64_t kAllShifts = std::int64_t(kShift) * Own::kLevels;

    const Task &task;
    const int lane;
    const std::uint32_t step, table; ///< F(n) + kShift, in shared memory, of this lane
    Vector *const shared;
    Own counts[kOwn];
};

/// The first so many results of a thread.
template <int kOwn>
__device__ void write(const Task &task, float *to, int results, const float *answers)
{
    if (task.fours && results == kOwn) {
#pragma unroll
        for (int i = 0; i < kOwn; i += 4)
            __stcs(reinterpret_cast<float4 *>(to + i),
                   make_float4(answers[i], answers[i + 1], answers[i + 2], answers[i + 3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < kOwn; ++i)
        if (i < results) __stcs(to + i, answers[i]);
}

/// A warp's part of the work.
template <int kOwn, int kWords, int kBits>
class Strip
{
public:
    using Own = Walker<kOwn, kWords, kBits>;
    using OwnWaiting = Waiting<typename Own::Own>;

    __device__ Strip(const Task &task, Own &walker, OwnWaiting &waiting, const Item &item)
        : task(task), walker(walker), waiting(waiting), item(item),
          x(item.column + threadIdx.x % kLanes * kOwn), rows(task, item.column, x)
    {
    }

    /// `number`: of windows that wait.
    __device__ void compute(int &number)
    {
        const int last = item.end + task.windowHeight - 2; // row
        const int behind = min(item.column + task.kept, task.width);
        const bool whole = !task.plane.missing && item.column >= task.plane.left &&
                           behind + task.windowWidth - 1 <= task.plane.right;
        const int results = min(behind - x, kOwn); // of this thread, in a row
        const std::uint32_t all = results > 0 ? (2u << (results - 1)) - 1 : 0;
        std::uint32_t seen = 0;
        Arriving<kOwn> leaving, entering;
        walker.clear();
        entering.load(rows.row(item.first));
        for (int row = item.first; row < item.first + task.windowHeight; ++row) {
            const Cells<kOwn> entered = entering.levels(task.plane.mask, task.toTop, seen);
            entering.load(rows.row(min(row + 1, last)));
            walker.template walk<false>(entered, entered);
        }
        if constexpr (!kIsCrowded) leaving.load(rows.row(item.first));
        float *to = task.result + item.first * task.resultStride + x;
        for (int y = item.first;; ++y, to += task.resultStride) {
            const bool allThere =
                whole && y >= task.plane.top && y + task.windowHeight <= task.plane.bottom;
            float answers[kOwn];
            std::uint32_t undecided = 0;
            if (results > 0) { // the counts of others may be no counts
                undecided = all & walker.finish(x, y, allThere, answers);
                write<kOwn>(task, to, results, answers);
            }
            if constexpr (kIsCrowded) leaving.load(rows.row(y)); // near: read when it entered
            addWaiting(task, waiting, number, undecided, walker.own(), x, y);
            if (y + 1 == item.end) break;
            const Cells<kOwn> left = leaving.levels(task.plane.mask);
            const Cells<kOwn> entered = entering.levels(task.plane.mask, task.toTop, seen);
            if constexpr (kIsCrowded) {
                walker.template walk<true>(entered, left);
                // While the results are computed.
                entering.load(rows.row(min(y + task.windowHeight + 1, last)));
            } else {
                leaving.load(rows.row(y + 1)); // while the counts are changed
                entering.load(rows.row(min(y + task.windowHeight + 1, last)));
                walker.template walk<true>(entered, left);
            }
        }
        if (__any_sync(kAllLanes, seen & kTops))
            tellBadCells<Own::kColumns>(task, item.column, item.first, item.end);
    }

private:
    /// 64 words of counts leave so few of the 128 registers of a thread of 512 that cells which
    /// arrive during a walk would be put into local memory: the warp would wait for them. Fewer
    /// threads would have more registers, but too few warps. So none arrive during a walk.
    static constexpr bool kIsCrowded = kBits == 16 && kOwn == 8 && kWords == 4;

    const Task &task;
    Own &walker;
    OwnWaiting &waiting;
    const Item item;
    const int x; ///< this thread's first column
    const Rows<Own::kColumns> rows;
};

template <int kOwn, int kWords, int kBits, int kThreads>
__global__ void __launch_bounds__(kThreads, 1) boxes(const __grid_constant__ Task task)
{
    using OwnStrip = Strip<kOwn, kWords, kBits>;
    using Own = typename OwnStrip::Own;
    using OwnWaiting = typename OwnStrip::OwnWaiting;
    extern __shared__ __align__(16) std::uint32_t shared[]; // F; what each warp has
    const int shift = __ffs(task.copies) - 1;
    common::letNextKernelStart();
#pragma unroll 4
    for (int i = threadIdx.x; i < (task.windowCells + 1) * task.copies; i += blockDim.x)
        shared[i] = static_cast<std::uint32_t>(__ldg(&task.sums[i >> shift])) + kShift;
    common::waitForLastKernel();
    __syncthreads();

    const int warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes;
    auto *const handed = reinterpret_cast<typename Own::Vector *>(shared + task.tableWords);
    auto *const waiting = reinterpret_cast<OwnWaiting *>(handed + warps * Own::kShared) + warp;
    Own walker(task, shared, handed + warp * Own::kShared);
    int number = 0; // of windows that wait
    for (int index = warp * gridDim.x + blockIdx.x; index < task.items; index += gridDim.x * warps)
        OwnStrip(task, walker, *waiting, itemOf(task, index)).compute(number);
    answerWaiting(task, *waiting, number);
}

} // namespace local_entropy::boxes
