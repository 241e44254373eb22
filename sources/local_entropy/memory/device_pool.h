// Memory of a GPU that is kept from one launch to the next. For .cu files that nvcc compiles.
#pragma once

#include "common/cuda_check.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace local_entropy
{

/// Hands out memory of a GPU in the order of streams, and keeps what comes back. What waits there
/// is given back to the GPU where memory would else be missing. A GPU that has no memory pools has
/// this one all the same, for calls that ask nothing of it.
class DevicePool
{
public:
    explicit DevicePool(int device) : device(device)
    {
        int has = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, device));
        if (!has) return;
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location = {cudaMemLocationTypeDevice, device};
        CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
        std::uint64_t keep = ~std::uint64_t(0);
        try {
            CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
        } catch (const common::Error &) {
            common::quietly(cudaMemPoolDestroy(pool));
            throw;
        }
    }
    ~DevicePool()
    {
        if (pool) common::quietly(cudaMemPoolDestroy(pool));
    }
    DevicePool(const DevicePool &) = delete;
    DevicePool &operator=(const DevicePool &) = delete;

    /// In the order of `stream`, and until cudaFreeAsync(). Throws common::Unavailable; where the
    /// GPU has no memory pools, the sentence ends with what to do `instead`.
    void *allocate(std::size_t bytes, cudaStream_t stream, const char *instead)
    {
        if (!pool)
            throw common::Unavailable("GPU " + std::to_string(device) +
                                      " has no memory pools, from which this call would take what "
                                      "it works in: " +
                                      instead);
        void *data = nullptr;
        whereMemoryMayBeMissing(
            [&] { CUDA_CHECK(cudaMallocFromPoolAsync(&data, bytes, pool, stream)); });
        return data;
    }

    /// Calls use(), which takes memory of the GPU from anywhere; if there is too little, again,
    /// after all that no launch has any more is given back.
    template <typename Use>
    void whereMemoryMayBeMissing(const Use &use)
    {
        try {
            use();
        } catch (const common::Unavailable &) {
            if (!pool) throw;
            CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
            use();
        }
    }

private:
    const int device;
    cudaMemPool_t pool = nullptr; ///< null: the GPU has none
};

/// The one of that GPU, for all methods of all engines; there is one while somebody has it.
inline std::shared_ptr<DevicePool> poolOf(int device)
{
    static std::mutex mutex;
    static auto &pools = *new std::vector<std::weak_ptr<DevicePool>>; // objects may outlive main
    const std::lock_guard<std::mutex> lock(mutex);
    if (device >= static_cast<int>(pools.size())) pools.resize(device + 1);
    std::shared_ptr<DevicePool> pool = pools[device].lock();
    if (!pool) pools[device] = pool = std::make_shared<DevicePool>(device);
    return pool;
}

} // namespace local_entropy
