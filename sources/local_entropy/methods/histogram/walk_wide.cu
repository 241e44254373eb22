// Counters of 16 bits.
#ifdef __CUDACC__

#include "local_entropy/methods/histogram/walk_kernels.h"

namespace local_entropy::walk
{

template <>
Kernel<std::uint8_t> wideKernel<std::uint8_t>(int width, bool missing)
{
    return missing ? Kernels<std::uint8_t, 16, false, true>::find<kMostWidth>(width)
                   : Kernels<std::uint8_t, 16, false, false>::find<kMostWidth>(width);
}

} // namespace local_entropy::walk

#endif
