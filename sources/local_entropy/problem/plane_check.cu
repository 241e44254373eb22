// An image is read once, and nothing is written: at the speed of the memory, half the time of
// loading it.
#include "local_entropy/problem/plane_check.h"

#ifdef __CUDACC__
#include "common/cuda_check.h"
#include "common/integer.h"
#include "local_entropy/problem/border.h"
#include "local_entropy/problem/plane_bytes.h"

#include <algorithm>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

using namespace plane_bytes;

/// Cells that are read only to be compared, where an image stays where it is.
template <typename Cell>
struct Checking
{
    Array<Cell> image;
    std::int64_t x, y; ///< of the first one
    std::int64_t width, height;
    std::uint32_t most; ///< the largest level
    BadCell *bad;
};

/// Nothing but reading: a thread compares the words of 16 bytes, four times a row of the grid, and
/// looks closer only where a cell is beyond.
template <typename Cell>
__global__ void __launch_bounds__(kThreads) check(const __grid_constant__ Checking<Cell> task)
{
    constexpr int kCells = kBytes / static_cast<int>(sizeof(Cell));
    const Comparison<Cell> comparison(task.most);
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLanes * kCells;
    for (std::int64_t row = blockIdx.y * kWarps + threadIdx.y; row < task.height;
         row += gridDim.y * kWarps) {
        const Cell *const cells = task.image.cells + (task.y + row) * task.image.stride + task.x;
        for (std::int64_t column =
                 (static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x) * kCells;
             column < task.width; column += step) {
            Bytes<kBytes> words;
            const bool atOnce =
                column + kCells <= task.width && words.canRead(task.image, cells + column);
            if (atOnce) {
                words.read(cells + column);
                if (!comparison.isAnyBeyond(words)) continue;
            }
            for (int i = 0; i < kCells && column + i < task.width; ++i)
                if (cells[column + i] > task.most)
                    atomicMin(task.bad, static_cast<BadCell>(task.y + row) << kBadCellBits |
                                            static_cast<BadCell>(task.x + column + i));
        }
    }
}

/// Rows begin ... end - 1 of an image.
struct Rows
{
    std::int64_t begin, end;

    bool holds(const Rows &others) const { return others.begin >= begin && others.end <= end; }
};

/// What rows beyond the edge stand for: rows side by side.
Rows rowsOf(Border border, const Rows &beyond, std::int64_t height)
{
    Rows rows{height, 0};
    for (std::int64_t y = beyond.begin; y < beyond.end; ++y) {
        const std::int64_t there = borderIndex(border, y, height);
        if (there < 0) continue;
        rows = {std::min(rows.begin, there), std::max(rows.end, there + 1)};
    }
    return rows;
}

template <typename Cell>
void checkRows(Checking<Cell> task, const Rows &rows, cudaStream_t stream)
{
    task.y = rows.begin;
    task.height = rows.end - rows.begin;
    constexpr std::int64_t kMostBlocks = 65535; // of a column of the grid
    const auto across = common::ceilDiv<std::int64_t>(task.width, kLanes * kBytes / sizeof(Cell));
    const dim3 grid(static_cast<unsigned>(common::ceilDiv<std::int64_t>(across, 4)),
                    static_cast<unsigned>(
                        std::min(common::ceilDiv<std::int64_t>(task.height, kWarps), kMostBlocks)));
    check<<<grid, dim3(kLanes, kWarps), 0, stream>>>(task);
    CUDA_CHECK(cudaGetLastError());
}

template <typename Cell>
void checkImage(const Problem &problem, const Plane &plane, BadCell *bad, cudaStream_t stream)
{
    const Image &image = problem.image;
    const auto clamped = [](std::int64_t i, std::int64_t end) {
        return std::clamp<std::int64_t>(i, 0, end);
    };
    Checking<Cell> task{};
    task.image = arrayOf<Cell>(image.data, image.width, image.height, image.stride);
    const std::int64_t x = problem.region.x - problem.shape.left;
    const std::int64_t y = problem.region.y - problem.shape.top;
    task.x = clamped(x, image.width);
    task.width = clamped(x + plane.width, image.width) - task.x;
    task.most = static_cast<std::uint32_t>(problem.filter.levels.count - 1);
    task.bad = bad;
    const std::int64_t bottom = y + plane.height;
    const Rows inner{clamped(y, image.height), clamped(bottom, image.height)};
    checkRows(task, inner, stream);
    // Rows elsewhere in the image that the border takes for those beyond its edge.
    for (const Rows &beyond : {Rows{y, 0}, Rows{image.height, bottom}}) {
        const Rows there = rowsOf(plane.border, beyond, image.height);
        if (there.begin < there.end && !inner.holds(there)) checkRows(task, there, stream);
    }
}

} // namespace

void checkPlane(const Problem &problem, const Plane &plane, BadCell *bad, void *stream)
{
    const auto in = static_cast<cudaStream_t>(stream);
    if (plane.bytes == 1)
        checkImage<std::uint8_t>(problem, plane, bad, in);
    else
        checkImage<std::uint16_t>(problem, plane, bad, in);
}

#endif

} // namespace local_entropy
