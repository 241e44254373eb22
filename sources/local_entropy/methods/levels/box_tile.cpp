#include "local_entropy/methods/levels/box_tile.h"

#include <algorithm>

namespace local_entropy
{

BoxPlan planBox(int width, int height)
{
    BoxPlan best;
    int bestLoads = 1 << 30;
    for (int group = 1; group <= width; group++) {
        BoxPlan plan;
        plan.group = group;
        plan.groups = width / group;
        plan.rest = width % group;
        plan.wide = width * height > 255;
        plan.wideGroups = group * height > 255;
        const int first = group == 1 ? 0 : group * (plan.wideGroups ? 2 : 1);
        const int loads = first + (plan.groups + plan.rest) * (plan.wide ? 2 : 1);
        if (loads >= bestLoads) continue;
        best = plan;
        bestLoads = loads;
    }
    return best;
}

StripLayout::StripLayout(int windowWidth, int levels, bool wide)
{
    constexpr std::int64_t kFirstCache = 28 << 10, kLeast = 128, kMost = 2048;
    const int countBytes = wide ? 2 : 1;
    const std::int64_t fits = (kFirstCache / levels - windowWidth) / (1 + countBytes);
    // Every strip counts windowWidth - 1 columns more than it has results.
    results =
        std::clamp<std::int64_t>(std::max<std::int64_t>(fits, 2 * windowWidth), kLeast, kMost);
    results = results / kBlock * kBlock;
    columnStride = roundUp(results + windowWidth + 2 * kBlock, kBlock);
    countStride = results + kBlock;
    groupBytes = 2 * kTogether * columnStride;
    bytes =
        columnStride * levels + countStride * countBytes * roundUp(levels, kTogether) + groupBytes;
}

} // namespace local_entropy
