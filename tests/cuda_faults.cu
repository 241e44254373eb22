#include "cuda_faults.h"

#ifdef __CUDACC__
#include <atomic>
#include <cuda_runtime.h>
#include <utility>

namespace
{

std::atomic<CudaFault::Kind> fault{CudaFault::None};
std::atomic<int> pinned{0}, unanswered{0};
thread_local int current = 0; ///< of two GPUs
thread_local cudaError_t last = cudaSuccess;

cudaError_t answer(int *where, int value)
{
    *where = value;
    return cudaSuccess;
}

} // namespace

CudaFault::CudaFault(Kind kind)
{
    current = 0;
    fault = kind;
}
CudaFault::~CudaFault() { fault = None; }

int pinnedArrays() { return pinned; }
int unansweredQuestions() { return unanswered; }

extern "C" {

cudaError_t __real_cudaGetDeviceCount(int *);
cudaError_t __wrap_cudaGetDeviceCount(int *count)
{
    if (fault == CudaFault::TwoGpus) return answer(count, 2);
    if (fault == CudaFault::DoesNotAnswer) return answer(count, 1);
    return __real_cudaGetDeviceCount(count);
}

cudaError_t __real_cudaGetDevice(int *);
cudaError_t __wrap_cudaGetDevice(int *device)
{
    if (fault == CudaFault::TwoGpus) return answer(device, current);
    if (fault == CudaFault::DoesNotAnswer) return answer(device, 0);
    return __real_cudaGetDevice(device);
}

cudaError_t __real_cudaSetDevice(int);
cudaError_t __wrap_cudaSetDevice(int device)
{
    if (fault == CudaFault::FirstIsGone && device == 0) return last = cudaErrorDevicesUnavailable;
    if (fault == CudaFault::TwoGpus) return answer(&current, device);
    return __real_cudaSetDevice(device);
}

cudaError_t __real_cudaGetLastError();
cudaError_t __wrap_cudaGetLastError()
{
    const cudaError_t kept = std::exchange(last, cudaSuccess);
    return kept == cudaSuccess ? __real_cudaGetLastError() : kept;
}

cudaError_t __real_cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t __wrap_cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device)
{
    if (fault == CudaFault::DoesNotAnswer) {
        ++unanswered;
        return cudaErrorUnknown;
    }
    if (fault == CudaFault::NoMemoryPools && which == cudaDevAttrMemoryPoolsSupported)
        return answer(value, 0);
    return __real_cudaDeviceGetAttribute(value, which, fault == CudaFault::TwoGpus ? 0 : device);
}

cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *kernel,
                                       void **arguments)
{
    if (fault == CudaFault::LaunchesFail) return cudaErrorUnknown;
    return __real_cudaLaunchKernelExC(configuration, kernel, arguments);
}

cudaError_t __real_cudaEventSynchronize(cudaEvent_t);
cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event)
{
    if (fault == CudaFault::EventsFail) return cudaErrorUnknown;
    return __real_cudaEventSynchronize(event);
}

cudaError_t __real_cudaHostAlloc(void **, size_t, unsigned);
cudaError_t __wrap_cudaHostAlloc(void **data, size_t bytes, unsigned flags)
{
    ++pinned;
    return __real_cudaHostAlloc(data, bytes, flags);
}

} // extern "C"

#endif
