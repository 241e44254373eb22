// Facts about the processor, its memory and the system, as Linux tells them. What it does not tell
// is left out. `root` is where the files of the system begin: tests have made-up ones.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <limits>
#include <omp.h>
#include <set>
#include <sstream>
#include <string>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace common
{

/// First value of `key` in a "key : value" file such as /proc/cpuinfo; empty if there is none.
inline std::string factFrom(const std::string &path, const std::string &key)
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
inline std::size_t numberFrom(const std::string &path, std::size_t none)
{
    std::size_t number = none;
    std::ifstream(path) >> number;
    return number > 0 ? number : none;
}

/// The first line of a small file; empty if there is none.
inline std::string lineFrom(const std::string &path)
{
    std::string line;
    std::getline(std::ifstream(path), line);
    return line;
}

/// Physical cores of this machine, each of which may run several threads; 0 if unknown.
inline std::size_t physicalCores(const std::string &root = "")
{
    std::ifstream file(root + "/proc/cpuinfo");
    std::set<std::string> cores;
    std::string socket;
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, 11, "physical id") == 0) socket = line;
        if (line.compare(0, 7, "core id") == 0) cores.insert(socket + line);
    }
    return cores.size();
}

/// Sockets of this machine; 0 if unknown.
inline std::size_t sockets(const std::string &root = "")
{
    std::ifstream file(root + "/proc/cpuinfo");
    std::set<std::string> all;
    for (std::string line; std::getline(file, line);)
        if (line.compare(0, 11, "physical id") == 0) all.insert(line);
    return all.size();
}

/// NUMA nodes of this machine; 0 if unknown.
inline int numaNodes(const std::string &root = "")
{
    int nodes = 0;
    const auto path = [&](int node) {
        return root + "/sys/devices/system/node/node" + std::to_string(node);
    };
    while (access(path(nodes).c_str(), F_OK) == 0) ++nodes;
    return nodes;
}

/// "GenuineIntel family 6 model 143 stepping 8"; without what is unknown.
inline std::string processorNumbers(const std::string &root = "")
{
    std::string numbers = factFrom(root + "/proc/cpuinfo", "vendor_id");
    const std::array<std::array<const char *, 2>, 3> facts = {
        {{"cpu family", "family"}, {"model\t", "model"}, {"stepping", "stepping"}}};
    for (const auto &[key, name] : facts) {
        const std::string value = factFrom(root + "/proc/cpuinfo", key);
        if (!value.empty())
            numbers += (numbers.empty() ? "" : " ") + std::string(name) + " " + value;
    }
    return numbers;
}

/// The processor's name, and its numbers where the name does not tell which it is, as in a virtual
/// machine: "Intel(R) Xeon(R) Processor".
inline std::string processorName(const std::string &root = "")
{
    std::string name = factFrom(root + "/proc/cpuinfo", "model name");
    if (name.empty()) name = factFrom(root + "/proc/cpuinfo", "CPU implementer");
    if (name.empty()) return "unknown";
    bool says = false;
    for (const char c : name) says |= std::isdigit(static_cast<unsigned char>(c)) != 0;
    const std::string numbers = says ? "" : processorNumbers(root);
    return numbers.empty() ? name : name + " (" + numbers + ")";
}

/// Of the extensions that the engine asks for or could use, those that the processor has.
inline std::string vectorExtensions(const std::string &root = "")
{
    std::istringstream flags(factFrom(root + "/proc/cpuinfo", "flags"));
    std::set<std::string> all;
    for (std::string flag; flags >> flag;) all.insert(flag);
    std::string found;
    for (const char *one : {"sse4_2", "avx2", "avx512f", "avx512bw", "avx512vl", "avx512vbmi",
                            "avx512_bitalg", "avx512_vnni", "gfni"})
        if (all.count(one)) found += (found.empty() ? "" : " ") + std::string(one);
    return found;
}

/// "L1d 48K, L1i 32K, L2 2048K, L3 307200K", of the first core.
inline std::string caches(const std::string &root = "")
{
    std::string facts;
    for (int index = 0; index < 8; ++index) {
        const std::string cache =
            root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        const std::string level = lineFrom(cache + "level"), size = lineFrom(cache + "size");
        if (level.empty() || size.empty()) continue;
        const std::string type = lineFrom(cache + "type");
        facts += (facts.empty() ? "L" : ", L") + level +
                 (type == "Data"          ? "d "
                  : type == "Instruction" ? "i "
                                          : " ") +
                 size;
    }
    return facts;
}

