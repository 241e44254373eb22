// Arrays in device memory, owned by a C++ object, and the ways in and out of them.
#pragma once

#include "common/cuda_check.h"
#include "common/host_array.h"
#include "common/part_times.h"

#include <cstddef>
#include <utility>

namespace common
{

/// While a PartTimes lives: waits for the current device, so that work that it has not done yet is
/// not taken for what comes next; makes its context, if there is none.
inline void settle()
{
    if (PartTimes::active()) CUDA_CHECK(cudaDeviceSynchronize());
}

/// `size` elements in the memory of the device that is current when it is made. Move-only.
template <typename T>
class DeviceArray
{
public:
    explicit DeviceArray(std::size_t size) : count(size)
    {
        {
            const PartScope scope(Part::Context);
            settle();
        }
        const PartScope scope(Part::Allocate);
        CUDA_CHECK(cudaMalloc(&elements, size * sizeof(T)));
    }
    ~DeviceArray()
    {
        if (!elements) return;
        const PartScope scope(Part::Free);
        quietly(cudaFree(elements));
    }
    DeviceArray(DeviceArray &&other) noexcept
        : elements(std::exchange(other.elements, nullptr)), count(std::exchange(other.count, 0))
    {
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;

    T *data() { return elements; }
    const T *data() const { return elements; }
    std::size_t size() const { return count; }
    std::size_t bytes() const { return count * sizeof(T); }

private:
    T *elements = nullptr;
    std::size_t count = 0;
};

/// A copy of host[0..size) in device memory.
template <typename T>
DeviceArray<T> upload(const T *host, std::size_t size)
{
    DeviceArray<T> array(size);
    const PartScope scope(Part::Up);
    CUDA_CHECK(cudaMemcpy(array.data(), host, array.bytes(), cudaMemcpyHostToDevice));
    settle();
    return array;
}

/// An array for results, every byte 0xFF: floats read as NaN. Fresh device memory often still
/// holds the right answer of an earlier run, and would hide a kernel that wrote nothing.
template <typename T>
DeviceArray<T> poisoned(std::size_t size)
{
    DeviceArray<T> array(size);
    CUDA_CHECK(cudaMemset(array.data(), 0xFF, array.bytes()));
    settle();
    return array;
}

/// Copies `array` to host[0..size).
template <typename T>
void download(const DeviceArray<T> &array, T *host)
{
    const PartScope scope(Part::Down);
    CUDA_CHECK(cudaMemcpy(host, array.data(), array.bytes(), cudaMemcpyDeviceToHost));
}

/// A copy of `array` in fresh malloc memory.
template <typename T>
HostArray<T> download(const DeviceArray<T> &array)
{
    HostArray<T> host = allocateHost<T>(array.size());
    touchPages(host.get(), array.bytes());
    download(array, host.get());
    return host;
}

} // namespace common
