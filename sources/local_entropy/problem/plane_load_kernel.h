// The kernel that loads planes: 16 bytes of the image a thread and row (plane_bytes.h). Columns of
// a block that are not all cells of the image are shared out, one by one, among the lanes; a table
// says where the border has each of them, the same for all rows. For .cu files that nvcc compiles.
#pragma once

#include "common/dependent_launch.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/plane.h"
#include "local_entropy/problem/plane_bytes.h"
#include "local_entropy/problem/plane_values.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace local_entropy::plane_load
{

using plane_bytes::Array, plane_bytes::Comparison;
using plane_bytes::kLanes, plane_bytes::kThreads, plane_bytes::kWarps;

constexpr int kBlocks = 5; ///< that a multiprocessor is to have registers for
/// Of a block: a warp has a row at a time, and so many in all where there are many blocks.
constexpr int kRows = 4 * kWarps;

/// Columns of a plane that are loaded.
template <typename Cell>
struct Columns
{
    Cell *cells; ///< of the first one
    int first, count;
    std::int64_t stride;
};

/// What the kernel reads and writes.
template <typename Source, typename Cell>
struct Loading
{
    static constexpr int kCells = kBytes / static_cast<int>(sizeof(Source)); ///< of a thread

    Array<Source> image;
    Array<std::uint8_t> mask; ///< null: all cells count
    std::int64_t imageWidth, imageHeight;
    Border border;
    std::int64_t x, y; ///< of the plane's first cell in the image
    int width, height; ///< of the plane
    int rows;          ///< of a block
    Cell none, constant;
    bool isPlain; ///< whether cells are levels as they are, if they are not larger than `most`
    std::uint32_t most;
    Columns<Cell> columns[2];
    int parts;              ///< of `columns`
    Cell *beyond, ofBeyond; ///< a row of so many equal cells
    int cellsOfBeyond;
    BadCell *bad;
};

/// borderIndex(), of what is rarely beyond: apart from the kernels, which ask in several places.
inline __device__ __noinline__ std::int64_t indexBeyond(Border border, std::int64_t i,
                                                        std::int64_t size)
{
    return borderIndex(border, i, size);
}
__device__ inline std::int64_t indexOf(Border border, std::int64_t i, std::int64_t size)
{
    return i >= 0 && i < size ? i : indexBeyond(border, i, size);
}

/// What the image and the mask have in one place.
template <typename Source>
struct Found
{
    Source cell;
    bool counts;
};
template <typename Source, typename Cell>
__device__ Found<Source> found(const Loading<Source, Cell> &task, std::int64_t x, std::int64_t y)
{
    return {task.image.cells[y * task.image.stride + x],
            !task.mask.cells || task.mask.cells[y * task.mask.stride + x]};
}

/// The cell of the plane for what was found there.
template <typename Source, typename Cell, typename Values>
__device__ Cell levelOf(const Loading<Source, Cell> &task, const Values &values,
                        const Found<Source> &found, std::int64_t x, std::int64_t y)
{
    if (!found.counts) return task.none;
    const std::uint32_t value = values.of(found.cell);
    if (!(value & kBad)) return static_cast<Cell>(value);
    atomicMin(task.bad, static_cast<BadCell>(y) << kBadCellBits | static_cast<BadCell>(x));
    return 0;
}
template <typename Source, typename Cell, typename Values>
__device__ Cell loaded(const Loading<Source, Cell> &task, const Values &values, std::int64_t x,
                       std::int64_t y)
{
    return levelOf(task, values, found(task, x, y), x, y);
}

/// A thread's cells of a row; `x` is the first one's in the image, where all of them are. False,
/// and nothing written, if they must be loaded one by one.
template <typename Source, typename Cell, typename Values>
__device__ bool loadAtOnce(const Loading<Source, Cell> &task, const Values &values, std::int64_t x,
                           std::int64_t y, Cell *to)
{
    constexpr int kCells = Loading<Source, Cell>::kCells;
    constexpr std::size_t kSize = kCells * sizeof(Cell);
    struct alignas(kSize < 16 ? kSize : 16) Cells
    {
        Cell of[kCells];
    };
    const Source *const from = task.image.cells + y * task.image.stride + x;
    Bytes<kBytes> image;
    if (!image.canRead(task.image, from)) return false;
    Cells cells;
    std::uint32_t seen = 0;
    if (task.mask.cells) {
        const std::uint8_t *const counts = task.mask.cells + y * task.mask.stride + x;
        Bytes<kCells> mask;
        if (!mask.canRead(task.mask, counts)) return false;
        mask.read(counts);
        image.read(from);
#pragma unroll
        for (int i = 0; i < kCells; ++i) {
            const std::uint32_t value = values.at(image, i);
            const std::uint32_t kept = mask.has(i) ? value : task.none;
            seen |= kept;
            cells.of[i] = static_cast<Cell>(kept);
        }
    } else {
        image.read(from);
        if constexpr (sizeof(Source) == sizeof(Cell) && sizeof(Cell) < 4)
            if (task.isPlain) {
                if (Comparison<Cell>(task.most).isAnyBeyond(image)) return false;
                *reinterpret_cast<uint4 *>(to) =
                    make_uint4(image.words[0], image.words[1], image.words[2], image.words[3]);
                return true;
            }
#pragma unroll
        for (int i = 0; i < kCells; ++i) {
            const std::uint32_t value = values.at(image, i);
            seen |= value;
            cells.of[i] = static_cast<Cell>(value);
        }
    }
    if (seen & kBad) return false; // it will be told where
    *reinterpret_cast<Cells *>(to) = cells;
    return true;
}

/// The columns of a block: from `begin` to `end - 1` they are all cells of the image in every row
/// that is, 16 bytes a thread; the border says where the others are.
struct Inside
{
    int begin, end;
    const std::int64_t *columnOf; ///< in shared memory
};

/// One of the block's cells, by the border, of which the image has none.
template <typename Source, typename Cell>
__device__ Cell cellOfBorder(const Loading<Source, Cell> &task, std::int64_t x, std::int64_t y)
{
    const bool isConstant = x == kConstantCell || (y == kConstantCell && x != kNoCell);
    return isConstant ? task.constant : Cell{0};
}

/// A row of the block, by a warp. `to`: the block's first column.
template <typename Source, typename Cell, typename Values>
__device__ void loadRow(const Loading<Source, Cell> &task, const Values &values,
                        const Inside &inside, int columns, int row, std::int64_t x, Cell *to)
{
    constexpr int kCells = Loading<Source, Cell>::kCells;
    const int own = threadIdx.x * kCells, lane = threadIdx.x;
    const std::int64_t y = indexOf(task.border, task.y + row, task.imageHeight);
    if (y < 0) {
#pragma unroll 1
        for (int i = lane; i < columns; i += kLanes)
            to[i] = cellOfBorder(task, inside.columnOf[i], y);
        return;
    }
    const int between = inside.end - inside.begin;
    const auto column = [&](int i) { return i < inside.begin ? i : i + between; };
    // What the border has for the first lanes arrives while 16 bytes a thread do.
    const bool isFirst = lane < columns - between;
    const std::int64_t firstX = isFirst ? inside.columnOf[column(lane)] : kNoCell;
    Found<Source> first{};
    if (firstX >= 0) first = found(task, firstX, y);
    if (own >= inside.begin && own < inside.end && !loadAtOnce(task, values, x + own, y, to + own))
#pragma unroll 1
        for (int i = own; i < own + kCells; ++i) to[i] = loaded(task, values, x + i, y);
    const auto put = [&](int i, std::int64_t from, const Found<Source> &cell) {
        to[column(i)] =
            from >= 0 ? levelOf(task, values, cell, from, y) : cellOfBorder(task, from, y);
    };
    if (isFirst) put(lane, firstX, first);
#pragma unroll 1
    for (int i = lane + kLanes; i < columns - between; i += kLanes) {
        const std::int64_t from = inside.columnOf[column(i)];
        put(i, from, from >= 0 ? found(task, from, y) : Found<Source>{});
    }
}

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
    for (int block = blockIdx.y; block * task.rows < task.height; block += gridDim.y)
#pragma unroll 1
        for (int row = block * task.rows + threadIdx.y;
             row < min((block + 1) * task.rows, task.height); row += kWarps)
            loadRow(task, values, inside, columns, row, x,
                    to.cells + row * to.stride + (first - to.first));
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
