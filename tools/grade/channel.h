// What the judge and the runner of a core share: one page of notes in shared memory, and behind it
// the cells of sample and result. No descriptor of it stays open while a core computes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace grade
{

/// Whose turn it is. The judge sets Go and Quit, the runner the others.
enum Turn : std::uint32_t { kStarting, kReady, kGo, kReturned, kDone, kQuit };

/// How a call ended.
enum Outcome : std::uint32_t { kResult, kNull, kException, kShort, kUnreadable };

/// Who made the block of memory that a core gave as its result.
enum Origin : std::uint32_t { kMalloc, kNew, kNewArray, kForeign };

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMessage = 512;
constexpr unsigned char kFence = 0xA7; ///< fills what lies behind a block of malloc

/// The shared page. The judge believes nothing that the runner's side could have written but what
/// it can check: cells are compared, the clock is held against the judge's own.
struct Channel
{
    std::atomic<std::uint32_t> turn; ///< a Turn, and the word on which both sides wait

    // From the judge, before Go. The runner takes the nonce away before it calls the core.
    std::uint64_t nonce;
    std::int32_t width, height;
    std::uint64_t sample, result; ///< offsets of the cells in the shared memory
    std::uint64_t memory;         ///< bytes that malloc may hand out
    std::uint32_t poison;         ///< fill new blocks with NaN: what is not computed shows
    std::uint32_t gpu;            ///< note the free memory of the GPU

    // From the runner.
    std::uint64_t echo;        ///< nonce + 1 with Returned, nonce + 2 with Done
    std::int64_t nanoseconds;  ///< of the call
    std::uint32_t outcome;     ///< an Outcome
    std::uint32_t origin;      ///< an Origin
    std::uint64_t resultBytes; ///< size of the result's block, if it is one of malloc or new
    std::uint32_t wroteBefore, wroteBehind; ///< the block's fences are damaged
    std::int64_t kept;                      ///< bytes that the call allocated and did not free
    std::uint64_t gpuFree;                  ///< bytes that the GPU has free, 0 if unknown
    std::uint32_t memoryRefused;            ///< malloc said no, because of the limit
    std::uint32_t forks;                    ///< times that the core tried to start a process
    char message[kMessage];                 ///< of an exception, ends with 0
};
static_assert(sizeof(Channel) <= kPage, "the notes fit their page");

/// Waits until `word` is not `value`, a signal came, or `milliseconds` are over.
inline void waitWhile(std::atomic<std::uint32_t> &word, std::uint32_t value, int milliseconds)
{
    const timespec limit{milliseconds / 1000, milliseconds % 1000 * 1000000L};
    syscall(SYS_futex, &word, FUTEX_WAIT, value, milliseconds < 0 ? nullptr : &limit, nullptr, 0);
}

/// Sets `word` and wakes the other side.
inline void setAndWake(std::atomic<std::uint32_t> &word, std::uint32_t value)
{
    word.store(value);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

inline std::int64_t nowNanoseconds()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

} // namespace grade
