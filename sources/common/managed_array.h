// Managed memory: one address for host and device; pages move to whoever touches them.
#pragma once

#include "common/cuda_check.h"

#include <cstddef>
#include <utility>

namespace common
{

/// `size` elements of managed memory; their pages are made where they are touched first. Move-only.
template <typename T>
class ManagedArray
{
public:
    explicit ManagedArray(std::size_t size) : count(size)
    {
        CUDA_CHECK(cudaMallocManaged(&elements, size * sizeof(T)));
    }
    ~ManagedArray() { quietly(cudaFree(elements)); }
    ManagedArray(ManagedArray &&other) noexcept
        : elements(std::exchange(other.elements, nullptr)), count(std::exchange(other.count, 0))
    {
    }
    ManagedArray(const ManagedArray &) = delete;
    ManagedArray &operator=(const ManagedArray &) = delete;

    T *data() { return elements; }
    const T *data() const { return elements; }

    /// Makes every byte 0xFF, on the device: floats and doubles read as NaN.
    void poison() { CUDA_CHECK(cudaMemset(elements, 0xFF, count * sizeof(T))); }

    /// Moves its pages to the current device, in the default stream.
    void prefetch() const
    {
        int device = 0;
        CUDA_CHECK(cudaGetDevice(&device));
#if CUDART_VERSION >= 13000
        cudaMemLocation place{};
        place.type = cudaMemLocationTypeDevice;
        place.id = device;
        CUDA_CHECK(cudaMemPrefetchAsync(elements, count * sizeof(T), place, 0));
#else
        CUDA_CHECK(cudaMemPrefetchAsync(elements, count * sizeof(T), device));
#endif
    }

private:
    T *elements = nullptr;
    std::size_t count = 0;
};

} // namespace common
