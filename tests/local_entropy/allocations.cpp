#include "allocations.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

namespace allocations
{

std::atomic<std::size_t> least{0};
std::atomic<long> soFar{0}, live{0}, refused{0}, refusedElsewhere{0};

namespace
{

const std::thread::id mainThread = std::this_thread::get_id();

bool isGranted(std::size_t bytes)
{
    if (bytes < least || ++soFar != refused) return true;
    if (std::this_thread::get_id() != mainThread) ++refusedElsewhere;
    return false;
}

void *counted(void *memory)
{
    if (memory) ++live;
    return memory;
}

constexpr std::size_t kFence = std::size_t(64) << 10;
constexpr unsigned char kIntact = 0xC3;

std::atomic<bool> areFenced{false};
std::mutex mutex; ///< guards what follows
struct
{
    void *block;
    unsigned char *fence;
} fences[64]; ///< no containers: they would ask for memory themselves
int fenced, damagedBefore;

bool isDamaged(const unsigned char *fence)
{
    return std::any_of(fence, fence + kFence, [](unsigned char byte) { return byte != kIntact; });
}

void *withFence(void *memory, std::size_t bytes)
{
    if (!memory) return memory;
    const std::lock_guard<std::mutex> lock(mutex);
    auto *const fence = static_cast<unsigned char *>(memory) + bytes;
    std::memset(fence, kIntact, kFence);
    for (auto &one : fences)
        if (!one.block) {
            one = {memory, fence};
            ++fenced;
            return memory;
        }
    ++damagedBefore; // nobody watches it: what passes must not have overlooked it
    return memory;
}

void forget(void *memory)
{
    const std::lock_guard<std::mutex> lock(mutex);
    for (auto &one : fences)
        if (one.block == memory) {
            damagedBefore += isDamaged(one.fence);
            one = {};
        }
}

} // namespace

Fences::Fences()
{
    fenced = damagedBefore = 0;
    areFenced = true;
}

Fences::~Fences()
{
    areFenced = false;
    for (auto &one : fences) one = {};
}

int Fences::damaged() const
{
    int count = damagedBefore;
    for (const auto &one : fences) count += one.block && isDamaged(one.fence);
    return count;
}

int Fences::blocks() const { return fenced; }

} // namespace allocations

// What the linker is told to wrap (Makefile) comes here first.
extern "C" {

void *__real_malloc(std::size_t);
void *__wrap_malloc(std::size_t bytes)
{
    return allocations::isGranted(bytes) ? allocations::counted(__real_malloc(bytes)) : nullptr;
}

void *__real_aligned_alloc(std::size_t, std::size_t);
void *__wrap_aligned_alloc(std::size_t boundary, std::size_t bytes)
{
    if (!allocations::isGranted(bytes)) return nullptr;
    if (!allocations::areFenced) return allocations::counted(__real_aligned_alloc(boundary, bytes));
    const std::size_t more = (allocations::kFence + boundary - 1) / boundary * boundary;
    return allocations::counted(
        allocations::withFence(__real_aligned_alloc(boundary, bytes + more), bytes));
}

void __real_free(void *);
void __wrap_free(void *memory)
{
    if (memory) --allocations::live;
    if (memory && allocations::areFenced) allocations::forget(memory);
    __real_free(memory);
}

} // extern "C"

#ifndef THREAD_SANITIZER

// Of the whole test program. Not inline: gcc would take the free() of the one for that of what the
// other's caller has, and warn.
__attribute__((noinline)) void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return std::malloc(size ? size : 1);
}
__attribute__((noinline)) void *operator new(std::size_t size)
{
    if (void *memory = std::malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}
__attribute__((noinline)) void *operator new(std::size_t size, std::align_val_t boundary)
{
    const auto apart = static_cast<std::size_t>(boundary);
    if (void *memory = std::aligned_alloc(apart, (size + apart - 1) / apart * apart)) return memory;
    throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void *memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}
__attribute__((noinline)) void operator delete(void *memory, std::align_val_t) noexcept
{
    std::free(memory);
}
__attribute__((noinline)) void operator delete(void *memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

#endif
