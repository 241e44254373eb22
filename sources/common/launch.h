// Kernel launch: checked, waited for and, on request, timed.
#pragma once

#include "common/cuda_check.h"
#include "common/kernel_times.h"
#include "common/part_times.h"

#include <algorithm>

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
            quietly(cudaEventDestroy(begin));
            cudaCheck(status, "cudaEventCreate(&end)", __FILE__, __LINE__);
        }
    }
    ~DeviceClock()
    {
        quietly(cudaEventDestroy(begin));
        quietly(cudaEventDestroy(end));
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

/// Repeats `work`, which puts something into the default stream, and times it on the device. What
/// is quick is timed several at a time: the clock itself costs microseconds.
template <typename Work>
Timing measureOnDevice(Work work)
{
    constexpr double kQuick = 0.1; // milliseconds
    constexpr int kMost = 64;
    DeviceClock clock;
    const auto timed = [&](int times) {
        clock.start();
        for (int i = 0; i < times; ++i) work();
        return clock.stop() / times;
    };
    timed(1); // warm-up
    const double one = timed(1);
    const int times = std::clamp(static_cast<int>(kQuick / std::max(one, 1e-6)), 1, kMost);
    return repeat([&] { return timed(times); });
}

/// Puts kernel<<<grid, block>>>(arguments...) into the default stream. A launch that the device
/// refuses (too many registers for the block, a grid too large) throws here.
template <typename... Parameters, typename... Arguments>
void submit(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments... arguments)
{
    kernel<<<grid, block>>>(arguments...);
    CUDA_CHECK(cudaGetLastError());
}

/// Runs `work`, which puts any number of kernels into the default stream, to its end. A fault
/// inside a kernel throws here. While a KernelTimes lives, the work is repeated and timed as one:
/// it must not change its input.
template <typename Work>
void runOnDevice(Work work)
{
    {
        const PartScope scope(Part::Kernel);
        work();
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    if (KernelTimes *times = KernelTimes::active()) {
        int device = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        times->record(device, measureOnDevice(work));
    }
}

/// Resources of a kernel that is launched in blocks of that shape on the current device.
template <typename Kernel>
KernelResources resourcesOf(Kernel kernel, dim3 block)
{
    const int threads = static_cast<int>(block.x * block.y * block.z);
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    int device = 0, blocks = 0, most = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    return {attributes.numRegs, attributes.localSizeBytes, double(blocks) * threads / most};
}

/// Runs one kernel to its end: submit() under runOnDevice(). While a KernelTimes lives, it is also
/// told the kernel's resources.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments... arguments)
{
    if (PartTimes::active()) { // the code of a kernel is loaded when it is asked for first
        const PartScope scope(Part::Context);
        cudaFuncAttributes attributes{};
        CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    }
    runOnDevice([&] { submit(kernel, grid, block, arguments...); });
    if (KernelTimes *times = KernelTimes::active()) times->describe(resourcesOf(kernel, block));
}

} // namespace common
