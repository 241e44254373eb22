#include "local_entropy/methods/equal/equal_plan.h"

#include "local_entropy/error.h"
#include "local_entropy/memory/current_gpu.h"

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "common/device_array.h"
#include "common/integer.h"
#include "local_entropy/answers/partitions.h"
#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/equal/nine_walk.h"
#include "local_entropy/methods/equal/slide_plan.h"
#include "local_entropy/methods/equal/strips_of.h"

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
        NineWithin &within = task.within;
        shareRows(strips, nineColumns(!strips.fours), warps);
        const int inner = strips.strips - std::min(strips.strips, 2);
        within.top = std::min(strips.plane.top, strips.height);
        within.bottom = std::clamp(strips.plane.bottom - (kSide - 1), within.top, strips.height);
        within.items = inner * common::ceilDiv(within.bottom - within.top, strips.rows);
        const int parts = (within.top > 0) + (within.bottom < strips.height);
        strips.items = strips.itemsAtEnds + within.items + inner * parts;
    }

    template <typename Cell>
    static void (*kernelFor(bool missing, bool anywhere))(NineTask<Cell>)
    {
        if (anywhere) return missing ? nine<Cell, true, true> : nine<Cell, false, true>;
        return missing ? nine<Cell, true, false> : nine<Cell, false, false>;
    }

    template <typename Cell>
    void launchOn(const PlanePart &part, cudaStream_t stream) const
    {
        NineTask<Cell> task{};
        task.strips = stripsOf<Cell>(part);
        task.answers = answers.data();
        for (int n = 0; n <= kNineCells; ++n) task.sums[n] = sumOfLevel(n);
        const auto kernel = kernelFor<Cell>(part.plane.missing, !task.strips.fours);
        int blocks = 0; // of a multiprocessor
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kNineThreads, 0));
        const int most = multiprocessors * blocks;
        constexpr int kWarps = kNineThreads / kLanes;
        share(task, most * kWarps);
        blocks = std::min(most, task.strips.items);
        task.warps = std::min(common::ceilDiv(task.strips.items, blocks), kWarps);
        common::launchBehind(kernel, blocks, kNineThreads, 0, stream, task);
    }

    const common::DeviceArray<float> answers; ///< see NineTask
    const int multiprocessors;
};

} // namespace

int compareSharedBytes(const Problem &problem)
{
    if (isNine(problem.shape)) return 0; // what its kernel has, every GPU has
    return equal::slideSharedBytes(problem);
}

std::unique_ptr<const PlanePlan> makeEqualPlan(const Problem &problem)
{
    if (isNine(problem.shape)) return std::make_unique<NinePlan>(problem);
    return equal::makeSlidePlan(problem);
}

#else

int compareSharedBytes(const Problem &) { return 0; }

std::unique_ptr<const PlanePlan> makeEqualPlan(const Problem &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
