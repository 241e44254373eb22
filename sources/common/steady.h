// Was the machine the same from the beginning of a table to its end? The copies tell.
#pragma once

#include "common/measure.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace common
{

/// Of the same floats, within host memory and within that of GPU 0.
struct Copies
{
    Timing host, device; ///< no repeats: not measured
};

/// A line about a copy that took more than twice as long after the work as before it, or less than
/// half: something else ran here, and what was measured in between says little. Empty if it did
/// not, also for copies too short to tell.
inline std::string distrust(const char *which, const Timing &before, const Timing &after)
{
    constexpr double kTooShort = 0.02; // milliseconds
    const double most = std::max(before.median, after.median);
    const double least = std::min(before.median, after.median);
    if (!before.repeats || !after.repeats || most < kTooShort || most <= 2 * least) return "";
    char line[160];
    std::snprintf(line, sizeof line,
                  "these times cannot be trusted: the %s copy took %.4g ms, then %.4g ms\n", which,
                  before.median, after.median);
    return line;
}

inline std::string distrust(const Copies &before, const Copies &after)
{
    return distrust("host", before.host, after.host) +
           distrust("GPU's", before.device, after.device);
}

} // namespace common
