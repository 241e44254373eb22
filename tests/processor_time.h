// The time that the calling thread has spent on the processor.
#pragma once

#include <ctime>

/// Milliseconds.
inline double processorTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// Works until a whole second will be full in less than ten milliseconds.
inline void workUntilASecondIsNearlyFull()
{
    const auto ofThisSecond = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return time.tv_nsec;
    };
    while (ofThisSecond() < 990000000) {
    }
}
