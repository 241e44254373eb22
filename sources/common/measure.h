// The measuring loop: warm up, validate, then repeat and keep the median and the minimum.
#pragma once

#include "common/clock.h"
#include "common/error.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
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

/// The seconds after which nothing is repeated once more: BENCHMARK_SECONDS in the environment, two
/// where it is not set. Throws Error where it is no positive number.
inline double mostSeconds()
{
    const char *setting = std::getenv("BENCHMARK_SECONDS");
    if (!setting || !*setting) return 2.0;
    char *end = nullptr;
    const double seconds = std::strtod(setting, &end);
    if (*end == '\0' && seconds > 0) return seconds;
    throw Error("BENCHMARK_SECONDS is '" + std::string(setting) +
                "', expected a positive number of seconds");
}

/// When to stop repeating. Five repeats at least, unless they take `most` seconds; what is quick is
/// repeated for a tenth of a second, so that its median means something.
inline bool enoughRepeats(std::size_t repeats, double totalSeconds, double most = mostSeconds())
{
    if (totalSeconds >= most) return true;
    return repeats >= 5 && (totalSeconds >= 0.1 || repeats >= 1000);
}

/// enoughRepeats with the environment's seconds, as they are when it is made.
struct UsualRepeats
{
    double most = mostSeconds();
    bool operator()(std::size_t repeats, double totalSeconds) const
    {
        return enoughRepeats(repeats, totalSeconds, most);
    }
};

/// Repeats `once`, which returns the milliseconds that it took, until enough(repeats, seconds).
template <typename Once, typename Enough = UsualRepeats>
Timing repeat(Once once, Enough enough = {})
{
    std::vector<double> milliseconds;
    const WallClock total;
    do milliseconds.push_back(once());
    while (!enough(milliseconds.size(), total.seconds()));
    return summarize(std::move(milliseconds));
}

/// Measures `run` by the wall clock. The first run warms up and its outcome goes to `validate`,
/// which throws unless it is right: a wrong answer is never timed, nor is a cold run. What takes
/// mostSeconds() is timed once. An outcome is destroyed after the clock has been read, so freeing
/// it costs nothing here.
template <typename Run, typename Validate, typename Enough = UsualRepeats>
Timing measure(Run run, Validate validate, Enough enough = {})
{
    validate(run());
    return repeat(
        [&] {
            const WallClock clock;
            [[maybe_unused]] const auto outcome = run();
            return clock.milliseconds();
        },
        enough);
}

} // namespace common
