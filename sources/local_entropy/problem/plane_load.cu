// What is loaded of a plane (plane.h), in the memory of a GPU, by the kernel of
// plane_load_kernel.h: one for each type of cells and rule for levels.
#include "local_entropy/problem/plane.h"

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "common/integer.h"
#include "local_entropy/problem/levels.h"
#include "local_entropy/problem/plane_bytes.h"
#include "local_entropy/problem/plane_check.h"
#include "local_entropy/problem/plane_load_kernel.h"

#include <algorithm>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

using plane_bytes::arrayOf, plane_bytes::kLanes, plane_bytes::kWarps;
using plane_load::kRows, plane_load::load, plane_load::Loading, plane_load::Truth;

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
    constexpr int kFewBlocks = 2048;   // three times as many as a large GPU has room for at once
    const int across = common::ceilDiv(task.columns[0].count, kLanes * task.kCells);
    // Rows of a warp come one after another, which takes longer than to begin: it has one, if that
    // does not make too many blocks.
    const std::int64_t ofParts = static_cast<std::int64_t>(across) * task.parts;
    const bool areFew = ofParts * common::ceilDiv(plane.height, kWarps) <= kFewBlocks;
    task.rows = areFew ? kWarps : kRows;
    const dim3 grid(
        static_cast<unsigned>(across),
        static_cast<unsigned>(std::min(common::ceilDiv(plane.height, task.rows), kMostBlocks)),
        static_cast<unsigned>(plane.isLoaded ? task.parts : task.parts + 1));
    common::launchKernel(false, load<Source, Cell, Rule>, grid, dim3(kLanes, kWarps), 0, stream,
                         task, rule);
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
