// Facts about the machine and the build that belong beside every table of times.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/cpu_facts.h"
#include "common/devices.h"

#ifdef __CUDACC__
#include "common/gpu_facts.h"
#endif

#include <string>

namespace common
{

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
