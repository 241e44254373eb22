#include "local_entropy/methods/second_look.h"

#include "local_entropy/memory/current_gpu.h"

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "common/device_array.h"
#include "local_entropy/answers/exceptions.h"
#include "local_entropy/answers/gpu_answers.h"
#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/second_look_kernel.h"

#include <algorithm>
#include <vector>
#endif

namespace local_entropy
{

#ifdef __CUDACC__

namespace
{

using second_look::Chunk;
using second_look::kLanes;

template <typename Cell, typename Value>
using Kernel = void (*)(second_look::Task<Cell, Value>);

/// The window's cells, as many at a time as a word holds.
std::vector<Chunk> chunksOf(const Shape &shape, int cellsOfWord)
{
    std::vector<Chunk> chunks;
    for (const Run &run : shape.runs)
        for (int column = run.begin; column < run.end; column += cellsOfWord)
            chunks.push_back({static_cast<std::uint8_t>(run.row), static_cast<std::uint8_t>(column),
                              static_cast<std::uint8_t>(std::min(run.end - column, cellsOfWord)),
                              0});
    return chunks;
}

/// How windows are counted where planes have cells of so many bytes.
struct Layout
{
    int slots; ///< of a window's table
    int lanes; ///< that count a window
    int warpsOfBlock;
    bool isShared;     ///< whether tables are in shared memory
    std::size_t bytes; ///< of a warp's tables
};

Layout layoutFor(int windowCells, int bytesOfCell)
{
    constexpr std::size_t kMostBytes = 32 << 10; // of a block; every GPU has 48 KiB
    Layout layout{second_look::kBytes, second_look::kFewLanes, second_look::kMostWarps, true, 0};
    if (bytesOfCell > 1) {
        layout.slots = kLanes;
        while (layout.slots < 2 * windowCells) layout.slots *= 2;
        if (layout.slots > 256) layout.lanes = kLanes;
    }
    layout.bytes = sizeof(std::uint32_t) * layout.slots * (kLanes / layout.lanes);
    layout.isShared = layout.bytes <= kMostBytes;
    if (layout.isShared)
        layout.warpsOfBlock =
            static_cast<int>(std::min<std::size_t>(layout.warpsOfBlock, kMostBytes / layout.bytes));
    return layout;
}

class SecondLook : public PlanePlan
{
public:
    explicit SecondLook(const Problem &problem) : SecondLook(problem, answersOf(problem)) {}

    std::size_t scratchBytes(const Problem &, const Plane &plane) const override
    {
        const Layout layout = layoutFor(windowCells, plane.bytes);
        return layout.isShared ? 0 : blocks(layout) * layout.warpsOfBlock * layout.bytes;
    }

    void launch(const PlanePart &part, void *stream) const override
    {
        const auto in = static_cast<cudaStream_t>(stream);
        if (part.plane.bytes == 1) return launch<std::uint8_t>(part, in);
        if (part.plane.bytes == 2) return launch<std::uint16_t>(part, in);
        launch<std::uint32_t>(part, in);
    }

private:
    SecondLook(const Problem &problem, const Answers &answers)
        : answers(answers), windowCells(problem.shape.cells), differences(differencesOf(answers)),
          exceptions(exceptionsOf(problem, answers)),
          listed(upload(exceptions)), chunks{upload(chunksOf(problem.shape, 4)),
                                             upload(chunksOf(problem.shape, 2)),
                                             upload(chunksOf(problem.shape, 1))},
          most(multiprocessorsOfGpu() * second_look::kBlocks)
    {
    }

    static common::DeviceArray<Chunk> upload(const std::vector<Chunk> &chunks)
    {
        return common::upload(chunks.data(), chunks.size());
    }

    /// And a zero behind the last, for cells that do not count.
    static common::DeviceArray<std::int64_t> differencesOf(const Answers &answers)
    {
        std::vector<std::int64_t> all(answers.mostCells() + 1, 0);
        if (answers.fromSums()) std::copy_n(answers.deltas(), answers.mostCells(), all.begin());
        return common::upload(all.data(), all.size());
    }

