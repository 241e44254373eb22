#include "local_entropy/methods/words/call.h"

#include "common/devices.h"
#include "common/error.h"

#ifdef __CUDACC__
#include "common/launch.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/answers/window.h"
#include "local_entropy/methods/words/words.h"

#include <cstdio>
#include <string>
#endif

namespace local_entropy::words
{

#ifdef __CUDACC__

/// Throws BadCell, naming the first cell that is not an integer 0..15.
static void throwBadCell(std::int64_t width, std::size_t cells, const float *sample)
{
    for (std::size_t i = 0; i < cells; ++i) {
        const float cell = sample[i];
        if (cell >= 0 && cell < kLevels && cell == static_cast<float>(static_cast<int>(cell)))
            continue;
        char value[32];
        std::snprintf(value, sizeof value, "%.9g", static_cast<double>(cell));
        throw BadCell("the cell at x " + std::to_string(i % width) + ", y " +
                      std::to_string(i / width) + " is " + value + ", expected an integer 0..15");
    }
    throw common::Error("entropyOnGpu: the device saw a cell that is not in the array");
}

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
    if (gpu.sawBadCell()) throwBadCell(width, cells, sample);
    common::download(output, result);
}

#else

void entropyOnGpu(std::int64_t, std::int64_t, const float *, float *)
{
    throw common::Unavailable("entropyOnGpu " + common::whyNoDevice());
}

#endif

} // namespace local_entropy::words
