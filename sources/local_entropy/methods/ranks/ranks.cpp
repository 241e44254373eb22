#include "local_entropy/methods/ranks/ranks.h"

#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/costs.h"
#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/methods/ranks/small_tile.h"
#include "local_entropy/methods/results.h"
#include "local_entropy/problem/load.h"

#include <algorithm>

namespace local_entropy
{
namespace
{

/// What there is for a kind of processor.
struct Kernel
{
    SmallKernel run;
    int vectorBytes;
};

Kernel kernelOf(Path path)
{
#if defined(__x86_64__) || defined(__i386__)
    switch (path) {
    case Path::Avx512Vbmi:
    case Path::Avx512: return {smallTileAvx512, 64};
    case Path::Avx2: return {smallTileAvx2, 32};
    case Path::Ssse3: return {smallTileSsse3, 16};
    default: break;
    }
#endif
    return {smallTilePortable, 16};
}

class RanksPlan : public Plan
{
public:
    RanksPlan(const Problem &problem, Path path)
        : kernel(kernelOf(path)), answers(answersOf(problem)),
          table(problem.shape.cells, answers, problem.mayMiss)
    {
    }

    TileSize tileSize(const Problem &problem, int threads) const override;
    void work(const Problem &problem, TileQueue &queue, Scratch &scratch) const override;

private:
    const Kernel kernel;
    const Answers answers;
    const RankTable table;
};

/// About a million results, unless threads would have too few tiles to share. As wide as lanes have
/// blocks of the best width: 32 columns.
TileSize RanksPlan::tileSize(const Problem &problem, int threads) const
{
    constexpr std::int64_t kResults = 1 << 20, kTilesAThread = 4, kLeast = 64;
    const Region &region = problem.region;
    const std::int64_t most = 32 * kernel.vectorBytes;
    // the kernel knows what to do with up to a quarter more
    const std::int64_t width = region.width <= most + most / 4 ? region.width : most;
    const std::int64_t across = (region.width + width - 1) / std::max<std::int64_t>(width, 1);
    const std::int64_t shared =
        threads > 1 ? region.height * across / (threads * kTilesAThread) : region.height;
    return {width, std::clamp(shared, kLeast,
                              std::max(kResults / std::max<std::int64_t>(width, 1), kLeast))};
}

void RanksPlan::work(const Problem &problem, TileQueue &queue, Scratch &scratch) const
{
    Region place;
    while (queue.take(place)) {
        const Tile tile = loadTile(problem, place, scratch);
        if (tile.bytes > 2) {
            plainTile(problem, tile, answers);
            continue;
        }
        SmallTile small;
        small.width = problem.shape.width;
        small.height = problem.shape.height;
        small.columns = tile.width;
        small.rows = tile.height;
        small.cells = static_cast<const std::uint8_t *>(tile.cells);
        small.stride = tile.stride * tile.bytes;
        small.cellBytes = tile.bytes;
        if (tile.missing) {
            small.absent = tile.absent;
            small.absentStride = tile.absentStride;
        }
        small.result = resultRow<float>(problem, place, 0);
        small.resultStride = problem.result.stride;
        small.table = &table;
        void *const memory =
            scratch.get(Scratch::MethodA, smallScratchBytes(kernel.vectorBytes, small));
        kernel.run(small, static_cast<std::uint8_t *>(memory));
    }
}

class RanksMethod : public Method
{
public:
    const char *name() const override { return "ranks"; }

    bool can(const Problem &problem, Path) const override
    {
        return problem.shape.rectangle && problem.shape.cells <= kSmallCells &&
               !problem.result.isDouble;
    }

    double cost(const Problem &problem, Path path) const override
    {
        return costOf(Costed::Ranks, problem, path);
    }

    /// As was measured: lanes of a column or two, and the first windows of a band, take the time of
    /// so many more columns and rows.
    double costInTiles(const Problem &problem, Path path, int) const override
    {
        constexpr double kColumns = 20, kRows = 12;
        const auto width = static_cast<double>(problem.region.width);
        const auto height = static_cast<double>(problem.region.height);
        return cost(problem, path) * (1 + kColumns / width) * (1 + kRows / height);
    }

    std::unique_ptr<const Plan> plan(const Problem &problem, Path path) const override
    {
        return std::make_unique<RanksPlan>(problem, path);
    }
};

} // namespace

const Method &ranksMethod()
{
    static const RanksMethod &method = *new RanksMethod; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
