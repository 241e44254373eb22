#include "local_entropy/methods/equal/equal_plan.h"

#include "local_entropy/error.h"
#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/methods/block_memory.h"

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/integer.h"
#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/equal/nine_walk.h"
#include "local_entropy/methods/equal/share_scale.h"
#include "local_entropy/methods/equal/slide.h"
#include "local_entropy/methods/histogram/scale.h"
#include "local_entropy/methods/rows_of_items.h"

#include <algorithm>
#include <cstdint>
#include <vector>
#endif

namespace local_entropy
{
namespace
{

constexpr int kLeastWidth = 2, kMostWidth = 11, kMostHeight = 31;
constexpr int kMostCellsOfWindow = 255; ///< numbers of cells are bytes

/// Whether it has a kernel of its own.
bool isNine(const Shape &shape) { return shape.width == 3 && shape.height == 3; }

} // namespace

bool canCompare(const Problem &problem)
{
    const Shape &shape = problem.shape;
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble &&
           shape.rectangle && shape.width >= kLeastWidth && shape.width <= kMostWidth &&
           shape.height <= kMostHeight && shape.cells <= kMostCellsOfWindow && fitsPlane(problem) &&
           planeFor(problem, true).bytes <= 2;
}

double compareCost(const Problem &problem)
{
    const Shape &shape = problem.shape;
    if (isNine(shape)) return 0.0022;
    return 1.6e-4 * (2 * shape.width - 1) * shape.height; // comparisons
}

#ifdef __CUDACC__

namespace
{

using namespace equal;

/// What is the same for all kernels; shareRows() is still to come.
template <typename Cell>
Strips<Cell> stripsOf(const PlanePart &part)
{
    const Result &result = part.problem.result;
    Strips<Cell> strips{};
    strips.plane = PlaneView<Cell>(part.plane);
    strips.windowHeight = part.problem.shape.height;
    strips.windowCells = part.problem.shape.cells;
    strips.result = static_cast<float *>(result.data);
    strips.width = static_cast<int>(result.width);
    strips.height = static_cast<int>(result.height);
    strips.resultStride = result.stride;
    strips.fours =
        reinterpret_cast<std::uintptr_t>(result.data) % 16 == 0 && result.stride % 4 == 0;
    return strips;
}

/// Items for so many warps: as many as there are warps, if that leaves each so many rows that the
/// rows it shares with the next do not count.
template <typename Cell>
void shareRows(Strips<Cell> &strips, int windowWidth, int warps)
{
    constexpr int kTimesLonger = 3; // an end's row may take; then it is alone on its multiprocessor
    strips.strips = common::ceilDiv(strips.width, resultColumns(windowWidth));
    const int ends = std::min(strips.strips, 2), inner = strips.strips - ends;
    const int least = std::min(strips.height, 2 * strips.windowHeight);
    strips.rows = rowsOfItems(strips.height, inner + ends * kTimesLonger, warps, least);
    strips.rowsAtEnds = std::max(common::ceilDiv(strips.rows, kTimesLonger), least);
    strips.itemsAtEnds = ends * common::ceilDiv(strips.height, strips.rowsAtEnds);
    strips.items = strips.itemsAtEnds + inner * common::ceilDiv(strips.height, strips.rows);
}

/// Ways to have counts of two and more of at most `cells` cells: use(counts).
template <typename Use>
void forPartitions(int cells, int largest, std::vector<int> &counts, const Use &use)
{
    use(counts);
    for (int n = std::min(cells, largest); n >= 2; --n) {
        counts.push_back(n);
        forPartitions(cells - n, n, counts, use);
        counts.pop_back();
    }
}

class NinePlan : public PlanePlan
{
public:
    explicit NinePlan(const Problem &problem)
        : answers(common::upload(answersOfSums(problem).data(), (kNineCells + 1) * kNineKeys)),
          multiprocessors(multiprocessorsOfGpu())
    {
    }

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
    static std::uint32_t sumOfLevel(int cells)
    {
        std::uint32_t sum = 0;
        for (int rank = 0; rank < cells; ++rank) sum += kWeights[rank];
        return sum;
    }

