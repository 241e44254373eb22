#include "local_entropy/methods/words/method.h"

#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/words/call.h"
#include "local_entropy/methods/words/launcher.h"
#include "local_entropy/methods/words/loaded.h"
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/problem/levels.h"
#include "local_entropy/problem/plane.h"

namespace local_entropy
{
namespace
{

class WordsPlan : public Plan
{
public:
    TileSize tileSize(const Problem &problem, int) const override
    {
        return {problem.region.width, problem.region.height};
    }
    bool takesTiles() const override { return false; }
    const Method *throughDevice() const override { return &wordsMethod(); }

    void work(const Problem &problem, TileQueue &queue, Scratch &) const override
    {
        Region all;
        while (queue.take(all))
            words::entropyOnGpu(problem.image.width, problem.image.height,
                                static_cast<const float *>(problem.image.data),
                                static_cast<float *>(problem.result.data));
    }
};

class WordsMethod : public Method
{
public:
    const char *name() const override { return "words"; }

    /// It cannot leave out cells, not even those that are NaN.
    bool can(const Problem &problem, Path path) const override
    {
        return bitsMethod().can(problem, path) && words::isReadInPlace(problem) &&
               problem.region.height == problem.image.height;
    }

    double cost(const Problem &, Path) const override { return 1e9; }
    bool wantsWhole() const override { return true; }

    std::unique_ptr<const Plan> plan(const Problem &, Path) const override
    {
        return std::make_unique<WordsPlan>();
    }

    bool canLaunch(const Problem &problem) const override
    {
        const Filter &filter = problem.filter;
        const Shape &shape = problem.shape;
        const bool window = shape.rectangle && shape.width == kWindow && shape.height == kWindow &&
                            shape.left == kRadius && shape.top == kRadius;
        const bool allCount = !problem.mask.data && !filter.nodata &&
                              (problem.image.type != CellType::Float32 || filter.nanIsError);
        const bool entropy = filter.measure == Measure::Entropy && filter.base == Base::E;
        return window && allCount && entropy && filter.levels.count <= kLevels &&
               !problem.result.isDouble && problem.result.stride <= words::kMostStride;
    }
    int sharedBytes(const Problem &) const override { return words::sharedBytes(); }
    double launchCost(const Problem &problem) const override
    {
        return words::isReadInPlace(problem) ? 0.0022 : 0.0045;
    }
    const char *launches() const override
    {
        return "windows of 5x5 cells around theirs, of at most 16 levels, where all cells count "
               "(NaN is an error, no mask, no nodata), to the entropy in base e as float";
    }
    std::unique_ptr<const PlanePlan> planePlan(const Problem &) const override
    {
        return words::makeLoadedPlan();
    }
    std::unique_ptr<Launcher> launcher() const override { return words::makeLauncher(); }
};

} // namespace

bool words::isReadInPlace(const Problem &problem)
{
    const Filter &filter = problem.filter;
    const Image &image = problem.image;
    if (filter.border != Border::Cut || problem.region.width != image.width ||
        image.stride > words::kMostStride || image.height > kMostBadRows)
        return false;
    if (image.type == CellType::Uint8) return levelsAreCells(filter, image.type);
    return bitsMethod().can(problem, bestPath()) && filter.nanIsError;
}

const Method &wordsMethod()
{
    static const WordsMethod &method = *new WordsMethod; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
