// How many processors the calling thread may run on.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <sched.h>
#include <thread>

namespace common
{

/// Those of the machine but what taskset, a batch system or a container took away:
/// std::thread::hardware_concurrency() counts all of them. At least 1. Of a container that may run
/// for a part of the time only, as many as it may run on: that quota is not seen.
inline int usableProcessors()
{
    // A set that is smaller than the kernel's is refused; nobody can ask how large that is.
    for (int most = CPU_SETSIZE; most <= 1 << 20; most *= 2) {
        cpu_set_t *const set = CPU_ALLOC(most);
        const std::size_t bytes = CPU_ALLOC_SIZE(most);
        const bool isKnown = set && sched_getaffinity(0, bytes, set) == 0;
        const bool isTooSmall = !isKnown && set && errno == EINVAL;
        const int processors = isKnown ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (processors > 0) return processors;
        if (!isTooSmall) break;
    }
    return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

} // namespace common
