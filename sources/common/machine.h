// Facts about the machine and the build that belong beside every table of times.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/devices.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <limits>
#include <omp.h>
#include <set>
#include <sstream>
#include <string>
#include <thread>

namespace common
{

/// First value of `key` in a "key : value" file such as /proc/cpuinfo; empty if there is none.
inline std::string factFrom(const char *path, const std::string &key)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
        const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
        return begin == std::string::npos ? "" : line.substr(begin);
    }
    return "";
}

/// First number in a file that holds nothing else; `none` if there is no such file or number.
inline std::size_t numberFrom(const char *path, std::size_t none)
{
    std::size_t number = none;
    std::ifstream(path) >> number;
    return number > 0 ? number : none;
}

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

/// Physical cores of this machine, each of which may run several threads; 0 if unknown.
inline std::size_t physicalCores()
{
    std::ifstream file("/proc/cpuinfo");
    std::set<std::string> cores;
    std::string socket;
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, 11, "physical id") == 0) socket = line;
        if (line.compare(0, 7, "core id") == 0) cores.insert(socket + line);
    }
    return cores.size();
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

#ifdef __CUDACC__
/// The kernel driver's version, "580.159.04": the first word of its description that is one.
inline std::string driverVersion()
{
    std::istringstream words(factFrom("/proc/driver/nvidia/version", "NVRM version"));
    for (std::string word; words >> word;)
        if (std::count(word.begin(), word.end(), '.') >= 1 && std::isdigit(word[0])) return word;
    return "unknown";
}

inline std::string gpuFacts()
{
    int driver = 0, runtime = 0;
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    const auto version = [](int v) {
        return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
    };
    std::string facts;
    for (int device = 0; device < deviceCount(); ++device) {
        cudaDeviceProp properties{};
        CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
        facts += "GPU " + std::to_string(device) + ":      " + properties.name + ", " +
                 std::to_string(properties.multiProcessorCount) + " multiprocessors, " +
                 std::to_string(properties.totalGlobalMem >> 20) + " MiB, compute capability " +
                 std::to_string(properties.major) + "." + std::to_string(properties.minor) + "\n";
    }
    return facts + "driver:     " + driverVersion() + ", CUDA " + version(driver) +
           "; runtime CUDA " + version(runtime) + "\n";
}
#endif

/// All facts, a line each.
inline std::string machineFacts()
{
    std::string cpu = factFrom("/proc/cpuinfo", "model name");
    if (cpu.empty()) cpu = factFrom("/proc/cpuinfo", "CPU implementer");
    std::string facts = "CPU:        " + (cpu.empty() ? "unknown" : cpu) +
                        "\nthreads:    " + std::to_string(omp_get_max_threads()) + " used of " +
                        std::to_string(std::thread::hardware_concurrency()) + ", on " +
                        (physicalCores() ? std::to_string(physicalCores()) : "?") + " cores\n";
#ifdef __CUDACC__
    const std::string none = whyNoDevice();
    facts += none.empty() ? gpuFacts() : "GPU:        none (" + none + ")\n";
#else
    facts += "GPU:        none (" + whyNoDevice() + ")\n";
#endif
    return facts + "compiler:   " + compilerFacts() + "\nrevision:   " + revisionFacts() + "\n";
}

} // namespace common