    static std::vector<float> answersOfSums(const Problem &problem)
    {
        const Answers answers = answersOf(problem);
        std::vector<float> table((kNineCells + 1) * kNineKeys);
        table[0] = answers.tables().emptyFloat;
        for (int cells = 1; cells <= kNineCells; ++cells) {
            std::vector<bool> taken(kNineKeys);
            std::vector<int> counts;
            forPartitions(cells, cells, counts, [&](const std::vector<int> &above) {
                std::vector<int> all = above;
                std::uint32_t sum = 0;
                int rest = cells;
                for (const int n : above) sum += sumOfLevel(n), rest -= n;
                sum += rest * sumOfLevel(1);
                all.insert(all.end(), rest, 1);
                if (sum >= kNineKeys || taken[sum])
                    throw Error(Status::Internal, "weights of ranks do not name the counts");
                taken[sum] = true;
                table[cells * kNineKeys + sum] =
                    answers.floatOf(all.data(), static_cast<int>(all.size()));
            });
        }
        return table;
    }

    /// Items for so many warps, see shareRows(): what no edge cuts is apart.
    template <typename Cell>
    static void share(NineTask<Cell> &task, int warps)
    {
        constexpr int kSide = 3;
        Strips<Cell> &strips = task.strips;
        NineItems &items = task.items;
        shareRows(strips, kSide, warps);
        items.rowsAtEnds = strips.rowsAtEnds;
        items.itemsAtEnds = strips.itemsAtEnds;
        items.rows = strips.rows;
        const int inner = strips.strips - std::min(strips.strips, 2);
        items.top = std::min(strips.plane.top, strips.height);
        items.bottom = std::clamp(strips.plane.bottom - (kSide - 1), items.top, strips.height);
        items.itemsWithin = inner * common::ceilDiv(items.bottom - items.top, items.rows);
        const int parts = (items.top > 0) + (items.bottom < strips.height);
        items.items = items.itemsAtEnds + items.itemsWithin + inner * parts;
    }

    template <typename Cell>
    void launchOn(const PlanePart &part, cudaStream_t stream) const
    {
        NineTask<Cell> task{};
        task.strips = stripsOf<Cell>(part);
        task.answers = answers.data();
        for (int n = 0; n <= kNineCells; ++n) task.sums[n] = sumOfLevel(n);
        const auto kernel = part.plane.missing ? nine<Cell, true> : nine<Cell, false>;
        int blocks = 0; // of a multiprocessor
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kNineThreads, 0));
        const int most = multiprocessors * blocks;
        share(task, most * kNineThreads / kLanes);
        kernel<<<std::min(most, task.items.items), kNineThreads, 0, stream>>>(task);
        CUDA_CHECK(cudaGetLastError());
    }

    const common::DeviceArray<float> answers; ///< see NineTask
    const int multiprocessors;
};

/// A kernel for windows of kWidth columns.
template <typename Cell>
struct Chosen
{
    void (*kernel)(SlideTask<Cell>) = nullptr;
    int threads = 0, slotWords = 0;
};

template <typename Cell, int kWidth>
Chosen<Cell> chosen(const Shape &shape, bool missing)
{
    Chosen<Cell> own{missing ? slide<Cell, kWidth, 0, true> : slide<Cell, kWidth, 0, false>,
                     mostThreads(kWidth), Ring<kWidth>::kWords};
    if constexpr (kWidth == 5 || kWidth == 7)
        if (shape.height == kWidth && !missing) own.kernel = slide<Cell, kWidth, kWidth, false>;
    return own;
}

template <typename Cell>
Chosen<Cell> choose(const Shape &shape, bool missing)
{
    switch (shape.width) {
    case 2: return chosen<Cell, 2>(shape, missing);
    case 3: return chosen<Cell, 3>(shape, missing);
    case 4: return chosen<Cell, 4>(shape, missing);
    case 5: return chosen<Cell, 5>(shape, missing);
    case 6: return chosen<Cell, 6>(shape, missing);
    case 7: return chosen<Cell, 7>(shape, missing);
    case 8: return chosen<Cell, 8>(shape, missing);
    case 9: return chosen<Cell, 9>(shape, missing);
    case 10: return chosen<Cell, 10>(shape, missing);
    case 11: return chosen<Cell, 11>(shape, missing);
    }
    throw Error(Status::Internal,
                "no kernel for windows of " + std::to_string(shape.width) + " columns");
}

/// Differences; a ring of rows and a desk for each warp.
template <typename Cell>
BlockMemory memoryOf(const Shape &shape)
{
    constexpr int kWord = sizeof(std::uint32_t);
    const int ring = shape.height * choose<Cell>(shape, false).slotWords;
    return {kWord * tableWordsOf(shape.cells, shape.width),
            kWord * ring + static_cast<int>(sizeof(Desk))};
}

