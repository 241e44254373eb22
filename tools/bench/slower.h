// Which of two times is the longer one, and not by chance.
#pragma once

namespace bench
{

/// Whether `milliseconds` are more than `others`, by more than two runs of one thing differ by: a
/// tenth, and two microseconds.
inline bool isSlower(double milliseconds, double others)
{
    constexpr double kNoise = 1.1, kNoiseMilliseconds = 0.002;
    return milliseconds > kNoise * others + kNoiseMilliseconds;
}

} // namespace bench
