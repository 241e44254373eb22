#include "local_entropy/memory/callers_gpu.h"

#ifdef __CUDACC__
#include "common/devices.h"
#endif

namespace local_entropy
{

#ifdef __CUDACC__

int callersGpu()
{
    const common::PartScope scope(common::Part::Context);
    int gpu = kNoGpu;
    return common::quietly(cudaGetDevice(&gpu)) == cudaSuccess ? gpu : kNoGpu;
}

void onGpu(int gpu, const std::function<void()> &compute)
{
    if (gpu == kNoGpu) return compute();
    const common::DeviceScope current(gpu);
    compute();
}

#else

int callersGpu() { return kNoGpu; }
void onGpu(int, const std::function<void()> &compute) { compute(); }

#endif

} // namespace local_entropy
