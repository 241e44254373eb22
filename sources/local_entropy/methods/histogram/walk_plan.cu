#include "local_entropy/methods/histogram/walk_plan.h"

#include "local_entropy/error.h"
#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/methods/block_memory.h"
#include "local_entropy/methods/histogram/scale.h"
#include "local_entropy/methods/histogram/walk_widths.h"

#include <algorithm>
#include <cstdint>

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "common/device_array.h"
#include "common/integer.h"
#include "local_entropy/methods/histogram/results_of.h"
#include "local_entropy/methods/histogram/walk_kernels.h"
#include "local_entropy/methods/rows_of_items.h"

#include <optional>
#include <vector>
#endif

namespace local_entropy
{
namespace
{

constexpr int kMostValues = 400; ///< of a plane: a warp's histogram is 50 KiB

/// Kernels that allow for cells that do not count look at their counters.
int countersOf(const Plane &plane)
{
    return plane.values + (plane.bytes > 1 && !plane.missing ? 1 : 0);
}

/// Differences, and what walk::Without says; a histogram for each warp.
BlockMemory memoryOf(int cells, const Plane &plane)
{
    constexpr int kLanes = 32, kWord = sizeof(std::uint32_t);
    constexpr int kWithout = 16;
    const bool tabled = (plane.missing || plane.bytes > 1) && cells <= walk::kMostByteCells;
    return {kWord * (cells + kLanes) + (tabled ? kWithout * (cells + 1) : 0),
            kWord * kLanes * countersOf(plane)};
}

} // namespace

bool canWalk(const Problem &problem)
{
    const Shape &shape = problem.shape;
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble &&
           shape.rectangle && problem.filter.levels.count < kMostValues &&
           walk::isWidth(shape.width, shape.cells) && fitsPlane(problem);
}

int walkSharedBytes(const Problem &problem)
{
    return memoryOf(problem.shape.cells, planeFor(problem, true)).least();
}

double walkCost(const Problem &problem)
{
    // The additions and look-ups of a row are as many as it has columns. With many levels few warps
    // fit a multiprocessor, and waiting shows.
    const bool narrow = problem.shape.cells <= walk::kMostByteCells;
    const double waiting = 0.0012 * std::min(problem.filter.levels.count, 256) / 256;
    return (narrow ? 0.00053 : 0.0008) * problem.shape.width + waiting;
}

#ifdef __CUDACC__

namespace
{

using walk::kLanes;

bool isShort(const Shape &shape)
{
    return shape.cells <= ExactScale::kMostCells && shape.width <= walk::kMostShortWidth;
}

template <typename Cell>
walk::Kernel<Cell> kernelFor(const Shape &shape, bool missing)
{
    if (isShort(shape)) return walk::shortKernel<Cell>(shape.width, missing);
    if (shape.cells <= walk::kMostByteCells) return walk::byteKernel<Cell>(shape.width, missing);
    return walk::wideKernel<Cell>(shape.width, missing);
}

/// F, and what comes after it, for windows of so many cells.
struct Tables
{
    std::vector<std::int64_t> sums;
    std::vector<double> scales;
    double error = 0;      ///< of D; 0: every answer is the nearest float
    double wholeError = 0; ///< the same of windows whose cells all count

    /// allCount: for planes in which no cell is taken away.
    Tables(Base base, const Shape &shape, bool allCount)
    {
        const int cells = shape.cells;
        if (isShort(shape)) {
            ExactScale scale(base, cells);
            sums = std::move(scale.sums);
            scales = std::move(scale.scales);
            return;
        }
        // What the steps from an integer to a float may be off, in units of the sum, which is below
        // 2^44.2, as there are fewer than 400 levels: six roundings of a double.
        constexpr double kRounding = 0x1p-6;
        const SumScale scale =
            allCount ? SumScale::forWhole(base, cells) : SumScale(cells, SumScale::kOneByOne);
        scales = scale.scales(base);
        sums = scale.sums;
        error = scale.error + kRounding;
        wholeError = scale.isExactForWhole ? 0 : scale.wholeError() + kRounding;
    }

    std::vector<std::uint32_t> differences() const
    {
        std::vector<std::uint32_t> all;
        for (std::size_t n = 0; n + 1 < sums.size(); ++n)
            all.push_back(static_cast<std::uint32_t>(sums[n + 1] - sums[n]));
        return all;
    }
};

class WalkPlan : public PlanePlan
{
public:
    explicit WalkPlan(const Problem &problem)
        : cells(problem.shape.cells), ofAny(Tables(problem.filter.base, problem.shape, false)),
          ofWhole(tablesOfWhole(problem)), multiprocessors(multiprocessorsOfGpu()),
          sharedBytes(sharedBytesOfBlock())
    {
    }

