// The list of methods, and the one place that chooses.

#include "local_entropy/methods/bits/bits.h"
#include "local_entropy/methods/equal/equal.h"
#include "local_entropy/methods/histogram/foot_method.h"
#include "local_entropy/methods/histogram/histogram.h"
#include "local_entropy/methods/histogram/wide.h"
#include "local_entropy/methods/levels/levels.h"
#include "local_entropy/methods/method.h"
#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/methods/ranks/ranks.h"
#include "local_entropy/methods/ranks/sliding_plan.h"
#include "local_entropy/methods/words/method.h"

namespace local_entropy
{

const std::vector<const Method *> &methods()
{
    // Never destroyed: objects that outlive main may still compute.
    static const auto &all = *new std::vector<const Method *>{
        &bitsMethod(),   &wordsMethod(),     &ranksMethod(), &slidingRanksMethod(),
        &levelsMethod(), &histogramMethod(), &wideMethod(),  &footprintMethod(),
        &equalMethod(),  &plainMethod()};
    return all;
}

const Method &chooseMethod(const Problem &problem, Path path, const Method *except, int threads)
{
    const auto costOf = [&](const Method &method) {
        return threads > 0 ? method.costInTiles(problem, path, threads)
                           : method.cost(problem, path);
    };
    const Method *best = methods().back();
    double least = costOf(*best);
    for (const Method *method : methods()) {
        if (method == best || method == except || !method->can(problem, path)) continue;
        const double cost = costOf(*method);
        if (cost < least) {
            least = cost;
            best = method;
        }
    }
    return *best;
}

} // namespace local_entropy
