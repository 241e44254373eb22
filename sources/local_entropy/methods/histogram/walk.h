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
//
// What the kernel is given is in walk_task.h, how rows are loaded in walk_row.h, how they are
// counted in walk_counts.h, how they are finished in walk_answers.h, and the order of all that in
// walk_strip.h.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/methods/histogram/walk_strip.h"

#include <cstdint>

namespace local_entropy::walk
{

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
    common::letNextKernelStart();
    for (int n = threadIdx.x; n < results.windowCells; n += blockDim.x)
        table[n] = task.differences[n];
    for (int n = threadIdx.x; n < withoutCells; n += blockDim.x) {
        const int cells = results.windowCells - n;
        withouts[n] = {results.sums[cells] + results.sums[n], results.scales[cells]};
    }
    common::waitForLastKernel();
    __syncthreads();

    const int lane = threadIdx.x % kLanes;
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / kLanes, 0);
    Own walker(addressOf(table + tableWords + warp * task.values * kLanes + lane), addressOf(table),
               task.plane.mask);
    int index = warp * gridDim.x + blockIdx.x;
    for (; index < task.items; index += gridDim.x * blockDim.x / kLanes) {
        const Item item = itemOf(task, index);
        Strip<Cell, kWidth, kBits, kShort, kMissing>(task, walker, addressOf(withouts), item.strip,
                                                     lane)
            .compute(item.first, item.end);
    }
}

} // namespace local_entropy::walk
