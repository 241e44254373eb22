#ifdef __CUDACC__
#include "local_entropy/methods/histogram/foot_disk.h"
#include "local_entropy/methods/histogram/foot_kernel.h"
#include "local_entropy/methods/histogram/foot_kernels.h"

#include <type_traits>

namespace local_entropy::footprint
{
namespace
{

template <int kRadius>
using Count = std::conditional_t<kRadius == CoreCounters::kRadius, CoreCounters, Counters<8, 4>>;

template <int kRadius>
Kernel<std::uint8_t> kernel(bool missing)
{
    using In = Count<kRadius>;
    constexpr int kPlace = (4 - kRadius % 4) % 4; // of a window in the middle of an aligned image
    using Rows = RowsOfPiece<std::uint8_t>;
    using Quick = DiskSteps<kRadius, In, kPlace, Rows>;
    using Inner = DiskSteps<kRadius, In, kAnyPlace, Rows>;
    using Any = DiskSteps<kRadius, In, kAnyPlace, RowsOfLanes<std::uint8_t>>;
    return {missing ? footprint<std::uint8_t, In, Inner, Inner, Any, true>
                    : footprint<std::uint8_t, In, Quick, Inner, Any, false>,
            In::kWindows, In::kSharing};
}

} // namespace

Kernel<std::uint8_t> disk(int radius, bool missing)
{
    switch (radius) { // up to 9 they have at most kMostByteCells
    case 1: return kernel<1>(missing);
    case 2: return kernel<2>(missing);
    case 3: return kernel<3>(missing);
    case 4: return kernel<4>(missing);
    case 5: return kernel<5>(missing);
    case 6: return kernel<6>(missing);
    case 7: return kernel<7>(missing);
    case 8: return kernel<8>(missing);
    case 9: return kernel<9>(missing);
    case kMostDisk: return kernel<kMostDisk>(missing);
    default: return {};
    }
}

} // namespace local_entropy::footprint
#endif
