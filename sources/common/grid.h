// How many blocks cover an array.
#pragma once

#include "common/error.h"
#include "common/integer.h"

#include <cuda_runtime.h>
#include <string>

namespace common
{

constexpr int kMostBlocksDown = 65535; ///< CUDA's limit for gridDim.y and .z; .x takes any int

/// Blocks for an array of which each block writes across x down cells.
/// Throws Unavailable where a grid cannot be that high.
inline dim3 gridOf(int width, int height, int across, int down)
{
    const int blocksDown = ceilDiv(height, down);
    if (blocksDown > kMostBlocksDown)
        throw Unavailable(std::to_string(height) + " cells down need " +
                          std::to_string(blocksDown) + " blocks of " + std::to_string(down) +
                          ", a grid holds " + std::to_string(kMostBlocksDown));
    return dim3(ceilDiv(width, across), blocksDown);
}

/// The same for any height: what is too high is folded into layers, and a kernel finds its row of
/// blocks at blockIdx.z * gridDim.y + blockIdx.y.
inline dim3 foldedGridOf(int width, int height, int across, int down)
{
    const int blocksDown = ceilDiv(height, down);
    const int layers = ceilDiv(blocksDown, kMostBlocksDown);
    return dim3(ceilDiv(width, across), ceilDiv(blocksDown, layers), layers);
}

} // namespace common
