// Kernels of a stream of which one begins while the one before it ends: programmatic dependent
// launch, from compute capability 9.0 on. What a kernel does first, such as to copy tables into
// shared memory, and its launch itself then take no time of their own.
//
// Between them the usual order holds from waitForLastKernel() on, and not before it: until then a
// kernel neither reads what an earlier one writes nor writes what an earlier one reads or writes.
// Every thread must wait. Lines of memory that a multiprocessor has read for the last kernel may
// still be in its first-level cache: what that kernel read and changed is to be read past it
// (__ldcg).
#pragma once

#ifdef __CUDACC__
#include "common/cuda_check.h"

#include <cstddef>

namespace common
{

/// In a kernel: lets the next one of the stream begin where there is room, if it was launched so.
__device__ inline void letNextKernelStart()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
/// In a kernel: waits until the last one of the stream has ended and what it wrote can be read.
__device__ inline void waitForLastKernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <typename... Parameters>
cudaFuncAttributes attributesOf(void (*kernel)(Parameters...))
{
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return attributes;
}

/// Whether the kernel waits where it is told to: what counts is for what it was compiled.
inline bool canOverlap(const cudaFuncAttributes &attributes) { return attributes.ptxVersion >= 90; }

/// Lets blocks of the kernel have all the shared memory that the current GPU has for a block. Never
/// less: the limit is one for the whole process, and another thread may be about to launch the same
/// kernel with more than this one needs.
template <typename... Parameters>
void allowAllShared(void (*kernel)(Parameters...), const cudaFuncAttributes &attributes)
{
    int device = 0, ofBlock = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&ofBlock, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    ofBlock - static_cast<int>(attributes.sharedSizeBytes)));
}

/// kernel<<<grid, block, sharedBytes, stream>>>(arguments...); `overlaps`: it may begin before the
/// last one of the stream has ended. Its status is that of this launch alone, as cudaGetLastError()
/// would not be: a call of the user's that has failed before is not blamed on it.
template <typename... Parameters, typename... Arguments>
void launchKernel(bool overlaps, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                  std::size_t sharedBytes, cudaStream_t stream, Arguments &&...arguments)
{
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = grid;
    launch.blockDim = block;
    launch.dynamicSmemBytes = sharedBytes;
    launch.stream = stream;
    launch.attrs = &overlap;
    launch.numAttrs = overlaps ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&launch, kernel, arguments...));
}

/// The same, where the kernel lets itself be overlapped, with as much shared memory as it needs.
template <typename... Parameters, typename... Arguments>
void launchBehind(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t sharedBytes,
                  cudaStream_t stream, Arguments &&...arguments)
{
    const cudaFuncAttributes attributes = attributesOf(kernel);
    if (sharedBytes > static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes))
        allowAllShared(kernel, attributes);
    launchKernel(canOverlap(attributes), kernel, grid, block, sharedBytes, stream, arguments...);
}

} // namespace common

#endif
