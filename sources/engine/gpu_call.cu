#include "engine/gpu_call.h"

#include "common/devices.h"
#include "common/error.h"
#include "engine/cpu_plain.h"

#ifdef __CUDACC__
#include "common/launch.h"
#include "engine/gpu.h"
#endif

namespace engine
{

#ifdef __CUDACC__

void entropyOnGpu(std::int64_t width, std::int64_t height, const float *sample, float *result)
{
    const std::size_t cells = static_cast<std::size_t>(width) * height;
    Gpu gpu;
    const auto input = common::upload(sample, cells);
    auto output = common::poisoned<float>(cells);
    common::runOnDevice([&] { gpu.launch(width, height, input.data(), output.data(), 0, height); });
    if (gpu.sawBadCell()) checkCells(width, sample, 0, height);
    common::download(output, result);
}

#else

void entropyOnGpu(std::int64_t, std::int64_t, const float *, float *)
{
    throw common::Unavailable("entropyOnGpu " + common::whyNoDevice());
}

#endif

} // namespace engine
