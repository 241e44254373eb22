#include "local_entropy/schedule/feeding.h"

#include "common/integer.h"

#include <algorithm>
#include <cmath>

namespace local_entropy
{

int Feeding::feeders() const
{
    // Of what is under way, about a half is still to be computed: for so long devices go on alone.
    const double alone = devices * static_cast<double>(mostUnderWay * large) / 2;
    if (onCpu * static_cast<double>(small) <= alone) return 0;
    return static_cast<int>(std::min<double>(std::ceil(throughDevice / devices), threads));
}

bool Feeding::mayBegin(std::int64_t left, int underWay, double perCell) const
{
    const int computing = std::max(threads - feeders(), 1);
    // And one round of the tiles before, which threads are still at.
    const std::int64_t rounds =
        1 + common::ceilDiv(common::ceilDiv(large, small), static_cast<std::int64_t>(computing));
    const std::int64_t others = std::max<std::int64_t>(left - large, 0) + underWay * large / 2;
    return onCpu * static_cast<double>(small * rounds) <= perCell * static_cast<double>(others);
}

} // namespace local_entropy
