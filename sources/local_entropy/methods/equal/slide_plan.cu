#include "local_entropy/methods/equal/slide_plan.h"

#include "common/dependent_launch.h"
#include "common/device_array.h"
#include "local_entropy/error.h"
#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/methods/block_memory.h"
#include "local_entropy/methods/equal/share_scale.h"
#include "local_entropy/methods/equal/slide.h"
#include "local_entropy/methods/equal/strips_of.h"
#include "local_entropy/methods/histogram/scale.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace local_entropy::equal
{
namespace
{

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
            : sums(scale.sums), scales(scale.scales), error(scale.error), wholeError(error),
              middles(scale.middles), exceptions(scale.exceptions)
        {
        }
        Sums(const SumScale &scale, Base base)
            : sums(scale.sums), scales(scale.scales(base)), error(scale.error + kRounding),
              wholeError(scale.wholeError() + kRounding)
        {
        }

        std::vector<std::int64_t> sums;
        std::vector<double> scales;
        double error, wholeError;
        Middles middles;
        std::vector<Exception> exceptions;
    };

    explicit SlidePlan(const Sums &of)
        : cells(static_cast<int>(of.sums.size()) - 1), error(of.error), wholeError(of.wholeError),
          sum(of.sums[cells]), scale(of.scales[cells]), middles(of.middles),
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
        shareRows(task.strips, resultColumns(shape.width), multiprocessors * warps);
        task.differences = differences.data();
        task.sums = sums.data();
        task.scales = scales.data();
        task.sum = sum;
        task.scale = scale;
        task.shift = wholeError * scale;
        task.bias = kBias * scale;
        task.middles = middles;
        task.error = error;
        task.exceptions = exceptions.data();
        task.exceptionCount = exceptionCount;
        task.empty = static_cast<float>(part.problem.filter.empty);
        task.undecided = leavesUndecided() ? part.undecided.words : nullptr;
        task.wordsARow = part.undecided.wordsARow;
        const int bytes = memory.bytes(warps);
        common::launchBehind(own.kernel, std::min(multiprocessors, task.strips.items),
                             warps * kLanes, bytes, stream, task);
    }

    const int cells;
    const double error, wholeError;
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

int slideSharedBytes(const Problem &problem)
{
    return planeFor(problem, true).bytes == 1 ? memoryOf<std::uint8_t>(problem.shape).least()
                                              : memoryOf<std::uint16_t>(problem.shape).least();
}

std::unique_ptr<const PlanePlan> makeSlidePlan(const Problem &problem)
{
    return std::make_unique<SlidePlan>(problem);
}

} // namespace local_entropy::equal
