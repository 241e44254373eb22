// Memory that launches work in. For .cu files that nvcc compiles.
#pragma once

#include "local_entropy/memory/device_pool.h"

#include <cstddef>

namespace local_entropy
{

/// Memory from here to the end of this scope, in the order of a stream; where that is captured,
/// from node to node of the graph. Or memory that somebody has given, which stays.
class StreamMemory
{
public:
    /// Throws as DevicePool::allocate() does.
    StreamMemory(DevicePool &pool, std::size_t bytes, cudaStream_t stream, const char *instead)
        : data(pool.allocate(bytes, stream, instead)), stream(stream), isGiven(false)
    {
    }
    explicit StreamMemory(void *given) : data(given), stream(nullptr), isGiven(true) {}
    /// However the scope ends: a graph must not keep memory that none of its nodes frees.
    ~StreamMemory()
    {
        if (!isGiven) common::quietly(cudaFreeAsync(data, stream));
    }
    StreamMemory(const StreamMemory &) = delete;
    StreamMemory &operator=(const StreamMemory &) = delete;

    char *at(std::size_t offset) const { return static_cast<char *>(data) + offset; }

private:
    void *const data;
    const cudaStream_t stream;
    const bool isGiven;
};

} // namespace local_entropy
