// The way of one tile through a GPU. Needs CUDA.
#pragma once

#include "common/device_array.h"
#include "common/device_stream.h"
#include "local_entropy/problem/problem.h"
#include "local_entropy/schedule/launchers.h"

#include <atomic>
#include <cstdint>

namespace local_entropy
{

/// The way of a tile through the device that was current when it was made: its cells into pinned
/// memory, up, computed, down into pinned memory, and out to its place. Throws what the plumbing
/// throws (library_errors.h).
class Passage
{
public:
    static constexpr std::int64_t kCells = 1 << 20;   ///< of a tile, at most
    static constexpr std::int64_t kUpBytes = 5 << 20; ///< of the cells that its windows reach
    static constexpr std::int64_t kDownBytes = kCells * std::int64_t(sizeof(float));

    /// Whether a tile can take it: its windows do not reach around the image, nor nothing of it.
    static bool fits(const Problem &problem, const Region &tile);

    /// Free, in some thread's hands, or on its way: then any thread may take it into its hands.
    enum class State { Free, Held, OnItsWay };
    bool claim(State from)
    {
        return state.load(std::memory_order_relaxed) == from &&
               state.compare_exchange_strong(from, State::Held);
    }
    void release(State to) { state = to; }

    // By the thread that holds it:

    void give(const Region &tile) { place = tile; }
    const Region &tile() const { return place; }

    /// Packs its tile and sends it on its way; false if one of its cells is no level, or may be
    /// none.
    bool enter(const Problem &problem, Launchers &launchers);

    bool hasArrived() const;
    void wait() const { stream.wait(); }

    /// Puts the results in their place, once they have arrived.
    void leave();

    /// After an error: waits for what is on its way.
    void abandon() { cudaStreamSynchronize(stream.get()); }

    double secondsOfEntering() const { return entering; }

private:
    bool pack(const Problem &problem, const Region &reach);
    void send(const Problem &problem, const Region &reach, Launchers &launchers);

    std::atomic<State> state{State::Free};
    Region place;
    double entering = 0;
    char *target = nullptr; ///< of the tile's first result
    std::int64_t targetStride = 0, resultBytes = 0;
    std::int64_t cellBytes = 0, maskAt = 0, bytes = 0; ///< of what goes up
    common::Stream stream;
    common::PinnedArray<char> up{kUpBytes}, down{kDownBytes};
    common::DeviceArray<char> input{kUpBytes}, output{kDownBytes};
};

} // namespace local_entropy
