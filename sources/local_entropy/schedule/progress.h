// Progress and cancelling: asked for between tiles, by the thread that called.
#pragma once

#include "local_entropy/schedule/tile_queue.h"

#include <chrono>
#include <functional>
#include <thread>

namespace local_entropy
{

/// Asks `callback`, if there is one, every 20 ms, at most: false from it stops the queue.
class Progress
{
public:
    explicit Progress(const std::function<bool(double)> &callback) : callback(callback) {}

    /// Before a tile is taken; in threads other than the one that made this, nothing happens.
    void ask(TileQueue &queue)
    {
        if (!callback || std::this_thread::get_id() != caller) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last < kEvery) return;
        last = now;
        const double part = static_cast<double>(queue.taken()) / static_cast<double>(queue.tiles());
        if (!callback(part)) queue.stop();
    }

private:
    static constexpr std::chrono::milliseconds kEvery{20};

    const std::function<bool(double)> &callback;
    const std::thread::id caller = std::this_thread::get_id();
    std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

} // namespace local_entropy
