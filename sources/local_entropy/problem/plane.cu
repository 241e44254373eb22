#include "local_entropy/problem/plane.h"

#include "common/integer.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/levels.h"

#ifdef __CUDACC__
#include "common/cuda_check.h"
#endif

#include <algorithm>

namespace local_entropy
{

namespace
{

constexpr int kBoundary = 256;

template <typename T>
T rounded(T size)
{
    return common::ceilDiv(size, static_cast<T>(kBoundary)) * kBoundary;
}

/// Whether a cell of the image may not count, whatever the border.
bool mayMissWithin(const Problem &problem)
{
    const Filter &filter = problem.filter;
    return problem.mask.data || filter.nodata ||
           (problem.image.type == CellType::Float32 && !filter.nanIsError);
}

/// Whether every cell, whatever it is, is a level as it is.
bool allAreLevels(const Problem &problem)
{
    return levelsAreCells(problem.filter, problem.image.type) && !problem.mask.data &&
           problem.filter.levels.count == 1 << (8 * cellBytes(problem.image.type));
}

/// Leaves the middle where it is, if the ends are less than all.
void leaveMiddle(const Problem &problem, Plane &plane)
{
    constexpr int kWords = 8; // bytes that may be read beyond the cells
    const auto x = static_cast<int>(problem.region.x) - problem.shape.left;
    plane.innerBegin = std::max(kWords - x, 0);
    plane.innerEnd = std::min(static_cast<int>(problem.image.width) - kWords - x, plane.width);
    const int strip = kMostStrip + problem.shape.width + kPlaneSlack;
    plane.endColumns = rounded(
        std::max(plane.innerBegin + strip, plane.width + strip - plane.innerEnd + kBoundary));
    if (plane.innerEnd - plane.innerBegin < 2 * plane.endColumns) return;
    plane.isLoaded = false;
    plane.endStride = plane.endColumns;
    plane.size = (2 * static_cast<std::size_t>(plane.endStride) * plane.height +
                  rounded(plane.width + kPlaneSlack)) *
                 plane.bytes;
}

/// The first column of `after`.
int firstAfter(const Plane &plane)
{
    return (plane.width + kPlaneSlack - plane.endColumns + kBoundary - 1) / kBoundary * kBoundary;
}

} // namespace

bool fitsPlane(const Problem &problem)
{
    constexpr std::int64_t kMost = 1 << 30;
    return problem.region.width <= kMost && problem.region.height <= kMost &&
           (!allAreLevels(problem) ||
            (problem.image.width <= kMost && problem.image.height <= kMost));
}

Plane planeFor(const Problem &problem)
{
    const Region &region = problem.region;
    const Shape &shape = problem.shape;
    const int count = problem.filter.levels.count;
    Plane plane;
    plane.missing = mayMissWithin(problem);
    plane.none = static_cast<std::uint32_t>(count);
    plane.values = count + (plane.missing ? 1 : 0);
    plane.bytes = plane.values <= 1 << 8 ? 1 : plane.values <= 1 << 16 ? 2 : 4;
    plane.width = static_cast<int>(region.width) + shape.width - 1;
    plane.height = static_cast<int>(region.height) + shape.height - 1;
    plane.border = problem.filter.border;
    plane.right = plane.width;
    plane.bottom = plane.height;
    if (plane.border == Border::Cut) {
        const std::int64_t x = region.x - shape.left, y = region.y - shape.top;
        const auto within = [](std::int64_t i, int end) {
            return static_cast<int>(std::clamp<std::int64_t>(i, 0, end));
        };
        plane.left = within(-x, plane.width);
        plane.right = within(problem.image.width - x, plane.width);
        plane.top = within(-y, plane.height);
        plane.bottom = within(problem.image.height - y, plane.height);
    }
    if (allAreLevels(problem)) leaveMiddle(problem, plane);
    if (!plane.isLoaded) return plane;
    plane.innerEnd = plane.width;
    plane.loadedStride = rounded(plane.width + kPlaneSlack);
    plane.size = static_cast<std::size_t>(plane.loadedStride) * plane.height * plane.bytes;
    return plane;
}

void placePlane(const Problem &problem, Plane &plane, void *memory)
{
    char *const bytes = static_cast<char *>(memory);
    if (plane.isLoaded) {
        plane.before = plane.middle = plane.after = {bytes, plane.loadedStride, 0, plane.height};
        return;
    }
    const std::size_t ofEnd =
        static_cast<std::size_t>(plane.endStride) * plane.height * plane.bytes;
    plane.before = {bytes, plane.endStride, 0, plane.height};
    plane.after = {bytes + ofEnd - static_cast<std::ptrdiff_t>(firstAfter(plane)) * plane.bytes,
                   plane.endStride, 0, plane.height};
    plane.beyond = bytes + 2 * ofEnd;
    const Image &image = problem.image;
    const std::int64_t x = problem.region.x - problem.shape.left;
    const std::int64_t y = problem.region.y - problem.shape.top;
    plane.middle = {static_cast<const char *>(image.data) + (y * image.stride + x) * plane.bytes,
                    image.stride, static_cast<int>(-y), static_cast<int>(image.height)};
}

#ifdef __CUDACC__

namespace
{

constexpr int kCellsAThread = 4, kThreads = 256;

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
    const Source *image;
    std::int64_t imageWidth, imageHeight, imageStride;
    const std::uint8_t *mask;
    std::int64_t maskStride;
    Border border;
    std::int64_t x, y; ///< of the plane's first cell in the image
    int width, height; ///< of the plane
    Cell none, constant;
    Columns<Cell> columns[2];
    BadCell *bad;
};

/// What every byte is.
template <typename Rule>
struct LevelsOfBytes
{
    std::int32_t *levels; ///< 256, in shared memory