    bool leavesUndecided() const override { return ofAny.error > 0; }
    bool clearsUndecided() const override { return true; }
    bool masksCells() const override { return true; }

    void launch(const PlanePart &part, void *stream) const override
    {
        const auto in = static_cast<cudaStream_t>(stream);
        if (part.plane.bytes == 1)
            launchOn<std::uint8_t>(part, in);
        else
            launchOn<std::uint16_t>(part, in);
    }

private:
    static std::optional<Tables> tablesOfWhole(const Problem &problem)
    {
        if (!SumScale::knowsWhole(problem.shape.cells)) return std::nullopt;
        return Tables(problem.filter.base, problem.shape, true);
    }

    /// Tables in the memory of the GPU, and what kernels are told of them.
    struct Placed
    {
        explicit Placed(const Tables &tables)
            : whole(tables.sums.back()), wholeScale(tables.scales.back()), error(tables.error),
              wholeMargin(tables.wholeError * wholeScale),
              differences(upload(tables.differences())), sums(upload(tables.sums)),
              scales(upload(tables.scales))
        {
        }
        template <typename T>
        static common::DeviceArray<T> upload(const std::vector<T> &all)
        {
            return common::upload(all.data(), all.size());
        }

        std::int64_t whole; ///< F(cells)
        double wholeScale, error, wholeMargin;
        common::DeviceArray<std::uint32_t> differences;
        common::DeviceArray<std::int64_t> sums;
        common::DeviceArray<double> scales;
    };

    template <typename Cell>
    void launchOn(const PlanePart &part, cudaStream_t stream) const
    {
        const Plane &plane = part.plane;
        const Shape &shape = part.problem.shape;
        walk::Kernel<Cell> kernel = kernelFor<Cell>(shape, plane.missing);
        const BlockMemory memory = memoryOf(cells, plane);
        if constexpr (sizeof(Cell) == 1) {
            const bool isFew = memory.bytes(walk::kFewWarps + 1) > sharedBytes;
            if (isFew && !isShort(shape) && cells <= walk::kMostByteCells && !plane.missing)
                if (const auto few = walk::kernelOfFewWarps(shape.width); few.run) kernel = few;
        }
        const int warps = memory.warps(sharedBytes, kernel.mostThreads / kLanes);
        walk::Task<Cell> task{};
        task.plane = PlaneView<Cell>(plane);
        task.values = countersOf(plane);
        task.windowWidth = shape.width;
        task.windowHeight = shape.height;
        task.results = walk::resultsOf(part, kernel.windows);
        const Placed &tables = sizeof(Cell) == 1 && !plane.missing && ofWhole ? *ofWhole : ofAny;
        task.results.sums = tables.sums.data();
        task.results.scales = tables.scales.data();
        task.results.error = tables.error;
        task.differences = tables.differences.data();
        task.whole = tables.whole;
        task.wholeScale = tables.wholeScale;
        task.wholeMargin = tables.wholeMargin;
        divide(task, plane, kernel.windows * kLanes, warps);

        const int bytes = memory.bytes(warps);
        const int blocks = std::min(multiprocessors, task.items);
        common::launchBehind(kernel.run, blocks, warps * kLanes, bytes, stream, task);
    }

    /// For so many warps of each multiprocessor, strips of so many columns.
    template <typename Cell>
    void divide(walk::Task<Cell> &task, const Plane &plane, int columns, int warps) const
    {
        const int width = task.results.width;
        const int reach = columns + task.windowWidth - 1;
        const auto isSlow = [&](int strip) {
            const int begin = strip * columns;
            return begin < plane.left || begin + reach > plane.right || begin + columns > width;
        };
        const int most = common::ceilDiv(task.results.height, std::max(task.windowHeight / 2, 4));
        shareItems(task, common::ceilDiv(width, columns), multiprocessors * warps, most, isSlow);
    }

    const int cells;
    const Placed ofAny;
    const std::optional<Placed> ofWhole; ///< if there are others for bytes that all count
    const int multiprocessors, sharedBytes;
};

} // namespace

std::unique_ptr<const PlanePlan> makeWalkPlan(const Problem &problem)
{
    return std::make_unique<WalkPlan>(problem);
}

#else

std::unique_ptr<const PlanePlan> makeWalkPlan(const Problem &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
