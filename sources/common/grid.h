// How many blocks cover an array.
#pragma once

#include <cuda_runtime.h>

namespace common
{

/// Smallest integer that is not less than a / b; a, b >= 1. Never overflows.
constexpr int ceilDiv(int a, int b) { return (a - 1) / b + 1; }

/// Blocks for an array of which each block writes across x down cells. A grid is at most 65535
/// blocks high (its width takes any int): higher ones are folded into layers, and a kernel finds
/// its row of blocks at blockIdx.z * gridDim.y + blockIdx.y.
inline dim3 gridOf(int width, int height, int across, int down)
{
    constexpr int kMostBlocksDown = 65535;
    const int blocksDown = ceilDiv(height, down);
    const int layers = ceilDiv(blocksDown, kMostBlocksDown);
    return dim3(ceilDiv(width, across), ceilDiv(blocksDown, layers), layers);
}

} // namespace common
