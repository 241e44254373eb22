// The kernels for footprints, each compiled where it is fit to be (.cu).
#pragma once

#include "local_entropy/methods/histogram/foot.h"

namespace local_entropy::footprint
{

template <typename Cell>
struct Kernel
{
    void (*call)(Task<Cell>) = nullptr;
    int windows = 0; ///< of a thread
    int sharing = 1; ///< warps that share a histogram
};

/// For disks, of bytes; no call: there is none for that radius.
Kernel<std::uint8_t> disk(int radius, bool missing);

} // namespace local_entropy::footprint
