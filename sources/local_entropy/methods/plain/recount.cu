// A warp counts a window, then the next. Its lanes read the window's cells side by side and raise
// the counter of each one's level; the lane that finds a counter at 0 puts the level on the warp's
// list. So the list has each level once, and the counters that are not 0 are found without looking
// at all of them: to sum, to sort and to clear. What decides between numbers is the code of the
// host (answer_tables.h).
#include "local_entropy/methods/plain/recount.h"

#include "local_entropy/memory/current_gpu.h"

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "local_entropy/answers/gpu_answers.h"
#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/plain/warp.h"
#include "local_entropy/problem/plane_view.h"

#include <algorithm>
#include <vector>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

using warp::kLanes;

constexpr int kThreads = 128, kWarps = kThreads / kLanes;

/// A cell of a window, from its first one.
struct Place
{
    std::uint8_t row, column;
};

/// What the kernel reads and writes.
template <typename Cell, typename Value>
struct Recount
{
    PlaneView<Cell> plane;
    int values;
    const Place *places; ///< of the window's cells
    int windowCells, windowWidth;
    Value *result;
    std::int64_t width, height, resultStride;
    int *scratch;       ///< counts and a list for every warp; null: in shared memory
    int scratchOfAWarp; ///< in ints
    AnswerTables answers;
};

/// The windows of one warp.
template <typename Cell, typename Value>
class Counter
{
public:
    __device__ Counter(const Recount<Cell, Value> &task, int *scratch, int *length)
        : task(task), lane(threadIdx.x % kLanes), counts(scratch), list(scratch + task.values),
          length(length)
    {
        for (int value = lane; value < task.values; value += kLanes) counts[value] = 0;
        __syncwarp();
    }

    /// Result (x, y), by all lanes.
    __device__ void compute(int x, int y)
    {
        const int levels = count(x, y);
        const Value answer = isFromSums(task.answers.kind) ? fromSum(levels) : fromCounts(levels);
        if (lane == 0) task.result[y * task.resultStride + x] = answer;
        clear();
    }

private:
    /// Fills counts and list; how many levels there are.
    __device__ int count(int x, int y)
    {
        const PlaneView<Cell> &plane = task.plane;
        const PieceView<Cell> &piece = plane.pieceOf(x, x + task.windowWidth);
        if (lane == 0) *length = 0;
        __syncwarp();
        for (int i = lane; i < task.windowCells; i += kLanes) {
            const Place place = task.places[i];
            if (!plane.exists(x + place.column, y + place.row)) continue;
            const Cell cell = piece.row(y + place.row)[x + place.column];
            if (plane.missing && cell == plane.none) continue;
            if (atomicAdd(&counts[cell], 1) == 0) list[atomicAdd(length, 1)] = cell;
        }
        __syncwarp();
        return *length;
    }

    __device__ Value fromSum(int levels)
    {
        std::uint64_t cells = 0;
        UInt128 sum = 0;
        for (int i = lane; i < levels; i += kLanes) {
            const int n = counts[list[i]];
            cells += n;
            sum += task.answers.wideSums[n];
        }
        cells = warp::sumOf<kLanes>(cells);
        sum = warp::sumOfAll(sum);
        Value answer;
        const bool decided = decideWide(task.answers, sum, static_cast<int>(cells), answer);
        return decided ? answer : fromCounts(levels); // the same in all lanes
    }

    /// In lane 0.
    __device__ Value fromCounts(int levels)
    {
        Value answer{};
        for (int i = lane; i < levels; i += kLanes) {
            const int value = list[i];
            list[i] = counts[value];
            counts[value] = 0;
        }
        __syncwarp();
        if (lane == 0) {
            warp::sort(list, levels);
            answer = answerOf<Value>(task.answers, list, levels);
            *length = 0; // nothing is left to be cleared
        }
        __syncwarp();
        return answer;
    }

    __device__ void clear()
    {
        __syncwarp();
        for (int i = lane; i < *length; i += kLanes) counts[list[i]] = 0;
        __syncwarp();
    }

    const Recount<Cell, Value> &task;
    const int lane;
    int *const counts, *const list; ///< of every value of a cell, all 0 between windows; of levels
    int *const length;              ///< of the list
};

