// The measuring loop: warm up, validate, then repeat and keep the median and the minimum.
#pragma once

#include "common/clock.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace common
{

/// Times of the repeats of one thing, in milliseconds.
struct Timing
{
    std::size_t repeats = 0;
    double median = 0;
    double minimum = 0;
};

inline Timing summarize(std::vector<double> milliseconds)
{
    if (milliseconds.empty()) return {};
    std::sort(milliseconds.begin(), milliseconds.end());
    const std::size_t n = milliseconds.size();
    return {n, (milliseconds[(n - 1) / 2] + milliseconds[n / 2]) / 2, milliseconds.front()};
}

/// When to stop repeating. Five repeats at least, unless they take two seconds; what is quick is
/// repeated for a tenth of a second, so that its median means something.
inline bool enoughRepeats(std::size_t repeats, double totalSeconds)
{
    if (totalSeconds >= 2.0) return true;
    return repeats >= 5 && (totalSeconds >= 0.1 || repeats >= 1000);
}

/// Repeats `once`, which returns the milliseconds that it took, until enoughRepeats.
template <typename Once>
Timing repeat(Once once)
{
    std::vector<double> milliseconds;
    const WallClock total;
    do milliseconds.push_back(once());
    while (!enoughRepeats(milliseconds.size(), total.seconds()));
    return summarize(std::move(milliseconds));
}

/// Measures `run` by the wall clock. The first run warms up and its outcome goes to `validate`,
/// which throws unless it is right: a wrong answer is never timed. An outcome is destroyed after
/// the clock has been read, so freeing it costs nothing here.
template <typename Run, typename Validate>
Timing measure(Run run, Validate validate)
{
    validate(run());
    return repeat([&] {
        const WallClock clock;
        [[maybe_unused]] const auto outcome = run();
        return clock.milliseconds();
    });
}

} // namespace common
