#include "local_entropy/schedule/plans.h"

namespace local_entropy
{

/// All of a problem that a plan may depend on, byte by byte: not the arrays.
static std::string keyOf(const Method &method, const Problem &problem, Path path)
{
    std::string key = method.name();
    const auto add = [&key](const auto &value) {
        key.append(reinterpret_cast<const char *>(&value), sizeof value);
    };
    const Filter &filter = problem.filter;
    add(path);
    add(problem.image.type);
    add(problem.result.isDouble);
    add(problem.mayMiss);
    add(filter.window.width);
    add(filter.window.height);
    add(filter.window.originX);
    add(filter.window.originY);
    add(filter.levels.count);
    add(filter.levels.binned);
    add(filter.levels.low);
    add(filter.levels.high);
    add(filter.levels.clamp);
    add(filter.border);
    add(filter.constant);
    add(filter.measure);
    add(filter.order);
    add(filter.base);
    add(filter.empty);
    add(filter.nodata.has_value());
    add(filter.nodata.value_or(0));
    key.append(filter.window.footprint.begin(), filter.window.footprint.end());
    return key;
}

std::shared_ptr<const Plan> Plans::get(const Method &method, const Problem &problem, Path path)
{
    const std::string key = keyOf(method, problem, path);
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const auto found = kept.find(key);
        if (found != kept.end()) return found->second;
    }
    std::shared_ptr<const Plan> plan = method.plan(problem, path);
    const std::lock_guard<std::mutex> lock(mutex);
    if (kept.size() >= kMost) kept.clear();
    return kept.emplace(key, std::move(plan)).first->second;
}

} // namespace local_entropy
