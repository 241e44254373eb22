#include "local_entropy/problem/plane.h"

#include "common/integer.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/levels.h"

#ifdef __CUDACC__
#include "common/cuda_check.h"

#include <algorithm>
#endif

namespace local_entropy
{

Plane planeFor(const Problem &problem)
{
    constexpr std::int64_t kBoundary = 256;
    const int count = problem.filter.levels.count;
    Plane plane;
    plane.missing = problem.mayMiss;
    plane.none = static_cast<std::uint32_t>(count);
    plane.values = count + (plane.missing ? 1 : 0);
    plane.bytes = plane.values <= 1 << 8 ? 1 : plane.values <= 1 << 16 ? 2 : 4;
    plane.width = problem.region.width + problem.shape.width - 1;
    plane.height = problem.region.height + problem.shape.height - 1;
    plane.stride = common::ceilDiv(plane.width + kPlaneSlack, kBoundary) * kBoundary;
    return plane;
}

#ifdef __CUDACC__

namespace
{

constexpr int kCellsAThread = 4, kThreads = 256;

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
    Cell *cells;
    std::int64_t width, height, stride;
    Cell none, constant; ///< the values of cells that do not count, and of those beyond the edge
    BadCell *bad;
};

/// A bool of anybody's: all bytes but 0 are true.
struct Truth
{
    std::uint8_t byte;
    HOST_DEVICE operator std::int32_t() const { return byte != 0; }
};

template <typename Source, typename Cell, typename Rule>
__device__ Cell loaded(const Loading<Source, Cell> &task, const Rule &rule, std::int64_t x,
                       std::int64_t y)
{
    if (task.mask && !task.mask[y * task.maskStride + x]) return task.none;
    const std::int32_t level = rule(task.image[y * task.imageStride + x]);
    if (level >= 0) return static_cast<Cell>(level);
    if (level == kAbsent) return task.none;
    atomicMin(task.bad, static_cast<BadCell>(y) << kBadCellBits | static_cast<BadCell>(x));
    return 0;
}

/// A thread loads four cells side by side, of rows as far apart as the grid is high.
template <typename Source, typename Cell, typename Rule>
__global__ void __launch_bounds__(kThreads)
    load(const __grid_constant__ Loading<Source, Cell> task, const __grid_constant__ Rule rule)
{
    struct alignas(kCellsAThread * sizeof(Cell)) Cells
    {
        Cell of[kCellsAThread];
    };
    const std::int64_t first =
        (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kCellsAThread;
    if (first >= task.stride) return;
    for (std::int64_t row = blockIdx.y; row < task.height; row += gridDim.y) {
        const std::int64_t y = borderIndex(task.border, task.y + row, task.imageHeight);
        Cells cells;
        for (int i = 0; i < kCellsAThread; ++i) {
            const std::int64_t column = first + i;
            const std::int64_t x = borderIndex(task.border, task.x + column, task.imageWidth);
            if (column >= task.width)
                cells.of[i] = 0; // slack
            else if (x == kNoCell || y == kNoCell)
                cells.of[i] = task.none;
            else if (x == kConstantCell || y == kConstantCell)
                cells.of[i] = task.constant;
            else
                cells.of[i] = loaded(task, rule, x, y);
        }
        *reinterpret_cast<Cells *>(task.cells + row * task.stride + first) = cells;
    }
}

template <typename Source, typename Cell, typename Rule>
void fill(const Problem &problem, const Plane &plane, const Rule &rule, BadCell *bad,
          cudaStream_t stream)
{
    const Image &image = problem.image;
    const std::int32_t constant = constantLevel(problem.filter, image.type);
    const auto none = static_cast<Cell>(plane.none);
    const Loading<Source, Cell> task{static_cast<const Source *>(image.data),
                                     image.width,
                                     image.height,
                                     image.stride,
                                     problem.mask.data,
                                     problem.mask.stride,
                                     problem.filter.border,
                                     problem.region.x - problem.shape.left,
                                     problem.region.y - problem.shape.top,
                                     static_cast<Cell *>(plane.cells),
                                     plane.width,
                                     plane.height,
                                     plane.stride,
                                     none,
                                     constant < 0 ? none : static_cast<Cell>(constant),
                                     bad};
    constexpr std::int64_t kMostRows = 65535; // of a grid
    const dim3 grid(static_cast<unsigned>(
                        common::ceilDiv<std::int64_t>(plane.stride, kThreads * kCellsAThread)),
                    static_cast<unsigned>(std::min(plane.height, kMostRows)));
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
