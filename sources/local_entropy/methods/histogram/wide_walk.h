// Histograms of many levels in the shared memory of a GPU, for kernels (.cu): where one a thread
// does not fit (walk.h), one a warp.
//
// A warp owns kWindows neighbouring columns of results and walks down. Their windows share one
// histogram, a word for each level, which holds a counter for each of them. The cells of the row
// that leaves, and of the row that enters, lie side by side in the warp's lanes; each lane changes
// the word of its cell by an atomic addition, which gives back the old counts. So no two lanes miss
// each other's changes, even where their cells are equal. A count that goes from n to n + 1 adds
// F(n + 1) - F(n) to the window's sum, see scale.h.
//
// What a row changes is spread over the lanes and has to be added up. Rows wait for that until
// there are 32 sums, so many rows of all windows: then each lane gets one of them, in five steps,
// each of which hands half of what a lane has to another lane. And then each lane has a result to
// finish.
//
// An image may stay where it is and have cells that are no levels. They are taken for the largest
// one, and told.
//
// Cells that do not exist are of level 0, and a window knows how many it has. Cells that a mask or
// nodata takes away are one more level.
//
// What the kernel is given is in wide_task.h; how a warp counts in wide_walker.h, how its lanes add
// up in wide_sums.h, and what makes a float of a sum in wide_answers.h.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/methods/histogram/wide_walker.h"

#include <cstdint>

namespace local_entropy::wide
{

template <typename Cell, int kBits, int kGroups>
__global__ void __launch_bounds__(kMostThreads, 1) walk(const __grid_constant__ Task<Cell> task)
{
    using Own = Walker<Cell, kBits, kGroups>;
    extern __shared__ std::uint32_t shared[]; // zeros, differences; a histogram for every warp
    common::letNextKernelStart();
    for (int n = threadIdx.x; n < task.windowCells + kZeros; n += blockDim.x)
        shared[n] = n < kZeros ? 0 : static_cast<std::uint32_t>(task.differences[n - kZeros]);
    common::waitForLastKernel();
    __syncthreads();
    const int warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes;
    Own walker(task, addressOf(shared + task.tableWords + warp * task.values), addressOf(shared));
    for (int item = blockIdx.x * warps + warp; item < task.items; item += gridDim.x * warps) {
        const int first = item / task.strips * task.rows;
        walker.walk(item % task.strips * Own::kWindows, first, min(first + task.rows, task.height));
    }
}

} // namespace local_entropy::wide
