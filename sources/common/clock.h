// Wall clock.
#pragma once

#include <chrono>

namespace common
{

/// Starts when made.
class WallClock
{
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    double milliseconds() const { return 1e3 * seconds(); }

private:
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace common
