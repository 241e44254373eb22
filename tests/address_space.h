// A process that has little room left.
#pragma once

#include <cstddef>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

/// Address space for so many more bytes than are taken now; false where that cannot be had.
inline bool limitAddressSpace(std::size_t more)
{
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    if (pages == 0 || getrlimit(RLIMIT_AS, &limit)) return false;
    limit.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
    return setrlimit(RLIMIT_AS, &limit) == 0;
}
