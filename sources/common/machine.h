// Facts about the machine and the build that belong beside every table of times.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/cpu_facts.h"
#include "common/devices.h"

#ifdef __CUDACC__
#include "common/gpu_facts.h"
#endif

#include <algorithm>
#include <limits>
#include <string>

namespace common
{

/// Bytes that this process can still take: what the system has without swapping, within what its
/// control group (a container) leaves. Huge if the system does not say.
inline std::size_t availableMemory()
{
    constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
    const std::string kilobytes = factFrom("/proc/meminfo", "MemAvailable");
    const std::size_t system = kilobytes.empty() ? kUnknown : std::stoull(kilobytes) * 1024;
    const std::size_t limit = numberFrom("/sys/fs/cgroup/memory.max", kUnknown);
    const std::size_t used = numberFrom("/sys/fs/cgroup/memory.current", 1);
    return std::min(system, limit == kUnknown ? kUnknown : limit - std::min(limit, used));
}

inline std::string compilerFacts()
{
    std::string facts;
#ifdef __CUDACC__
    facts += "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
             std::to_string(__CUDACC_VER_MINOR__) + "." + std::to_string(__CUDACC_VER_BUILD__) +
             " with ";
#endif
#ifdef __clang__
    facts += "clang " __clang_version__;
#else
    facts += "g++ " __VERSION__;
#endif
#ifdef BUILD_FLAGS
    facts += ", " BUILD_FLAGS;
#endif
    return facts;
}

inline std::string revisionFacts()
{
#ifdef BUILD_REVISION
    return BUILD_REVISION;
#else
    return "unknown";
#endif
}

/// All facts, a line each.
inline std::string machineFacts()
{
    std::string facts = cpuFacts();
#ifdef __CUDACC__
    const std::string none = whyNoDevice();
    facts += none.empty() ? gpuFacts() : "GPU:        none (" + none + ")\n";
#else
    facts += "GPU:        none (" + whyNoDevice() + ")\n";
#endif
    return facts + "compiler:   " + compilerFacts() + "\nrevision:   " + revisionFacts() + "\n";
}

} // namespace common