class SlidePlan : public PlanePlan
{
public:
    explicit SlidePlan(const Problem &problem)
        : SlidePlan(problem.shape.cells <= ShareScale::kMostCells
                        ? Sums(ShareScale(problem.shape.cells, problem.filter.base))
                        : Sums(SumScale(problem.shape.cells), problem.filter.base))
    {
    }

    bool leavesUndecided() const override { return cells > ShareScale::kMostCells; }

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
    /// F(n) in fixed point, and how D becomes an answer.
    struct Sums
    {
        explicit Sums(const ShareScale &scale)
            : sums(scale.sums), scales(scale.scales), error(scale.error), middles(scale.middles),
              exceptions(scale.exceptions)
        {
        }
        Sums(const SumScale &scale, Base base)
            : sums(scale.sums), scales(scale.scales(base)), error(scale.error + kRounding)
        {
        }

        std::vector<std::int64_t> sums;
        std::vector<double> scales;
        double error;
        Middles middles;
        std::vector<Exception> exceptions;
    };

    explicit SlidePlan(const Sums &of)
        : cells(static_cast<int>(of.sums.size()) - 1), error(of.error), sum(of.sums[cells]),
          scale(of.scales[cells]), middles(of.middles),
          exceptionCount(static_cast<int>(of.exceptions.size())),
          differences(common::upload(differencesOf(of.sums).data(), cells)),
          sums(common::upload(of.sums.data(), of.sums.size())),
          scales(common::upload(of.scales.data(), of.scales.size())),
          exceptions(upload(of.exceptions)), multiprocessors(multiprocessorsOfGpu()),
          sharedBytes(sharedBytesOfBlock())
    {
    }

    /// What the steps from an integer to a float may be off, in units of the sum, which is below
    /// 2^42: few roundings of a double.
    static constexpr double kRounding = 0x1p-7;

    static common::DeviceArray<Exception> upload(std::vector<Exception> all)
    {
        all.push_back({}); // there is no array of none
        return common::upload(all.data(), all.size());
    }

    template <typename Cell>
    void launchOn(const PlanePart &part, cudaStream_t stream) const
    {
        const Shape &shape = part.problem.shape;
        const Chosen<Cell> own = choose<Cell>(shape, part.plane.missing);
        const BlockMemory memory = memoryOf<Cell>(shape);
        const int warps = memory.warps(sharedBytes, own.threads / kLanes);
        SlideTask<Cell> task{};
        task.strips = stripsOf<Cell>(part);
        shareRows(task.strips, shape.width, multiprocessors * warps);
        task.differences = differences.data();
        task.sums = sums.data();
        task.scales = scales.data();
        task.sum = sum;
        task.scale = scale;
        task.shift = error * scale;
        task.bias = kBias * scale;
        task.middles = middles;
        task.error = error;
        task.exceptions = exceptions.data();
        task.exceptionCount = exceptionCount;
        task.empty = static_cast<float>(part.problem.filter.empty);
        task.undecided = leavesUndecided() ? part.undecided.words : nullptr;
        task.wordsARow = part.undecided.wordsARow;
        const int bytes = memory.bytes(warps);
        CUDA_CHECK(
            cudaFuncSetAttribute(own.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        own.kernel<<<std::min(multiprocessors, task.strips.items), warps * kLanes, bytes, stream>>>(
            task);
        CUDA_CHECK(cudaGetLastError());
    }

    const int cells;
    const double error;
    const std::int64_t sum;
    const double scale;
    const Middles middles;
    const int exceptionCount;
    const common::DeviceArray<std::int32_t> differences;
    const common::DeviceArray<std::int64_t> sums;
    const common::DeviceArray<double> scales;
    const common::DeviceArray<Exception> exceptions;
    const int multiprocessors, sharedBytes;
};

} // namespace

int compareSharedBytes(const Problem &problem)
{
    if (isNine(problem.shape)) return 0; // what its kernel has, every GPU has
    return planeFor(problem, true).bytes == 1 ? memoryOf<std::uint8_t>(problem.shape).least()
                                              : memoryOf<std::uint16_t>(problem.shape).least();
}

std::unique_ptr<const PlanePlan> makeEqualPlan(const Problem &problem)
{
    if (isNine(problem.shape)) return std::make_unique<NinePlan>(problem);
    return std::make_unique<SlidePlan>(problem);
}

#else

int compareSharedBytes(const Problem &) { return 0; }

std::unique_ptr<const PlanePlan> makeEqualPlan(const Problem &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
