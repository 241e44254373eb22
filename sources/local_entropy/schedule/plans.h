// The plans of an engine: made once for a filter, kept for the next call.
#pragma once

#include "local_entropy/methods/method.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace local_entropy
{

class Plans
{
public:
    /// From any thread. The plan stays as long as somebody holds it.
    std::shared_ptr<const Plan> get(const Method &method, const Problem &problem, Path path);

private:
    static constexpr std::size_t kMost = 32; ///< kept; then all are forgotten

    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const Plan>> kept;
};

} // namespace local_entropy
