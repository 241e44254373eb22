#include "local_entropy/schedule/passage.h"

#include "common/clock.h"
#include "common/integer.h"
#include "common/part_times.h"
#include "local_entropy/schedule/staging.h"

#include <algorithm>
#include <cstring>

namespace local_entropy
{
namespace
{

/// The cells of the image that the windows of a tile reach; as the border may have it, not more.
Region reachOf(const Problem &problem, const Region &tile)
{
    const Shape &shape = problem.shape;
    const Image &image = problem.image;
    const std::int64_t left = tile.x - shape.left, top = tile.y - shape.top;
    const std::int64_t right = left + tile.width + shape.width - 1;
    const std::int64_t bottom = top + tile.height + shape.height - 1;
    const std::int64_t x = std::max<std::int64_t>(left, 0), y = std::max<std::int64_t>(top, 0);
    return {x, y, std::min(right, image.width) - x, std::min(bottom, image.height) - y};
}

/// Whether cells beyond the edge are those next to it, the same ones all along, or none: then the
/// image may be cut where no window reaches.
bool isLocal(Border border)
{
    return border == Border::Cut || border == Border::Constant || border == Border::Nearest;
}

bool reachesBeyond(const Problem &problem, const Region &tile)
{
    const Region reach = reachOf(problem, tile);
    return reach.width < tile.width + problem.shape.width - 1 ||
           reach.height < tile.height + problem.shape.height - 1;
}

/// Whether cells travel as bytes that are their levels.
bool packs(const Problem &problem)
{
    const Levels &levels = problem.filter.levels;
    return problem.image.type == CellType::Float32 && !levels.binned && levels.low == 0 &&
           levels.count <= 256 && !problem.filter.nodata;
}

CellType typeUp(const Problem &problem)
{
    return packs(problem) ? CellType::Uint8 : problem.image.type;
}

constexpr std::int64_t kBoundary = 256;

std::int64_t rounded(std::int64_t bytes) { return common::ceilDiv(bytes, kBoundary) * kBoundary; }

std::int64_t bytesUp(const Problem &problem, const Region &reach)
{
    const std::int64_t cells = reach.width * reach.height;
    return rounded(cells * cellBytes(typeUp(problem))) + (problem.mask.data ? cells : 0);
}

std::int64_t resultSize(const Problem &problem)
{
    return problem.result.isDouble ? sizeof(double) : sizeof(float);
}

} // namespace

bool Passage::fits(const Problem &problem, const Region &tile)
{
    const Region reach = reachOf(problem, tile);
    return reach.width > 0 && reach.height > 0 && bytesUp(problem, reach) <= kUpBytes &&
           tile.width * tile.height * resultSize(problem) <= kDownBytes &&
           (isLocal(problem.filter.border) || !reachesBeyond(problem, tile));
}

bool Passage::pack(const Problem &problem, const Region &reach)
{
    const Image &image = problem.image;
    const Mask &mask = problem.mask;
    const std::int64_t ofRow = reach.width * cellBytes;
    bool good = true;
    for (std::int64_t row = 0; row < reach.height; ++row) {
        const std::int64_t cell = (reach.y + row) * image.stride + reach.x;
        char *const to = up.data() + row * ofRow;
        if (packs(problem))
            good &= packLevels(static_cast<const float *>(image.data) + cell, reach.width,
                               problem.filter.levels.count, reinterpret_cast<std::uint8_t *>(to));
        else
            std::memcpy(to, static_cast<const char *>(image.data) + cell * cellBytes, ofRow);
        if (mask.data)
            std::memcpy(up.data() + maskAt + row * reach.width,
                        mask.data + (reach.y + row) * mask.stride + reach.x, reach.width);
    }
    return good;
}

/// Orders copy up, computation and copy down.
void Passage::send(const Problem &problem, const Region &reach, Launchers &launchers)
{
    Problem part = problem;
    part.image = {input.data(), typeUp(problem), reach.width, reach.height, reach.width};
    if (problem.mask.data)
        part.mask = {reinterpret_cast<std::uint8_t *>(input.data()) + maskAt, reach.width,
                     reach.height, reach.width};
    part.region = {place.x - reach.x, place.y - reach.y, place.width, place.height};
    part.result = {output.data(), problem.result.isDouble, place.width, place.height, place.width};
    CUDA_CHECK(
        cudaMemcpyAsync(input.data(), up.data(), bytes, cudaMemcpyHostToDevice, stream.get()));
    launchers.enqueue(part, nullptr, {}, stream.get());
    CUDA_CHECK(cudaMemcpyAsync(down.data(), output.data(), place.width * place.height * resultBytes,
                               cudaMemcpyDeviceToHost, stream.get()));
}

bool Passage::enter(const Problem &problem, Launchers &launchers)
{
    const common::PartScope scope(common::Part::Up);
    const common::WallClock clock;
    const Region reach = reachOf(problem, place);
    cellBytes = local_entropy::cellBytes(typeUp(problem));
    maskAt = rounded(reach.width * reach.height * cellBytes);
    bytes = bytesUp(problem, reach);
    resultBytes = resultSize(problem);
    if (!pack(problem, reach)) return false;
    send(problem, reach, launchers);
    targetStride = problem.result.stride;
    target =
        static_cast<char *>(problem.result.data) +
        ((place.y - problem.region.y) * targetStride + place.x - problem.region.x) * resultBytes;
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
    constexpr std::int64_t kFloat = sizeof(float); // a double is copied as two
    for (std::int64_t row = 0; row < place.height; ++row)
        copyResults(reinterpret_cast<const float *>(down.data() + row * place.width * resultBytes),
                    place.width * resultBytes / kFloat,
                    reinterpret_cast<float *>(target + row * targetStride * resultBytes));
}

} // namespace local_entropy
