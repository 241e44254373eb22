// Windows whose sums leave two floats, for kernels (.cu): few of them, in most rows of a warp. A
// better computation at once would leave 31 of 32 lanes idle. So their counts wait in shared memory
// until there is one for each lane.
#pragma once

#include "local_entropy/methods/levels/launch_counts.h"
#include "local_entropy/methods/levels/launch_task.h"

#include <cstdint>

namespace local_entropy::boxes
{

constexpr int kFineBits = 24;

/// What a window has, but for its levels.
struct Window
{
    int cells;  ///< that count
    int beyond; ///< that do not exist, and are among the `first` of level 0
    int first;
    int none; ///< that a mask or nodata takes away
};

template <typename Counts>
__device__ Window windowOf(const Task &task, const Counts &counts, int x, int y)
{
    const int existing =
        task.plane.columnsOf(x, task.windowWidth) * task.plane.rowsOf(y, task.windowHeight);
    Window window{};
    window.first = static_cast<int>(counts.of(0));
    window.beyond = task.windowCells - existing;
    if (task.plane.missing)
        window.none = static_cast<int>(counts.ofAny(static_cast<int>(task.plane.none)));
    window.cells = existing - window.none;
    return window;
}

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

/// The counts of windows of one warp, in shared memory, and where their results belong.
template <typename Counts>
struct Waiting
{
    std::uint32_t words[Counts::kOwnWords][kLanes];
    int x[kLanes], y[kLanes];
};

/// Of a waiting window: with the fraction of F, and if that leaves two floats, too, from the counts
/// themselves.
template <typename Counts>
__device__ float closerLook(const Task &task, const Counts &counts, int x, int y)
{
    std::int64_t sum = 0;
#pragma unroll
    for (int level = 0; level < Counts::kLevels; ++level)
        sum += __ldg(&task.fine[counts.of(level)]);
    const Window window = windowOf(task, counts, x, y);
    const std::int64_t difference = differenceOf(window, task.fine, sum);
    const double value = static_cast<double>(difference) / (1 << kFineBits);
    const double scale = __ldg(&task.scales[window.cells]);
    const auto low = static_cast<float>((value - task.fineError) * scale);
    const auto high = static_cast<float>((value + task.fineError) * scale);
    return low == high ? low : fromCounts(task, counts, window);
}

/// By all lanes, one window each: the `number` that wait. Apart from the kernel, whose registers
/// are few.
template <typename Counts>
__device__ __noinline__ void answerWaiting(const Task &task, const Waiting<Counts> &waiting,
                                           int number)
{
    const int lane = threadIdx.x % kLanes;
    __syncwarp(); // all have written theirs, and their first results
    if (lane < number) {
        Counts counts;
#pragma unroll
        for (int i = 0; i < Counts::kOwnWords; ++i) counts.words[i] = waiting.words[i][lane];
        const int x = waiting.x[lane], y = waiting.y[lane];
        task.result[y * task.resultStride + x] = closerLook(task, counts, x, y);
    }
    __syncwarp();
}

/// Adds the windows of row y whose bit is set, of those from column x whose counts these are.
template <int kOwn, typename Counts>
__device__ void addWaiting(const Task &task, Waiting<Counts> &waiting, int &number,
                           std::uint32_t undecided, const Counts (&counts)[kOwn], int x, int y)
{
    const int lane = threadIdx.x % kLanes;
    for (;;) { // one of each lane that has some
        const unsigned lanes = __ballot_sync(kAllLanes, undecided != 0);
        if (lanes == 0) return;
        const int added = __popc(lanes);
        if (number + added > kLanes) {
            answerWaiting(task, waiting, number);
            number = 0;
        }
        if (undecided) {
            const int i = __ffs(static_cast<int>(undecided)) - 1;
            undecided &= undecided - 1;
            Counts own = counts[0];
#pragma unroll
            for (int other = 1; other < kOwn; ++other)
                if (i == other) own = counts[other];
            const int place = number + __popc(lanes & ((1u << lane) - 1));
#pragma unroll
            for (int word = 0; word < Counts::kOwnWords; ++word)
                waiting.words[word][place] = own.words[word];
            waiting.x[place] = x + i;
            waiting.y[place] = y;
        }
        number += added;
    }
}

} // namespace local_entropy::boxes
