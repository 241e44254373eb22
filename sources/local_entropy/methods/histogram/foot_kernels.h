// The kernels for footprints, each compiled where it is fit to be (.cu).
#pragma once

#include "local_entropy/methods/histogram/foot.h"

namespace local_entropy::footprint
{

constexpr int kMostByteCells = 255; ///< of windows whose counters have 8 bits, others 16

template <typename Cell>
struct Kernel
{
    void (*call)(Task<Cell>) = nullptr;
    int windows = 0;     ///< of a thread
    int mostThreads = 0; ///< of a block
};

constexpr int kLeastDisk = 3, kMostDisk = 10;

/// For disks of radius kLeastDisk to kMostDisk, bytes that are not missing. `aligned`: where the
/// middle of the first window is at an address that 4 divides, in all rows.
Kernel<std::uint8_t> smallDisk(int radius, bool aligned);
Kernel<std::uint8_t> largeDisk(int radius, bool aligned);

constexpr int kMostSmallDisk = 6;

} // namespace local_entropy::footprint
