#include "local_entropy/methods/bits/bits.h"

#include "common/integer.h"
#include "local_entropy/error.h"
#include "local_entropy/methods/bits/cells.h"
#include "local_entropy/methods/bits/cut.h"
#include "local_entropy/methods/bits/gather.h"
#include "local_entropy/methods/bits/kept_flags.h"
#include "local_entropy/methods/bits/narrow.h"
#include "local_entropy/methods/costs.h"

#include <algorithm>
#include <functional>
#include <unistd.h>
#include <vector>

namespace local_entropy::bits
{
namespace
{

/// The fastest that this path includes.
const Kernel &kernelOf(Path path)
{
    if (pathIncludes(path, Path::Avx512) && kAvx512.worksHere()) return kAvx512;
    if (pathIncludes(path, Path::Avx2) && kAvx2.worksHere()) return kAvx2;
    return kPortable;
}

std::int64_t lastLevelCache()
{
    static const std::int64_t bytes = [] {
        long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
        size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
        return size > 0 ? static_cast<std::int64_t>(size) : std::int64_t(32) << 20;
    }();
    return bytes;
}

bool chosen(Choices::Choice choice, bool best)
{
    return choice == Choices::Choice::Best ? best : choice == Choices::Choice::Yes;
}

/// Cell by cell is faster where the panels would be almost empty. Where that begins was found with
/// build/bench_cpu on small and on narrow arrays, when a look-up began to give two levels' terms:
/// whoever changes cells.cpp or the panels does it again.
bool isSmall(std::int64_t width, std::int64_t rows)
{
    constexpr int kMostCells = 4096, kCellsPerPanelRow = 24;
    return width <= kMostCells && width * rows <= kMostCells &&
           width * rows < kCellsPerPanelRow * panelsOf(width) * (rows + 2 * kRadius);
}

Block blockOf(const Region &place)
{
    return {place.x / kPanelColumns, panelsOf(place.width), place.y, place.y + place.height};
}

} // namespace

/// The tiles of a queue as blocks. The kernels watch the flags of the processor: what the queue,
/// and a callback behind it, raises is not theirs.
struct BitsPlan::Queued : Blocks
{
    explicit Queued(TileQueue &queue) : Blocks{takeNext}, queue(queue) {}

    static bool takeNext(Blocks &blocks, Block &block)
    {
        Queued &self = static_cast<Queued &>(blocks);
        const KeptFlags flags;
        Region place;
        if (!self.queue.take(place)) return false;
        self.taken.push_back(place);
        block = blockOf(place);
        return true;
    }

