// Every block has a header of 64 bytes and a fence behind it. The functions are weak: a core that
// brings its own malloc or operator new links, and then less is known of its blocks.
#include "heap.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <sys/uio.h>

extern "C" {
void *__libc_malloc(std::size_t);
void __libc_free(void *);
}

namespace grade::heap
{

std::uint64_t limit = UINT64_MAX;
bool poison = false;
std::uint32_t *refused = nullptr;

namespace
{

constexpr std::size_t kHeader = 64, kCanary = 32, kAlignment = 16;
constexpr std::size_t kLarge = 4096; // from here on the limit counts, and fences are long
constexpr std::uint64_t kMark = 0x6772616465686561u;

// Lies before the block; the canary, next to it, is what an index of -1 hits.
struct Header
{
    void *raw;
    std::size_t bytes;
    std::uint64_t mark; // kMark ^ address
    std::uint32_t origin, alignment;
    unsigned char canary[kCanary];
};
static_assert(sizeof(Header) == kHeader, "");

// Sharded, so that threads that allocate at once do not wait for each other.
constexpr int kShards = 64;
struct alignas(64) Shard
{
    std::atomic<std::int64_t> bytes;
};
Shard shards[kShards];

void count(std::int64_t bytes)
{
    static std::atomic<int> threads{0};
    static thread_local int mine __attribute__((tls_model("initial-exec"))) = -1;
    if (mine < 0) mine = threads.fetch_add(1, std::memory_order_relaxed) % kShards;
    shards[mine].bytes.fetch_add(bytes, std::memory_order_relaxed);
}

std::size_t fenceOf(std::size_t bytes) { return bytes < kLarge ? 16 : kLarge; }
Header *headerOf(const void *block)
{
    return reinterpret_cast<Header *>(const_cast<char *>(static_cast<const char *>(block)) -
                                      kHeader);
}
bool ours(const void *block)
{
    return headerOf(block)->mark == (kMark ^ reinterpret_cast<std::uintptr_t>(block));
}

void *allocate(std::size_t bytes, Origin origin, std::size_t alignment = kAlignment)
{
    const std::size_t fence = fenceOf(bytes), extra = kHeader + fence + alignment;
    if (bytes > PTRDIFF_MAX - extra) return errno = ENOMEM, nullptr;
    if (bytes >= kLarge && live() + bytes > limit) {
        if (refused) ++*refused;
        return errno = ENOMEM, nullptr;
    }
    char *const raw = static_cast<char *>(__libc_malloc(bytes + extra));
    if (!raw) return nullptr;
    auto place = reinterpret_cast<std::uintptr_t>(raw) + kHeader;
    if (alignment > kAlignment) place = (place + alignment - 1) / alignment * alignment;
    char *const block = reinterpret_cast<char *>(place);
    Header *const header = headerOf(block);
    *header = {raw, bytes, kMark ^ place, origin, static_cast<std::uint32_t>(alignment), {}};
    std::memset(header->canary, kFence, kCanary);
    std::memset(block + bytes, kFence, fence);
    if (poison) std::memset(block, 0xFF, bytes);
    count(static_cast<std::int64_t>(bytes));
    return block;
}

void deallocate(void *block)
{
    if (!block) return;
    if (!ours(block)) return __libc_free(block); // says "invalid pointer", as without us
    Header *const header = headerOf(block);
    header->mark = 0;
    count(-static_cast<std::int64_t>(header->bytes));
    __libc_free(header->raw);
}

void *allocateOrThrow(std::size_t bytes, Origin origin)
{
    for (;;) {
        if (void *const block = allocate(bytes, origin)) return block;
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}

bool damaged(const unsigned char *from, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i)
        if (from[i] != kFence) return true;
    return false;
}

} // namespace

bool readable(const void *address, std::size_t bytes)
{
    // The system reads for us, and says EFAULT where we would crash. A byte of every page.
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    for (std::uintptr_t at = first; at < first + bytes; at = (at / kPage + 1) * kPage) {
        char byte;
        iovec to{&byte, 1}, from{reinterpret_cast<void *>(at), 1};
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 && errno == EFAULT) return false;
    }
    return true;
}

Block inspect(const void *block)
{
    if (reinterpret_cast<std::uintptr_t>(block) % kAlignment != 0 ||
        !readable(headerOf(block), kHeader) || !ours(block))
        return {kForeign, 0, false, false};
    const Header *const header = headerOf(block);
    const auto *const end = static_cast<const unsigned char *>(block) + header->bytes;
    return {static_cast<Origin>(header->origin), header->bytes, damaged(header->canary, kCanary),
            damaged(end, fenceOf(header->bytes))};
}

void release(void *block)
{
    if (block && inspect(block).origin != kForeign) deallocate(block);
}

std::int64_t live()
{
    std::int64_t bytes = 0;
    for (const Shard &shard : shards) bytes += shard.bytes.load(std::memory_order_relaxed);
    return bytes;
}

} // namespace grade::heap

// ---- the functions that cores call -------------------------------------------------------------

using namespace grade;
#define WEAK __attribute__((weak))

extern "C" {

WEAK void *malloc(std::size_t bytes) { return heap::allocate(bytes, kMalloc); }
WEAK void free(void *block) { heap::deallocate(block); }

WEAK void *calloc(std::size_t count, std::size_t bytes)
{
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) return errno = ENOMEM, nullptr;
    void *const block = heap::allocate(all, kMalloc);
    return block ? std::memset(block, 0, all) : nullptr;
}

WEAK void *realloc(void *block, std::size_t bytes)
{
    if (!block) return heap::allocate(bytes, kMalloc);
    if (bytes == 0) return heap::deallocate(block), nullptr;
    const std::size_t had = heap::ours(block) ? heap::headerOf(block)->bytes : 0;
    void *const larger = heap::allocate(bytes, kMalloc);
    if (!larger) return nullptr;
    std::memcpy(larger, block, had < bytes ? had : bytes);
    heap::deallocate(block);
    return larger;
}

WEAK void *reallocarray(void *block, std::size_t count, std::size_t bytes)
{
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) return errno = ENOMEM, nullptr;
    return realloc(block, all);
}

WEAK void *memalign(std::size_t alignment, std::size_t bytes)
{
    return heap::allocate(bytes, kMalloc, alignment);
}
WEAK void *aligned_alloc(std::size_t alignment, std::size_t bytes)
{
    return heap::allocate(bytes, kMalloc, alignment);
}
WEAK void *valloc(std::size_t bytes) { return heap::allocate(bytes, kMalloc, kPage); }
WEAK void *pvalloc(std::size_t bytes)
{
    return heap::allocate((bytes + kPage - 1) / kPage * kPage, kMalloc, kPage);
}
WEAK int posix_memalign(void **block, std::size_t alignment, std::size_t bytes)
{
    const int before = errno;
    void *const made = heap::allocate(bytes, kMalloc, alignment);
    errno = before;
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
WEAK std::size_t malloc_usable_size(void *block)
{
    return block && heap::ours(block) ? heap::headerOf(block)->bytes : 0;
}

} // extern "C"

WEAK void *operator new(std::size_t bytes) { return heap::allocateOrThrow(bytes, kNew); }
WEAK void *operator new[](std::size_t bytes) { return heap::allocateOrThrow(bytes, kNewArray); }
WEAK void operator delete(void *block) noexcept { heap::deallocate(block); }
WEAK void operator delete[](void *block) noexcept { heap::deallocate(block); }
WEAK void operator delete(void *block, std::size_t) noexcept { heap::deallocate(block); }
WEAK void operator delete[](void *block, std::size_t) noexcept { heap::deallocate(block); }
