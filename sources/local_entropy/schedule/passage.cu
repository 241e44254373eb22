#include "local_entropy/schedule/passage.h"

#include "common/clock.h"
#include "common/integer.h"
#include "common/part_times.h"
#include "local_entropy/schedule/staging.h"

#include <algorithm>
#include <cmath>
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
    const Filter &filter = problem.filter;
    const Levels &levels = filter.levels;
    // Bytes have no NaN for cells beyond the edge that do not count.
    const bool missesNone = !(filter.border == Border::Constant && std::isnan(filter.constant));
    return problem.image.type == CellType::Float32 && !levels.binned && levels.low == 0 &&
           levels.count <= 256 && !filter.nodata && missesNone;
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

bool Passage::claim()
{
    State free = State::Free;
    return now.load(std::memory_order_relaxed) == free &&
           now.compare_exchange_strong(free, State::Held);
}

bool Passage::packCells(const Problem &problem)
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

bool Passage::pack(const Problem &problem, std::int64_t number)
{
    const common::PartScope scope(common::Part::Up);
    const common::WallClock clock;
    reach = reachOf(problem, place);
    cellBytes = local_entropy::cellBytes(typeUp(problem));
    maskAt = rounded(reach.width * reach.height * cellBytes);
    bytes = bytesUp(problem, reach);
    resultBytes = resultSize(problem);
    targetStride = problem.result.stride;
    target =
        static_cast<char *>(problem.result.data) +
        ((place.y - problem.region.y) * targetStride + place.x - problem.region.x) * resultBytes;
    if (!packCells(problem)) return false;
    packing = clock.seconds() / static_cast<double>(place.width * place.height);
    sent = number;
    now = State::Packed;
    return true;
}

Passage::Rows Passage::rowsOf(int slice) const
{
    return {place.height * slice / kSlices, place.height * (slice + 1) / kSlices};
}

/// The copy down of a slice.
void Passage::sendRows(int slice)
{
    const std::int64_t ofRow = place.width * resultBytes;
    const Rows rows = rowsOf(slice);
    if (rows.end > rows.begin)
        CUDA_CHECK(
            cudaMemcpyAsync(down.data() + rows.begin * ofRow, output.data() + rows.begin * ofRow,
                            (rows.end - rows.begin) * ofRow, cudaMemcpyDeviceToHost, stream.get()));
    ends[slice].record(stream.get());
}

void Passage::send(const Problem &problem, Launchers &launchers, const Method *only)
{
    now = State::Held;
    Problem part = problem;
    part.image = {input.data(), typeUp(problem), reach.width, reach.height, reach.width};
    if (problem.mask.data)
        part.mask = {reinterpret_cast<std::uint8_t *>(input.data()) + maskAt, reach.width,
                     reach.height, reach.width};
    part.region = {place.x - reach.x, place.y - reach.y, place.width, place.height};
    part.result = {output.data(), problem.result.isDouble, place.width, place.height, place.width};
    CUDA_CHECK(
        cudaMemcpyAsync(input.data(), up.data(), bytes, cudaMemcpyHostToDevice, stream.get()));
    launchers.enqueue(part, only, {}, stream.get());
    for (int slice = 0; slice < kSlices; ++slice) sendRows(slice);
    lost = false;
    left = kSlices;
    arrived = 0; // before the new tile has slices
    first.store(next);
    now = State::OnItsWay;
}

bool Passage::look()
{
    for (int slice = arrived; slice < kSlices; ++slice) {
        const cudaError_t status = ends[slice].status();
        if (status == cudaErrorNotReady) return false;
        if (status != cudaSuccess) lost = true;
        arrived = slice + 1;
    }
    return true;
}

int Passage::takeSlice()
{
    std::int64_t mine = next;
    do {
        const std::int64_t slice = mine - first;
        if (slice < 0 || slice >= arrived) return -1;
    } while (!next.compare_exchange_weak(mine, mine + 1));
    return static_cast<int>(mine - first);
}

std::int64_t Passage::cellsOf(int slice) const
{
    const Rows rows = rowsOf(slice);
    return (rows.end - rows.begin) * place.width;
}

void Passage::leave(int slice)
{
    const common::PartScope scope(common::Part::Down);
    constexpr std::int64_t kFloat = sizeof(float); // a double is copied as two
    const Rows rows = rowsOf(slice);
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
        copyResults(reinterpret_cast<const float *>(down.data() + row * place.width * resultBytes),
                    place.width * resultBytes / kFloat,
                    reinterpret_cast<float *>(target + row * targetStride * resultBytes));
}

bool Passage::isLast()
{
    if (--left > 0) return false;
    now = State::Held;
    return true;
}

void Passage::abandon()
{
    now = State::Held;
    common::quietly(cudaStreamSynchronize(stream.get()));
    arrived = 0;
    next = first + kSlices;
}

} // namespace local_entropy
