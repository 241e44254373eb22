#include "local_entropy/methods/histogram/walk_plan.h"

#include "common/devices.h"
#include "local_entropy/error.h"

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/integer.h"
#include "local_entropy/methods/histogram/scale.h"
#include "local_entropy/methods/histogram/walk.h"

#include <algorithm>
#include <cstdint>
#include <vector>
#endif

namespace local_entropy
{
namespace
{

/// Widths that there is a kernel for; windows of more than 255 cells have counters of 16 bits.
constexpr int kByteWidths[] = {3, 5, 7, 9, 11, 15}, kWideWidths[] = {15, 21, 31};
constexpr int kMostByteCells = 255;
constexpr int kMostValues = 400; ///< of a plane: a warp's histogram is 50 KiB

template <std::size_t kCount>
bool isAmong(const int (&widths)[kCount], int width)
{
    for (const int one : widths)
        if (one == width) return true;
    return false;
}

} // namespace

bool canWalk(const Problem &problem)
{
    const Shape &shape = problem.shape;
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble &&
           shape.rectangle && problem.filter.levels.count < kMostValues &&
           (shape.cells <= kMostByteCells ? isAmong(kByteWidths, shape.width)
                                          : isAmong(kWideWidths, shape.width));
}

double walkCost(const Problem &problem)
{
    return 0.0013 * problem.shape.width * (problem.shape.cells <= kMostByteCells ? 1 : 2);
}

#ifdef __CUDACC__

namespace
{

using walk::kLanes;

template <typename Cell>
using Kernel = void (*)(walk::Task<Cell>);

/// A kernel and how many columns a warp of it has.
template <typename Cell>
struct Chosen
{
    Kernel<Cell> kernel = nullptr;
    int windows = 0; ///< of a thread
};

template <typename Cell, int kWidth, int kBits>
Chosen<Cell> chosen(bool missing)
{
    return {missing ? walk::walk<Cell, kWidth, kBits, true>
                    : walk::walk<Cell, kWidth, kBits, false>,
            walk::Counters<kBits>::kWindows};
}

template <typename Cell>
Chosen<Cell> choose(const Shape &shape, bool missing)
{
    if (shape.cells <= kMostByteCells) switch (shape.width) {
        case 3: return chosen<Cell, 3, 8>(missing);
        case 5: return chosen<Cell, 5, 8>(missing);
        case 7: return chosen<Cell, 7, 8>(missing);
        case 9: return chosen<Cell, 9, 8>(missing);
        case 11: return chosen<Cell, 11, 8>(missing);
        case 15: return chosen<Cell, 15, 8>(missing);
        }
    else
        switch (shape.width) {
        case 15: return chosen<Cell, 15, 16>(missing);
        case 21: return chosen<Cell, 21, 16>(missing);
        case 31: return chosen<Cell, 31, 16>(missing);
        }
    throw Error(Status::Internal,
                "no kernel for windows of " + std::to_string(shape.width) + " columns");
}

int attribute(cudaDeviceAttr which)
{
    int device = 0, value = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

class WalkPlan : public PlanePlan
{
public:
    explicit WalkPlan(const Problem &problem) : WalkPlan(problem, SumScale(problem.shape.cells)) {}

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
    WalkPlan(const Problem &problem, const SumScale &scale)
        : cells(problem.shape.cells), error(scale.error + kRounding),
          differences(common::upload(differencesOf(scale).data(), cells)),
          sums(common::upload(scale.sums.data(), scale.sums.size())),
          scales(common::upload(scalesOf(scale, problem.filter.base).data(), scale.sums.size())),
          multiprocessors(attribute(cudaDevAttrMultiProcessorCount)),
          sharedBytes(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin))
    {
    }

    /// What the steps from an integer to a float may be off, in units of the sum, which is below
    /// 2^42: three roundings of a double.
    static constexpr double kRounding = 0x1p-7;

    std::vector<std::int32_t> differencesOf(const SumScale &scale) const
    {
        std::vector<std::int32_t> all;
        for (int n = 0; n < cells; ++n)
            all.push_back(static_cast<std::int32_t>(scale.sums[n + 1] - scale.sums[n]));
        return all;
    }

    std::vector<double> scalesOf(const SumScale &scale, Base base) const
    {
        constexpr double kInverseLn2 = 0x1.71547652b82fep0, kInverseLn10 = 0x1.bcb7b1526e50ep-2;
        const double perBase = base == Base::Two   ? kInverseLn2
                               : base == Base::Ten ? kInverseLn10
                                                   : 1;
        std::vector<double> all = {0};
        for (int n = 1; n <= cells; ++n) all.push_back(scale.nats(n) * perBase);
        return all;
    }

    template <typename Cell>
    void launchOn(const PlanePart &part, cudaStream_t stream) const
    {
        const Plane &plane = part.plane;
        const Result &result = part.problem.result;
        const Shape &shape = part.problem.shape;
        const Chosen<Cell> own = choose<Cell>(shape, plane.missing);

        const int tableBytes = static_cast<int>(sizeof(std::int32_t)) * (cells + kLanes);
        const int warpBytes = plane.values * kLanes * static_cast<int>(sizeof(std::uint32_t));
        const int warps =
            std::min((sharedBytes - tableBytes) / warpBytes, walk::kMostThreads / kLanes);
        if (warps < 1)
            throw Error(Status::Unavailable, "a histogram of " + std::to_string(plane.values) +
                                                 " levels does not fit this GPU's shared memory");

        walk::Task<Cell> task{};
        task.plane = PlaneView<Cell>(plane);
        task.values = plane.values;
        task.windowWidth = shape.width;
        task.windowHeight = shape.height;
        task.results.result = static_cast<float *>(result.data);
        task.results.width = static_cast<int>(result.width);
        task.results.height = static_cast<int>(result.height);
        task.results.stride = result.stride;
        task.results.fours =
            reinterpret_cast<std::uintptr_t>(result.data) % 16 == 0 && result.stride % 4 == 0;
        task.differences = differences.data();
        task.results.sums = sums.data();
        task.results.scales = scales.data();
        task.results.windowCells = cells;
        task.results.error = error;
        task.results.empty = static_cast<float>(part.problem.filter.empty);
        task.results.undecided = part.undecided.words;
        task.results.wordsARow = part.undecided.wordsARow;
        share(task, own.windows * kLanes, warps);

        const int bytes = tableBytes + warps * warpBytes;
        CUDA_CHECK(
            cudaFuncSetAttribute(own.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        own.kernel<<<std::min(multiprocessors, task.items), warps * kLanes, bytes, stream>>>(task);
        CUDA_CHECK(cudaGetLastError());
    }

    /// Items for so many warps of each multiprocessor: as many as there are warps, if that leaves
    /// each so many rows that its first window does not count.
    template <typename Cell>
    void share(walk::Task<Cell> &task, int columns, int warps) const
    {
        task.strips = common::ceilDiv(task.results.width, columns);
        const int least = std::min(task.results.height, 2 * task.windowHeight);
        const int slots = multiprocessors * warps;
        const int chunks = std::max(slots / task.strips, 1);
        task.rows = std::max(common::ceilDiv(task.results.height, chunks), least);
        task.items = task.strips * common::ceilDiv(task.results.height, task.rows);
    }

    const int cells;
    const double error;
    const common::DeviceArray<std::int32_t> differences;
    const common::DeviceArray<std::int64_t> sums;
    const common::DeviceArray<double> scales;
    const int multiprocessors, sharedBytes;
};

} // namespace

std::unique_ptr<const PlanePlan> makeWalkPlan(const Problem &problem)
{
    return std::make_unique<WalkPlan>(problem);
}

#else

std::unique_ptr<const PlanePlan> makeWalkPlan(const Problem &)
{
    throw Error(Status::Unavailable, "enqueue " + common::whyNoDevice());
}

#endif

} // namespace local_entropy
