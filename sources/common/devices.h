// Which GPUs there are. Answers in every build: without nvcc there are none, and it says so.
// Include it from .cu files only: they are all compiled by nvcc or all by the host compiler.
#pragma once

#include <string>

#ifdef __CUDACC__
#include "common/cuda_check.h"
#include "common/own_thread.h"
#include "common/part_times.h"
#endif

namespace common
{

#ifdef __CUDACC__

/// Number of usable GPUs; 0 where there is no GPU or no driver.
inline int deviceCount()
{
    const PartScope scope(Part::Context);
    int count = 0;
    return quietly(cudaGetDeviceCount(&count)) == cudaSuccess ? count : 0;
}

/// Why deviceCount() is 0, in a few words; empty where it is not.
inline std::string whyNoDevice()
{
    int count = 0;
    const cudaError_t status = quietly(cudaGetDeviceCount(&count));
    if (status == cudaSuccess && count > 0) return "";
    if (const char *why = whyNoGpu(status == cudaSuccess ? cudaErrorNoDevice : status)) return why;
    return std::string("needs a GPU: ") + cudaGetErrorString(status);
}

/// Why managed memory cannot be used here; empty if it can. Host threads touch theirs while kernels
/// of other threads run, which not every device allows.
inline std::string whyNoManagedMemory()
{
    for (int device = 0; device < deviceCount(); ++device) {
        int concurrent = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device));
        if (!concurrent)
            return "needs managed memory that the host can use beside a kernel: GPU " +
                   std::to_string(device) + " has none";
    }
    return whyNoDevice();
}

/// Threads that device `device` keeps in flight at once: multiprocessors x threads on each.
inline long long residentThreads(int device)
{
    int multiprocessors = 0, threads = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    return static_cast<long long>(multiprocessors) * threads;
}

/// Makes `device` the current one of this host thread while it lives. A thread of our own keeps it:
/// the one before is the first GPU there, which may be nobody's, and to make that current again
/// would make a context on it.
class DeviceScope
{
public:
    explicit DeviceScope(int device)
    {
        const PartScope scope(Part::Context);
        CUDA_CHECK(cudaGetDevice(&outer));
        CUDA_CHECK(cudaSetDevice(device));
    }
    ~DeviceScope()
    {
        if (!isOwnThread) quietly(cudaSetDevice(outer));
    }
    DeviceScope(const DeviceScope &) = delete;
    DeviceScope &operator=(const DeviceScope &) = delete;

private:
    int outer = 0;
};

#else

inline int deviceCount() { return 0; }
inline std::string whyNoDevice() { return "needs CUDA: this program was built without nvcc"; }
inline std::string whyNoManagedMemory() { return whyNoDevice(); }
inline long long residentThreads(int) { return 0; }

class DeviceScope
{
public:
    explicit DeviceScope(int) {}
    ~DeviceScope() {}
};

#endif

} // namespace common
