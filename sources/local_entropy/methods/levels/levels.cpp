#include "local_entropy/methods/levels/levels.h"

#include "local_entropy/methods/answers_of.h"
#include "local_entropy/methods/costs.h"
#include "local_entropy/methods/levels/kernels.h"
#include "local_entropy/methods/levels/launch_plan.h"
#include "local_entropy/methods/levels/tile_levels.h"
#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/methods/results.h"

#include <algorithm>
#include <optional>

namespace local_entropy
{
namespace
{

class LevelsPlan : public Plan
{
public:
    LevelsPlan(const Problem &problem, Path path)
        : answers(answersOf(problem)), kernels(levelsKernels(path))
    {
        // Beyond, making the table would take longer than a tile of two levels could spare.
        constexpr int kMostForAny = 1024;
        const int cells = problem.shape.cells;
        if (problem.filter.levels.count == 2 || cells <= kMostForAny) two.emplace(problem, answers);
        if (path == Path::Avx512Vbmi && planesCan(problem))
            planes.emplace(answers, cells, problem.filter.levels.count);
        else if (path == Path::Avx512 && wordPlanesCan(problem))
            wordPlanes.emplace(answers, cells, problem.filter.levels.count);
        if (problem.filter.levels.count > 2 && pairsCan(problem) && !planesServeAll(problem))
            pairs.emplace(answers, cells);
    }

    /// As wide as a strip of the kernels. As high as leaves its cells, which may be copies, in the
    /// second cache; but a strip's first row takes all of a window, which should not matter.
    TileSize tileSize(const Problem &problem, int threads) const override
    {
        constexpr std::int64_t kMost = 1024, kSecondCache = 256 << 10;
        const Shape &shape = problem.shape;
        const Region &region = problem.region;
        const StripLayout strip(shape.width, stripLevels(problem), shape.cells > 255);
        const std::int64_t across = (region.width + strip.results - 1) / strip.results;
        const std::int64_t fair = region.height * std::max<std::int64_t>(across, 1) /
                                  (4 * static_cast<std::int64_t>(threads));
        const std::int64_t least = std::min<std::int64_t>(8 * shape.height, kMost);
        const std::int64_t most = std::clamp(kSecondCache / strip.results, least, kMost);
        return {strip.results, std::clamp(fair, least, most)};
    }

    void work(const Problem &problem, TileQueue &queue, Scratch &scratch) const override
    {
        Region place;
        while (queue.take(place)) fill(problem, loadTile(problem, place, scratch), scratch);
    }

private:
    /// Planes, or level by level, are as fast for all tiles: no pairs needed.
    bool planesServeAll(const Problem &problem) const
    {
        return wordPlanes || (planes && problem.filter.levels.count <= PlaneTables::kMostLevels);
    }

    static int stripLevels(const Problem &problem)
    {
        const int count = problem.filter.levels.count;
        return count == 2 ? 1 : std::min(count, 32);
    }

    void fill(const Problem &problem, const Tile &tile, Scratch &scratch) const
    {
        const TileLevels levels(tile, problem.shape, scratch);
        if (!levels.fit()) {
            plainTile(problem, tile, answers);
            return;
        }
        BoxTile box = levels.boxTile(tile, problem.shape);
        if (box.levels == 0) {
            fillEmpty(problem, tile);
        } else if (box.levels <= 2 && two) {
            const Finish finish(problem, tile, answers, 2);
            box.levels = 1;
            kernels.twoLevels(box, *two, finish, scratch);
        } else {
            const Finish finish(problem, tile, answers, box.levels);
            kernels.boxes(box, {pointer(planes), pointer(wordPlanes), pointer(pairs)}, finish,
                          scratch);
        }
    }

    template <class Table>
    static const Table *pointer(const std::optional<Table> &table)
    {
        return table ? &*table : nullptr;
    }

    /// A tile whose cells are all missing.
    void fillEmpty(const Problem &problem, const Tile &tile) const
    {
        for (std::int64_t y = 0; y < tile.height; ++y)
            if (problem.result.isDouble)
                std::fill_n(resultRow<double>(problem, tile.place, y), tile.width, answers.empty());
            else
                std::fill_n(resultRow<float>(problem, tile.place, y), tile.width,
                            static_cast<float>(answers.empty()));
    }

    const Answers answers;
    const LevelsKernels &kernels;
    std::optional<TwoLevelTable> two;
    std::optional<PlaneTables> planes;
    std::optional<WordPlaneTables> wordPlanes;
    std::optional<PairTable> pairs;
};

class LevelsMethod : public Method
{
public:
    const char *name() const override { return "levels"; }
    bool can(const Problem &problem, Path) const override { return problem.shape.rectangle; }

    double cost(const Problem &problem, Path path) const override
    {
        return costOf(Costed::Levels, problem, path);
    }

    /// Blocks are filled up; the first window of a column costs as much as a tenth of its rows.
    double costInTiles(const Problem &problem, Path path, int) const override
    {
        const auto width = static_cast<double>(problem.region.width);
        const auto height = static_cast<double>(problem.region.height);
        const double fitting = cost(problem, path) *
                               static_cast<double>(roundUp(problem.region.width, kBlock)) / width *
                               (1 + 0.1 * problem.shape.height / height);
        if (!mayNotFit(problem)) return fitting;
        return std::max(fitting, costOf(Costed::Plain, problem, path));
    }

    std::unique_ptr<const Plan> plan(const Problem &problem, Path path) const override
    {
        return std::make_unique<LevelsPlan>(problem, path);
    }

    bool canLaunch(const Problem &problem) const override { return canLaunchLevels(problem); }
    int sharedBytes(const Problem &problem) const override { return levelsSharedBytes(problem); }
    double launchCost(const Problem &problem) const override { return levelsLaunchCost(problem); }
    const char *launches() const override
    {
        return "entropies as float of rectangles up to 64 cells wide and of up to 8192 cells, of "
               "at most 32 levels, or 31 where cells may be missing";
    }
    std::unique_ptr<const PlanePlan> planePlan(const Problem &problem) const override
    {
        return makeLevelsPlan(problem);
    }

private:
    /// Whether a tile of any cells may hold more levels than its bytes can number
    /// (TileLevels::fit()) and is then left to `plain`: that the pictures of the cost table have
    /// fewer is no promise. NaN here and there does not count: tiles of floats without it keep to
    /// bytes.
    static bool mayNotFit(const Problem &problem)
    {
        constexpr int kValues = 256; // of a byte
        return problem.filter.levels.count + (mayMissMany(problem) ? 1 : 0) > kValues;
    }
};

} // namespace

const Method &levelsMethod()
{
    static const LevelsMethod &method = *new LevelsMethod; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
