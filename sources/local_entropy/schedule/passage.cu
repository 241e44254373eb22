#include "local_entropy/schedule/passage.h"

#include "common/clock.h"
#include "common/integer.h"
#include "common/part_times.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/schedule/staging.h"

#include <algorithm>
#include <cstring>

namespace local_entropy
{

Passage::Reach Passage::reachOf(const Image &image, const Region &tile)
{
    return {std::max<std::int64_t>(tile.x - kRadius, 0),
            std::min(tile.x + tile.width + kRadius, image.width),
            std::max<std::int64_t>(tile.y - kRadius, 0),
            std::min(tile.y + tile.height + kRadius, image.height)};
}

bool Passage::pack(const Image &image, const Reach &reach)
{
    const auto *const sample = static_cast<const float *>(image.data);
    const std::int64_t columns = reach.right - reach.left;
    bool good = true;
    for (std::int64_t y = reach.top; y < reach.bottom; ++y) {
        std::uint8_t *row = up.data() + (y - reach.top) * pitch;
        good &= packBytes(sample + y * image.stride + reach.left, columns, row);
        std::memset(row + columns, words::kNoCell, pitch - columns);
    }
    return good;
}

/// Orders copy up, kernel and copy down.
void Passage::send(const Reach &reach, const Region &tile)
{
    const std::int64_t rows = reach.bottom - reach.top, skippedRows = tile.y - reach.top;
    const std::size_t bytes = pitch * rows;
    CUDA_CHECK(
        cudaMemcpyAsync(input.data(), up.data(), bytes, cudaMemcpyHostToDevice, stream.get()));
    gpu.launch(pitch, rows, input.data(), output.data(), skippedRows, skippedRows + tile.height,
               stream.get());
    CUDA_CHECK(cudaMemcpyAsync(down.data(), output.data() + skippedRows * pitch,
                               tile.height * pitch * sizeof(float), cudaMemcpyDeviceToHost,
                               stream.get()));
}

bool Passage::enter(const Problem &problem, const Region &tile)
{
    const common::PartScope scope(common::Part::Up);
    const common::WallClock clock;
    const Reach reach = reachOf(problem.image, tile);
    pitch = common::ceilDiv(reach.right - reach.left, kPitch) * kPitch;
    if (!pack(problem.image, reach)) return false;
    send(reach, tile);
    skipped = tile.x - reach.left;
    width = tile.width;
    cells = tile.width * tile.height;
    const Result &result = problem.result;
    stride = result.stride;
    target = static_cast<float *>(result.data) + (tile.y - problem.region.y) * stride +
             (tile.x - problem.region.x);
    entering = clock.seconds();
    return true;
}

bool Passage::hasArrived() const
{
    const cudaError_t status = cudaStreamQuery(stream.get());
    if (status != cudaErrorNotReady) CUDA_CHECK(status);
    return status == cudaSuccess;
}

void Passage::leave()
{
    const common::PartScope scope(common::Part::Down);
    for (std::int64_t y = 0; y < cells / width; ++y)
        copyResults(down.data() + y * pitch + skipped, width, target + y * stride);
}

void Passage::abandon()
{
    cudaStreamSynchronize(stream.get());
    taken = false;
}

} // namespace local_entropy
