#ifdef __CUDACC__
#include "local_entropy/methods/histogram/foot_disk.h"
#include "local_entropy/methods/histogram/foot_kernels.h"

namespace local_entropy::footprint
{
namespace
{

template <int kRadius>
Kernel<std::uint8_t> disk(bool aligned)
{
    using Aligned = DiskSteps<kRadius, 8, true>;
    using Any = DiskSteps<kRadius, 8, false>;
    return {aligned ? footprint<std::uint8_t, 8, Aligned, false>
                    : footprint<std::uint8_t, 8, Any, false>,
            Any::kWindows, Any::kMostThreads};
}

} // namespace

Kernel<std::uint8_t> smallDisk(int radius, bool aligned)
{
    switch (radius) {
    case 5: return disk<5>(aligned);
    default: return {};
    }
}

} // namespace local_entropy::footprint
#endif