template <typename Cell, typename Value>
__global__ void __launch_bounds__(kThreads)
    recount(const __grid_constant__ Recount<Cell, Value> task)
{
    __shared__ int lengths[kWarps];
    extern __shared__ int ofBlock[];
    const int warp = threadIdx.x / kLanes;
    const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
    const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * kWarps;
    int *const scratch = task.scratch ? task.scratch + number * task.scratchOfAWarp
                                      : ofBlock + warp * task.scratchOfAWarp;
    Counter<Cell, Value> counter(task, scratch, &lengths[warp]);
    for (std::int64_t i = number; i < task.width * task.height; i += warps)
        counter.compute(static_cast<int>(i % task.width), static_cast<int>(i / task.width));
}

std::vector<Place> placesOf(const Shape &shape)
{
    std::vector<Place> places;
    for (const Run &run : shape.runs)
        for (int column = run.begin; column < run.end; ++column)
            places.push_back(
                {static_cast<std::uint8_t>(run.row), static_cast<std::uint8_t>(column)});
    return places;
}

class RecountPlan : public PlanePlan
{
public:
    explicit RecountPlan(const Problem &problem)
        : answers(answersOf(problem)), windowCells(problem.shape.cells),
          places(common::upload(placesOf(problem.shape).data(), windowCells)),
          mostBlocks(multiprocessorsOfGpu() * kBlocksOfAMultiprocessor)
    {
    }

    std::size_t scratchBytes(const Problem &, const Plane &plane) const override
    {
        return isShared(plane) ? 0 : blocks(plane) * bytesOfABlock(plane);
    }

    void launch(const PlanePart &part, void *stream) const override
    {
        const auto in = static_cast<cudaStream_t>(stream);
        if (part.plane.bytes == 1) return launch<std::uint8_t>(part, in);
        if (part.plane.bytes == 2) return launch<std::uint16_t>(part, in);
        launch<std::uint32_t>(part, in);
    }

private:
    static constexpr int kBlocksOfAMultiprocessor = 8;

    int scratchOfAWarp(const Plane &plane) const
    {
        return plane.values + std::min(plane.values, windowCells);
    }
    std::size_t bytesOfABlock(const Plane &plane) const
    {
        return sizeof(int) * kWarps * scratchOfAWarp(plane);
    }
    /// Whether counts and lists fit the shared memory that every GPU gives to a block.
    bool isShared(const Plane &plane) const { return bytesOfABlock(plane) <= 40 << 10; }
    /// Fewer where they would take more memory than this.
    std::size_t blocks(const Plane &plane) const
    {
        constexpr std::size_t kMostBytes = std::size_t(256) << 20;
        return isShared(plane)
                   ? mostBlocks
                   : std::clamp<std::size_t>(kMostBytes / bytesOfABlock(plane), 1, mostBlocks);
    }

    template <typename Cell>
    void launch(const PlanePart &part, cudaStream_t stream) const
    {
        if (part.problem.result.isDouble)
            launch<Cell, double>(part, stream);
        else
            launch<Cell, float>(part, stream);
    }

    template <typename Cell, typename Value>
    void launch(const PlanePart &part, cudaStream_t stream) const
    {
        const Plane &plane = part.plane;
        const Result &result = part.problem.result;
        const bool shared = isShared(plane);
        const Recount<Cell, Value> task{PlaneView<Cell>(plane),
                                        plane.values,
                                        places.data(),
                                        windowCells,
                                        part.problem.shape.width,
                                        static_cast<Value *>(result.data),
                                        result.width,
                                        result.height,
                                        result.stride,
                                        shared ? nullptr : static_cast<int *>(part.scratch),
                                        scratchOfAWarp(plane),
                                        answers.tables()};
        common::launchKernel(false, recount<Cell, Value>, static_cast<unsigned>(blocks(plane)),
                             kThreads, shared ? bytesOfABlock(plane) : 0, stream, task);
    }

    const GpuAnswers answers;
    const int windowCells;
    const common::DeviceArray<Place> places;
    const std::size_t mostBlocks;
};

} // namespace

std::unique_ptr<const PlanePlan> makeRecount(const Problem &problem)
{
    return std::make_unique<RecountPlan>(problem);
}

#else

std::unique_ptr<const PlanePlan> makeRecount(const Problem &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
