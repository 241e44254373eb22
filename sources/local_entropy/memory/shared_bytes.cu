#include "local_entropy/memory/shared_bytes.h"

#include <limits>

#ifdef __CUDACC__
#include "local_entropy/memory/current_gpu.h"
#endif

namespace local_entropy
{

int sharedBytesOfBlock()
{
#ifdef __CUDACC__
    int count = 0;
    const cudaError_t status = common::quietly(cudaGetDeviceCount(&count));
    const bool isNone = status == cudaSuccess ? count == 0 : common::whyNoGpu(status) != nullptr;
    // Where the question fails once, this throws: a plan would keep the other answer for good.
    if (!isNone) return attributeOfGpu(cudaDevAttrMaxSharedMemoryPerBlockOptin);
#endif
    return std::numeric_limits<int>::max();
}

} // namespace local_entropy
