// The second look as tests ask it, apart from methods. For .cu files.
#pragma once

#include "launches.h"

#ifdef __CUDACC__
#include "common/device_array.h"
#include "local_entropy/methods/second_look.h"
#include "local_entropy/problem/type_of.h"

#include <cstdint>
#include <vector>

namespace local_entropy
{

/// Puts a second look at all results of that problem into a stream, as if a method had decided none
/// of them, and waits for it.
inline void lookAtAll(const Problem &problem, cudaStream_t stream)
{
    Plane plane = planeFor(problem);
    common::DeviceArray<char> cells(plane.size + 1);
    placePlane(problem, plane, cells.data());
    const BadCell none = kNoBadCell;
    common::DeviceArray<BadCell> bad = common::upload(&none, 1);
    CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for the one of copies
    fillPlane(problem, plane, bad.data(), stream);

    const std::int64_t width = problem.region.width, wordsARow = (width + 31) / 32;
    std::vector<std::uint32_t> bits(wordsARow * problem.region.height);
    for (std::int64_t y = 0; y < problem.region.height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            bits[y * wordsARow + x / 32] |= std::uint32_t{1} << (x % 32);
    common::DeviceArray<std::uint32_t> undecided = common::upload(bits.data(), bits.size());
    const auto look = makeSecondLook(problem);
    common::DeviceArray<char> scratch(look->scratchBytes(problem, plane) + 1);
    CUDA_CHECK(cudaDeviceSynchronize());
    look->launch({problem, plane, scratch.data(), {undecided.data(), wordsARow}, nullptr}, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
}

/// Whether second looks at all results of that problem give the CPU's bits, and write nothing else.
template <typename Cell, typename Value>
bool secondLooksAreRight(Engine &cpu, const Filter &filter, const View<const Cell> &image,
                         const View<Value> &values, const RunOptions &options, cudaStream_t stream)
{
    const auto launch = [&](const auto &from, const auto &to, const RunOptions &there) {
        const View<const std::uint8_t> &mask = there.mask;
        lookAtAll(checkedProblem(
                      filter, {from.data, typeOf<Cell>(), from.width, from.height, from.stride},
                      {mask.data, mask.width, mask.height, mask.stride},
                      {to.data, std::is_same_v<Value, double>, to.width, to.height, to.stride},
                      there.region),
                  stream);
    };
    return writesTheBitsOfTheCpu(cpu, filter, image, values, options, Place::Anywhere, launch);
}

} // namespace local_entropy
#endif
