// Windows of few cells.
#ifdef __CUDACC__

#include "local_entropy/methods/histogram/walk_kernels.h"

namespace local_entropy::walk
{

template <>
Kernel<std::uint8_t> shortKernel<std::uint8_t>(int width, bool missing)
{
    return missing ? Kernels<std::uint8_t, 8, true, true>::find<kMostShortWidth>(width)
                   : Kernels<std::uint8_t, 8, true, false>::find<kMostShortWidth>(width);
}

template <>
Kernel<std::uint16_t> shortKernel<std::uint16_t>(int width, bool)
{
    return Kernels<std::uint16_t, 8, true, true>::find<kMostShortWidth>(width);
}

} // namespace local_entropy::walk

#endif
