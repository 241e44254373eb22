// Windows that slide down, their equal cells counted (.cu): any number of levels.
//
// A cell that enters a window which already holds m cells equal to it changes the sum of F(n) over
// the levels (see scale.h) by F(m + 1) - F(m); a cell that leaves, and leaves m behind, by as much
// the other way. So a row that enters is compared with the rows that stay and with its own cells to
// the left, and so is the row that leaves. One comparison serves all windows that hold both cells.
//
// For each displacement, a word has how many of the cells at that displacement, in the rows that
// stay, differ from each of a lane's four cells: a byte for each. Sums over the displacements that
// a window covers are differing cells of the window; from one place of a cell in its windows to the
// next, one displacement comes and one goes. The differences of F lie in shared memory, by
// how many cells differ.
//
// The rows of a window lie in shared memory as words of columns (strip.h), in a ring.
//
// What the kernel is given is in slide_task.h; rows are kept in slide_ring.h, cells compared and
// counted in slide_counts.h, the steps are in slide_windows.h, and what makes floats of the sums in
// slide_answers.h.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/methods/equal/slide_item.h"
#include "local_entropy/methods/equal/slide_ring.h"
#include "local_entropy/methods/equal/slide_task.h"
#include "local_entropy/methods/equal/slide_windows.h"

#include <cstdint>

namespace local_entropy::equal
{

constexpr int mostThreads(int windowWidth) { return windowWidth <= 5 ? 768 : 512; }

template <typename Cell, int kWidth, int kHeight, bool kMissing>
__global__ void __launch_bounds__(mostThreads(kWidth), 1)
    slide(const __grid_constant__ SlideTask<Cell> task)
{
    extern __shared__ uint4 shared[]; // differences; a ring for every warp; a desk
    const Strips<Cell> &strips = task.strips;
    auto *const words = reinterpret_cast<std::uint32_t *>(shared);
    const int tableWords = tableWordsOf(strips.windowCells, kWidth);
    common::letNextKernelStart();
    for (int i = threadIdx.x; i < tableWords; i += blockDim.x)
        words[i] = i < strips.windowCells
                       ? static_cast<std::uint32_t>(task.differences[strips.windowCells - 1 - i])
                       : 0;
    common::waitForLastKernel();
    __syncthreads();

    const int warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes,
              height = strips.windowHeight;
    std::uint32_t *const ring = words + tableWords + warp * height * Ring<kWidth>::kWords;
    auto &desk =
        reinterpret_cast<Desk *>(words + tableWords + warps * height * Ring<kWidth>::kWords)[warp];
    for (int number = warp * gridDim.x + blockIdx.x; number < strips.items;
         number += gridDim.x * warps) {
        Item<Cell> item(strips, number, kWidth, desk);
        Windows<Cell, kWidth, kHeight, kMissing> windows(task, item.isCutAside(), ring,
                                                         addressOf(words));
        int columns[kCellsALane]; // of the windows, that exist
#pragma unroll
        for (int i = 0; i < kCellsALane; ++i)
            columns[i] =
                item.isCutAside() ? strips.plane.columnsOf(item.column + i, kWidth) : kWidth;
        for (int i = 0; i < height; ++i) windows.fill(i, item.take());
        for (int y = item.first, slot = 0;; ++y) {
            float answers[kCellsALane];
            const bool cut = item.isCut(y);
            if (cut && !item.isCutAside()) windows.countFirst();
            const int rows = cut ? strips.plane.rowsOf(y, height) : height;
            unsigned undecided = windows.finish(cut, rows, columns, answers);
            item.write(make_float4(answers[0], answers[1], answers[2], answers[3]));
            if (undecided && item.isResult(0)) {
                undecided &= (2u << min(strips.width - 1 - item.column, kCellsALane - 1)) - 1;
                atomicOr(&task.undecided[y * task.wordsARow + item.column / 32],
                         undecided << (item.column % 32));
            }
            if (y + 1 == item.end) break;
            windows.slide(slot, item.take());
            if (++slot == height) slot = 0;
        }
    }
}

} // namespace local_entropy::equal
