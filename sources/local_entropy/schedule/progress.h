// How far a call is, and whether it shall go on.
#pragma once

#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/filter.h"
#include "local_entropy/schedule/forks.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace local_entropy
{

class Progress
{
public:
    /// `callback` may be empty; it gets the part that is done, 0 to 1, and returns whether to go
    /// on.
    Progress(const std::function<bool(double)> &callback, const Region &region)
        : callback(callback), cells(region.width * region.height)
    {
    }

    /// Before a tile of that many cells is computed; false: nobody shall compute any more. In the
    /// thread that made this, the callback is called, at most fifty times a second. Throws Error
    /// (Unavailable) in a process that it has forked: the other threads of the call are not there.
    bool goOn(std::int64_t next)
    {
        if (stopped) return false;
        if (!callback) return true;
        const std::int64_t before = begun.fetch_add(next, std::memory_order_relaxed);
        if (std::this_thread::get_id() != caller) return true;
        const auto now = std::chrono::steady_clock::now();
        if (now - last < kEvery) return true;
        last = now;
        if (!ask(static_cast<double>(before) / static_cast<double>(cells))) stopped = true;
        process.expectNotLeft();
        return !stopped;
    }

    void stop() { stopped = true; }
    bool wasStopped() const { return stopped; }

private:
    /// It may leave this thread any rounding mode.
    bool ask(double part) const
    {
        const KeptRounding rounding;
        return callback(part);
    }

    static constexpr std::chrono::milliseconds kEvery{20};

    const std::function<bool(double)> &callback;
    const Birthplace process;
    const std::int64_t cells;
    const std::thread::id caller = std::this_thread::get_id();
    std::chrono::steady_clock::time_point last =
        callback ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    std::atomic<std::int64_t> begun{0};
    std::atomic<bool> stopped{false};
};

} // namespace local_entropy
