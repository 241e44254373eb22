#include "local_entropy/methods/levels/launch_plan.h"

#include "local_entropy/error.h"
#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/methods/block_memory.h"

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "common/device_array.h"
#include "common/integer.h"
#include "local_entropy/answers/base.h"
#include "local_entropy/answers/gpu_answers.h"
#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/levels/launch_boxes.h"
#include "local_entropy/methods/levels/launch_sums.h"
#include "local_entropy/methods/levels/launch_two.h"
#include "local_entropy/methods/rows_of_items.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>
#endif

namespace local_entropy
{
namespace
{

constexpr int kMostWidth = 64, kMostValues = 32;
constexpr int kMostCells = 8192;    ///< whose table is 32 KiB
constexpr int kMostOfTwo = 1023;    ///< cells of windows of two levels: a table of 2 MB
constexpr int kMostByteCells = 255; ///< of windows whose counters are bytes

} // namespace

bool canLaunchLevels(const Problem &problem)
{
    const Shape &shape = problem.shape;
    return problem.filter.measure == Measure::Entropy && !problem.result.isDouble &&
           shape.rectangle && shape.width <= kMostWidth && shape.cells <= kMostCells &&
           fitsPlane(problem) && planeFor(problem).values <= kMostValues;
}

double levelsLaunchCost(const Problem &problem)
{
    const int values = planeFor(problem).values;
    const bool bytes = problem.shape.cells <= kMostByteCells;
    if (values == 2 && problem.shape.cells <= kMostOfTwo) return 0.0024;
    const int counted = values <= 4 ? 4 : values <= 8 ? 8 : values <= 16 ? 16 : 40; // 32 cost more
    return (0.0012 + 0.00031 * counted) * (bytes ? 1 : 1.85);
}

#ifdef __CUDACC__

namespace
{

using boxes::kLanes, boxes::Task;

/// A kernel and what it needs.
struct Chosen
{
    void (*kernel)(Task) = nullptr;
    int own = 0;         ///< columns of a thread
    int sharedBytes = 0; ///< of a warp
    int threads = 0;     ///< of a block
};

template <int kOwn, int kWords, int kBits, int kThreads>
Chosen chosen()
{
    using Strip = boxes::Strip<kOwn, kWords, kBits>;
    using Walker = typename Strip::Own;
    const std::size_t bytes =
        Walker::kShared * sizeof(typename Walker::Vector) + sizeof(typename Strip::OwnWaiting);
    return {boxes::boxes<kOwn, kWords, kBits, kThreads>, kOwn, static_cast<int>(bytes), kThreads};
}

template <int kBits>
Chosen choose(int values)
{
    if (values <= 4) return chosen<8, 1, kBits, 512>();
    if (values <= 8) return chosen<8, 2, kBits, 512>();
    if (values > 16) return chosen<4, 8, kBits, 512>();
    return chosen<8, 4, kBits, 512>();
}

Chosen choose(int cells, const Plane &plane)
{
    return cells <= kMostByteCells ? choose<8>(plane.values) : choose<16>(plane.values);
}

int tableWords(int cells, int copies)
{
    return common::ceilDiv((cells + 1) * copies, kLanes) * kLanes;
}

/// So many copies of F; what each warp hands over.
BlockMemory memoryOf(int cells, int copies, const Chosen &own)
{
    return {static_cast<int>(sizeof(std::int32_t)) * tableWords(cells, copies), own.sharedBytes};
}

/// What TwoLevels::answers is, or one number that nobody reads.
std::vector<float> answersOfTwo(const Problem &problem)
{
    if (problem.filter.levels.count != 2 || problem.shape.cells > kMostOfTwo) return {0};
    const Answers answers = answersOf(problem);
    std::vector<float> all = {static_cast<float>(answers.empty())};
    for (int cells = 1; cells <= problem.shape.cells; ++cells)
        for (int n = 0; n <= cells; ++n) {
            const int counts[] = {n, cells - n};
            const std::int64_t sum = answers.sums()[counts[0]] + answers.sums()[counts[1]];
            all.push_back(answers.nearestFloat(
                sum, cells, [&](std::vector<int> &both) { both.assign(counts, counts + 2); }));
        }
    return all;
}

class LevelsPlanePlan : public PlanePlan
{
public:
    explicit LevelsPlanePlan(const Problem &problem)
        : LevelsPlanePlan(problem, LevelSums(problem.shape.cells, problem.filter.levels.count,
                                             boxes::kFineBits))
    {
    }

    bool masksCells() const override { return true; }
    bool checksCells() const override { return true; }

    void launch(const PlanePart &part, void *stream) const override
    {
        const auto in = static_cast<cudaStream_t>(stream);
        if (part.plane.values == 2 && !part.plane.missing && cells <= kMostOfTwo)
            launchTwo(part, in);
        else
            launchAny(part, in);
    }

private:
    LevelsPlanePlan(const Problem &problem, const LevelSums &all)
        : cells(problem.shape.cells), error(all.error + kRounding),
          fineError(all.fineError + kRounding), whole(all.sums.back()),
          wholeScale(all.nats(cells) * perNat(problem.filter.base)),
          wholeMargin(marginOf({cells, problem.filter.levels.count, problem.filter.base},
                               {all.sums.begin(), all.sums.end()}, wholeScale, all.error, kRounding)
                          .times(wholeScale)),
          sums(common::upload(all.sums.data(), all.sums.size())),
          fine(common::upload(all.fine.data(), all.fine.size())),
          scales(common::upload(all.scales(problem.filter.base).data(), all.sums.size())),
          answers(answersOf(problem)), two(uploaded(answersOfTwo(problem))),
          multiprocessors(multiprocessorsOfGpu()), sharedBytes(sharedBytesOfBlock())
    {
    }

