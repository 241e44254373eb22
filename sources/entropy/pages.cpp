#include "entropy/pages.h"

#include "common/part_times.h"
#include "common/threads.h"

#include <cstdint>
#include <sys/mman.h>

namespace entropy
{

void populatePages(void *memory, std::size_t bytes)
{
    const common::PartScope scope(common::Part::Faults);
    constexpr std::size_t kHugePage = std::size_t(2) << 20;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
    const std::uintptr_t last = (address + bytes) / kHugePage * kHugePage;
    if (first >= last) return;
#ifdef MADV_HUGEPAGE // may be refused: then pages are small
    madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
#endif
#ifdef MADV_POPULATE_WRITE // may be refused: then pages come when they are written to
    constexpr std::size_t kEnough = std::size_t(16) << 20; // for less, threads cost more
    if (bytes < kEnough) return;
#pragma omp parallel for schedule(static) num_threads(common::offeredThreads())
    for (std::uintptr_t at = first; at < last; at += kHugePage) {
        void *const page = reinterpret_cast<void *>(at);
        unsigned char there = 0; // kept from the last result; asking is cheaper than populating
        if (mincore(page, 1, &there) == 0 && (there & 1)) continue;
        madvise(page, kHugePage, MADV_POPULATE_WRITE);
    }
#endif
}

} // namespace entropy
