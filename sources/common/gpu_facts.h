// Facts about the GPUs, as the CUDA runtime, the driver and nvidia-smi tell them. What they do not
// tell is left out. Needs CUDA.
#pragma once

#include "common/cpu_facts.h"
#include "common/devices.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace common
{

/// The kernel driver's version, "580.159.04": the first word of its description that is one.
inline std::string driverVersion()
{
    std::istringstream words(factFrom("/proc/driver/nvidia/version", "NVRM version"));
    for (std::string word; words >> word;)
        if (std::count(word.begin(), word.end(), '.') >= 1 && std::isdigit(word[0])) return word;
    return "unknown";
}

/// What nvidia-smi says of a GPU, in the order of the query: "clocks.sm", ... Empty where there is
/// no nvidia-smi, or it says nothing of that GPU.
inline std::vector<std::string> nvidiaSmi(int device, const char *query)
{
    char place[32] = {}; // on the bus: "0000:1b:00.0"; nvidia-smi has more zeros in front
    if (quietly(cudaDeviceGetPCIBusId(place, sizeof place, device)) != cudaSuccess) return {};
    const std::string command = "nvidia-smi --id=" + std::string(place) + " --query-gpu=" + query +
                                " --format=csv,noheader 2>/dev/null";
    std::FILE *output = popen(command.c_str(), "r");
    if (!output) return {};
    char line[512] = {};
    const bool any = std::fgets(line, sizeof line, output) != nullptr;
    if (pclose(output) != 0 || !any) return {};
    line[std::strcspn(line, "\n")] = '\0';
    std::vector<std::string> values;
    std::istringstream all(line);
    for (std::string value; std::getline(all, value, ',');)
        values.push_back(value.substr(std::min(value.find_first_not_of(' '), value.size())));
    return values;
}

/// "SM 345 MHz now, 1980 MHz at most; memory 2619 MHz now, 3201 MHz at most; ECC Enabled; PCIe
/// generation 5 x 16; 700.00 W at most".
inline std::string clockFacts(int device)
{
    const std::vector<std::string> values =
        nvidiaSmi(device, "clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem,ecc.mode.current,"
                          "pcie.link.gen.max,pcie.link.width.max,power.limit");
    if (values.size() != 8) return "";
    return "SM " + values[0] + " now, " + values[1] + " at most; memory " + values[2] + " now, " +
           values[3] + " at most; ECC " + values[4] + "; PCIe generation " + values[5] + " x " +
           values[6] + "; " + values[7] + " at most";
}

/// Which GPUs reach each other's memory: "all 6 pairs of GPUs".
inline std::string peerFacts()
{
    int pairs = 0, able = 0;
    for (int a = 0; a < deviceCount(); ++a)
        for (int b = a + 1; b < deviceCount(); ++b) {
            int there = 0, back = 0;
            CUDA_CHECK(cudaDeviceCanAccessPeer(&there, a, b));
            CUDA_CHECK(cudaDeviceCanAccessPeer(&back, b, a));
            ++pairs;
            able += there && back;
        }
    if (pairs == 0) return "";
    if (able == 0) return "no pair of GPUs";
    if (able < pairs)
        return std::to_string(able) + " of " + std::to_string(pairs) + " pairs of GPUs";
    return pairs == 1 ? "both GPUs" : "all " + std::to_string(pairs) + " pairs of GPUs";
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
        const std::string number = std::to_string(device);
        facts += "GPU " + number + ":      " + properties.name + ", " +
                 std::to_string(properties.multiProcessorCount) + " multiprocessors, " +
                 std::to_string(properties.totalGlobalMem >> 20) + " MiB, compute capability " +
                 std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                 ", second-level cache " + std::to_string(properties.l2CacheSize >> 20) + " MiB\n";
        const std::string clocks = clockFacts(device);
        if (!clocks.empty()) facts += "clocks " + number + ":   " + clocks + "\n";
    }
    const std::string peers = peerFacts();
    if (!peers.empty()) facts += "peers:      " + peers + "\n";
    return facts + "driver:     " + driverVersion() + ", CUDA " + version(driver) +
           "; runtime CUDA " + version(runtime) + "\n";
}

} // namespace common
