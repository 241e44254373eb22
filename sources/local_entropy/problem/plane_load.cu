// What is loaded of a plane (plane.h), in the memory of a GPU: 16 bytes of the image a thread and
// row, whatever address they lie at. Two aligned reads hold them; shifts bring them out. Threads
// whose cells are not all cells of the image, or near the ends of its memory, go cell by cell, with
// a table of where the border has each column, which is the same for all rows.
#include "local_entropy/problem/plane.h"

#include "common/integer.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/levels.h"

#ifdef __CUDACC__
#include "common/cuda_check.h"

#include <algorithm>
#include <cstring>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

constexpr int kLanes = 32, kWarps = 8, kThreads = kLanes * kWarps;
constexpr int kRows = 4 * kWarps; ///< of a block: a warp has a row at a time
constexpr int kBytes = 16;        ///< of the image that a thread reads at once

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

/// Cells as far apart as they are in memory, which must not be read beyond its ends.
template <typename T>
struct Array
{
    const T *cells, *end;
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
    Columns<Cell> columns[2];
    int parts;              ///< of `columns`
    Cell *beyond, ofBeyond; ///< a row of so many equal cells
    int cellsOfBeyond;
    BadCell *bad;
};

/// kSize bytes from any address.
template <int kSize>
struct Bytes
{
    static constexpr int kWords = kSize / 4;
    std::uint32_t words[2 * kWords];

    /// Whether read() keeps to the array.
    template <typename T>
    __device__ static bool canRead(const Array<T> &array, const T *from)
    {
        const auto aligned = reinterpret_cast<std::uintptr_t>(from) / kSize * kSize;
        return aligned >= reinterpret_cast<std::uintptr_t>(array.cells) &&
               aligned + 2 * kSize <= reinterpret_cast<std::uintptr_t>(array.end);
    }

    __device__ void read(const void *from)
    {
        struct alignas(kSize) Aligned
        {
            std::uint32_t words[kWords];
        };
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto offset = static_cast<unsigned>(address % kSize);
        const auto *aligned = reinterpret_cast<const Aligned *>(address - offset);
        const Aligned first = aligned[0], second = offset ? aligned[1] : first;
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            words[i] = first.words[i];
            words[kWords + i] = second.words[i];
        }
        // A shift by 8 bytes, by 4, by the rest: registers have no index.
#pragma unroll
        for (int step = kWords / 2; step > 0; step /= 2)
#pragma unroll
            for (int i = 0; i + step < 2 * kWords; ++i)
                words[i] = offset & (4 * step) ? words[i + step] : words[i];
#pragma unroll
        for (int i = 0; i < kWords; ++i)
            words[i] = __funnelshift_r(words[i], words[i + 1], offset % 4 * 8);
    }

    template <typename T>
    __device__ T at(int i) const
    {
        const std::uint32_t bits =
            words[i * sizeof(T) / 4] >> (i * static_cast<int>(sizeof(T)) % 4 * 8);
        T cell;
        std::memcpy(&cell, &bits, sizeof cell);
        return cell;
    }
};

/// What every byte is.
struct LevelsOfBytes
{
    const std::int32_t *levels; ///< 256, in shared memory

    template <typename Source>
    __device__ std::int32_t operator()(Source cell) const
    {
        std::uint8_t byte = 0;
        if constexpr (sizeof(Source) == 1) std::memcpy(&byte, &cell, 1);
        return levels[byte];
    }
};

template <typename Source, typename Cell, typename Levels>
__device__ Cell loaded(const Loading<Source, Cell> &task, const Levels &levels, std::int64_t x,
                       std::int64_t y)
{
    if (task.mask.cells && !task.mask.cells[y * task.mask.stride + x]) return task.none;
    const std::int32_t level = levels(task.image.cells[y * task.image.stride + x]);
    if (level >= 0) return static_cast<Cell>(level);
    if (level == kAbsent) return task.none;
    atomicMin(task.bad, static_cast<BadCell>(y) << kBadCellBits | static_cast<BadCell>(x));
    return 0;
}

