#include "local_entropy/schedule/plans.h"

#include "local_entropy/schedule/same_filter.h"

namespace local_entropy
{

bool Plans::Kept::isFor(const Method &method, const Problem &problem, Path path) const
{
    return this->method == &method && this->path == path && type == problem.image.type &&
           isDouble == problem.result.isDouble && mayMiss == problem.mayMiss &&
           isSame(filter, problem.filter);
}

std::shared_ptr<const Plan> Plans::find(const Method &method, const Problem &problem, Path path)
{
    const std::lock_guard<std::mutex> lock(mutex);
    for (const Kept &one : kept)
        if (one.isFor(method, problem, path)) return one.plan;
    return nullptr;
}

std::shared_ptr<const Plan> Plans::get(const Method &method, const Problem &problem, Path path)
{
    if (auto plan = find(method, problem, path)) return plan;
    std::shared_ptr<const Plan> plan = method.plan(problem, path);
    const std::lock_guard<std::mutex> lock(mutex);
    if (kept.size() >= kMost) kept.clear();
    kept.push_back({&method, path, problem.image.type, problem.result.isDouble, problem.mayMiss,
                    problem.filter, plan});
    return plan;
}

} // namespace local_entropy
