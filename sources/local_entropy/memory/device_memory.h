// Arrays that callers have in the memory of GPUs. For .cu files that nvcc compiles.
#pragma once

#include "common/cuda_check.h"
#include "local_entropy/error.h"
#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/problem/problem.h"

#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace local_entropy
{

/// Lets kernels of the current device use what cudaMalloc() gives on another one, for the rest of
/// the process; false if they cannot reach it, or as many others as they can already.
inline bool reachesPeer(int device, int peer)
{
    static std::mutex mutex;
    static auto &reached = *new std::set<std::pair<int, int>>; // calls may outlive main
    const std::lock_guard<std::mutex> lock(mutex);
    if (reached.count({device, peer})) return true;
    int can = 0;
    CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
    if (!can) return false;
    const cudaError_t status = common::quietly(cudaDeviceEnablePeerAccess(peer, 0));
    if (status == cudaErrorTooManyPeers) return false;
    if (status != cudaErrorPeerAccessAlreadyEnabled) CUDA_CHECK(status); // else by the program
    reached.insert({device, peer});
    return true;
}

/// Whose memory may be used.
enum class Whose { Own, Peers };

/// Throws Error (BadArgument) unless kernels of that device, the current one, can use the memory
/// there; the sentence begins with "the `name`".
inline void checkDeviceMemory(const char *name, const void *data, int device, Whose whose)
{
    cudaPointerAttributes memory{};
    CUDA_CHECK(cudaPointerGetAttributes(&memory, data));
    if (memory.type == cudaMemoryTypeManaged) return;
    if (memory.type != cudaMemoryTypeDevice)
        throw Error(Status::BadArgument,
                    std::string("the ") + name + " is not in the memory of a GPU");
    if (memory.device == device) return;
    if (whose == Whose::Peers && reachesPeer(device, memory.device)) return;
    throw Error(Status::BadArgument, std::string("the ") + name + " is in the memory of GPU " +
                                         std::to_string(memory.device) + ", and GPU " +
                                         std::to_string(device) + " is the current one" +
                                         (whose == Whose::Peers ? ", which cannot reach it" : ""));
}

/// The arrays of a problem may be those of peers.
inline void checkArrays(const Problem &problem, int device)
{
    checkDeviceMemory("image", problem.image.data, device, Whose::Peers);
    checkDeviceMemory("result", problem.result.data, device, Whose::Peers);
    if (problem.mask.data) checkDeviceMemory("mask", problem.mask.data, device, Whose::Peers);
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
