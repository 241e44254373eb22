#include "local_entropy/methods/histogram/wide.h"

#include "local_entropy/error.h"
#include "local_entropy/methods/histogram/wide_plan.h"

namespace local_entropy
{
namespace
{

class Wide : public Method
{
public:
    const char *name() const override { return "wide"; }
    bool can(const Problem &, Path) const override { return false; }
    double cost(const Problem &, Path) const override { return 1e9; }

    std::unique_ptr<const Plan> plan(const Problem &, Path) const override
    {
        throw Error(Status::Internal, "the method wide has no plan for a CPU");
    }

    bool canLaunch(const Problem &problem) const override { return canWalkWide(problem); }
    int sharedBytes(const Problem &problem) const override { return wideSharedBytes(problem); }
    double launchCost(const Problem &problem) const override { return wideCost(problem); }
    const char *launches() const override
    {
        return "entropies as float of rectangles up to 61 cells wide and of up to 4096 cells, of "
               "so many levels as have a word each in the shared memory of a GPU";
    }
    std::unique_ptr<const PlanePlan> planePlan(const Problem &problem) const override
    {
        return makeWidePlan(problem);
    }
};

} // namespace

const Method &wideMethod()
{
    static const Wide &method = *new Wide; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
