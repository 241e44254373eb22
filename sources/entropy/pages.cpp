#include "entropy/pages.h"

#include "common/part_times.h"
#include "common/threads.h"

#include <cstdint>
#include <sys/mman.h>

namespace entropy
{

/// Whether a page has memory; false where the system does not tell.
static bool isThere(std::uintptr_t page)
{
    unsigned char there = 0;
    return mincore(reinterpret_cast<void *>(page), 1, &there) == 0 && (there & 1);
}

void populatePages(void *memory, std::size_t bytes)
{
    const common::PartScope scope(common::Part::Faults);
    constexpr std::size_t kHugePage = std::size_t(2) << 20;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    std::uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
    const std::uintptr_t last = (address + bytes) / kHugePage * kHugePage;
    if (first >= last) return;
#ifdef MADV_HUGEPAGE // may be refused: then pages are small
    madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
#endif
#ifdef MADV_POPULATE_WRITE // may be refused: then pages come when they are written to
    constexpr std::size_t kEnough = std::size_t(16) << 20; // for less, threads cost more
    if (bytes < kEnough) return;
    // What was kept from the last result is there; asking is cheaper than populating. Threads that
    // had nothing to do would look for more for a while, on the cores that compute next.
    while (first < last && isThere(first)) first += kHugePage;
#pragma omp parallel for schedule(static) num_threads(common::offeredThreads()) if (first < last)
    for (std::uintptr_t at = first; at < last; at += kHugePage)
        if (!isThere(at)) madvise(reinterpret_cast<void *>(at), kHugePage, MADV_POPULATE_WRITE);
#endif
}

} // namespace entropy
