// Arrays that show every window there can be, as far as its entropy goes.
#pragma once

#include "local_entropy/answers/partitions.h"

#include <cstddef>
#include <vector>

/// The cells of a window with these counts, the levels in an order that depends on `turn`.
inline std::vector<float> cellsOf(const local_entropy::Partition &partition, int turn)
{
    std::vector<float> cells;
    int level = turn;
    for (int n = local_entropy::kWindowCells; n >= 1; --n)
        for (int i = 0; i < partition.levels[n]; ++i, level += 7) // 7 and 16 have no common factor
            cells.insert(cells.end(), n, static_cast<float>(level % local_entropy::kLevels));
    return cells;
}

/// An array that shows windows of across x down cells: cut by edges if they are smaller than 5 x 5.
struct Gallery
{
    int width, height;
    std::vector<float> sample;
    std::vector<std::size_t> centres; ///< of the windows, one after the other
};

/// Windows side by side, each with its centre in column 5 i + 2; narrower than 5, they are columns
/// of an array of their own, one below the other.
inline Gallery hang(const std::vector<std::vector<float>> &windows, int across, int down)
{
    const int count = static_cast<int>(windows.size());
    const bool whole = across == local_entropy::kWindow;
    Gallery gallery;
    gallery.width = whole ? across * count : across;
    gallery.height = whole ? down : down * count;
    gallery.sample.assign(static_cast<std::size_t>(gallery.width) * gallery.height, 0.0f);
    for (int i = 0; i < count; ++i) {
        const int left = whole ? across * i : 0, top = whole ? 0 : down * i;
        for (int cell = 0; cell < across * down; ++cell)
            gallery.sample[(top + cell / across) * gallery.width + left + cell % across] =
                windows[i][cell];
        gallery.centres.push_back((top + down / 2) * static_cast<std::size_t>(gallery.width) +
                                  left + across / 2);
    }
    return gallery;
}

/// Windows of 5 x 5 as tiles of a wall, `columns` of them in a row.
inline Gallery tile(const std::vector<std::vector<float>> &windows, int columns)
{
    constexpr int kSide = local_entropy::kWindow;
    const int rows = (static_cast<int>(windows.size()) + columns - 1) / columns;
    Gallery wall{kSide * columns, kSide * rows, {}, {}};
    wall.sample.assign(static_cast<std::size_t>(wall.width) * wall.height, 0.0f);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const std::size_t corner = i / columns * kSide * wall.width + i % columns * kSide;
        for (int cell = 0; cell < local_entropy::kWindowCells; ++cell)
            wall.sample[corner + cell / kSide * wall.width + cell % kSide] = windows[i][cell];
        wall.centres.push_back(corner + local_entropy::kRadius * wall.width +
                               local_entropy::kRadius);
    }
    return wall;
}
