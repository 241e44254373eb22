// Floating point as the library counts on it.
#pragma once

#include <cfenv>

namespace local_entropy
{

/// While it lives, its thread rounds to nearest, keeps subnormal numbers and traps nothing,
/// whatever its caller has set; afterwards, that is back, flags included. In every thread that
/// computes.
class DefaultFloatMode
{
public:
    DefaultFloatMode()
    {
        std::fegetenv(&callers);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloatMode() { std::fesetenv(&callers); }
    DefaultFloatMode(const DefaultFloatMode &) = delete;
    DefaultFloatMode &operator=(const DefaultFloatMode &) = delete;

private:
    std::fenv_t callers;
};

} // namespace local_entropy
