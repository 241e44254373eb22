#include "local_entropy/methods/words/call.h"

#include "common/devices.h"
#include "local_entropy/error.h"

#ifdef __CUDACC__
#include "common/launch.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/methods/words/tiles.h"
#include "local_entropy/methods/words/words.h"
#endif

namespace local_entropy::words
{

#ifdef __CUDACC__

namespace
{

/// The whole array up, computed by one launch, and down.
void entropyAtOnce(const Problem &problem)
{
    const Image &image = problem.image;
    const std::size_t cells = static_cast<std::size_t>(image.width) * image.height;
    Gpu gpu;
    const auto input = common::upload(static_cast<const float *>(image.data), cells);
    auto output = common::poisoned<float>(cells);
    common::runOnDevice([&] {
        gpu.launch(image.width, image.height, input.data(), output.data(), 0, image.height);
    });
    if (gpu.sawBadCell()) throw Error(Status::BadLevel, "a cell is not an integer 0..15");
    common::download(output, static_cast<float *>(problem.result.data));
}

/// Whether an array is better sent by tiles. Where the kernel's time is wanted, it is that of one
/// launch for all.
bool goesByTiles(const Problem &problem)
{
    constexpr std::int64_t kFewestCells = 1 << 23;
    return problem.image.width * problem.image.height >= kFewestCells &&
           !common::KernelTimes::active();
}

} // namespace

void entropyOnGpu(std::int64_t width, std::int64_t height, const float *sample, float *result)
{
    const DefaultRounding rounding;
    Problem problem;
    problem.image = {sample, CellType::Float32, width, height, width};
    problem.region = {0, 0, width, height};
    problem.result = {result, false, width, height, width};
    withLibraryErrors(
        [&] { goesByTiles(problem) ? entropyByTiles(problem) : entropyAtOnce(problem); });
}

#else

void entropyOnGpu(std::int64_t, std::int64_t, const float *, float *)
{
    throw Error(Status::Unavailable, "entropyOnGpu " + common::whyNoDevice());
}

#endif

} // namespace local_entropy::words
