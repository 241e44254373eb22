// Counters of 8 bits, of many levels, whose histograms leave room for few warps.
#ifdef __CUDACC__

#include "local_entropy/methods/histogram/walk_kernels.h"

namespace local_entropy::walk
{

Kernel<std::uint8_t> kernelOfFewWarps(int width)
{
    return Kernels<std::uint8_t, 8, false, false, true>::find<kMostWidth>(width);
}

} // namespace local_entropy::walk

#endif
