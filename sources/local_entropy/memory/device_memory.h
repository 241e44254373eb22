// Arrays that callers have in the memory of GPUs. For .cu files that nvcc compiles.
#pragma once

#include "local_entropy/memory/current_gpu.h"

#include <string>

namespace local_entropy
{

/// Throws Error (BadArgument) unless kernels of that device can use the memory there; the sentence
/// begins with "the `name`".
inline void checkDeviceMemory(const char *name, const void *data, int device)
{
    cudaPointerAttributes memory{};
    CUDA_CHECK(cudaPointerGetAttributes(&memory, data));
    if (memory.type == cudaMemoryTypeManaged) return;
    if (memory.type != cudaMemoryTypeDevice)
        throw Error(Status::BadArgument,
                    std::string("the ") + name + " is not in the memory of a GPU");
    if (memory.device != device)
        throw Error(Status::BadArgument, std::string("the ") + name + " is in the memory of GPU " +
                                             std::to_string(memory.device) + ", and GPU " +
                                             std::to_string(device) + " is the current one");
}

/// Whether what is put into the stream becomes part of a graph.
inline bool isCaptured(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    return status != cudaStreamCaptureStatusNone;
}

/// Throws Error (Unavailable): for what a stream needs tables for that are not there while it is
/// being captured.
[[noreturn]] inline void refuseCapture()
{
    throw Error(Status::Unavailable,
                "the stream is being captured into a graph, in which no tables can be made: "
                "enqueue this filter once before");
}

} // namespace local_entropy