    TileQueue &queue;
    std::vector<Region> taken;
};

BitsPlan::BitsPlan(Path path, const Choices &choices)
    : path(path), choices(choices), kernel(kernelOf(path)), tables(tablesOf(kernel).ofCells.data()),
      gather(choices.gather == Choices::Choice::Best ? gatherIsFaster(kernel)
                                                     : choices.gather == Choices::Choice::Yes)
{
}

bool BitsPlan::isCellByCell(const Region &region) const
{
    return chosen(choices.cellByCell, isSmall(region.width, region.height));
}

TileSize BitsPlan::tileSize(const Problem &problem, int threads) const
{
    const Region &region = problem.region;
    if (isCellByCell(region)) return {region.width, region.height};
    if (isNarrow(region.width, region.height)) return {region.width, stripRows(region.width)};
    const BlockSize size = divide(region.width, region.height, threads);
    return {size.panels * kPanelColumns, size.rows};
}

Task BitsPlan::taskOf(const Problem &problem) const
{
    Task task;
    task.sample = static_cast<const float *>(problem.image.data);
    task.result = static_cast<float *>(problem.result.data);
    task.width = problem.image.width;
    task.height = problem.image.height;
    task.firstRow = problem.region.y;
    task.tables = tables;
    task.gather = gather;
    task.stream = chosen(choices.stream, task.width > lastLevelCache() / 8 / problem.region.height);
    return task;
}

void BitsPlan::work(const Problem &problem, TileQueue &queue, Scratch &scratch) const
{
    Task task = taskOf(problem);
    const Region &region = problem.region;
    if (isCellByCell(region) || isNarrow(region.width, region.height)) {
        Region place;
        while (queue.take(place)) computeTile(problem, task, place, scratch);
        return;
    }
    const TileSize size = queue.tileSize();
    task.packedBytes = packedBytes({panelsOf(size.width), size.height});
    Queued blocks(queue);
    kernel.run(task, blocks, scratch.get(Scratch::MethodA, scratchBytes(kernel, task)));
    if (!blocks.suspicious) return;
    for (const Region &place : blocks.taken) mend(problem, task, place, scratch);
}

void BitsPlan::computeTile(const Problem &problem, Task &task, const Region &place,
                           Scratch &scratch) const
{
    if (isCellByCell(problem.region)) return computeCellByCell(problem, task, place, scratch);
    bool suspicious = false;
    if (isNarrow(problem.region.width, problem.region.height)) {
        suspicious = runNarrow(kernel, task, place.y, place.y + place.height, scratch);
    } else {
        task.packedBytes = packedBytes({panelsOf(place.width), place.height});
        OneBlock block(blockOf(place));
        kernel.run(task, block, scratch.get(Scratch::MethodA, scratchBytes(kernel, task)));
        suspicious = block.suspicious;
    }
    if (suspicious) mend(problem, task, place, scratch);
}

void BitsPlan::computeCellByCell(const Problem &problem, const Task &task, const Region &place,
                                 Scratch &scratch) const
{
    switch (lookAt(task, place)) {
    case Cells::Good: return computeCells(task, place.y, place.y + place.height, scratch);
    case Cells::Missing: return computeByAnother(problem, place, scratch);
    case Cells::Bad: throw Error(Status::BadLevel, "a cell is not a level");
    }
}

/// Looks at a tile of which some cell may be bad. No cell changes what is counted for another, so
/// tiles without are right.
void BitsPlan::mend(const Problem &problem, const Task &task, const Region &place,
                    Scratch &scratch) const
{
    // Small pieces: few of them reach a cell that is NaN.
    constexpr std::int64_t kSide = 128;
    for (std::int64_t y = 0; y < place.height; y += kSide)
        for (std::int64_t x = 0; x < place.width; x += kSide) {
            const Region piece = {place.x + x, place.y + y, std::min(kSide, place.width - x),
                                  std::min(kSide, place.height - y)};
            const Cells cells = lookAt(task, piece);
            if (cells == Cells::Bad) throw Error(Status::BadLevel, "a cell is not a level");
            if (cells == Cells::Missing) computeByAnother(problem, piece, scratch);
        }
}

void BitsPlan::computeByAnother(const Problem &problem, const Region &place, Scratch &scratch) const
{
    std::call_once(
        once, [&] { another = chooseMethod(problem, path, &bitsMethod()).plan(problem, path); });
    const std::function<bool(double)> nobody; // hears of progress twice
    Progress progress(nobody, place);
    TileQueue queue(place, another->tileSize(problem, 1), progress);
    another->work(problem, queue, scratch);
}

namespace
{

class BitsMethod : public Method
{
public:
    const char *name() const override { return "bits"; }

    bool can(const Problem &problem, Path) const override
    {
        const Filter &filter = problem.filter;
        const Levels &levels = filter.levels;
        const Image &image = problem.image;
        const Shape &shape = problem.shape;
        const bool window = shape.rectangle && shape.width == kWindow && shape.height == kWindow &&
                            shape.left == kRadius && shape.top == kRadius;
        const bool areLevels = image.type == CellType::Float32 && !levels.binned &&
                               levels.count == kLevels && levels.low == 0 && !levels.clamp;
        const bool allCount = filter.border == Border::Cut && !problem.mask.data && !filter.nodata;
        const bool entropy = filter.measure == Measure::Entropy && filter.base == Base::E;
        const bool wholeRows = problem.region.width == image.width && image.stride == image.width &&
                               problem.result.stride == image.width;
        return window && areLevels && allCount && entropy && wholeRows && !problem.result.isDouble;
    }

    /// Cut windows cost it nothing.
    bool wantsWhole() const override { return true; }

    double cost(const Problem &problem, Path path) const override
    {
        return costOf(Costed::Bits, problem, path);
    }

    /// What is computed is rows of panels, however few cells there are in them. A cell of a small
    /// or narrow array may take ten times as long as in a large one. It is held to take half as
    /// long again at most: on AVX-512, in one thread, this was the quickest method for all sizes
    /// that were tried, from one cell and one column on.
    double costInTiles(const Problem &problem, Path path, int) const override
    {
        constexpr double kEmptiest = 1.5;
        const double cell = cost(problem, path);
        const std::int64_t width = problem.region.width, rows = problem.region.height;
        if (isNarrow(width, rows)) return kEmptiest * cell;
        const double computed = static_cast<double>(panelsOf(width) * kPanelColumns) *
                                static_cast<double>(rows + 2 * kRadius);
        return cell * std::min(computed / static_cast<double>(width) / static_cast<double>(rows),
                               kEmptiest);
    }

    std::unique_ptr<const Plan> plan(const Problem &, Path path) const override
    {
        return std::make_unique<BitsPlan>(path);
    }
};

} // namespace
} // namespace local_entropy::bits

namespace local_entropy
{

const Method &bitsMethod()
{
    static const auto &method = *new bits::BitsMethod; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
