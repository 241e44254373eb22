// Two levels in the memory of a GPU, for kernels (.cu): how many cells of a window are of level 1
// says it all. The walk is that of launch_boxes.h; here the cells themselves are the ones that it
// adds up, four columns in a word, and a table of floats has the answers, for windows that the edge
// cuts, too.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/methods/levels/launch_boxes.h"

namespace local_entropy::boxes
{

/// What the kernel for two levels has besides.
struct TwoLevels
{
    /// For windows of N cells, n of which are of level 1: answers[N (N + 1) / 2 + n].
    const float *answers;
};

/// The counts of level 1 in the windows of eight neighbouring columns.
template <int kBits>
class TwoLevelWalker
{
public:
    static constexpr int kOwn = 8;

    __device__ TwoLevelWalker(const Task &task)
        : lane(threadIdx.x % kLanes), far(task.windowWidth / kOwn),
          bytes(task.windowWidth % kOwn % 4), words(task.windowWidth % kOwn / 4)
    {
    }

    __device__ void clear() { counts.clear(); }

    template <bool kLeaves>
    __device__ void step(const Cells<kOwn> &entering, const Cells<kOwn> &leaving)
    {
        // What the cells left of each change, those of this thread and of the next one: bytes, of
        // which each is larger by kPositive.
        constexpr std::uint32_t kPositive = 0x40404040, kOnes = 0x01010101;
        std::uint32_t before[4];
        std::uint32_t sum = 0; // in every byte
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const std::uint32_t ones = entering.words[i] - (kLeaves ? leaving.words[i] : 0);
            before[i] = ones * 0x01010100 + sum * kOnes + kPositive;
            sum = __dp4a(entering.words[i], kOnes, sum);
            if (kLeaves)
                sum = static_cast<std::uint32_t>(
                    __dp4a(static_cast<int>(leaving.words[i]), -1, static_cast<int>(sum)));
        }
#pragma unroll
        for (int i = 0; i < 2; ++i)
            before[2 + i] = __shfl_down_sync(kAllLanes, before[i], 1) + sum * kOnes;
        const std::uint32_t left = sumsToTheLeft(sum);
        // The column a width further is one of another thread, or of the one next to that.
        const std::uint32_t rise = (__shfl_down_sync(kAllLanes, left, far) - left) * kOnes;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const std::uint32_t low = words ? before[i + 1] : before[i];
            const std::uint32_t high = words ? before[(i + 2) % 4] : before[i + 1];
            const std::uint32_t there = __funnelshift_r(low, high, 8 * bytes);
            counts.add(i, __shfl_down_sync(kAllLanes, there, far) - before[i] + rise);
        }
    }

    __device__ int count(int column) const { return static_cast<int>(counts.of(column)); }
    __device__ std::uint32_t entry(int column, std::uint32_t table) const
    {
        return counts.entry(column, sizeof(float), table);
    }

private:
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

    const int lane, far, bytes, words;
    Counts<2, kBits> counts; ///< of columns, where others have levels
};

template <int kBits, int kThreads>
__global__ void __launch_bounds__(kThreads)
    twoLevels(const __grid_constant__ Task task, const __grid_constant__ TwoLevels two)
{
    using Own = TwoLevelWalker<kBits>;
    constexpr int kOwn = Own::kOwn, kColumns = kOwn * kLanes;
    extern __shared__ std::uint32_t shared[]; // the answers of whole windows
    common::letNextKernelStart();
    const int ofWhole = task.windowCells * (task.windowCells + 1) / 2;
    for (int n = threadIdx.x; n <= task.windowCells; n += blockDim.x)
        shared[n] = __float_as_uint(__ldg(&two.answers[ofWhole + n]));
    common::waitForLastKernel();
    __syncthreads();

    const std::uint32_t table = addressOf(shared);
    const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const int warps = blockDim.x / kLanes;
    Own walker(task);
    for (int index = warp * gridDim.x + blockIdx.x; index < task.items;
         index += gridDim.x * warps) {
        const Item item = itemOf(task, index);
        const int x = item.column + lane * kOwn;
        const Rows<kColumns> rows(task, item.column, x);
        const int last = item.end + task.windowHeight - 2; // row
        const int behind = min(item.column + task.kept, task.width);
        const bool whole =
            item.column >= task.plane.left && behind + task.windowWidth - 1 <= task.plane.right;
        const int results = min(behind - x, kOwn);
        std::uint32_t seen = 0;
        Arriving<kOwn> leaving, entering;
        walker.clear();
        entering.load(rows.row(item.first));
        for (int row = item.first; row < item.first + task.windowHeight; ++row) {
            const Cells<kOwn> entered = entering.levels(task.plane.mask, task.toTop, seen);
            entering.load(rows.row(min(row + 1, last)));
            walker.template step<false>(entered, entered);
        }
        leaving.load(rows.row(item.first));
        float *to = task.result + item.first * task.resultStride + x;
        for (int y = item.first;; ++y, to += task.resultStride) {
            if (results > 0) {
                float answers[kOwn];
                if (whole && y >= task.plane.top && y + task.windowHeight <= task.plane.bottom) {
#pragma unroll
                    for (int i = 0; i < kOwn; ++i)
                        answers[i] = __uint_as_float(entryAt(walker.entry(i, table)));
                } else {
                    const int existing = task.plane.rowsOf(y, task.windowHeight);
#pragma unroll
                    for (int i = 0; i < kOwn; ++i) {
                        const int cells = task.plane.columnsOf(x + i, task.windowWidth) * existing;
                        answers[i] = __ldg(&two.answers[cells * (cells + 1) / 2 + walker.count(i)]);
                    }
                }
                write<kOwn>(task, to, results, answers);
            }
            if (y + 1 == item.end) break;
            const Cells<kOwn> left = leaving.levels(task.plane.mask);
            const Cells<kOwn> entered = entering.levels(task.plane.mask, task.toTop, seen);
            leaving.load(rows.row(y + 1)); // while the counts are changed
            entering.load(rows.row(min(y + task.windowHeight + 1, last)));
            walker.template step<true>(entered, left);
        }
        if (__any_sync(kAllLanes, seen & kTops))
            tellBadCells<kColumns>(task, item.column, item.first, item.end);
    }
}

} // namespace local_entropy::boxes
