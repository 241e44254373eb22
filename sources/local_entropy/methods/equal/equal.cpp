#include "local_entropy/methods/equal/equal.h"

#include "local_entropy/methods/equal/equal_plan.h"

namespace local_entropy
{
namespace
{

class Equal : public Method
{
public:
    const char *name() const override { return "equal"; }

    /// On a CPU, `ranks` does the like.
    bool can(const Problem &, Path) const override { return false; }
    double cost(const Problem &, Path) const override { return 1; }
    std::unique_ptr<const Plan> plan(const Problem &, Path) const override { return nullptr; }

    bool canLaunch(const Problem &problem) const override { return canCompare(problem); }
    int sharedBytes(const Problem &problem) const override { return compareSharedBytes(problem); }
    double launchCost(const Problem &problem) const override { return compareCost(problem); }
    const char *launches() const override
    {
        return "entropies as float of rectangles of 2 to 11 columns and few rows";
    }
    std::unique_ptr<const PlanePlan> planePlan(const Problem &problem) const override
    {
        return makeEqualPlan(problem);
    }
};

} // namespace

const Method &equalMethod()
{
    static const Equal &method = *new Equal; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