/// A thread's cells of a row; `x` is the first one's in the image, where all of them are. False,
/// and nothing written, if they must be loaded one by one.
template <typename Source, typename Cell, typename Levels>
__device__ bool loadAtOnce(const Loading<Source, Cell> &task, const Levels &levels, std::int64_t x,
                           std::int64_t y, Cell *to)
{
    constexpr int kCells = Loading<Source, Cell>::kCells;
    constexpr std::size_t kSize = kCells * sizeof(Cell);
    struct alignas(kSize < 16 ? kSize : 16) Cells
    {
        Cell of[kCells];
    };
    const Source *from = task.image.cells + y * task.image.stride + x;
    if (!Bytes<kBytes>::canRead(task.image, from)) return false;
    Bytes<kCells> mask;
    if (task.mask.cells) {
        const std::uint8_t *const counts = task.mask.cells + y * task.mask.stride + x;
        if (!mask.canRead(task.mask, counts)) return false;
        mask.read(counts);
    }
    Bytes<kBytes> image;
    image.read(from);
    Cells cells;
    std::int32_t least = 0;
#pragma unroll
    for (int i = 0; i < kCells; ++i) {
        std::int32_t level = levels(image.template at<Source>(i));
        if (task.mask.cells && !mask.template at<std::uint8_t>(i)) level = kAbsent;
        least = min(least, level);
        cells.of[i] = level < 0 ? task.none : static_cast<Cell>(level);
    }
    static_assert(kBadLevel < kAbsent && kAbsent < 0);
    if (least == kBadLevel) return false; // it will be told where
    *reinterpret_cast<Cells *>(to) = cells;
    return true;
}

/// Rows of the block's columns. columnOf: room for where the border has each of them.
template <typename Source, typename Cell, typename Levels>
__device__ void loadRows(const Loading<Source, Cell> &task, const Levels &levels,
                         std::int64_t *columnOf)
{
    constexpr int kCells = Loading<Source, Cell>::kCells, kColumns = kLanes * kCells;
    constexpr std::int64_t kSlack = kNoCell;
    const Columns<Cell> &to = task.columns[blockIdx.z];
    const int offset = (blockIdx.x * kLanes + threadIdx.x) * kCells;
    const int ofBlock = to.first + blockIdx.x * kColumns;
    const auto isInside = [&task](int first, int count) {
        return task.x + first >= 0 && task.x + first + count <= task.imageWidth &&
               first + count <= task.width;
    };
    for (int i = threadIdx.y * kLanes + threadIdx.x; i < kColumns; i += kThreads) {
        const int column = ofBlock + i;
        columnOf[i] = column < task.width
                          ? borderIndex(task.border, task.x + column, task.imageWidth)
                          : kSlack;
    }
    __syncthreads();
    if (offset >= to.count) return;
    const bool inside = isInside(to.first + offset, kCells);
    for (int block = blockIdx.y; block * kRows < task.height; block += gridDim.y)
        for (int row = block * kRows + threadIdx.y; row < min((block + 1) * kRows, task.height);
             row += kWarps) {
            const std::int64_t y = borderIndex(task.border, task.y + row, task.imageHeight);
            Cell *const cells = to.cells + row * to.stride + offset;
            if (inside && y >= 0 && loadAtOnce(task, levels, task.x + to.first + offset, y, cells))
                continue;
            for (int i = 0; i < kCells; ++i) {
                const std::int64_t x = columnOf[threadIdx.x * kCells + i];
                const bool isConstant = x == kConstantCell || (y == kConstantCell && x != kSlack);
                cells[i] = x >= 0 && y >= 0 ? loaded(task, levels, x, y)
                           : isConstant     ? task.constant
                                            : Cell{0};
            }
        }
}

template <typename Source, typename Cell, typename Rule>
__global__ void __launch_bounds__(kThreads)
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
        __shared__ std::int32_t levels[256];
        const auto byte = static_cast<std::uint8_t>(thread);
        Source cell;
        std::memcpy(&cell, &byte, 1);
        levels[thread] = rule(cell);
        __syncthreads();
        loadRows(task, LevelsOfBytes{levels}, columnOf);
    } else {
        loadRows(task, rule, columnOf);
    }
}

template <typename T>
Array<T> arrayOf(const void *data, std::int64_t width, std::int64_t height, std::int64_t stride)
{
    const T *const cells = static_cast<const T *>(data);
    return {cells, cells ? cells + (height - 1) * stride + width : nullptr, stride};
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
    switch (problem.image.type) {
    case CellType::Uint8: return fillFromIntegers<std::uint8_t>(problem, plane, bad, in);
    case CellType::Bool: return fillFromIntegers<Truth>(problem, plane, bad, in);
    case CellType::Uint16: return fillFromIntegers<std::uint16_t>(problem, plane, bad, in);
    case CellType::Int16: return fillFromIntegers<std::int16_t>(problem, plane, bad, in);
    case CellType::Float32: return fill<float>(problem, plane, LevelRule(problem.filter), bad, in);
    }
}

#endif

} // namespace local_entropy
