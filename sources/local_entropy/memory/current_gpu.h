// The current GPU: what it has, or why there is none. For .cu files, in every build.
#pragma once

#include "common/devices.h"
#include "local_entropy/error.h"

namespace local_entropy
{

/// Throws Error (Unavailable), with the reason: for what needs CUDA and a GPU where one is missing.
[[noreturn]] inline void refuseWithoutGpu()
{
    throw Error(Status::Unavailable, "enqueue " + common::whyNoDevice());
}

#ifdef __CUDACC__

/// Its number.
inline int currentDevice()
{
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    return device;
}

inline int attributeOfGpu(cudaDeviceAttr which)
{
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, currentDevice()));
    return value;
}

inline int multiprocessorsOfGpu() { return attributeOfGpu(cudaDevAttrMultiProcessorCount); }

#endif

} // namespace local_entropy
