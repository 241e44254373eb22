#include "local_entropy/methods/words/method.h"

#include "common/error.h"
#include "local_entropy/error.h"
#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/words/call.h"

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
    try {
        Region all;
        while (queue.take(all))
            words::entropyOnGpu(problem.image.width, problem.image.height,
                                static_cast<const float *>(problem.image.data),
                                static_cast<float *>(problem.result.data));
    } catch (const words::BadCell &error) {
        throw Error(Status::BadLevel, error.what());
    } catch (const common::Unavailable &error) {
        throw Error(Status::Unavailable, error.what());
    } catch (const common::Error &error) {
        throw Error(Status::Internal, error.what());
    }
};

class WordsMethod : public Method
{
public:
    const char *name() const override { return "words"; }

    bool can(const Problem &problem, Path path) const override
    {
        return bitsMethod().can(problem, path) && problem.region.height == problem.image.height;
    }

    double cost(const Problem &, Path) const override { return 1e9; }
    bool wantsWhole() const override { return true; }

    std::unique_ptr<const Plan> plan(const Problem &, Path) const override
    {
        return std::make_unique<WordsPlan>();
    }
};

} // namespace

const Method &wordsMethod()
{
    static const WordsMethod &method = *new WordsMethod; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
