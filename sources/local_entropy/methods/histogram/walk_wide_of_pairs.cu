// Counters of 16 bits, cells of two bytes.
#ifdef __CUDACC__

#include "local_entropy/methods/histogram/walk_kernels.h"

namespace local_entropy::walk
{

template <>
Kernel<std::uint16_t> wideKernel<std::uint16_t>(int width, bool)
{
    return Kernels<std::uint16_t, 16, false, true>::find<kMostWidth>(width);
}

} // namespace local_entropy::walk

#endif
