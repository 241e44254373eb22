#ifdef __CUDACC__
#include "local_entropy/methods/histogram/foot_disk.h"
#include "local_entropy/methods/histogram/foot_kernels.h"

namespace local_entropy::footprint
{

Kernel<std::uint8_t> largeDisk(int radius, bool)
{
    switch (radius) {
    case 10: {
        using Any = DiskSteps<10, 16, false>;
        return {footprint<std::uint8_t, 16, Any, false>, Any::kWindows, Any::kMostThreads};
    }
    default: return {};
    }
}

} // namespace local_entropy::footprint
#endif
