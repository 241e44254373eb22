#include "local_entropy/methods/words/call.h"

#include "common/devices.h"
#include "common/error.h"
#include "local_entropy/methods/bits/cells.h"

#ifdef __CUDACC__
#include "common/launch.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/methods/words/words.h"
#endif

namespace local_entropy::words
{

#ifdef __CUDACC__

void entropyOnGpu(std::int64_t width, std::int64_t height, const float *sample, float *result)
{
    const DefaultRounding rounding;
    if (width < 1 || height < 1)
        throw common::Error("entropyOnGpu: an array of " + std::to_string(width) + " x " +
                            std::to_string(height));
    const std::size_t cells = static_cast<std::size_t>(width) * height;
    Gpu gpu;
    const auto input = common::upload(sample, cells);
    auto output = common::poisoned<float>(cells);
    common::runOnDevice([&] { gpu.launch(width, height, input.data(), output.data(), 0, height); });
    if (gpu.sawBadCell()) {
        bits::checkCells(width, sample, 0, height);
        throw common::Error("entropyOnGpu: the device saw a cell that is not in the array");
    }
    common::download(output, result);
}

#else

void entropyOnGpu(std::int64_t, std::int64_t, const float *, float *)
{
    throw common::Unavailable("entropyOnGpu " + common::whyNoDevice());
}

#endif

} // namespace local_entropy::words
