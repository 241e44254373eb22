#include "local_entropy/methods/histogram/wide_plan.h"

#include "local_entropy/error.h"
#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/methods/block_memory.h"

#include <algorithm>

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "common/device_array.h"
#include "common/integer.h"
#include "local_entropy/methods/histogram/scale.h"
#include "local_entropy/methods/histogram/wide_walk.h"
#include "local_entropy/methods/rows_of_items.h"

#include <cstdint>
#include <vector>
#endif

namespace local_entropy
{
namespace
{

constexpr int kMostByteCells = 255; ///< of windows whose counters are bytes
constexpr int kMostWidth = 61, kMostCells = 4096;
constexpr int kMostValues = 50000; ///< of a plane: a warp's histogram is 200 KB

} // namespace

bool canWalkWide(const Problem &problem)
{
    const Shape &shape = problem.shape;
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble &&
           shape.rectangle && shape.width <= kMostWidth && shape.cells <= kMostCells &&
           problem.filter.levels.count < kMostValues && fitsPlane(problem);
}

double wideCost(const Problem &problem)
{
    const bool bytes = problem.shape.cells <= kMostByteCells;
    const bool isBroad = problem.shape.width + (bytes ? 3 : 1) > 32; // more cells than lanes
    const double levels = std::max(problem.filter.levels.count / 4096.0, 1.0);
    return levels * (bytes ? 0.05 : 0.1) * (isBroad ? 1.8 : 1);
}

#ifdef __CUDACC__

namespace
{

using wide::kLanes;

template <typename Cell>
using Kernel = void (*)(wide::Task<Cell>);

template <typename Cell, int kBits>
Kernel<Cell> choose(int width)
{
    return width + 32 / kBits - 1 <= kLanes ? wide::walk<Cell, kBits, 1>
                                            : wide::walk<Cell, kBits, 2>;
}

int tableWords(int cells) { return common::ceilDiv(cells + wide::kZeros, kLanes) * kLanes; }

/// Zeros and differences; a histogram for each warp.
BlockMemory memoryOf(int cells, int values)
{
    constexpr int kWord = sizeof(std::uint32_t);
    return {kWord * tableWords(cells), kWord * values};
}

/// Counters of a histogram. What is no level, in an image that stays where it is, counts as the
/// highest.
int valuesOf(const Problem &problem, const Plane &plane)
{
    return plane.isLoaded ? plane.values : problem.filter.levels.count;
}

class WidePlan : public PlanePlan
{
public:
    explicit WidePlan(const Problem &problem) : WidePlan(problem, SumScale(problem.shape.cells)) {}

    bool leavesUndecided() const override { return true; }
    bool masksCells() const override { return true; }
    bool checksCells() const override { return true; }

    void launch(const PlanePart &part, void *stream) const override
    {
        const auto in = static_cast<cudaStream_t>(stream);
        if (part.plane.bytes == 1)
            launchOn<std::uint8_t>(part, in);
        else
            launchOn<std::uint16_t>(part, in);
    }

private:
    WidePlan(const Problem &problem, const SumScale &scale)
        : cells(problem.shape.cells), error(scale.error + kRounding),
          differences(common::upload(differencesOf(scale.sums).data(), cells)),
          sums(common::upload(scale.sums.data(), scale.sums.size())),
          scales(common::upload(scale.scales(problem.filter.base).data(), scale.sums.size())),
          margin(marginOf({cells, problem.filter.levels.count, problem.filter.base}, scale.sums,
                          scale.scales(problem.filter.base)[cells], scale.wholeError(), kRounding)),
          multiprocessors(multiprocessorsOfGpu()), sharedBytes(sharedBytesOfBlock())
    {
    }

    /// What the steps from an integer to a float may be off, in units of the sum, which is below
    /// 2^42: three roundings of a double.
    static constexpr double kRounding = 0x1p-7;

    template <typename Cell>
    void launchOn(const PlanePart &part, cudaStream_t stream) const
    {
        const Plane &plane = part.plane;
        const Result &result = part.problem.result;
        const Shape &shape = part.problem.shape;
        const bool areBytes = cells <= kMostByteCells;
        const Kernel<Cell> kernel =
            areBytes ? choose<Cell, 8>(shape.width) : choose<Cell, 16>(shape.width);

        wide::Task<Cell> task{};
        task.plane = PlaneView<Cell>(plane);
        task.planeWidth = plane.width;
        task.values = valuesOf(part.problem, plane);
        task.imageX = static_cast<int>(part.problem.region.x) - shape.left;
        task.bad = part.bad;
        task.windowWidth = shape.width;
        task.windowHeight = shape.height;
        task.result = static_cast<float *>(result.data);
        task.width = static_cast<int>(result.width);
        task.height = static_cast<int>(result.height);
        task.resultStride = result.stride;
        task.differences = differences.data();
        task.sums = sums.data();
        task.scales = scales.data();
        task.windowCells = cells;
        task.error = error;
        task.margin = margin;
        task.empty = static_cast<float>(part.problem.filter.empty);
        task.undecided = part.undecided.words;
        task.wordsARow = part.undecided.wordsARow;
        task.tableWords = tableWords(cells);

        const BlockMemory memory = memoryOf(cells, task.values);
        const int most = memory.warps(sharedBytes, wide::kMostThreads / kLanes);
        const int windows = areBytes ? 4 : 2;
        divide(task, windows, most);
        // Of few items, some for every multiprocessor.
        const int warps = std::min(common::ceilDiv(task.items, multiprocessors), most);

        const int bytes = memory.bytes(warps);
        const int blocks = std::min(multiprocessors, common::ceilDiv(task.items, warps));
        common::launchBehind(kernel, blocks, warps * kLanes, bytes, stream, task);
    }

    /// Items that are several for each warp, so that no warp has long to do when all others have
    /// ended; but so high that an item's first window does not count.
    template <typename Cell>
    void divide(wide::Task<Cell> &task, int windows, int warps) const
    {
        constexpr int kItems = 16; // of a warp
        task.strips = common::ceilDiv(task.width, windows);
        const int rows = rowsOfItems(task.height, task.strips, kItems * multiprocessors * warps,
                                     16 * task.windowHeight);
        task.rows = common::ceilDiv(rows, kLanes) * kLanes;
        task.items = task.strips * common::ceilDiv(task.height, task.rows);
    }

    const int cells;
    const double error;
    const common::DeviceArray<std::int32_t> differences;
    const common::DeviceArray<std::int64_t> sums;
    const common::DeviceArray<double> scales;
    const Margin margin; ///< of whole windows
    const int multiprocessors, sharedBytes;
};

} // namespace

int wideSharedBytes(const Problem &problem)
{
    return memoryOf(problem.shape.cells, valuesOf(problem, planeFor(problem, true))).least();
}

std::unique_ptr<const PlanePlan> makeWidePlan(const Problem &problem)
{
    return std::make_unique<WidePlan>(problem);
}

#else

int wideSharedBytes(const Problem &) { return 0; }

std::unique_ptr<const PlanePlan> makeWidePlan(const Problem &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
