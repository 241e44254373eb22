// What every cudaCallback begins with.
#pragma once

#include "common/error.h"
#include "common/host_device.h"

#include <climits>
#include <cstddef>
#include <string>

namespace entropy
{

/// A call in progress: checks the arguments, counts the cells, puts the version's name before any
/// error that is thrown while it lives.
struct Call
{
    Call(const char *version, int width, int height, const float *sample, float *const *result)
        : scope(version)
    {
        constexpr int kLongestSide = INT_MAX - 1024; // room for x + kRadius and a last block
        if (width < 1 || height < 1 || width > kLongestSide || height > kLongestSide)
            throw common::Error("cudaCallback: the array is " + std::to_string(width) + " x " +
                                std::to_string(height) + ", expected sides of 1.." +
                                std::to_string(kLongestSide));
        if (!sample) throw common::Error("cudaCallback: sample is null");
        if (!result) throw common::Error("cudaCallback: result is null");
        cells = static_cast<std::size_t>(width) * height;
    }

    common::ErrorScope scope;
    std::size_t cells = 0;
};

/// Offset of cell (x, y): 64 bits, since an array may hold more than 2^31 cells.
HOST_DEVICE inline std::size_t at(int x, int y, int width)
{
    return static_cast<std::size_t>(y) * width + x;
}

} // namespace entropy