    /// What the steps from an integer to a float may be off, in units of the sum, which is below
    /// 2^43: four roundings of a double.
    static constexpr double kRounding = 0x1p-7;

    static common::DeviceArray<float> uploaded(const std::vector<float> &all)
    {
        return common::upload(all.data(), all.size());
    }

    void launchTwo(const PlanePart &part, cudaStream_t stream) const
    {
        constexpr int kThreads = 256, kOwn = 8, kBlocks = 4; // of a multiprocessor
        Task task = taskOf(part, kOwn);
        divide(task, part.plane, kBlocks * kThreads / kLanes);
        const int bytes = static_cast<int>(sizeof(float)) * (cells + 1);
        const auto kernel = cells <= kMostByteCells ? boxes::twoLevels<8, kThreads>
                                                    : boxes::twoLevels<16, kThreads>;
        const int blocks = std::min(multiprocessors * kBlocks, task.items);
        common::launchBehind(kernel, blocks, kThreads, bytes, stream, task,
                             boxes::TwoLevels{two.data()});
    }

    void launchAny(const PlanePart &part, cudaStream_t stream) const
    {
        const Chosen own = choose(cells, part.plane);
        Task task = taskOf(part, own.own);
        const BlockMemory least = memoryOf(cells, 1, own);
        const int warps = least.warps(sharedBytes, own.threads / kLanes);
        task.copies = kLanes; // of the table, if there is room
        while (memoryOf(cells, task.copies, own).bytes(warps) > sharedBytes) task.copies /= 2;
        task.tableWords = tableWords(cells, task.copies);
        divide(task, part.plane, warps);
        const int bytes = memoryOf(cells, task.copies, own).bytes(warps);
        common::launchBehind(own.kernel, std::min(multiprocessors, task.items), warps * kLanes,
                             bytes, stream, task);
    }

    Task taskOf(const PlanePart &part, int own) const
    {
        const Plane &plane = part.plane;
        const Result &result = part.problem.result;
        const Shape &shape = part.problem.shape;
        Task task{};
        task.plane = PlaneView<std::uint8_t>(plane);
        task.planeWidth = plane.width;
        task.windowWidth = shape.width;
        task.windowHeight = shape.height;
        task.result = static_cast<float *>(result.data);
        task.width = static_cast<int>(result.width);
        task.height = static_cast<int>(result.height);
        task.resultStride = result.stride;
        task.fours =
            reinterpret_cast<std::uintptr_t>(result.data) % 16 == 0 && result.stride % 4 == 0;
        task.sums = sums.data();
        task.fine = fine.data();
        task.scales = scales.data();
        task.windowCells = cells;
        task.error = error;
        task.fineError = fineError;
        task.whole = whole;
        task.wholeScale = wholeScale;
        task.wholeMargin = wholeMargin;
        task.empty = static_cast<float>(part.problem.filter.empty);
        task.answers = answers.tables();
        // Planes that are loaded have levels only.
        const int most = plane.isLoaded ? 127 : part.problem.filter.levels.count - 1;
        task.toTop = static_cast<std::uint32_t>(127 - most) * 0x01010101;
        task.imageX = static_cast<int>(part.problem.region.x) - shape.left;
        task.bad = part.bad;
        // The windows of these end before a strip's last column.
        task.kept = (own * kLanes - shape.width) / own * own;
        return task;
    }

    /// For so many warps of each multiprocessor.
    void divide(Task &task, const Plane &plane, int warps) const
    {
        const auto isSlow = [&](int strip) {
            const int begin = strip * task.kept, end = std::min(begin + task.kept, task.width);
            return begin < plane.left || end + task.windowWidth - 1 > plane.right;
        };
        const int strips = common::ceilDiv(task.width, task.kept);
        shareItems(task, strips, multiprocessors * warps, mostChunks(task, strips), isSlow);
    }

    /// Into how many chunks to cut a strip, if there were warps for all. With w warps on a
    /// multiprocessor, a row takes them as long as kWaiting + w rows whose warp need not wait; the
    /// rows of an item's first window, which have no results, take kEntering of that. So an item of
    /// `rows` takes (rows + kEntering windowHeight) (kWaiting + w), where rows times w is what the
    /// image has for each multiprocessor: this is where that is least. Both numbers follow from
    /// measured times of 15x15 and 31x31.
    int mostChunks(const Task &task, int strips) const
    {
        constexpr double kWaiting = 16, kEntering = 0.7;
        const double ofStrip = kWaiting * multiprocessors / strips;
        const double chunks = std::sqrt(ofStrip * task.height / (kEntering * task.windowHeight));
        return static_cast<int>(std::clamp(chunks, 1.0, static_cast<double>(task.height)));
    }

    const int cells;
    const double error, fineError;
    const std::int64_t whole; ///< F(cells)
    const double wholeScale;
    const Margin wholeMargin; ///< of whole windows, scaled
    const common::DeviceArray<std::int32_t> sums;
    const common::DeviceArray<std::int64_t> fine;
    const common::DeviceArray<double> scales;
    const GpuAnswers answers;
    const common::DeviceArray<float> two;
    const int multiprocessors, sharedBytes;
};

} // namespace

int levelsSharedBytes(const Problem &problem)
{
    const int cells = problem.shape.cells;
    return memoryOf(cells, 1, choose(cells, planeFor(problem, true))).least();
}

std::unique_ptr<const PlanePlan> makeLevelsPlan(const Problem &problem)
{
    return std::make_unique<LevelsPlanePlan>(problem);
}

#else

int levelsSharedBytes(const Problem &) { return 0; }

std::unique_ptr<const PlanePlan> makeLevelsPlan(const Problem &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
