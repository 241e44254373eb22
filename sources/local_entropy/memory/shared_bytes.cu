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
    if (common::deviceCount() > 0) return attributeOfGpu(cudaDevAttrMaxSharedMemoryPerBlockOptin);
#endif
    return std::numeric_limits<int>::max();
}

} // namespace local_entropy
