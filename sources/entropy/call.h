// What every cudaCallback begins with.
#pragma once

#include "common/error.h"
#include "common/host_device.h"

#include <cstddef>
#include <new>
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
        constexpr int kLongestSide = 2000000000; // room for the last blocks of a grid, in an int
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

/// Thrown where there is not even memory for a sentence that names the version.
inline const common::Unavailable kNoMemoryAtAll("cudaCallback: no host memory");

/// Calls the version that `name()` names. Lack of memory for its smaller things, which containers
/// report in their own way, becomes an exception of the contract (core.h).
template <typename Callback>
void callVersion(Callback callback, const char *(*name)(), int width, int height, float *sample,
                 float **result)
try {
    callback(width, height, sample, result);
} catch (const std::bad_alloc &) {
    try {
        const common::ErrorScope scope(name());
        throw common::Unavailable("cudaCallback: no host memory");
    } catch (const std::bad_alloc &) {
        throw kNoMemoryAtAll;
    }
}

/// Offset of cell (x, y): 64 bits, since an array may hold more than 2^31 cells.
HOST_DEVICE inline std::size_t at(int x, int y, int width)
{
    return static_cast<std::size_t>(y) * width + x;
}

} // namespace entropy
