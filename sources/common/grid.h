// How many blocks cover an array.
#pragma once

#include "common/error.h"

#include <cuda_runtime.h>
#include <string>

namespace common
{

/// Smallest integer that is not less than a / b; a, b >= 1. Never overflows.
constexpr int ceilDiv(int a, int b) { return (a - 1) / b + 1; }

/// Blocks for an array of which each block writes across x down cells.
/// Throws Unavailable where a grid cannot hold that many.
inline dim3 gridOf(int width, int height, int across, int down)
{
    constexpr int kMostBlocksDown = 65535; // CUDA's limit for gridDim.y; gridDim.x takes any int
    const int blocksDown = ceilDiv(height, down);
    if (blocksDown > kMostBlocksDown)
        throw Unavailable(std::to_string(height) + " cells down need " +
                          std::to_string(blocksDown) + " blocks of " + std::to_string(down) +
                          ", a grid holds " +
                          std::to_string(kMostBlocksDown));
    return dim3(ceilDiv(width, across), blocksDown);
}

} // namespace common
