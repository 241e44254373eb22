#include "local_entropy/memory/thread_scratch.h"

#include "common/host_array.h"

#include <sys/mman.h>

namespace local_entropy
{

void *scratch(std::size_t bytes)
{
    constexpr std::size_t kHugePage = std::size_t(2) << 20;
    static thread_local common::HostArray<char> memory;
    static thread_local std::size_t size = 0;
    if (size < bytes) {
        size = 0;
        bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
        memory.reset(static_cast<char *>(std::aligned_alloc(kHugePage, bytes)));
        if (!memory) throw common::Unavailable("no host memory for packed cells");
#ifdef MADV_HUGEPAGE
        madvise(memory.get(), bytes, MADV_HUGEPAGE); // advice: it may be refused
#endif
        size = bytes;
    }
    return memory.get();
}

} // namespace local_entropy
