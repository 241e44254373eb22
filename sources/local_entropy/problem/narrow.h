// Tiles whose cells can be half as wide.
#pragma once

#include "local_entropy/problem/load.h"

#include <cstring>
#include <limits>
#include <vector>

namespace local_entropy
{

/// Marks the values of every `step`-th row of a tile.
template <typename Wide>
void markUsed(const Wide *cells, std::int64_t stride, std::int64_t width, std::int64_t height,
              std::int64_t step, std::vector<char> &used)
{
    for (std::int64_t y = 0; y < height; y += step)
        for (const Wide *cell = cells + y * stride, *end = cell + width; cell < end; ++cell)
            used[*cell] = 1;
}

/// The middle of the longest row of values that are not used, of the first `values`, or `values`.
inline int mostUnused(const std::vector<char> &used, int values)
{
    int begin = values, length = 0;
    for (int first = 0, value = 0; value < values; ++value) {
        if (used[value])
            first = value + 1;
        else if (value + 1 - first > length)
            begin = first, length = value + 1 - first;
    }
    return begin + length / 2;
}

template <typename Wide>
bool occurs(int value, const Wide *cells, std::int64_t stride, std::int64_t width,
            std::int64_t height)
{
    Wide found = 0;
    for (std::int64_t y = 0; y < height && !found; ++y)
        for (const Wide *cell = cells + y * stride, *end = cell + width; cell < end; ++cell)
            found |= *cell == static_cast<Wide>(value);
    return found;
}

/// One of the first `values` values that no cell has, or `values` where all occur. A guess from
/// some rows is looked for in all, which takes a fraction of the time of marking the values of all.
template <typename Wide>
int freeValue(const Wide *cells, std::int64_t stride, std::int64_t width, std::int64_t height,
              int values)
{
    constexpr std::int64_t kStep = 16;
    std::vector<char> used(values + 1);
    markUsed(cells, stride, width, height, kStep, used);
    const int guess = mostUnused(used, values);
    if (guess == values || !occurs(guess, cells, stride, width, height)) return guess;
    markUsed(cells, stride, width, height, 1, used);
    return mostUnused(used, values);
}

/// Makes the cells of a tile of width x height cells half as wide, where one of the smaller type's
/// values is free for `none`, or is not needed. In place: rows become shorter by half.
template <typename Wide, typename Narrow>
void narrow(Tile &tile, std::int64_t width, std::int64_t height, Wide *cells)
{
    constexpr int kValues = std::numeric_limits<Narrow>::max() + 1;
    const int none = tile.missing ? freeValue(cells, tile.stride, width, height, kValues) : 0;
    if (none == kValues) return;
    char *const to = reinterpret_cast<char *>(cells); // every value of the slack is a level
    for (std::int64_t y = 0; y < height; ++y) {
        const Wide *const from = cells + y * tile.stride;
        char *const row = to + y * tile.stride * sizeof(Narrow);
        for (std::int64_t x = 0; x < width; ++x) {
            const auto narrowed = static_cast<Narrow>(from[x] == kValues ? none : from[x]);
            std::memcpy(row + x * sizeof(Narrow), &narrowed, sizeof narrowed);
        }
    }
    tile.bytes = sizeof(Narrow);
    tile.values = kValues;
    tile.none = none;
}

} // namespace local_entropy
