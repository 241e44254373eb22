#include "entropy/pages.h"

#include "common/part_times.h"
#include "common/threads.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace entropy
{

/// Whether a page has memory; false where the system does not tell.
static bool isThere(std::uintptr_t page)
{
    unsigned char there = 0;
    return mincore(reinterpret_cast<void *>(page), 1, &there) == 0 && (there & 1);
}

/// Calls `work` from so many threads at once, this one among them; from fewer where the system has
/// no more. Not OpenMP's, which, when they are done, may go on looking for more to do, on the cores
/// that compute next. None begins before all are there: a new thread's stack would wait for what
/// the others ask of the system's map of memory.
template <typename Work>
static void byThreads(int threads, const Work &work)
{
    std::shared_mutex beginning; // nothing on the heap, which may be full
    std::unique_lock<std::shared_mutex> wait(beginning);
    std::vector<std::thread> others;
    try {
        while (static_cast<int>(others.size()) < threads - 1)
            others.emplace_back([&] {
                std::shared_lock<std::shared_mutex>(beginning).unlock();
                work();
            });
    } catch (const std::exception &) { // no memory, no thread: then without
    }
    wait.unlock();
    work();
    for (std::thread &other : others) other.join();
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
    // What was kept from the last result is there; asking is cheaper than populating.
    while (first < last && isThere(first)) first += kHugePage;
    if (first >= last) return;
    // For so many pages, threads at most: roughly, since some behind the first that is missing may
    // be there.
    std::atomic<std::uintptr_t> next{first};
    byThreads(static_cast<int>(
                  std::min<std::size_t>(common::offeredThreads(), (last - first) / kHugePage)),
              [&] {
                  for (std::uintptr_t at; (at = next.fetch_add(kHugePage)) < last;)
                      if (!isThere(at))
                          madvise(reinterpret_cast<void *>(at), kHugePage, MADV_POPULATE_WRITE);
              });
#endif
}

} // namespace entropy
