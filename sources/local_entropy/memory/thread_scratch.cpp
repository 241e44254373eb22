#include "local_entropy/memory/thread_scratch.h"

#include "common/error.h"
#include "common/integer.h"

#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>

namespace local_entropy
{
namespace
{

/// What a thread keeps. Nothing destroys it: a call may still come when the destructors of
/// thread-local and global objects run.
struct Kept
{
    void *memory;
    std::size_t size;
};
thread_local Kept kept{nullptr, 0};

/// At the end of a thread, after the destructors of its thread-local objects. The main thread does
/// not end: the system takes its memory back.
void freeKept(void *)
{
    std::free(kept.memory);
    kept = {nullptr, 0};
}

pthread_key_t makeKey()
{
    pthread_key_t key;
    if (pthread_key_create(&key, freeKept) != 0)
        throw common::Unavailable("no key for the memory that threads keep");
    return key;
}

} // namespace

void *scratch(std::size_t bytes)
{
    constexpr std::size_t kHugePage = std::size_t(2) << 20;
    static const pthread_key_t key = makeKey();
    if (kept.size < bytes) {
        freeKept(nullptr);
        bytes = common::ceilDiv(bytes, kHugePage) * kHugePage;
        void *const memory = std::aligned_alloc(kHugePage, bytes);
        if (!memory) throw common::Unavailable("no host memory for packed cells");
        kept = {memory, bytes};
        pthread_setspecific(key, memory); // not null: freeKept() is called
#ifdef MADV_HUGEPAGE
        madvise(memory, bytes, MADV_HUGEPAGE); // advice: it may be refused
#endif
    }
    return kept.memory;
}

} // namespace local_entropy
