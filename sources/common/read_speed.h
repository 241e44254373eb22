// The ceiling for work that reads much and writes next to nothing: reading alone, in the same run.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include "common/devices.h"
#include "common/error.h"
#include "common/measure.h"

#include <algorithm>
#include <cstddef>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/launch.h"
#endif

namespace common
{

#ifdef __CUDACC__

constexpr int kReadThreads = 256, kReadsInFlight = 4; // 64 bytes on the way to each thread

/// Reads input[0..size) and keeps nothing. The write that no data brings about (see deviceRead) is
/// there because a compiler removes loads of which nothing can come. A template, so that several
/// files may include it.
template <int inFlight>
__global__ void __launch_bounds__(kReadThreads)
    readKernel(std::size_t size, const int4 *input, int *output)
{
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    int mixed = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
         i += inFlight * stride) {
        int4 values[inFlight];
#pragma unroll
        for (int k = 0; k < inFlight; ++k) { // beyond the end: the first one again
            const std::size_t next = i + k * stride;
            values[k] = __ldcs(&input[next < size ? next : i]);
        }
#pragma unroll
        for (int k = 0; k < inFlight; ++k)
            mixed |= values[k].x | values[k].y | values[k].z | values[k].w;
    }
    if (mixed == 1) *output = mixed;
}

#endif

/// Reads `bytes` bytes (a multiple of 16 is read) of the memory of device 0, which is filled with
/// 0xFF: ones in every bit, so that no thread's bits together make the number 1.
inline Timing deviceRead([[maybe_unused]] std::size_t bytes)
{
#ifdef __CUDACC__
    const DeviceScope device(0);
    const std::size_t size = std::max<std::size_t>(1, bytes / sizeof(int4));
    const DeviceArray<int4> input = poisoned<int4>(size);
    DeviceArray<int> output = poisoned<int>(1);
    constexpr std::size_t kTile = kReadThreads * kReadsInFlight;
    constexpr std::size_t kWaves = 8; // of blocks: the later ones fill in where a slow one is late
    const std::size_t most = kWaves * residentThreads(0) / kReadThreads;
    const auto grid = static_cast<unsigned>(std::min((size + kTile - 1) / kTile, most));
    return measureOnDevice([&] {
        submit(readKernel<kReadsInFlight>, dim3(grid), dim3(kReadThreads), size, input.data(),
               output.data());
    });
#else
    throw Error(whyNoDevice());
#endif
}

} // namespace common
