// What the linker is told to wrap (Makefile): every call of CUDA in the library, the core and the
// labs. One that has no line below is missed by the linker: __wrap_... is undefined.
#include "calls.h"

#ifdef __CUDACC__
#include <atomic>
#include <map>
#include <set>
#include <utility>

extern "C" cudaError_t __real_cudaDeviceSynchronize();

namespace
{

std::atomic<int> awaited{0}; ///< calls until one fails; less: none does
std::atomic<cudaError_t> refusal{cudaSuccess};
std::atomic<bool> losesAll{false}, isLost{false};
std::atomic<const char *> failed{nullptr}, before{nullptr};
std::atomic<int> made{0}, kept{0};
thread_local cudaError_t last = cudaSuccess;

/// Who waits for an event asks for it again and again: that is one call.
bool isAskedAgain(const char *name)
{
    return before.exchange(name) == name && name == std::string("cudaEventQuery");
}

bool fails(const char *name)
{
    if (isLost) return true;
    if (awaited <= 0 || isAskedAgain(name) || --awaited != 0) return false;
    failed = name;
    if (losesAll) __real_cudaDeviceSynchronize(); // else it would go on in memory given back
    isLost = losesAll.load();
    return true;
}

cudaError_t refuse()
{
    if (last == cudaSuccess) ++kept;
    return last = refusal;
}

cudaError_t count(cudaError_t status)
{
    if (status == cudaSuccess) ++made;
    return status;
}

cudaError_t discount(cudaError_t status, bool isAny)
{
    if (status == cudaSuccess && isAny) --made;
    return status;
}

} // namespace

calls::Failing::Failing(int number, cudaError_t status, Fault fault)
{
    failed = before = nullptr;
    refusal = status;
    losesAll = fault == Fault::Lost;
    awaited = number;
}
calls::Failing::~Failing()
{
    awaited = 0;
    isLost = false;
}

int calls::live() { return made; }
int calls::lastErrors() { return kept; }

std::string calls::Failing::name() const { return failed ? failed.load() : ""; }

std::string calls::saidOf(const std::string &name)
{
    static const std::map<std::string, std::string> others = {
        {"cudaGetDeviceCount", "needs a GPU"},
        {"cudaHostAlloc", "cudaMallocHost"},
        {"cudaLaunchKernel", "LastError"}, // which is asked for after a launch
        {"cudaLaunchKernelExC", "cudaLaunchKernelEx"},
        {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
         "cudaOccupancyMaxActiveBlocksPerMultiprocessor"}};
    const auto other = others.find(name);
    return other == others.end() ? name : other->second;
}

bool calls::givesBack(const std::string &name)
{
    static const std::set<std::string> all = {"cudaFree",          "cudaFreeAsync",
                                              "cudaFreeHost",      "cudaFreeArray",
                                              "cudaEventDestroy",  "cudaDestroyTextureObject",
                                              "cudaStreamDestroy", "cudaMemPoolDestroy"};
    return all.count(name) > 0;
}

// Those that this nvcc's headers do not call are null: weak.
#define REAL(name, parameters) __attribute__((weak)) cudaError_t __real_##name parameters;
#define CALL(name, parameters, arguments)                                                          \
    REAL(name, parameters)                                                                         \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        return fails(#name) ? refuse() : __real_##name arguments;                                  \
    }
#define MAKE(name, parameters, arguments)                                                          \
    REAL(name, parameters)                                                                         \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        return fails(#name) ? refuse() : count(__real_##name arguments);                           \
    }
