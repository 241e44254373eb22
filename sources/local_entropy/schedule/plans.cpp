#include "local_entropy/schedule/plans.h"

#include <cstring>
#include <utility>

namespace local_entropy
{

Plans::Key::Key(const Method &method, const Problem &problem, Path path)
    : integers{reinterpret_cast<std::intptr_t>(&method),
               static_cast<int>(path),
               static_cast<int>(problem.image.type),
               problem.result.isDouble,
               problem.mayMiss,
               problem.filter.window.width,
               problem.filter.window.height,
               problem.filter.window.originX,
               problem.filter.window.originY,
               problem.filter.levels.count,
               problem.filter.levels.binned,
               problem.filter.levels.clamp,
               static_cast<int>(problem.filter.border),
               static_cast<int>(problem.filter.measure),
               static_cast<int>(problem.filter.base),
               problem.filter.nodata.has_value(),
               problem.filter.nanIsError},
      reals{problem.filter.levels.low, problem.filter.levels.high,
            problem.filter.constant,   problem.filter.order,
            problem.filter.empty,      problem.filter.nodata.value_or(0)},
      footprint(problem.filter.window.footprint)
{
}

bool Plans::Key::operator==(const Key &other) const
{
    return std::memcmp(integers, other.integers, sizeof integers) == 0 &&
           std::memcmp(reals, other.reals, sizeof reals) == 0 && footprint == other.footprint;
}

std::shared_ptr<const Plan> Plans::find(const Key &key)
{
    const std::lock_guard<std::mutex> lock(mutex);
    for (const Kept &one : kept)
        if (one.key == key) return one.plan;
    return nullptr;
}

std::shared_ptr<const Plan> Plans::get(const Method &method, const Problem &problem, Path path)
{
    Key key(method, problem, path);
    if (auto plan = find(key)) return plan;
    std::shared_ptr<const Plan> plan = method.plan(problem, path);
    const std::lock_guard<std::mutex> lock(mutex);
    if (kept.size() >= kMost) kept.clear();
    kept.push_back({std::move(key), plan});
    return plan;
}

} // namespace local_entropy