    /// Of whole windows.
    static std::vector<Exception> exceptionsOf(const Problem &problem, const Answers &answers)
    {
        if (problem.result.isDouble) return {};
        return undecidedShares(answers, problem.shape.cells);
    }
    static common::DeviceArray<Exception> upload(std::vector<Exception> all)
    {
        all.push_back({}); // there is no array of none
        return common::upload(all.data(), all.size());
    }

    /// Fewer where their tables would take more memory than this.
    std::size_t blocks(const Layout &layout) const
    {
        constexpr std::size_t kMostBytes = std::size_t(256) << 20;
        if (layout.isShared) return most;
        return std::clamp<std::size_t>(kMostBytes / (layout.bytes * layout.warpsOfBlock), 1, most);
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
    static Kernel<Cell, Value> kernelFor(const Layout &layout)
    {
        if constexpr (sizeof(Cell) == 1)
            return second_look::look<Cell, Value, second_look::kFewLanes>;
        else
            return layout.lanes == kLanes ? second_look::look<Cell, Value, kLanes>
                                          : second_look::look<Cell, Value, second_look::kFewLanes>;
    }

    template <typename Cell, typename Value>
    void launch(const PlanePart &part, cudaStream_t stream) const
    {
        const Shape &shape = part.problem.shape;
        const Result &result = part.problem.result;
        const Layout layout = layoutFor(windowCells, part.plane.bytes);
        const auto &ofWindow = chunks[sizeof(Cell) / 2];
        second_look::Task<Cell, Value> task{};
        task.plane = PlaneView<Cell>(part.plane);
        task.chunks = ofWindow.data();
        task.chunksOfWindow = static_cast<int>(ofWindow.size());
        task.windowWidth = shape.width;
        task.windowHeight = shape.height;
        task.windowCells = windowCells;
        task.result = static_cast<Value *>(result.data);
        task.resultStride = result.stride;
        task.undecided = part.undecided.words;
        task.words = part.undecided.wordsARow * result.height;
        task.wordsARow = static_cast<int>(part.undecided.wordsARow);
        task.runWords = second_look::runWords(
            task.words, static_cast<std::int64_t>(blocks(layout)) * layout.warpsOfBlock * kLanes);
        task.differences = differences.data();
        task.exceptions = listed.data();
        task.exceptionCount = static_cast<int>(exceptions.size());
        task.slots = layout.slots;
        task.tables = layout.isShared ? nullptr : static_cast<std::uint32_t *>(part.scratch);
        task.answers = answers.tables();
        const bool isCopied = windowCells < second_look::kMostShared;
        task.sharedDifferences = isCopied ? windowCells + 1 : 0;
        const bool isPacked = sizeof(Cell) == 1 && isCopied &&
                              part.plane.middle.stride * shape.height < second_look::kMostOffset;
        task.packedChunks = isPacked ? task.chunksOfWindow : 0;
        const std::size_t bytes = sizeof(std::int64_t) * task.sharedDifferences +
                                  sizeof(second_look::PackedChunk) * task.packedChunks +
                                  (layout.isShared ? layout.bytes * layout.warpsOfBlock : 0);
        common::launchBehind(kernelFor<Cell, Value>(layout),
                             static_cast<unsigned>(blocks(layout)), kLanes * layout.warpsOfBlock,
                             bytes, stream, task);
    }

    const GpuAnswers answers;
    const int windowCells;
    const common::DeviceArray<std::int64_t> differences;
    const std::vector<Exception> exceptions;
    const common::DeviceArray<Exception> listed; ///< the same, for kernels
    const common::DeviceArray<Chunk> chunks[3];  ///< for cells of 1, 2 and 4 bytes
    const std::size_t most;                      ///< blocks
};

} // namespace

std::unique_ptr<const PlanePlan> makeSecondLook(const Problem &problem)
{
    return std::make_unique<SecondLook>(problem);
}

#else

std::unique_ptr<const PlanePlan> makeSecondLook(const Problem &) { refuseWithoutGpu(); }

#endif

} // namespace local_entropy
