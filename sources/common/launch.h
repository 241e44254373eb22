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

/// Runs `submit`, which puts work into the default stream of the current device, to its end; a
/// fault in that work throws here. While a KernelTimes lives, it is repeated and timed: it must not
/// change its input.
template <typename Submit>
void runOnDevice(Submit submit)
{
    submit();
    CUDA_CHECK(cudaDeviceSynchronize());
    if (KernelTimes *times = KernelTimes::active()) {
        int device = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        times->record(device, measureOnDevice(submit));
    }
}

/// Runs kernel<<<grid, block>>>(arguments...) as runOnDevice does. A launch that the device refuses
/// (too many registers for the block, a grid too large) throws here too.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments... arguments)
{
    runOnDevice([&] {
        kernel<<<grid, block>>>(arguments...);
        CUDA_CHECK(cudaGetLastError());
    });
}

} // namespace common
