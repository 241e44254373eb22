// An image is read once, and nothing is written.
#include "local_entropy/problem/plane_check.h"

#ifdef __CUDACC__
#include "common/dependent_launch.h"
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

constexpr int kRowsAtOnce = 8; ///< of each, a thread has 16 bytes on their way from memory
constexpr int kBlocks = 4;     ///< of a multiprocessor, at least: leaves registers for all of them

/// Cells that are read only to be compared, where an image stays where it is. A warp's item is a
/// piece of kLanes chunks, aligned 16 bytes each, of kRowsAtOnce rows.
template <typename Cell>
struct Checking
{
    Array<Cell> image;
    std::int64_t x, y; ///< of the first one
    std::int64_t width, height;
    std::int64_t chunks; ///< of a row, at most
    std::int64_t pieces; ///< of a row
    std::int64_t items;
    std::uint32_t most; ///< the largest level
    BadCell *bad;
};

/// A row's cells, and one of the chunks that hold them: the first and the last chunk of a row may
/// have bytes that are not the row's.
template <typename Cell>
struct Chunk
{
    const Cell *row;  ///< its first cell
    const Cell *end;  ///< behind its last one
    const Cell *from; ///< of the chunk

    __device__ Chunk(const Checking<Cell> &task, std::int64_t y, std::int64_t number)
        : row(task.image.cells + (task.y + y) * task.image.stride + task.x), end(row + task.width),
          from(reinterpret_cast<const Cell *>(reinterpret_cast<std::uintptr_t>(row) / kBytes *
                                              kBytes) +
               number * kCells)
    {
    }

    __device__ bool isOfRow() const { return from < end; }
    /// Whether all of it is memory of the image, the row's or not.
    __device__ bool canRead(const Array<Cell> &image) const
    {
        return from >= image.cells && from + kCells <= image.end;
    }

    static constexpr int kCells = kBytes / static_cast<int>(sizeof(Cell));
};

/// Whether the chunks of this number, of kRowsAtOnce rows from y on, can all be read and hold only
/// levels, also beside the rows. All of them are on their way at once.
template <typename Cell>
__device__ bool areClean(const Checking<Cell> &task, std::int64_t y, std::int64_t number)
{
    const auto last =
        static_cast<int>(min(task.height - y, static_cast<std::int64_t>(kRowsAtOnce))) - 1;
    if (!Chunk<Cell>(task, y, number).canRead(task.image) ||
        !Chunk<Cell>(task, y + last, number).canRead(task.image))
        return false;
    uint4 read[kRowsAtOnce];
#pragma unroll
    for (int i = 0; i < kRowsAtOnce; ++i) { // the last one again, where there are fewer
        const Chunk<Cell> chunk(task, y + min(i, last), number);
        read[i] = __ldg(reinterpret_cast<const uint4 *>(chunk.from));
    }
    const Comparison<Cell> comparison(task.most);
    bool isAnyBeyond = false;
#pragma unroll
    for (int i = 0; i < kRowsAtOnce; ++i)
        isAnyBeyond |= comparison.isAnyBeyond({{read[i].x, read[i].y, read[i].z, read[i].w}});
    return !isAnyBeyond;
}

/// Looks at the row's cells in a chunk, one by one. Whether one of them is no level.
template <typename Cell>
__device__ bool tellBadCell(const Checking<Cell> &task, std::int64_t y, const Chunk<Cell> &chunk)
{
    const Cell *const begin = chunk.from < chunk.row ? chunk.row : chunk.from;
    for (const Cell *cell = begin; cell < chunk.from + chunk.kCells && cell < chunk.end; ++cell)
        if (*cell > task.most) { // the others of this row are behind it
            const BadCell x = static_cast<BadCell>(task.x + (cell - chunk.row));
            atomicMin(task.bad, static_cast<BadCell>(task.y + y) << kBadCellBits | x);
            return true;
        }
    return false;
}

/// The same chunks, one after the other, until one has a bad cell: those below come after it.
template <typename Cell>
__device__ __noinline__ void lookCloser(const Checking<Cell> &task, std::int64_t y,
                                        std::int64_t number)
{
    const std::int64_t end = y + kRowsAtOnce < task.height ? y + kRowsAtOnce : task.height;
    for (; y < end; ++y) {
        const Chunk<Cell> chunk(task, y, number);
        if (chunk.isOfRow() && tellBadCell(task, y, chunk)) return;
    }
}

/// Nothing but reading: a thread looks closer only where something is no level, and at the first
/// and the last bytes of the image.
template <typename Cell>
__global__ void __launch_bounds__(kThreads, kBlocks)
    check(const __grid_constant__ Checking<Cell> task)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
    for (std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.y;
         item < task.items; item += step) {
        const std::int64_t y = item / task.pieces * kRowsAtOnce;
        const std::int64_t number = item % task.pieces * kLanes + threadIdx.x; // of the chunk
        if (number < task.chunks && !areClean(task, y, number)) lookCloser(task, y, number);
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
    constexpr std::int64_t kMostBlocks = 1 << 20; // enough for every GPU; they take more items
    const std::int64_t bytes = task.width * sizeof(Cell), apart = task.image.stride * sizeof(Cell);
    const auto first = reinterpret_cast<std::uintptr_t>(task.image.cells + task.x);
    // Of the first chunk, before the row: in all rows the same, or at most.
    const std::int64_t before = apart % kBytes ? kBytes - sizeof(Cell) : first % kBytes;
    task.chunks = common::ceilDiv<std::int64_t>(before + bytes, kBytes);
    task.pieces = common::ceilDiv<std::int64_t>(task.chunks, kLanes);
    task.items = task.pieces * common::ceilDiv<std::int64_t>(task.height, kRowsAtOnce);
    const auto blocks = std::min(common::ceilDiv<std::int64_t>(task.items, kWarps), kMostBlocks);
    common::launchKernel(false, check<Cell>, static_cast<unsigned>(blocks), dim3(kLanes, kWarps), 0,
                         stream, task);
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
