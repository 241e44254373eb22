// The way of one tile through a GPU. Needs CUDA.
#pragma once

#include "common/device_array.h"
#include "common/device_stream.h"
#include "local_entropy/answers/window.h"
#include "local_entropy/methods/words/words.h"
#include "local_entropy/problem/problem.h"

#include <atomic>
#include <cstdint>

namespace local_entropy
{

/// The way of a tile through the device that was current when it was made: packed into pinned
/// memory, up, computed, down into pinned memory, and out to its place. Throws what the plumbing
/// throws (library_errors.h).
class Passage
{
public:
    static constexpr std::int64_t kCells = 1 << 20; ///< of a tile with its halo, at most
    static constexpr std::int64_t kPitch = 32;      ///< rows are padded to a multiple of it

    static bool fits(const Region &tile)
    {
        return (tile.width + 2 * kRadius + kPitch) * (tile.height + 2 * kRadius) <= kCells;
    }

    std::atomic<bool> taken{false}; ///< by a thread
    double entering = 0;            ///< seconds that enter() took
    std::int64_t cells = 0;         ///< of the tile

    /// Packs a tile and sends it on its way; false if one of its cells is none of 0..15.
    bool enter(const Problem &problem, const Region &tile);

    bool hasArrived() const;
    void wait() const { stream.wait(); }

    /// Puts the results in their place, once they have arrived.
    void leave();

    /// After an error: waits for what is on its way and forgets it.
    void abandon();

private:
    /// The cells that the windows of a tile reach, as rows of the image.
    struct Reach
    {
        std::int64_t left, right, top, bottom;
    };
    static Reach reachOf(const Image &image, const Region &tile);
    bool pack(const Image &image, const Reach &reach);
    void send(const Reach &reach, const Region &tile);

    float *target = nullptr; ///< of the tile's first result
    std::int64_t stride = 0, width = 0, pitch = 0, skipped = 0;
    common::Stream stream;
    words::Gpu gpu;
    common::PinnedArray<std::uint8_t> up{kCells};
    common::PinnedArray<float> down{kCells};
    common::DeviceArray<std::uint8_t> input{kCells};
    common::DeviceArray<float> output{kCells};
};

} // namespace local_entropy
