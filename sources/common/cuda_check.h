// CUDA_CHECK: no CUDA call of this project goes unchecked.
#pragma once

#include "common/error.h"

#include <cuda_runtime.h>

namespace common
{

/// The same status, which CUDA does not keep as its last error: it must not be blamed on the next
/// call, which may be somebody else's. For calls that are not checked by CUDA_CHECK.
inline cudaError_t quietly(cudaError_t status)
{
    if (status != cudaSuccess) cudaGetLastError();
    return status;
}

/// What it means when CUDA cannot find a GPU; null for any other status.
inline const char *whyNoGpu(cudaError_t status)
{
    if (status == cudaErrorNoDevice) return "needs a GPU: there is none here";
    if (status != cudaErrorInsufficientDriver) return nullptr;
    int driver = 0;
    return quietly(cudaDriverGetVersion(&driver)) == cudaSuccess && driver > 0
               ? "needs a GPU: the NVIDIA driver here is older than this program's CUDA"
               : "needs a GPU: there is no NVIDIA driver here";
}

/// Throws Error with the call, the place and CUDA's own words unless `status` is cudaSuccess;
/// Unavailable where the device has too little memory.
inline void cudaCheck(cudaError_t status, const char *expression, const char *file, int line)
{
    if (quietly(status) == cudaSuccess) return;
    const std::string sentence = std::string(expression) + " failed at " + file + ":" +
                                 std::to_string(line) + ": " + cudaGetErrorString(status) + " (" +
                                 cudaGetErrorName(status) + ")";
    if (status == cudaErrorMemoryAllocation) throw Unavailable(sentence);
    if (const char *why = whyNoGpu(status)) throw Unavailable(why);
    throw Error(sentence);
}

} // namespace common

#define CUDA_CHECK(expression) ::common::cudaCheck((expression), #expression, __FILE__, __LINE__)
