// What one call at a time may have; others go on without.
#pragma once

#include <atomic>
#include <utility>

namespace local_entropy
{

class OneAtATime
{
public:
    /// Has it, unless somebody has: even the same thread, whose callback may call the library again
    /// (a std::mutex may not be tried by the thread that holds it).
    class Lease
    {
    public:
        explicit Lease(OneAtATime &what)
            : mine(what.isTaken.exchange(true, std::memory_order_acquire) ? nullptr : &what)
        {
        }
        Lease(Lease &&other) noexcept : mine(std::exchange(other.mine, nullptr)) {}
        ~Lease()
        {
            if (mine) mine->isTaken.store(false, std::memory_order_release);
        }
        explicit operator bool() const { return mine; }

    private:
        OneAtATime *mine; ///< null: somebody else's
    };

private:
    std::atomic<bool> isTaken{false};
};

} // namespace local_entropy
