// The list of methods, and the one place that chooses.

#include "local_entropy/methods/method.h"
#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/methods/ranks/sliding_plan.h"

namespace local_entropy
{

const std::vector<const Method *> &methods()
{
    static const std::vector<const Method *> all = {&slidingRanksMethod(), &plainMethod()};
    return all;
}

const Method &chooseMethod(const Problem &problem, Path path)
{
    const Method *best = methods().back();
    double least = best->cost(problem, path);
    for (const Method *method : methods()) {
        if (method == best || !method->can(problem, path)) continue;
        const double cost = method->cost(problem, path);
        if (cost < least) {
            least = cost;
            best = method;
        }
    }
    return *best;
}

} // namespace local_entropy
