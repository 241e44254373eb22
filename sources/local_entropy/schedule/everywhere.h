// The tiles of a problem for all that a machine has: its GPUs and its cores.
#pragma once

#include "local_entropy/methods/bits/bits.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace local_entropy
{

/// Which tiles go through a GPU. For tests; every choice gives the same bits.
enum class ThroughDevices { IfCheaper, IfThereIsRoom };

/// The GPUs, while a call has them: one call of all at a time.
///
/// Every thread takes one tile after the other: it sends it through a GPU, if one has room and that
/// costs the thread clearly less time than computing the tile, or else computes it. What either
/// costs is measured on the way: few slow cores leave most to the GPUs, many fast ones, which
/// compute about as fast as memory can be copied, next to nothing.
class Everywhere
{
public:
    /// For a problem that the method bits can do. Null where that is computed by the CPU alone: a
    /// small array, no GPU, another call has them, or they do not pay. The first call allocates
    /// what passes between host and devices and keeps it: for each device 40 MB of page-locked and
    /// as much device memory.
    static std::unique_ptr<Everywhere> of(const Problem &problem,
                                          ThroughDevices choice = ThroughDevices::IfCheaper);
    ~Everywhere();

    /// The tiles to share.
    TileSize tileSize(const bits::BitsPlan &plan, const Problem &problem, int threads) const;

    /// One thread's part, instead of plan.work().
    void work(const bits::BitsPlan &plan, const Problem &problem, TileQueue &queue,
              Scratch &scratch);

    /// How many tiles went through a GPU.
    std::int64_t tiles() const;

private:
    struct Parts;
    explicit Everywhere(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts;
};

} // namespace local_entropy
