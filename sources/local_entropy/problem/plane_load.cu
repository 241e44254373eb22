// What is loaded of a plane (plane.h), in the memory of a GPU: 16 bytes of the image a thread and
// row (plane_bytes.h). Columns of a block that are not all cells of the image are shared out, one
// by one, among the lanes; a table says where the border has each of them, the same for all rows.
#include "local_entropy/problem/plane.h"

#include "common/integer.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/levels.h"

#ifdef __CUDACC__
#include "common/cuda_check.h"
#include "local_entropy/problem/plane_bytes.h"
#include "local_entropy/problem/plane_check.h"

#include <algorithm>
#include <cstring>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

using namespace plane_bytes;

constexpr int kBlocks = 5;                 ///< that a multiprocessor is to have registers for
constexpr int kRows = 4 * kWarps;          ///< of a block: a warp has a row at a time
constexpr std::uint32_t kBad = 0x80000000; ///< in the place of a value: the cell is no level

/// A bool of anybody's: all bytes but 0 are true.
struct Truth
{
    std::uint8_t byte;
    HOST_DEVICE operator std::int32_t() const { return byte != 0; }
};

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
__device__ __noinline__ std::int64_t indexBeyond(Border border, std::int64_t i, std::int64_t size)
{
    return borderIndex(border, i, size);
}
__device__ inline std::int64_t indexOf(Border border, std::int64_t i, std::int64_t size)
{
    return i >= 0 && i < size ? i : indexBeyond(border, i, size);
}

/// The value of the plane's cells that a level stands for.
__device__ inline std::uint32_t valueOf(std::int32_t level, std::uint32_t none)
{
    return level >= 0 ? static_cast<std::uint32_t>(level) : level == kAbsent ? none : kBad;
}

/// The values of cells by a rule.
template <typename Source, typename Rule>
struct ValuesByRule
{
    const Rule &rule;
    std::uint32_t none;

    __device__ std::uint32_t of(Source cell) const { return valueOf(rule(cell), none); }
    __device__ std::uint32_t at(const Bytes<kBytes> &cells, int i) const
    {
        return of(cells.template at<Source>(i));
    }
};

/// The same of bytes by a table.
template <typename Source>
struct ValuesOfBytes
{
    const std::uint32_t *values; ///< 256, in shared memory

    __device__ std::uint32_t of(Source cell) const
    {
        std::uint8_t byte;
        std::memcpy(&byte, &cell, 1);
        return values[byte];
    }
    __device__ std::uint32_t at(const Bytes<kBytes> &cells, int i) const
    {
        // An address of 32 bits, in one instruction.
        const auto table = static_cast<std::uint32_t>(__cvta_generic_to_shared(values));
        std::uint32_t value;
        asm("ld.shared.u32 %0, [%1];"
            : "=r"(value)
            : "r"(__dp4a(cells.words[i / 4], 4u << (i % 4 * 8), table)));
        return value;
    }
};