    template <typename Source>
    __device__ std::int32_t operator()(Source cell) const
    {
        if constexpr (sizeof(Source) == 1)
            return levels[reinterpret_cast<const std::uint8_t &>(cell)];
        else
            return 0;
    }
};

template <typename Source, typename Cell, typename Levels>
__device__ Cell loaded(const Loading<Source, Cell> &task, const Levels &levels, std::int64_t x,
                       std::int64_t y)
{
    if (task.mask && !task.mask[y * task.maskStride + x]) return task.none;
    const std::int32_t level = levels(task.image[y * task.imageStride + x]);
    if (level >= 0) return static_cast<Cell>(level);
    if (level == kAbsent) return task.none;
    atomicMin(task.bad, static_cast<BadCell>(y) << kBadCellBits | static_cast<BadCell>(x));
    return 0;
}

/// The cell of column `column`, for row y of the image or what borderIndex() says of it.
template <typename Source, typename Cell, typename Levels>
__device__ Cell loadedByBorder(const Loading<Source, Cell> &task, const Levels &levels, int column,
                               std::int64_t y)
{
    if (column >= task.width) return 0; // slack
    const std::int64_t x = borderIndex(task.border, task.x + column, task.imageWidth);
    if (x == kNoCell || y == kNoCell) return 0;
    if (x == kConstantCell || y == kConstantCell) return task.constant;
    return loaded(task, levels, x, y);
}

/// A thread loads four cells side by side, of rows as far apart as the grid is high.
template <typename Source, typename Cell, typename Levels>
__device__ void loadRows(const Loading<Source, Cell> &task, const Levels &levels)
{
    struct alignas(kCellsAThread * sizeof(Cell)) Cells
    {
        Cell of[kCellsAThread];
    };
    const Columns<Cell> &to = task.columns[blockIdx.z];
    const int offset = (blockIdx.x * kThreads + threadIdx.x) * kCellsAThread;
    if (offset >= to.count) return;
    const int first = to.first + offset;
    const bool inside = task.x + first >= 0 && task.x + first + kCellsAThread <= task.imageWidth &&
                        first + kCellsAThread <= task.width;
    for (int row = blockIdx.y; row < task.height; row += gridDim.y) {
        const std::int64_t y = borderIndex(task.border, task.y + row, task.imageHeight);
        Cells cells;
        if (inside && y >= 0) {
#pragma unroll
            for (int i = 0; i < kCellsAThread; ++i)
                cells.of[i] = loaded(task, levels, task.x + first + i, y);
        } else {
            for (int i = 0; i < kCellsAThread; ++i)
                cells.of[i] = loadedByBorder(task, levels, first + i, y);
        }
        *reinterpret_cast<Cells *>(to.cells + row * to.stride + offset) = cells;
    }
}

template <typename Source, typename Cell, typename Rule>
__global__ void __launch_bounds__(kThreads)
    load(const __grid_constant__ Loading<Source, Cell> task, const __grid_constant__ Rule rule)
{
    if constexpr (sizeof(Source) == 1) {
        static_assert(kThreads == 256);
        __shared__ std::int32_t levels[256];
        const auto byte = static_cast<std::uint8_t>(threadIdx.x);
        levels[threadIdx.x] = rule(reinterpret_cast<const Source &>(byte));
        __syncthreads();
        loadRows(task, LevelsOfBytes<Rule>{levels});
    } else {
        loadRows(task, rule);
    }
}

template <typename Cell>
__global__ void fillRow(Cell *cells, int count, Cell cell)
{
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
        cells[i] = cell;
}

template <typename Source, typename Cell, typename Rule>
void fill(const Problem &problem, const Plane &plane, const Rule &rule, BadCell *bad,
          cudaStream_t stream)
{
    const Image &image = problem.image;
    const std::int32_t constant = constantLevel(problem.filter, image.type);
    Loading<Source, Cell> task{};
    task.image = static_cast<const Source *>(image.data);
    task.imageWidth = image.width;
    task.imageHeight = image.height;
    task.imageStride = image.stride;
    task.mask = problem.mask.data;
    task.maskStride = problem.mask.stride;
    task.border = plane.border;
    task.x = problem.region.x - problem.shape.left;
    task.y = problem.region.y - problem.shape.top;
    task.width = plane.width;
    task.height = plane.height;
    task.none = static_cast<Cell>(plane.none);
    task.constant = constant < 0 ? task.none : static_cast<Cell>(constant);
    task.bad = bad;
    const auto memory = [](const void *cells) {
        return const_cast<Cell *>(static_cast<const Cell *>(cells));
    };
    int columns = static_cast<int>(plane.loadedStride);
    if (plane.isLoaded) {
        task.columns[0] = {memory(plane.middle.cells), 0, columns, plane.loadedStride};
    } else {
        columns = plane.endColumns;
        const int after = firstAfter(plane);
        task.columns[0] = {memory(plane.before.cells), 0, columns, plane.endStride};
        task.columns[1] = {memory(plane.after.cells) + after, after, columns, plane.endStride};
        const bool isConstant = plane.border == Border::Constant;
        fillRow<<<32, kThreads, 0, stream>>>(memory(plane.beyond), plane.width + kPlaneSlack,
                                             isConstant ? task.constant : Cell{0});
        CUDA_CHECK(cudaGetLastError());
    }
    // Of a grid; for the ends, which are narrow, fewer, since a block for each row costs more than
    // the row does.
    const int mostRows = plane.isLoaded ? 65535 : 1024;
    const dim3 grid(static_cast<unsigned>(common::ceilDiv(columns, kThreads * kCellsAThread)),
                    static_cast<unsigned>(std::min(plane.height, mostRows)),
                    plane.isLoaded ? 1 : 2);
    load<<<grid, kThreads, 0, stream>>>(task, rule);
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