#define GIVE_BACK(name, parameters, arguments, whether)                                            \
    REAL(name, parameters)                                                                         \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        const cudaError_t status = discount(__real_##name arguments, whether);                     \
        return fails(#name) ? refuse() : status;                                                   \
    }

extern "C" {

// clang-format off
CALL(cudaGetDeviceCount, (int *count), (count))
CALL(cudaGetDevice, (int *device), (device))
CALL(cudaSetDevice, (int device), (device))
CALL(cudaDeviceGetAttribute, (int *value, cudaDeviceAttr which, int device), (value, which, device))
CALL(cudaDeviceSynchronize, (), ())
CALL(cudaDeviceCanAccessPeer, (int *can, int device, int peer), (can, device, peer))
CALL(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags))
CALL(cudaDriverGetVersion, (int *version), (version))
CALL(cudaPointerGetAttributes, (cudaPointerAttributes *memory, const void *data), (memory, data))

MAKE(cudaMalloc, (void **data, size_t bytes), (data, bytes))
MAKE(cudaHostAlloc, (void **data, size_t bytes, unsigned flags), (data, bytes, flags))
MAKE(cudaMallocArray, (cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width, size_t height, unsigned flags), (array, format, width, height, flags))
MAKE(cudaMallocFromPoolAsync, (void **data, size_t bytes, cudaMemPool_t pool, cudaStream_t stream), (data, bytes, pool, stream))
MAKE(cudaMemPoolCreate, (cudaMemPool_t *pool, const cudaMemPoolProps *properties), (pool, properties))
MAKE(cudaStreamCreateWithFlags, (cudaStream_t *stream, unsigned flags), (stream, flags))
MAKE(cudaEventCreate, (cudaEvent_t *event), (event))
MAKE(cudaEventCreateWithFlags, (cudaEvent_t *event, unsigned flags), (event, flags))
MAKE(cudaCreateTextureObject, (cudaTextureObject_t *object, const cudaResourceDesc *resource, const cudaTextureDesc *texture, const cudaResourceViewDesc *view), (object, resource, texture, view))
GIVE_BACK(cudaFree, (void *data), (data), data)
GIVE_BACK(cudaFreeHost, (void *data), (data), data)
GIVE_BACK(cudaFreeArray, (cudaArray_t array), (array), array)
GIVE_BACK(cudaFreeAsync, (void *data, cudaStream_t stream), (data, stream), data)
GIVE_BACK(cudaMemPoolDestroy, (cudaMemPool_t pool), (pool), pool)
GIVE_BACK(cudaStreamDestroy, (cudaStream_t stream), (stream), stream)
GIVE_BACK(cudaEventDestroy, (cudaEvent_t event), (event), event)
GIVE_BACK(cudaDestroyTextureObject, (cudaTextureObject_t object), (object), object)

CALL(cudaMemPoolSetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr which, void *value), (pool, which, value))
CALL(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t bytes), (pool, bytes))
CALL(cudaMemcpy, (void *to, const void *from, size_t bytes, cudaMemcpyKind kind), (to, from, bytes, kind))
CALL(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream), (to, from, bytes, kind, stream))
CALL(cudaMemcpy2DToArray, (cudaArray_t to, size_t x, size_t y, const void *from, size_t apart, size_t width, size_t height, cudaMemcpyKind kind), (to, x, y, from, apart, width, height, kind))
CALL(cudaMemset, (void *data, int value, size_t bytes), (data, value, bytes))
CALL(cudaMemsetAsync, (void *data, int value, size_t bytes, cudaStream_t stream), (data, value, bytes, stream))

CALL(cudaStreamSynchronize, (cudaStream_t stream), (stream))
CALL(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
CALL(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus *status), (stream, status))
CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
CALL(cudaEventSynchronize, (cudaEvent_t event), (event))
CALL(cudaEventQuery, (cudaEvent_t event), (event))
CALL(cudaEventElapsedTime, (float *milliseconds, cudaEvent_t begin, cudaEvent_t end), (milliseconds, begin, end))

CALL(cudaFuncGetAttributes, (cudaFuncAttributes *attributes, const void *kernel), (attributes, kernel))
CALL(cudaFuncSetAttribute, (const void *kernel, cudaFuncAttribute which, int value), (kernel, which, value))
CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int *blocks, const void *kernel, int threads, size_t shared, unsigned flags), (blocks, kernel, threads, shared, flags))
CALL(cudaLaunchKernelExC, (const cudaLaunchConfig_t *launch, const void *kernel, void **arguments), (launch, kernel, arguments))
CALL(cudaLaunchKernel, (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream), (kernel, grid, block, arguments, shared, stream))
// clang-format on

// From CUDA 13 on, for kernel<<<...>>>().
REAL(__cudaLaunchKernel,
     (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t in))
cudaError_t __wrap___cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t in)
{
    return fails("cudaLaunchKernel")
               ? refuse()
               : __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, in);
}

// These two fail no more than they have to tell.

REAL(cudaGetLastError, ())
cudaError_t __wrap_cudaGetLastError()
{
    if (last == cudaSuccess) return __real_cudaGetLastError();
    --kept;
    return std::exchange(last, cudaSuccess);
}

REAL(cudaPeekAtLastError, ())
cudaError_t __wrap_cudaPeekAtLastError()
{
    return last == cudaSuccess ? __real_cudaPeekAtLastError() : last;
}

} // extern "C"

#undef GIVE_BACK
#undef MAKE
#undef CALL
#undef REAL
#endif