template <typename Source, typename Cell, typename Values>
__device__ Cell loaded(const Loading<Source, Cell> &task, const Values &values, std::int64_t x,
                       std::int64_t y)
{
    if (task.mask.cells && !task.mask.cells[y * task.mask.stride + x]) return task.none;
    const std::uint32_t value = values.of(task.image.cells[y * task.image.stride + x]);
    if (!(value & kBad)) return static_cast<Cell>(value);
    atomicMin(task.bad, static_cast<BadCell>(y) << kBadCellBits | static_cast<BadCell>(x));
    return 0;
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

/// One of the block's cells, by the border.
template <typename Source, typename Cell, typename Values>
__device__ Cell loadedByBorder(const Loading<Source, Cell> &task, const Values &values,
                               std::int64_t x, std::int64_t y)
{
    if (x >= 0 && y >= 0) return loaded(task, values, x, y);
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
            to[i] = loadedByBorder(task, values, inside.columnOf[i], y);
        return;
    }
    if (own >= inside.begin && own < inside.end && !loadAtOnce(task, values, x + own, y, to + own))
#pragma unroll 1
        for (int i = own; i < own + kCells; ++i) to[i] = loaded(task, values, x + i, y);
#pragma unroll 1
    for (int i = lane; i < columns - (inside.end - inside.begin); i += kLanes) {
        const int column = i < inside.begin ? i : i + inside.end - inside.begin;
        to[column] = loadedByBorder(task, values, inside.columnOf[column], y);
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
    for (int block = blockIdx.y; block * kRows < task.height; block += gridDim.y)
#pragma unroll 1
        for (int row = block * kRows + threadIdx.y; row < min((block + 1) * kRows, task.height);
             row += kWarps)
            loadRow(task, values, inside, columns, row, x,
                    to.cells + row * to.stride + (first - to.first));
}

template <typename Source, typename Cell, typename Rule>
__global__ void __launch_bounds__(kThreads, kBlocks)
    load(const __grid_constant__ Loading<Source, Cell> task, const __grid_constant__ Rule rule)
{
    __shared__ std::int64_t columnOf[kLanes * Loading<Source, Cell>::kCells];
    const int thread = threadIdx.y * kLanes + threadIdx.x;
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

/// Where it is to be loaded to.
template <typename Source, typename Cell>
void place(const Plane &plane, Loading<Source, Cell> &task)
{
    const auto memory = [](const void *cells) {
        return const_cast<Cell *>(static_cast<const Cell *>(cells));
    };
    if (plane.isLoaded) {
        task.parts = 1;
        task.columns[0] = {memory(plane.middle.cells), 0, static_cast<int>(plane.loadedStride),
                           plane.loadedStride};
        return;
    }
    const int after = firstColumnAfter(plane);
    task.parts = 2;
    task.columns[0] = {memory(plane.before.cells), 0, plane.endColumns, plane.endStride};
    task.columns[1] = {memory(plane.after.cells) + after, after, plane.endColumns, plane.endStride};
    task.beyond = memory(plane.beyond);
    task.cellsOfBeyond = plane.width + kPlaneSlack;
    task.ofBeyond = plane.border == Border::Constant ? task.constant : Cell{0};
}

template <typename Source, typename Cell, typename Rule>
void fill(const Problem &problem, const Plane &plane, const Rule &rule, BadCell *bad,
          cudaStream_t stream)
{
    const Image &image = problem.image;
    const Mask &mask = problem.mask;
    const std::int32_t constant = constantLevel(problem.filter, image.type);
    Loading<Source, Cell> task{};
    task.image = arrayOf<Source>(image.data, image.width, image.height, image.stride);
    task.mask = arrayOf<std::uint8_t>(mask.data, image.width, image.height, mask.stride);
    task.imageWidth = image.width;
    task.imageHeight = image.height;
    task.border = plane.border;
    task.x = problem.region.x - problem.shape.left;
    task.y = problem.region.y - problem.shape.top;
    task.width = plane.width;
    task.height = plane.height;
    task.none = static_cast<Cell>(plane.none);
    task.constant = constant < 0 ? task.none : static_cast<Cell>(constant);
    task.isPlain = levelsAreCells(problem.filter, image.type);
    task.most = static_cast<std::uint32_t>(
        std::min(problem.filter.levels.count, 1 << (8 * std::min<int>(sizeof(Source), 2))) - 1);
    task.bad = bad;
    place(plane, task);
    constexpr int kMostBlocks = 65535; // of a column of the grid
    const dim3 grid(
        static_cast<unsigned>(common::ceilDiv(task.columns[0].count, kLanes * task.kCells)),
        static_cast<unsigned>(std::min(common::ceilDiv(plane.height, kRows), kMostBlocks)),
        static_cast<unsigned>(plane.isLoaded ? task.parts : task.parts + 1));
    load<<<grid, dim3(kLanes, kWarps), 0, stream>>>(task, rule);
    CUDA_CHECK(cudaGetLastError());
}

template <typename Source, typename Rule>
void fill(const Problem &problem, const Plane &plane, const Rule &rule, BadCell *bad,
          cudaStream_t stream)
{
    if (plane.bytes == 1) return fill<Source, std::uint8_t>(problem, plane, rule, bad, stream);
    if (plane.bytes == 2) return fill<Source, std::uint16_t>(problem, plane, rule, bad, stream);
    fill<Source, std::uint32_t>(problem, plane, rule, bad, stream);
}

template <typename Source>
void fillFromIntegers(const Problem &problem, const Plane &plane, BadCell *bad, cudaStream_t stream)
{
    if (problem.filter.levels.binned)
        fill<Source>(problem, plane, LevelRule(problem.filter), bad, stream);
    else
        fill<Source>(problem, plane, IntegerRule(problem.filter), bad, stream);
}

} // namespace

void fillPlane(const Problem &problem, const Plane &plane, BadCell *bad, void *stream)
{
    const auto in = static_cast<cudaStream_t>(stream);
    if (!plane.isChecked) checkPlane(problem, plane, bad, stream);
    switch (problem.image.type) {
    case CellType::Uint8: return fillFromIntegers<std::uint8_t>(problem, plane, bad, in);
    case CellType::Bool: // never binned
        return fill<Truth>(problem, plane, IntegerRule(problem.filter), bad, in);
    case CellType::Uint16: return fillFromIntegers<std::uint16_t>(problem, plane, bad, in);
    case CellType::Int16: return fillFromIntegers<std::int16_t>(problem, plane, bad, in);
    case CellType::Float32: return fill<float>(problem, plane, LevelRule(problem.filter), bad, in);
    }
}

#endif

} // namespace local_entropy
