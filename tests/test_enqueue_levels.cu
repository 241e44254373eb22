// Engine::enqueue with images of levels of any type: the CPU's bits, and bad cells with their
// place.
#include "enqueue.h"
#include "same_bits.h"

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using local_entropy::Engine;
using local_entropy::Filter;
using local_entropy::RunOptions;
using local_entropy::Status;
using local_entropy::View;

namespace
{

/// Levels of an image with gaps between its rows, and a part of it that has results.
template <typename Cell>
struct LevelImage
{
    Filter filter;
    int width, height, stride, offset, resultStride;
    local_entropy::Region region;
    std::vector<Cell> cells;

    explicit LevelImage(unsigned seed)
    {
        std::mt19937 random(seed);
        const auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
        filter = possible();
        filter.levels.count = seed % 2 ? 16 : 2 + upTo(14);
        filter.levels.low = seed % 5 ? 0 : 3;
        filter.border = static_cast<local_entropy::Border>(seed % 3 ? 0 : upTo(5));
        filter.constant = filter.levels.low + 1;
        width = 1 + upTo(seed % 4 ? 500 : 40), height = 1 + upTo(50);
        stride = width + (seed % 7 ? 0 : upTo(9));
        offset = seed % 3 ? 0 : upTo(5);
        region = {0, 0, width, height};
        if (seed % 4 == 1) region.y = upTo(height - 1), region.height -= region.y;
        if (seed % 8 == 1) region.x = upTo(width - 1), region.width -= region.x;
        resultStride = static_cast<int>(region.width) + (seed % 6 ? 0 : upTo(5));
        cells.resize(std::size_t(stride) * height + offset, Cell(255));
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                cells[offset + std::size_t(y) * stride + x] =
                    static_cast<Cell>(filter.levels.low + upTo(filter.levels.count - 1));
    }

    View<const Cell> view(const Cell *from) const { return {from + offset, width, height, stride}; }
    View<float> resultView(float *to) const
    {
        return {to, region.width, region.height, resultStride};
    }
    std::size_t results() const { return std::size_t(resultStride) * region.height; }
    std::string text(unsigned seed) const
    {
        return "seed " + std::to_string(seed) + ", " + std::to_string(sizeof(Cell)) + " bytes, " +
               std::to_string(width) + " x " + std::to_string(height);
    }
};

/// The CPU's bits, by the method words.
template <typename Cell>
void expectLevelsOfAnyImage(unsigned first, unsigned count)
{
    local_entropy::EngineOptions wanted;
    wanted.method = "words";
    Engine cpu, gpu(wanted);
    const common::Stream stream;
    for (unsigned seed = first; seed < first + count; ++seed) {
        const LevelImage<Cell> image(seed);
        const auto input = common::upload(image.cells.data(), image.cells.size());
        CUDA_CHECK(cudaDeviceSynchronize());
        auto output = common::poisoned<float>(image.results());
        std::vector<float> expected(image.results()), found(image.results());
        std::memset(expected.data(), 0xFF, expected.size() * sizeof(float));
        RunOptions options;
        options.region = image.region;
        cpu.run(image.filter, image.view(image.cells.data()), image.resultView(expected.data()),
                options);
        gpu.enqueue(image.filter, image.view(input.data()), image.resultView(output.data()),
                    stream.get(), options);
        gpu.synchronize();
        common::download(output, found.data());
        ASSERT_TRUE(sameBits(found, expected)) << image.text(seed);
    }
}

} // namespace

TEST_F(EngineEnqueue, WordsTakesUpToSixteenLevelsOfAnyImage)
{
    expectLevelsOfAnyImage<std::uint8_t>(0, 300);
    expectLevelsOfAnyImage<std::uint16_t>(1000, 60);
    expectLevelsOfAnyImage<float>(2000, 100);
}

TEST_F(EngineEnqueue, BadBytesAreToldWithTheirPlace)
{
    local_entropy::EngineOptions wanted;
    wanted.method = "words";
    Engine engine(wanted);
    for (const int width : {40, 700, 701})
        for (const int levels : {5, 16}) {
            std::vector<std::uint8_t> cells(std::size_t(width) * 60, 4);
            cells[31 * width + width - 1] = 200;
            cells[12 * width + 17] = static_cast<std::uint8_t>(levels);
            Filter filter = possible();
            filter.levels.count = levels;
            const auto image = common::upload(cells.data(), cells.size());
            auto result = common::poisoned<float>(cells.size());
            const auto enqueue = [&](std::int64_t first) {
                RunOptions options;
                options.region = {0, first, width, 60 - first};
                engine.enqueue(filter, View<const std::uint8_t>{image.data(), width, 60},
                               View<float>{result.data(), width, 60 - first}, nullptr, options);
            };
            enqueue(0);
            EXPECT_EQ(statusOf([&] { engine.synchronize(); }, "x 17, y 12 "), Status::BadLevel);
            engine.synchronize();
            enqueue(15); // windows do not reach the first
            EXPECT_EQ(statusOf([&] { engine.synchronize(); },
                               "x " + std::to_string(width - 1) + ", y 31 "),
                      Status::BadLevel);
            enqueue(34);
            engine.synchronize();
        }
}

// Images that are read where they are tell of their cells apart from those that are loaded.
TEST_F(EngineEnqueue, BadBytesOfBothKindsOfImagesAreToldOnce)
{
    local_entropy::EngineOptions wanted;
    wanted.method = "words";
    Engine engine(wanted);
    const std::vector<std::uint8_t> cells(40 * 60, 200);
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    for (const auto border : {local_entropy::Border::Cut, local_entropy::Border::Wrap}) {
        Filter filter = possible();
        filter.border = border;
        engine.enqueue(filter, View<const std::uint8_t>{image.data(), 40, 60},
                       View<float>{result.data(), 40, 60});
    }
    EXPECT_EQ(statusOf([&] { engine.synchronize(); }, "x 0, y 0 "), Status::BadLevel);
    EXPECT_NO_THROW(engine.synchronize());
}

#endif
