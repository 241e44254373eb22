#include "entropy/result_memory.h"

#include "entropy/pages.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <mutex>

namespace entropy
{
namespace
{

constexpr std::size_t kSmallestKept = std::size_t(16) << 20, kLargestKept = std::size_t(2) << 30;

bool isKept(std::size_t bytes)
{
    if (bytes < kSmallestKept || bytes > kLargestKept) return false;
    const char *setting = std::getenv("ENTROPY_KEEP_MEMORY");
    return !setting || std::strcmp(setting, "0") != 0;
}

/// malloc that takes even large memory from the heap, which free() leaves mapped, pages and all:
/// the next result of that size costs no page faults. (By default, a large array is a mapping of
/// its own and each one is handed back to the system.) The two thresholds stay set for the process.
common::HostArray<float> allocateFromHeap(std::size_t cells)
{
#ifdef __GLIBC__
    static constexpr int kAsEver = 65536; // glibc's default
    constexpr int kLargest = 32 << 20, kNever = INT_MAX;
    static std::mutex settings;
    const std::lock_guard<std::mutex> lock(settings);
    mallopt(M_MMAP_THRESHOLD, kLargest); // what glibc would come to by itself
    mallopt(M_TRIM_THRESHOLD, kNever);
    struct OnlyHere
    {
        OnlyHere() { mallopt(M_MMAP_MAX, 0); }
        ~OnlyHere() { mallopt(M_MMAP_MAX, kAsEver); }
    } const onlyHere;
#endif
    return common::allocateHost<float>(cells);
}

} // namespace

common::HostArray<float> allocateResult(std::size_t cells)
{
    const std::size_t bytes = cells * sizeof(float);
    common::HostArray<float> result =
        isKept(bytes) ? allocateFromHeap(cells) : common::allocateHost<float>(cells);
    populatePages(result.get(), bytes);
    return result;
}

} // namespace entropy
