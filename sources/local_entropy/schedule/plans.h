// The plans of an engine: made once for a filter, kept for the next call.
#pragma once

#include "local_entropy/methods/method.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace local_entropy
{

class Plans
{
public:
    /// From any thread. The plan stays as long as somebody holds it.
    std::shared_ptr<const Plan> get(const Method &method, const Problem &problem, Path path);

private:
    static constexpr std::size_t kMost = 32; ///< kept; then all are forgotten

    /// With all that a plan may depend on: not the arrays.
    struct Kept
    {
        const Method *method;
        Path path;
        CellType type;
        bool isDouble, mayMiss;
        Filter filter;
        std::shared_ptr<const Plan> plan;

        bool isFor(const Method &method, const Problem &problem, Path path) const;
    };

    std::shared_ptr<const Plan> find(const Method &method, const Problem &problem, Path path);

    std::mutex mutex;
    std::vector<Kept> kept;
};

} // namespace local_entropy
