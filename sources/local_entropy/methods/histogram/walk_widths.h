// For which windows there are kernels of walk.h. Each is some ten thousands of bytes of code.
#pragma once

namespace local_entropy::walk
{

constexpr int kMostByteCells = 255; ///< that counters of 8 bits can count

/// Windows of few cells, whose sums fit 32 bits (ExactScale), have a kernel if they are at most so
/// wide; the others are like those of more cells.
constexpr int kMostShortWidth = 8;

constexpr int kMostWidth = 31;

/// With counters of 8 bits.
constexpr bool isByteWidth(int width)
{
    return (width >= 1 && width <= 9) || width == 11 || width == 15;
}
/// With counters of 16.
constexpr bool isWideWidth(int width)
{
    return width == 9 || width == 11 || width == 15 || width == 21 || width == 31;
}

/// Whether there is a kernel.
constexpr bool isWidth(int width, int cells)
{
    return cells <= kMostByteCells ? isByteWidth(width) : isWideWidth(width);
}

} // namespace local_entropy::walk
