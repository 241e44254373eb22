#include "local_entropy/methods/words/method.h"

#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/words/call.h"
#include "local_entropy/methods/words/launcher.h"

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

    bool can(const Problem &problem, Path) const override
    {
        return isLevels(problem) && problem.region.height == problem.image.height;
    }

    double cost(const Problem &, Path) const override { return 1e9; }
    bool wantsWhole() const override { return true; }

    std::unique_ptr<const Plan> plan(const Problem &, Path) const override
    {
        return std::make_unique<WordsPlan>();
    }

    bool canLaunch(const Problem &problem) const override { return isLevels(problem); }
    double launchCost(const Problem &) const override { return 0.0022; }
    const char *launches() const override
    {
        return "windows of 5x5 cells cut at the edge, of float cells that are integers 0..15 (NaN "
               "is an error, no mask, no nodata), to the entropy in base e as float, of whole "
               "rows without gaps";
    }
    std::unique_ptr<Launcher> launcher() const override { return words::makeLauncher(); }

private:
    /// Whether the kernel computes that. It cannot leave out cells, not even those that are NaN.
    static bool isLevels(const Problem &problem)
    {
        constexpr std::int64_t kWidest = (std::int64_t(1) << 32) - 1;
        return bitsMethod().can(problem, bestPath()) && problem.filter.nanIsError &&
               problem.image.width <= kWidest;
    }
};

} // namespace

const Method &wordsMethod()
{
    static const WordsMethod &method = *new WordsMethod; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
