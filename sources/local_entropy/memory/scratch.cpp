#include "local_entropy/memory/scratch.h"

#include "local_entropy/error.h"

#include <cstdlib>
#include <sys/mman.h>

namespace local_entropy
{

void Scratch::Free::operator()(void *memory) const { std::free(memory); }

void *Scratch::get(Slot slot, std::size_t bytes)
{
    constexpr std::size_t kPage = 4096, kHugePage = std::size_t(2) << 20;
    if (size[slot] < bytes) {
        const std::size_t boundary = bytes >= kHugePage / 2 ? kHugePage : kPage;
        bytes = (bytes + boundary - 1) / boundary * boundary;
        size[slot] = 0;
        memory[slot].reset(std::aligned_alloc(boundary, bytes));
        if (!memory[slot])
            throw Error(Status::Unavailable,
                        "no memory: " + std::to_string(bytes) + " bytes for a tile");
#ifdef MADV_HUGEPAGE
        if (boundary == kHugePage) madvise(memory[slot].get(), bytes, MADV_HUGEPAGE); // advice
#endif
        size[slot] = bytes;
    }
    return memory[slot].get();
}

} // namespace local_entropy