/// "123456 MiB, 65536 MiB of them for this control group, 2 sockets, 2 NUMA nodes".
inline std::string memoryFacts(const std::string &root = "")
{
    const std::string kilobytes = factFrom(root + "/proc/meminfo", "MemTotal");
    std::string facts =
        kilobytes.empty() ? "unknown" : std::to_string(std::stoull(kilobytes) / 1024) + " MiB";
    const std::size_t limit = numberFrom(root + "/sys/fs/cgroup/memory.max", 0) >> 20;
    if (limit > 0 && !kilobytes.empty() && limit < std::stoull(kilobytes) / 1024)
        facts += ", " + std::to_string(limit) + " MiB of them for this control group";
    const auto count = [&](std::size_t number, const std::string &what) {
        if (number > 0)
            facts += ", " + std::to_string(number) + " " + what + (number > 1 ? "s" : "");
    };
    count(sockets(root), "socket");
    count(static_cast<std::size_t>(numaNodes(root)), "NUMA node");
    return facts;
}

/// Bytes of files that the system keeps in memory until it wants that for something else, and that
/// a control group counts as used.
inline std::size_t keptFiles(const std::string &root = "")
{
    std::ifstream file(root + "/sys/fs/cgroup/memory.stat");
    std::string name;
    std::size_t bytes = 0;
    while (file >> name >> bytes)
        if (name == "inactive_file") return bytes;
    return 0;
}

/// Bytes that this process can still take: what the system has without swapping, within what its
/// control group (a container) leaves. Huge if the system does not say.
inline std::size_t availableMemory(const std::string &root = "")
{
    constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
    const std::string kilobytes = factFrom(root + "/proc/meminfo", "MemAvailable");
    const std::size_t system = kilobytes.empty() ? kUnknown : std::stoull(kilobytes) * 1024;
    const std::size_t limit = numberFrom(root + "/sys/fs/cgroup/memory.max", kUnknown);
    const std::size_t used = numberFrom(root + "/sys/fs/cgroup/memory.current", 1);
    const std::size_t taken = used - std::min(used, keptFiles(root));
    return std::min(system, limit == kUnknown ? kUnknown : limit - std::min(limit, taken));
}

/// The number at the beginning of a kernel's release, "6.8.0" of "6.8.0-31-generic": who built it,
/// and where, is no fact about times.
inline std::string versionOf(const std::string &release)
{
    return release.substr(0, release.find_first_not_of("0123456789."));
}

/// "Linux 6.8.0", or "Linux" where the release begins with no number.
inline std::string kernelName(const std::string &system, const std::string &release)
{
    const std::string version = versionOf(release);
    return version.empty() ? system : system + " " + version;
}

/// "Linux 6.8.0, x86_64, in a virtual machine; huge pages: always [madvise] never".
inline std::string systemFacts()
{
    utsname names{};
    std::string facts = "unknown";
    if (uname(&names) == 0) facts = kernelName(names.sysname, names.release) + ", " + names.machine;
    const std::string flags = " " + factFrom("/proc/cpuinfo", "flags") + " ";
    if (flags.find(" hypervisor ") != std::string::npos) facts += ", in a virtual machine";
    const std::string huge = lineFrom("/sys/kernel/mm/transparent_hugepage/enabled");
    return huge.empty() ? facts : facts + "; huge pages: " + huge;
}

/// All of these, a line each.
inline std::string cpuFacts()
{
    const auto line = [](const char *label, const std::string &fact) {
        return fact.empty() ? "" : label + fact + "\n";
    };
    const std::size_t cores = physicalCores();
    return line("CPU:        ", processorName()) +
           line("threads:    ", std::to_string(omp_get_max_threads()) + " used of " +
                                    std::to_string(std::thread::hardware_concurrency()) + ", on " +
                                    (cores ? std::to_string(cores) : "?") + " cores") +
           line("vectors:    ", vectorExtensions()) + line("caches:     ", caches()) +
           line("memory:     ", memoryFacts()) + line("system:     ", systemFacts());
}

} // namespace common
