// Kernel launch: checked, waited for and, on request, timed.
#pragma once

#include "common/cuda_check.h"
#include "common/kernel_times.h"

namespace common
{

/// Time between two points of the default stream of the current device.
class DeviceClock
{
public:
    DeviceClock()
    {
        CUDA_CHECK(cudaEventCreate(&begin));
        if (const cudaError_t status = cudaEventCreate(&end); status != cudaSuccess) {
            cudaEventDestroy(begin);
            CUDA_CHECK(status);
        }
    }
    ~DeviceClock()
    {
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
    }
    DeviceClock(const DeviceClock &) = delete;
    DeviceClock &operator=(const DeviceClock &) = delete;

    void start() { CUDA_CHECK(cudaEventRecord(begin)); }

    /// Waits for the work submitted since start(); milliseconds that it took on the device.
    double stop()
    {
        CUDA_CHECK(cudaEventRecord(end));
        CUDA_CHECK(cudaEventSynchronize(end));
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        return milliseconds;
    }

private:
    cudaEvent_t begin{}, end{};
};

/// Repeats `submit`, which puts work into the default stream, and times it on the device.
template <typename Submit>
Timing measureOnDevice(Submit submit)
{
    DeviceClock clock;
    submit(); // warm-up
    return repeat([&] {
        clock.start();
        submit();
        return clock.stop();
    });
}

/// Resources of a kernel that is launched in blocks of that shape.
template <typename Kernel>
KernelResources resourcesOf(Kernel kernel, dim3 block, int device)
{
    const int threads = static_cast<int>(block.x * block.y * block.z);
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    int blocks = 0, most = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    return {attributes.numRegs, attributes.localSizeBytes, double(blocks) * threads / most};
}

/// Runs kernel<<<grid, block>>>(arguments...) to its end. A launch that the device refuses (too
/// many registers for the block, a grid too large) and a fault inside the kernel both throw here.
/// While a KernelTimes lives, the kernel is repeated and timed: it must not change its input.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments... arguments)
{
    const auto submit = [&] {
        kernel<<<grid, block>>>(arguments...);
        CUDA_CHECK(cudaGetLastError());
    };
    submit();
    CUDA_CHECK(cudaDeviceSynchronize());
    if (KernelTimes *times = KernelTimes::active()) {
        int device = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        times->record(device, measureOnDevice(submit), resourcesOf(kernel, block, device));
    }
}

} // namespace common
