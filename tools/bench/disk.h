// Disks as windows: the cells whose distance to the middle is at most the radius.
#pragma once

#include "local_entropy/filter.h"

namespace bench
{

/// `square` is that of the radius, of which `radius` is the whole part.
inline local_entropy::Window diskWindow(int radius, double square)
{
    local_entropy::Window window;
    window.width = window.height = 2 * radius + 1;
    for (int y = -radius; y <= radius; ++y)
        for (int x = -radius; x <= radius; ++x) window.footprint.push_back(x * x + y * y <= square);
    return window;
}

} // namespace bench
