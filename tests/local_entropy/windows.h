// Windows to try: of every kind and awkward.
#pragma once

#include "local_entropy/filter.h"

#include <vector>

namespace trial_windows
{

using local_entropy::Window;

template <typename Is>
Window windowOf(int width, int height, Is is)
{
    Window window;
    window.width = width;
    window.height = height;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) window.footprint.push_back(is(x, y));
    return window;
}

inline Window rectangle(int width, int height)
{
    Window window;
    window.width = width;
    window.height = height;
    return window;
}

inline Window disk(int radius)
{
    return windowOf(2 * radius + 1, 2 * radius + 1, [=](int x, int y) {
        return (x - radius) * (x - radius) + (y - radius) * (y - radius) <= radius * radius;
    });
}

/// Disks, rings, crosses, holes, single cells, even sides, rows that are empty.
inline std::vector<Window> footprints()
{
    return {disk(1),
            disk(2),
            disk(5),
            disk(10),
            windowOf(9, 9, [](int x, int y) { return x == 0 || y == 0 || x == 8 || y == 8; }),
            windowOf(7, 7, [](int x, int y) { return x == 3 || y == 3; }),
            windowOf(8, 6, [](int x, int y) { return (x + y) % 2 == 0; }),
            windowOf(5, 4, [](int x, int y) { return x == 4 && y == 0; }),
            windowOf(1, 1, [](int, int) { return true; }),
            windowOf(6, 5, [](int, int y) { return y != 2; }),
            windowOf(3, 11, [](int x, int y) { return y < 3 || (x == 1 && y > 5); }),
            windowOf(16, 16, [](int x, int y) { return (x + y) % 2 == 0; }), // no steps by pairs
            windowOf(23, 13, [](int x, int y) { return (x * 7 + y * 5) % 11 > 2; }),
            windowOf(63, 63, [](int x, int y) { return (x - 31) * (x - 31) + y * y < 900; })};
}

inline std::vector<Window> rectangles()
{
    return {rectangle(1, 1),   rectangle(2, 1),   rectangle(1, 9),  rectangle(3, 3),
            rectangle(4, 4),   rectangle(5, 2),   rectangle(6, 7),  rectangle(7, 3),
            rectangle(8, 8),   rectangle(9, 9),   rectangle(10, 5), rectangle(15, 17),
            rectangle(16, 16), rectangle(31, 31), rectangle(3, 85), rectangle(255, 2),
            rectangle(1, 255)}; // the last two without steps by pairs
}

} // namespace trial_windows
