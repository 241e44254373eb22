#include "allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace allocations
{

std::atomic<long> soFar{0};
std::atomic<long> refused{0};

} // namespace allocations

#ifndef THREAD_SANITIZER

// Of the whole test program. Not inline: gcc would take the free() of the one for that of what the
// other's caller has, and warn.
__attribute__((noinline)) void *operator new(std::size_t size)
{
    if (++allocations::soFar != allocations::refused)
        if (void *memory = std::malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}
__attribute__((noinline)) void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return ++allocations::soFar != allocations::refused ? std::malloc(size ? size : 1) : nullptr;
}
__attribute__((noinline)) void operator delete(void *memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

#endif
