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

    /// All of a problem that a plan may depend on: not the arrays.
    struct Key
    {
        Key(const Method &method, const Problem &problem, Path path);
        bool operator==(const Key &other) const;

        static constexpr int kIntegers = 17, kReals = 6;
        std::int64_t integers[kIntegers];
        double reals[kReals]; ///< compared bit by bit: some may be NaN
        std::vector<std::uint8_t> footprint;
    };
    struct Kept
    {
        Key key;
        std::shared_ptr<const Plan> plan;
    };

    std::shared_ptr<const Plan> find(const Key &key);

    std::mutex mutex;
    std::vector<Kept> kept;
};

} // namespace local_entropy
