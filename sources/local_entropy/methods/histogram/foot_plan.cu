#include "local_entropy/methods/histogram/foot_plan.h"

#include "common/devices.h"
#include "local_entropy/error.h"
#include "local_entropy/methods/histogram/foot_changes.h"

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/integer.h"
#include "local_entropy/methods/histogram/foot_kernel.h"
#include "local_entropy/methods/histogram/foot_kernels.h"
#include "local_entropy/methods/histogram/foot_table.h"
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

constexpr int kMostValues = 4096; ///< which no GPU has the shared memory for

#ifdef __CUDACC__
int attribute(cudaDeviceAttr which)
{
    int device = 0, value = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}
#endif

/// Bytes of shared memory for a histogram of a warp, or of some that share it.
int histogramBytes(int values)
{
    constexpr int kLanes = 32;
    return kLanes * static_cast<int>(sizeof(std::uint32_t)) * values;
}

int tableBytes(int cells, int pieces)
{
    return static_cast<int>(sizeof(std::uint32_t)) * footprint::TableWords(cells, pieces).all();
}

/// What a block of the current GPU may have; without one, enough: who then asks is told so.
int sharedBytes()
{
#ifdef __CUDACC__
    if (common::deviceCount() > 0) return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
#endif
    return 1 << 30;
}

} // namespace

bool canWalkFootprint(const Problem &problem)
{
    const Shape &shape = problem.shape;
    if (problem.filter.measure != Measure::Entropy || problem.result.isDouble || shape.rectangle ||
        problem.filter.levels.count >= kMostValues)
        return false;
    const int pieces = 3 * shape.cells; // at most
    return tableBytes(shape.cells, pieces) + histogramBytes(problem.filter.levels.count + 1) <=
           sharedBytes();
}

double footprintCost(const Problem &problem)
{
    const Shape &shape = problem.shape;
    // As measured on an H200, before two warps shared a histogram.
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
    using Steps = footprint::TableSteps<Cell, In>;
    return {missing ? footprint::footprint<Cell, In, Steps, Steps, true>
                    : footprint::footprint<Cell, In, Steps, Steps, false>,
            In::kWindows, In::kSharing};
}

class FootprintPlan : public PlanePlan
{
public:
    explicit FootprintPlan(const Problem &problem)
        : FootprintPlan(problem.shape, problem.filter.base, SumScale(problem.shape.cells))
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
    FootprintPlan(const Shape &shape, Base base, const SumScale &scale)
        : FootprintPlan(shape, footprint::piecesOf(shape), scale, scalesOf(scale, base))
    {
    }
    FootprintPlan(const Shape &shape, const footprint::Pieces &ends, const SumScale &scale,
                  const std::vector<double> &perCells)
        : cells(shape.cells), diskRadius(footprint::diskRadius(shape)), ends(ends),
          error(scale.error + kRounding), allScale(perCells[cells]), total(scale.sums[cells]),
          codeList(footprint::codesOf(diskRadius)), codes(uploaded(codeList)),
          pieces(uploaded(ends.pieces)), cellsBefore(uploaded(footprint::cellsBefore(shape))),
          differences(uploaded(differencesOf(scale))), sums(uploaded(scale.sums)),
          scales(uploaded(perCells)), multiprocessors(attribute(cudaDevAttrMultiProcessorCount)),
          mostSharedBytes(sharedBytes())
    {
    }

    /// What the steps from an integer to a float may be off, in units of the sum, which is below
    /// 2^42: three roundings of a double.
    static constexpr double kRounding = 0x1p-7;

    template <typename T>
    static common::DeviceArray<T> uploaded(const std::vector<T> &all)
    {
        return common::upload(all.data(), all.size());
    }

    static std::vector<std::int32_t> differencesOf(const SumScale &scale)
    {
        std::vector<std::int32_t> all;
        for (std::size_t n = 0; n + 1 < scale.sums.size(); ++n)
            all.push_back(static_cast<std::int32_t>(scale.sums[n + 1] - scale.sums[n]));
        return all;
    }

