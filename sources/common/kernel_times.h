// Kernel times, apart from the time of everything around the kernel.
#pragma once

#include "common/measure.h"

#include <map>
#include <mutex>

namespace common
{

/// What the compiler and the device say of a kernel.
struct KernelResources
{
    int registers = 0;          ///< a thread
    std::size_t localBytes = 0; ///< a thread: arrays with run-time indices, spilled registers
    double occupancy = 0;       ///< threads resident on a multiprocessor, of those it has room for
};

/// While one of these lives, launch() and runOnDevice() (launch.h) repeat what they start and
/// record the times here. A version therefore needs no code of its own to have its kernel timed.
/// Only one at a time; threads may record at once.
class KernelTimes
{
public:
    KernelTimes() { active() = this; }
    ~KernelTimes() { active() = nullptr; }
    KernelTimes(const KernelTimes &) = delete;
    KernelTimes &operator=(const KernelTimes &) = delete;

    static KernelTimes *&active()
    {
        static KernelTimes *instance = nullptr;
        return instance;
    }

    /// Kernels on one device run one after the other: their times add up.
    void record(int device, const Timing &timing)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        Timing &sum = byDevice[device];
        sum.repeats = timing.repeats;
        sum.median += timing.median;
        sum.minimum += timing.minimum;
    }

    /// Devices run side by side: the slowest one is the time. All zero where no kernel ran.
    Timing slowestDevice() const
    {
        Timing slowest;
        for (const auto &[device, timing] : byDevice)
            if (timing.median > slowest.median) slowest = timing;
        return slowest;
    }

    void describe(const KernelResources &kernel)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        lastResources = kernel;
    }

    /// Of the kernel that was described last; all zero where none was.
    KernelResources resources() const { return lastResources; }

private:
    std::mutex mutex;
    KernelResources lastResources;
    std::map<int, Timing> byDevice;
};

} // namespace common
