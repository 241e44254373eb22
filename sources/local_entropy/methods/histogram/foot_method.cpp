#include "local_entropy/methods/histogram/foot_method.h"

#include "local_entropy/error.h"
#include "local_entropy/methods/histogram/foot_plan.h"

namespace local_entropy
{
namespace
{

class Footprint : public Method
{
public:
    const char *name() const override { return "footprint"; }
    bool can(const Problem &, Path) const override { return false; }
    double cost(const Problem &, Path) const override { return 1e9; }
    std::unique_ptr<const Plan> plan(const Problem &, Path) const override
    {
        throw Error(Status::Internal, "the method 'footprint' is for GPUs");
    }

    bool canLaunch(const Problem &problem) const override { return canWalkFootprint(problem); }
    int sharedBytes(const Problem &problem) const override { return footprintSharedBytes(problem); }
    double launchCost(const Problem &problem) const override { return footprintCost(problem); }
    const char *launches() const override
    {
        return "entropies as float of footprints, of so many levels that a histogram fits a block";
    }
    std::unique_ptr<const PlanePlan> planePlan(const Problem &problem) const override
    {
        return makeFootprintPlan(problem);
    }
};

} // namespace

const Method &footprintMethod()
{
    static const Footprint &method = *new Footprint; // never destroyed, see methods()
    return method;
}

} // namespace local_entropy