    static std::vector<double> scalesOf(const SumScale &scale, Base base)
    {
        constexpr double kInverseLn2 = 0x1.71547652b82fep0, kInverseLn10 = 0x1.bcb7b1526e50ep-2;
        const double perBase = base == Base::Two   ? kInverseLn2
                               : base == Base::Ten ? kInverseLn10
                                                   : 1;
        std::vector<double> all = {0};
        for (std::size_t n = 1; n < scale.sums.size(); ++n)
            all.push_back(scale.nats(static_cast<int>(n)) * perBase);
        return all;
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
        const int ofTables = tableBytes(cells, static_cast<int>(ends.pieces.size()));
        const int ofHistogram = histogramBytes(plane.values);
        const int histograms =
            std::min((mostSharedBytes - ofTables) / ofHistogram, footprint::kMostHistograms);
        if (histograms < 1)
            throw Error(Status::Unavailable, "a histogram of " + std::to_string(plane.values) +
                                                 " levels does not fit this GPU's shared memory");

        Task<Cell> task = taskOf<Cell>(part);
        divide(task, plane, own.windows * kLanes);
        const int bytes = ofTables + histograms * ofHistogram;
        CUDA_CHECK(
            cudaFuncSetAttribute(own.call, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        const std::int64_t rows = std::int64_t(task.strips) * task.results.height;
        const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(multiprocessors, rows));
        own.call<<<blocks, histograms * own.sharing * kLanes, bytes, stream>>>(task);
        CUDA_CHECK(cudaGetLastError());
    }

    template <typename Cell>
    Task<Cell> taskOf(const PlanePart &part) const
    {
        const Result &result = part.problem.result;
        Task<Cell> task{};
        task.plane = PlaneView<Cell>(part.plane);
        task.values = part.plane.values;
        task.windowWidth = part.problem.shape.width;
        task.windowHeight = part.problem.shape.height;
        task.pieces = pieces.data();
        std::copy(std::begin(ends.ends), std::end(ends.ends), task.pieceEnds);
        task.codes = codes.data();
        task.codeCount = static_cast<int>(codeList.size());
        task.cellsBefore = cellsBefore.data();
        task.differences = differences.data();
        task.total = total;
        task.scale = allScale;
        task.scaledError = error * allScale;
        task.one = 1;
        walk::Results &results = task.results;
        results.result = static_cast<float *>(result.data);
        results.width = static_cast<int>(result.width);
        results.height = static_cast<int>(result.height);
        results.stride = result.stride;
        results.aligned =
            reinterpret_cast<std::uintptr_t>(result.data) % 16 == 0 && result.stride % 4 == 0;
        results.sums = sums.data();
        results.scales = scales.data();
        results.windowCells = cells;
        results.error = error;
        results.empty = static_cast<float>(part.problem.filter.empty);
        results.undecided = part.undecided.words;
        results.wordsARow = part.undecided.wordsARow;
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
    const double error, allScale;
    const std::int64_t total;
    const std::vector<footprint::Code> codeList;
    const common::DeviceArray<footprint::Code> codes;
    const common::DeviceArray<footprint::Piece> pieces;
    const common::DeviceArray<std::int32_t> cellsBefore, differences;
    const common::DeviceArray<std::int64_t> sums;
    const common::DeviceArray<double> scales;
    const int multiprocessors, mostSharedBytes;
};

} // namespace

std::unique_ptr<const PlanePlan> makeFootprintPlan(const Problem &problem)
{
    return std::make_unique<FootprintPlan>(problem);
}

#else

std::unique_ptr<const PlanePlan> makeFootprintPlan(const Problem &)
{
    throw Error(Status::Unavailable, "enqueue " + common::whyNoDevice());
}

#endif

} // namespace local_entropy
