#ifdef __CUDACC__
#include "local_entropy/methods/histogram/foot_disk.h"
#include "local_entropy/methods/histogram/foot_kernel.h"
#include "local_entropy/methods/histogram/foot_kernels.h"

namespace local_entropy::footprint
{
namespace
{

template <int kRadius, int kBits>
Kernel<std::uint8_t> kernel(bool missing)
{
    using In = Counters<kBits, 32 / (kBits * kSharing)>;
    using Any = DiskSteps<kRadius, In, false>;
    using Steady = DiskSteps<kRadius, In, true>;
    return {missing ? footprint<std::uint8_t, In, Any, Any, true>
                    : footprint<std::uint8_t, In, Steady, Any, false>,
            In::kWindows, In::kSharing, Any::kMostThreads};
}

} // namespace

Kernel<std::uint8_t> disk(int radius, bool missing)
{
    switch (radius) { // up to 9 they have at most kMostByteCells
    case 1: return kernel<1, 8>(missing);
    case 2: return kernel<2, 8>(missing);
    case 3: return kernel<3, 8>(missing);
    case 4: return kernel<4, 8>(missing);
    case 5: return kernel<5, 8>(missing);
    case 6: return kernel<6, 8>(missing);
    case 7: return kernel<7, 8>(missing);
    case 8: return kernel<8, 8>(missing);
    case 9: return kernel<9, 8>(missing);
    case kMostDisk: return kernel<kMostDisk, 16>(missing);
    default: return {};
    }
}

} // namespace local_entropy::footprint
#endif
