#include "local_entropy/methods/histogram/foot_plan.h"

#include "local_entropy/error.h"
#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/methods/block_memory.h"
#include "local_entropy/methods/histogram/foot_changes.h"

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "common/device_array.h"
#include "common/integer.h"
#include "local_entropy/methods/histogram/foot_kernel.h"
#include "local_entropy/methods/histogram/foot_kernels.h"
#include "local_entropy/methods/histogram/foot_table.h"
#include "local_entropy/methods/histogram/results_of.h"
#include "local_entropy/methods/histogram/scale.h"

#include <algorithm>
#include <iterator>
#include <vector>
#endif

#include <cstdint>

namespace local_entropy
{
namespace
{

constexpr int kMostValues = 4096; ///< of a plane

/// Tables; a histogram for each warp, or for some that share it.
BlockMemory memoryOf(int cells, int pieces, int values)
{
    constexpr int kLanes = 32, kWord = sizeof(std::uint32_t);
    return {kWord * footprint::TableWords(cells, pieces).all(), kWord * kLanes * values};
}

} // namespace

bool canWalkFootprint(const Problem &problem)
{
    const Shape &shape = problem.shape;
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble &&
           !shape.rectangle && problem.filter.levels.count < kMostValues && fitsPlane(problem);
}

int footprintSharedBytes(const Problem &problem)
{
    const int cells = problem.shape.cells, pieces = 3 * cells; // at most
    return memoryOf(cells, pieces, planeFor(problem).values).least();
}

double footprintCost(const Problem &problem)
{
    const Shape &shape = problem.shape;
    // About as measured on an H200, of earlier kernels: nothing but `plain` can do the same, so it
    // is exact enough for a choice. Disks of radius 5 take a fifth longer.
    const double perCell = shape.cells <= footprint::kMostByteCells ? 0.00042 : 0.00052;
    const int radius = footprint::diskRadius(shape);
    const bool isDisk = radius > 0 && radius <= footprint::kMostDisk;
    constexpr double kTable = 3.7; // times as long
    return 2 * perCell * footprint::leavingCells(shape) * (isDisk ? 1 : kTable);
}

#ifdef __CUDACC__

namespace
{

using footprint::Kernel;
using footprint::Task;
using walk::kLanes;

/// Two warps share a histogram.
template <typename Cell, int kBits>
Kernel<Cell> anyFootprint(bool missing)
{
    using In = footprint::Counters<kBits, 16 / kBits>;
    using Inner = footprint::TableSteps<Cell, In>;
    using Any = footprint::AnyTableSteps<Cell, In>;
    return {missing ? footprint::footprint<Cell, In, Inner, Inner, Any, true>
                    : footprint::footprint<Cell, In, Inner, Inner, Any, false>,
            In::kWindows, In::kSharing};
}

class FootprintPlan : public PlanePlan
{
public:
    explicit FootprintPlan(const Problem &problem)
        : FootprintPlan(problem, SumScale(problem.shape.cells))
    {
    }

    bool leavesUndecided() const override { return true; }

    void launch(const PlanePart &part, void *stream) const override
    {
        const auto in = static_cast<cudaStream_t>(stream);
        if (part.plane.bytes == 1)
            launchOn<std::uint8_t>(part, in);
        else
            launchOn<std::uint16_t>(part, in);
    }

private:
    FootprintPlan(const Problem &problem, const SumScale &scale)
        : FootprintPlan(problem, footprint::piecesOf(problem.shape), scale,
                        scale.scales(problem.filter.base))
    {
    }
    FootprintPlan(const Problem &problem, const footprint::Pieces &ends, const SumScale &scale,
                  const std::vector<double> &perCells)
        : cells(problem.shape.cells), diskRadius(footprint::diskRadius(problem.shape)), ends(ends),
          allScale(perCells[cells]),
          margin(marginOf({cells, problem.filter.levels.count, problem.filter.base}, scale.sums,
                          allScale, scale.wholeError(), kRounding)),
          total(scale.sums[cells]), pieces(uploaded(ends.pieces)),
          cellsBefore(uploaded(footprint::cellsBefore(problem.shape))),
          differences(uploaded(differencesOf(scale.sums))), sums(uploaded(scale.sums)),
          scales(uploaded(perCells)), errors(uploaded(errorsOf(scale, margin))),
          multiprocessors(multiprocessorsOfGpu()), mostSharedBytes(sharedBytesOfBlock())
    {
    }

