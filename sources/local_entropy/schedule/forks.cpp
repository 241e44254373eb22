#include "local_entropy/schedule/forks.h"

#include "local_entropy/error.h"

#include <atomic>
#include <pthread.h>

namespace local_entropy
{
namespace
{

std::atomic<int> callsUnderWay{0};       ///< of this process
std::atomic<unsigned> forksSoFar{0};     ///< from the first process that called to this one
std::atomic<bool> wasInterrupted{false}; ///< by one of these forks: a call

void afterFork() // in the child, which has one thread
{
    if (callsUnderWay > 0) wasInterrupted = true;
    callsUnderWay = 0;
    ++forksSoFar;
}

/// From the first call on. Not by a static object: its lock could be held for ever too.
void watchForks()
{
    static std::atomic<bool> isWatched{false};
    if (!isWatched.load(std::memory_order_relaxed) && !isWatched.exchange(true))
        pthread_atfork(nullptr, nullptr, afterFork);
}

[[noreturn]] void refuse()
{
    throw Error(Status::Unavailable,
                "this process was forked while a call of the library was under way, whose locks "
                "may be held for ever: fork between calls, or let the child execute a program");
}

} // namespace

CallUnderWay::CallUnderWay()
{
    watchForks();
    if (wasInterrupted.load(std::memory_order_relaxed)) refuse();
    callsUnderWay.fetch_add(1, std::memory_order_relaxed);
}

CallUnderWay::~CallUnderWay()
{
    // A call that a fork has interrupted counts no more.
    if (!wasInterrupted.load(std::memory_order_relaxed))
        callsUnderWay.fetch_sub(1, std::memory_order_relaxed);
}

Birthplace::Birthplace() : forks(forksSoFar.load(std::memory_order_relaxed)) {}

bool Birthplace::isLeft() const { return forks != forksSoFar.load(std::memory_order_relaxed); }

void Birthplace::expectNotLeft() const
{
    if (isLeft()) refuse();
}

} // namespace local_entropy
