// The kernel that loads planes, a block some rows of some columns (plane_load_rows.h). For .cu
// files that nvcc compiles.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/problem/plane_load_rows.h"

#include <cstdint>
#include <cstring>

namespace local_entropy::plane_load
{

constexpr int kBlocks = 4; ///< that a multiprocessor is to have registers for
/// Of a block: a warp has a row at a time, and so many in all where there are many blocks.
constexpr int kRows = 4 * kWarps;

/// The block's columns and rows. columnOf: room for where the border has each of them.
template <typename Source, typename Cell, typename Values>
__device__ void loadRows(const Loading<Source, Cell> &task, const Values &values,
                         std::int64_t *columnOf)
{
    constexpr int kCells = Loading<Source, Cell>::kCells, kColumns = kLanes * kCells;
    const Columns<Cell> &to = task.columns[blockIdx.z];
    const int first = to.first + blockIdx.x * kColumns; // of the block, in the plane
    const int columns = min(min(static_cast<int>(blockIdx.x + 1) * kColumns, to.count) + to.first,
                            task.width + kPlaneSlack) -
                        first;
    const std::int64_t x = task.x + first;
    const auto within = [](std::int64_t i, int end) {
        return static_cast<int>(i < 0 ? 0 : i < end ? i : end);
    };
    const int begin = (within(-x, kColumns) + kCells - 1) / kCells * kCells;
    const int end =
        within(min(task.imageWidth - x, static_cast<std::int64_t>(task.width - first)), columns) /
        kCells * kCells;
    const Inside inside{begin < end ? begin : 0, begin < end ? end : 0, columnOf};
    for (int i = threadIdx.y * kLanes + threadIdx.x; i < columns; i += kThreads)
        columnOf[i] = first + i < task.width ? indexOf(task.border, x + i, task.imageWidth)
                                             : kNoCell; // slack
    __syncthreads();
    using Own = Rows<Source, Cell, Values>;
    const Own own(task, values, inside, columns, x);
    // Rows; one where a thread's cells take so many registers that two would not stay in them.
    constexpr int kAhead = sizeof(Source) < sizeof(Cell) && sizeof(Source) == 1 ? 1 : 2;
    for (int block = blockIdx.y; block * task.rows < task.height; block += gridDim.y) {
        const int last = min((block + 1) * task.rows, task.height);
#pragma unroll 1
        for (int row = block * task.rows + threadIdx.y; row < last; row += kAhead * kWarps) {
            typename Own::Row rows[kAhead];
#pragma unroll
            for (int i = 0; i < kAhead; ++i)
                if (row + i * kWarps < last) own.ask(row + i * kWarps, rows[i]);
#pragma unroll
            for (int i = 0; i < kAhead; ++i)
                if (row + i * kWarps < last)
                    own.put(rows[i], to.cells + (row + i * kWarps) * to.stride + first - to.first);
        }
    }
}

template <typename Source, typename Cell, typename Rule>
__global__ void __launch_bounds__(kThreads, kBlocks)
    load(const __grid_constant__ Loading<Source, Cell> task, const __grid_constant__ Rule rule)
{
    __shared__ std::int64_t columnOf[kLanes * Loading<Source, Cell>::kCells];
    const int thread = threadIdx.y * kLanes + threadIdx.x;
    common::letNextKernelStart();
    if (static_cast<int>(blockIdx.z) == task.parts) { // the row beyond the edge
        const int step = gridDim.x * gridDim.y * kThreads;
        for (int i = (blockIdx.y * gridDim.x + blockIdx.x) * kThreads + thread;
             i < task.cellsOfBeyond; i += step)
            task.beyond[i] = task.ofBeyond;
        return;
    }
    if constexpr (sizeof(Source) == 1) {
        static_assert(kThreads == 256);
        __shared__ std::uint32_t values[256];
        const auto byte = static_cast<std::uint8_t>(thread);
        Source cell;
        std::memcpy(&cell, &byte, 1);
        values[thread] = valueOf(rule(cell), task.none);
        __syncthreads();
        loadRows(task, ValuesOfBytes<Source>{values}, columnOf);
    } else {
        loadRows(task, ValuesByRule<Source, Rule>{rule, task.none}, columnOf);
    }
}

} // namespace local_entropy::plane_load