    /// What the steps from an integer to a float may be off, in units of the sum, which is below
    /// 2^41 for as many cells as have a table in shared memory: six roundings of a double.
    static constexpr double kRounding = 0x1p-7;

    /// Of D of n cells; behind them, what it is of all cells where margin.below holds.
    static std::vector<double> errorsOf(const SumScale &scale, const Margin &margin)
    {
        std::vector<double> errors = scale.errors;
        for (double &error : errors) error += kRounding;
        errors.push_back(margin.below);
        return errors;
    }

    template <typename T>
    static common::DeviceArray<T> uploaded(const std::vector<T> &all)
    {
        return common::upload(all.data(), all.size());
    }

    /// The fastest for that plane.
    template <typename Cell>
    Kernel<Cell> chosen(const Plane &plane) const
    {
        if constexpr (sizeof(Cell) == 1)
            if (diskRadius)
                if (const Kernel<Cell> own = footprint::disk(diskRadius, plane.missing); own.call)
                    return own;
        return cells <= footprint::kMostByteCells ? anyFootprint<Cell, 8>(plane.missing)
                                                  : anyFootprint<Cell, 16>(plane.missing);
    }

    template <typename Cell>
    void launchOn(const PlanePart &part, cudaStream_t stream) const
    {
        const Plane &plane = part.plane;
        const Kernel<Cell> own = chosen<Cell>(plane);
        const BlockMemory memory =
            memoryOf(cells, static_cast<int>(ends.pieces.size()), plane.values);
        const int histograms = memory.warps(mostSharedBytes, footprint::kMostHistograms);

        Task<Cell> task = taskOf<Cell>(part);
        divide(task, plane, own.windows * kLanes);
        const int bytes = memory.bytes(histograms);
        const std::int64_t rows = std::int64_t(task.strips) * task.results.height;
        const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(multiprocessors, rows));
        common::launchBehind(own.call, blocks, histograms * own.sharing * kLanes, bytes, stream,
                             task);
    }

    template <typename Cell>
    Task<Cell> taskOf(const PlanePart &part) const
    {
        Task<Cell> task{};
        task.plane = PlaneView<Cell>(part.plane);
        task.values = part.plane.values;
        task.windowWidth = part.problem.shape.width;
        task.windowHeight = part.problem.shape.height;
        task.pieces = pieces.data();
        std::copy(std::begin(ends.ends), std::end(ends.ends), task.pieceEnds);
        task.cellsBefore = cellsBefore.data();
        task.differences = differences.data();
        task.total = total;
        task.scale = allScale;
        task.margin = margin.times(allScale);
        task.limit = static_cast<std::int64_t>(margin.limit);
        task.one = 1;
        constexpr int kAtATime = 4; // results, at most
        task.results = walk::resultsOf(part, kAtATime);
        task.results.sums = sums.data();
        task.results.scales = scales.data();
        task.errors = errors.data(); // results.error: of each window
        return task;
    }

    /// Into strips, and those at the edges.
    template <typename Cell>
    void divide(Task<Cell> &task, const Plane &plane, int columns) const
    {
        const int width = task.results.width, reach = columns + task.windowWidth - 1;
        task.strips = common::ceilDiv(width, columns);
        const auto isEdge = [&](int strip) {
            const int left = strip * columns;
            const bool isInner = left >= plane.innerBegin && left + reach <= plane.innerEnd;
            return !isInner || left < plane.left || left + reach > plane.right;
        };
        int before = 0, behind = 0;
        while (before < task.strips && isEdge(before)) ++before;
        while (before + behind < task.strips && isEdge(task.strips - 1 - behind)) ++behind;
        task.edgesBefore = before;
        task.edges = before + behind;
    }

    const int cells, diskRadius;
    const footprint::Pieces ends;
    const double allScale;
    const Margin margin; ///< of whole windows
    const std::int64_t total;
    const common::DeviceArray<footprint::Piece> pieces;
    const common::DeviceArray<std::int32_t> cellsBefore, differences;
    const common::DeviceArray<std::int64_t> sums;
    const common::DeviceArray<double> scales, errors;
    const int multiprocessors, mostSharedBytes;
};

} // namespace

std::unique_ptr<const PlanePlan> makeFootprintPlan(const Problem &problem)
{
    return std::make_unique<FootprintPlan>(problem);
}

#else

std::unique_ptr<const PlanePlan> makeFootprintPlan(const Problem &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
