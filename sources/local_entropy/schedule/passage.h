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
/// memory, up, computed, down into pinned memory in slices of rows, and each of these out to its
/// place, by several threads at once. Throws what the plumbing throws (library_errors.h).
class Passage
{
public:
    static constexpr std::int64_t kCells = 1 << 20;   ///< of a tile, at most
    static constexpr std::int64_t kUpBytes = 5 << 20; ///< of the cells that its windows reach
    static constexpr std::int64_t kDownBytes = kCells * std::int64_t(sizeof(float));
    static constexpr int kSlices = 2;

    /// Whether a tile can take it: its windows do not reach around the image, nor nothing of it.
    static bool fits(const Problem &problem, const Region &tile);

    /// Free; in the hands of a thread; packed, to be sent; on its way, from where any thread may
    /// take slices that have arrived.
    enum class State { Free, Held, Packed, OnItsWay };
    State state() const { return now.load(std::memory_order_acquire); }

    /// Makes a free one the caller's, until pack() or release().
    bool claim();
    void release() { now = State::Free; }

    // By the thread that has claimed it:

    void give(const Region &tile) { place = tile; }

    /// Packs its tile, to be sent; false if one of its cells is no level, or may be none: then it
    /// is still the caller's. `number`: tiles are sent, and arrive, in the order of their numbers.
    bool pack(const Problem &problem, std::int64_t number);

    // By the one thread at a time that talks to the device:

    /// Sends what is packed, to be computed by that method, or the best one. After an exception it
    /// is the caller's.
    void send(const Problem &problem, Launchers &launchers, const Method *only);
    /// Asks whether more slices have arrived; true if all have.
    bool look();
    bool isPacked() const { return state() == State::Packed; }
    bool isAwaited() const { return state() == State::OnItsWay && arrived < kSlices; }

    // By any thread, of what is packed or on its way:

    const Region &tile() const { return place; }
    std::int64_t number() const { return sent.load(std::memory_order_relaxed); }

    /// A slice that has arrived, which is now the caller's; -1 if there is none.
    int takeSlice();
    bool isLost() const { return lost; } ///< a slice of the tile, or more, and so the tile
    void leave(int slice);               ///< puts its results in their place
    std::int64_t cellsOf(int slice) const;
    /// After leave(): true for the last slice of a tile, with which it is the caller's.
    bool isLast();

    /// After an error: waits for what is on its way, and takes what is left of it from all.
    void abandon();
    bool isWell() const
    {
        return common::quietly(cudaStreamSynchronize(stream.get())) == cudaSuccess;
    }

    /// A thread's, for each cell.
    double secondsOfPacking() const { return packing; }

private:
    struct Rows
    {
        std::int64_t begin, end;
    };
    Rows rowsOf(int slice) const;
    bool packCells(const Problem &problem);
    void sendRows(int slice);

    std::atomic<State> now{State::Free};
    std::atomic<std::int64_t> sent{0};
    std::atomic<bool> lost{false};
    std::atomic<int> arrived{0}, left{0}; ///< slices that have arrived; that have not left
    /// Slices are counted on from tile to tile: the first one of this tile, and the next to be
    /// taken. So who has looked at the tile before takes none of this one by mistake.
    std::atomic<std::int64_t> first{-kSlices}, next{0};
    Region place, reach;
    double packing = 0;
    char *target = nullptr; ///< of the tile's first result
    std::int64_t targetStride = 0, resultBytes = 0;
    std::int64_t cellBytes = 0, maskAt = 0, bytes = 0; ///< of what goes up
    common::Stream stream;
    common::Event ends[kSlices];
    common::PinnedArray<char> up{kUpBytes}, down{kDownBytes};
    common::DeviceArray<char> input{kUpBytes}, output{kDownBytes};
};

} // namespace local_entropy
