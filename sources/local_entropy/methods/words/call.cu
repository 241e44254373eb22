#include "local_entropy/methods/words/call.h"

#include "common/devices.h"
#include "local_entropy/error.h"

#ifdef __CUDACC__
#include "common/launch.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/answers/window.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/methods/words/words.h"
#endif

namespace local_entropy::words
{

#ifdef __CUDACC__

void entropyOnGpu(std::int64_t width, std::int64_t height, const float *sample, float *result)
{
    const DefaultRounding rounding;
    withLibraryErrors([&] {
        const std::size_t cells = static_cast<std::size_t>(width) * height;
        Gpu gpu;
        const auto input = common::upload(sample, cells);
        auto output = common::poisoned<float>(cells);
        common::runOnDevice(
            [&] { gpu.launch(width, height, input.data(), output.data(), 0, height); });
        if (gpu.sawBadCell()) throw Error(Status::BadLevel, "a cell is not an integer 0..15");
        common::download(output, result);
    });
}

#else

void entropyOnGpu(std::int64_t, std::int64_t, const float *, float *)
{
    throw Error(Status::Unavailable, "entropyOnGpu " + common::whyNoDevice());
}

#endif

} // namespace local_entropy::words
