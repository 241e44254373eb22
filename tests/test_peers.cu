// Arrays in the memory of another GPU than the one that computes, and two GPUs at once: the bits of
// the CPU. Each test says why it is skipped: without nvcc, or with fewer than two GPUs that reach
// each other.
#include "common/devices.h"
#include "local_entropy/engine.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"
#include "messages.h"

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>
#endif

class Peers : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
        if (common::deviceCount() == 1) GTEST_SKIP() << "needs two GPUs: there is one";
#ifdef __CUDACC__
        for (const int device : {0, 1}) {
            int can = 0;
            CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, 1 - device));
            if (!can) GTEST_SKIP() << "needs two GPUs that reach each other";
        }
#endif
    }
};

#ifdef __CUDACC__

namespace
{

using namespace local_entropy;

constexpr std::int64_t kWidth = 517, kHeight = 203;
constexpr std::size_t kCells = kWidth * kHeight;

template <typename Cell>
std::vector<Cell> randomCells(int levels)
{
    std::mt19937 random(levels);
    std::vector<Cell> cells(kCells);
    for (Cell &cell : cells) cell = static_cast<Cell>(random() % levels);
    return cells;
}

Filter filterOf(int side, int levels)
{
    Filter filter;
    filter.window.width = filter.window.height = side;
    filter.levels.count = levels;
    filter.nanIsError = true;
    return filter;
}

std::vector<std::uint8_t> makeMask()
{
    std::vector<std::uint8_t> mask(kCells, 1);
    for (std::size_t i = 0; i < mask.size(); i += 7) mask[i] = 0;
    return mask;
}

/// Where an array is.
template <typename T>
common::DeviceArray<T> on(int device, const std::vector<T> &values)
{
    const common::DeviceScope current(device);
    auto array = common::upload(values.data(), values.size());
    CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for this one
    return array;
}

/// A question whose arrays are on those devices, and the answer of the CPU.
template <typename Cell>
class Asked
{
public:
    Asked(const Filter &filter, int imageOn, int resultOn, int maskOn = -1)
        : filter(filter), cells(randomCells<Cell>(filter.levels.count)), mask(makeMask()),
          masked(maskOn >= 0), image(on(imageOn, cells)),
          result(on(resultOn, std::vector<float>(kCells, -1))),
          maskThere(on(std::max(maskOn, 0), mask))
    {
    }

    void spoil(std::size_t cell, Cell value)
    {
        CUDA_CHECK(cudaMemcpy(image.data() + cell, &value, sizeof value, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaDeviceSynchronize());
    }

    void enqueue(Engine &engine, cudaStream_t stream)
    {
        engine.enqueue(filter, View<const Cell>{image.data(), kWidth, kHeight},
                       View<float>{result.data(), kWidth, kHeight}, stream,
                       optionsFor(maskThere.data()));
    }

    void expectBitsOfCpu() const
    {
        std::vector<float> expected(kCells), found(kCells);
        Engine cpu;
        cpu.run(filter, View<const Cell>{cells.data(), kWidth, kHeight},
                View<float>{expected.data(), kWidth, kHeight}, optionsFor(mask.data()));
        common::download(result, found.data());
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), kCells * sizeof(float)), 0)
            << filter.window.width << " cells, " << filter.levels.count << " levels";
    }

private:
    RunOptions optionsFor(const std::uint8_t *data) const
    {
        RunOptions options;
        if (masked) options.mask = {data, kWidth, kHeight};
        return options;
    }

    const Filter filter;
    const std::vector<Cell> cells;
    const std::vector<std::uint8_t> mask;
    const bool masked;
    common::DeviceArray<Cell> image;
    common::DeviceArray<float> result;
    common::DeviceArray<std::uint8_t> maskThere;
};

template <typename Cell>
void ask(Engine &engine, const Filter &filter)
{
    for (const int device : {0, 1}) {
        const common::DeviceScope current(device);
        const common::Stream stream;
        const int peer = 1 - device;
        for (const auto &[image, result, mask] : {std::array<int, 3>{peer, device, -1},
                                                  {device, peer, -1},
                                                  {peer, peer, -1},
                                                  {device, device, peer},
                                                  {peer, peer, peer}}) {
            if (mask >= 0 && std::is_same_v<Cell, float>) continue; // words takes none
            Asked<Cell> asked(filter, image, result, mask);
            asked.enqueue(engine, stream.get());
            engine.synchronize();
            asked.expectBitsOfCpu();
        }
    }
}

} // namespace

TEST_F(Peers, HoldImageResultAndMask)
{
    Engine engine;
    ask<float>(engine, filterOf(5, 16));
    ask<std::uint8_t>(engine, filterOf(3, 256));
    ask<std::uint8_t>(engine, filterOf(9, 256));
    ask<std::uint8_t>(engine, filterOf(15, 200));
    ask<std::uint8_t>(engine, filterOf(31, 4));
    ask<std::uint16_t>(engine, filterOf(5, 4096));
    Filter cross = filterOf(3, 256);
    cross.window.footprint = {0, 1, 0, 1, 1, 1, 0, 1, 0};
    ask<std::uint8_t>(engine, cross);
}

// What a launch works in is written by atomics, which not every way to a peer has.
TEST_F(Peers, HoldNoWorkspace)
{
    Engine engine;
    const common::DeviceScope current(0);
    const auto image = on(0, randomCells<std::uint8_t>(256));
    auto result = on(0, std::vector<float>(kCells));
    auto there = on(1, std::vector<char>(1 << 24));
    RunOptions options;
    options.workspace = {there.data(), there.bytes()};
    const std::string message = messageOf([&] {
        engine.enqueue(filterOf(9, 256), View<const std::uint8_t>{image.data(), kWidth, kHeight},
                       View<float>{result.data(), kWidth, kHeight}, nullptr, options);
    });
    EXPECT_TRUE(holds(message, "the workspace is in the memory of GPU 1, and GPU 0")) << message;
}

// One engine, a stream of each GPU: who has computed with a bad cell tells of it, the other does
// not.
TEST_F(Peers, ComputeAtOnceAndTellTheirOwnBadCells)
{
    Engine engine;
    const auto filter = filterOf(9, 100);
    Asked<std::uint8_t> first(filter, 0, 0), second(filter, 1, 1), bad(filter, 1, 1);
    bad.spoil(3 * kWidth + 12, 200);
    const common::DeviceScope outer(1);
    const common::Stream ofSecond;
    {
        const common::DeviceScope inner(0);
        const common::Stream ofFirst;
        for (int i = 0; i < 20; ++i) {
            first.enqueue(engine, ofFirst.get());
            const common::DeviceScope innermost(1);
            second.enqueue(engine, ofSecond.get());
        }
        {
            const common::DeviceScope innermost(1);
            bad.enqueue(engine, ofSecond.get());
        }
        EXPECT_NO_THROW(engine.synchronize());
    }
    const std::string message = messageOf([&] { engine.synchronize(); });
    EXPECT_TRUE(holds(message, "x 12, y 3 ")) << message;
    EXPECT_NO_THROW(engine.synchronize());
    first.expectBitsOfCpu();
    second.expectBitsOfCpu();
}

#else

TEST_F(Peers, NeedCuda) {}

#endif
