// Turning arrays: columns become rows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace local_entropy
{

/// to[x * toStride + y] = from[y * fromStride + x], x < width, y < height; block by block, so that
/// both sides stay in cache lines that are there.
template <typename T>
void turn(const T *from, std::int64_t fromStride, std::int64_t width, std::int64_t height, T *to,
          std::int64_t toStride)
{
    constexpr std::int64_t kBlock = 32;
    for (std::int64_t y0 = 0; y0 < height; y0 += kBlock)
        for (std::int64_t x0 = 0; x0 < width; x0 += kBlock)
            for (std::int64_t x = x0; x < std::min(x0 + kBlock, width); ++x)
                for (std::int64_t y = y0; y < std::min(y0 + kBlock, height); ++y)
                    to[x * toStride + y] = from[y * fromStride + x];
}

} // namespace local_entropy
