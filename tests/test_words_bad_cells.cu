// The GPU engine sees cells that are no levels, wherever they are, and the call, which computes
// tile by tile, names the first.
#include "same_bits.h"
#include "words_device.h"

#ifdef __CUDACC__
#include "local_entropy/engine.h"
#include "messages.h"

#include <cmath>
#include <limits>
#include <utility>

using namespace engine_gpu;

namespace
{

std::vector<float> badCells()
{
    const float inf = std::numeric_limits<float>::infinity();
    return {16,          17,      31,
            256,         -1,      3.5f,
            0.5f,        0.9375f, std::nextafter(7.0f, 0.0f),
            15.0000009f, 1e-30f,  1e-45f,
            1e30f,       -1e-30f, inf,
            -inf,        NAN};
}

/// Launches with one cell after the other made bad.
class Spoiler
{
public:
    Spoiler(Shape shape, Layout layout, int multiprocessors = std::numeric_limits<int>::max())
        : shape(shape), layout(layout), sample(makeSample("random", shape)),
          arrays(shape, sample, layout), gpu(multiprocessors)
    {
    }
    bool isSeen(float value, int x, int y)
    {
        const std::size_t cell = std::size_t(y) * shape.width + x;
        put(cell, value);
        const bool seen = isBad();
        put(cell, sample[cell]);
        return seen;
    }
    bool isBad()
    {
        arrays.launch(gpu);
        CUDA_CHECK(cudaDeviceSynchronize());
        return gpu.sawBadCell();
    }
    std::string difference() const { return arrays.difference(); }

private:
    void put(std::size_t cell, float value)
    {
        CUDA_CHECK(
            cudaMemcpy(arrays.inputData() + cell, &value, sizeof value, cudaMemcpyHostToDevice));
    }

    const Shape shape;
    const Layout layout;
    const std::vector<float> sample;
    Arrays<float> arrays;
    words::Gpu gpu;
};

} // namespace

TEST_F(EngineGpu, SeesABadCellSmallShapes)
{
    Spoiler aligned({256, 23}, {0, 0, 0, -1, 0}), other({129, 17}, {1, 2, 3, -1, 0});
    EXPECT_TRUE(aligned.isSeen(16, 255, 22));
    EXPECT_TRUE(other.isSeen(NAN, 0, 1));
    EXPECT_FALSE(aligned.isBad() || other.isBad());
}

TEST_F(EngineGpu, SeesABadCellAnywhere)
{
    for (const int width : {256, 253})
        for (const Layout layout :
             {Layout{}, Layout{3, 0}, Layout{0, 0, 9, 30}, Layout{1, 2, 9, 30}, Layout{1, 2, 9, 29},
              Layout{3, 0, 2, -1}}) {
            constexpr int kHeight = 40;
            Spoiler spoiler({width, kHeight}, layout);
            const int first = std::max(layout.begin - local_entropy::kRadius, 0);
            const int last = layout.end < 0 ? kHeight - 1 : layout.end + local_entropy::kRadius - 1;
            std::vector<int> columns = {0, 1, 2, 3, 4, 60};
            for (int x = 120; x <= 133; ++x) columns.push_back(x);
            for (int x = 244; x < width; ++x) columns.push_back(x);
            for (const int x : columns)
                for (const int y : {first, first + 1, first + 2, 17, 20, last - 2, last - 1, last})
                    for (const float value : badCells())
                        ASSERT_TRUE(spoiler.isSeen(value, x, y))
                            << value << " at x " << x << ", y " << y << " of " << width
                            << " columns, offset " << layout.sampleOffset << ", rows from "
                            << layout.begin;
            for (const int x : {0, width - 3, width - 2, width - 1})
                for (int y = first; y <= last; ++y)
                    ASSERT_TRUE(spoiler.isSeen(16, x, y))
                        << "x " << x << ", y " << y << " of " << width << " columns, offset "
                        << layout.sampleOffset << ", rows from " << layout.begin;
            EXPECT_FALSE(spoiler.isBad()) << "what was seen must be forgotten";
            EXPECT_EQ(spoiler.difference(), "");
        }
}

TEST_F(EngineGpu, SeesABadCellInTeams)
{
    // One team, two side by side, and eight of which the last has an idle warp.
    for (const Shape shape : {Shape{508, 431}, Shape{509, 431}, Shape{511, 431}, Shape{512, 431},
                              Shape{1021, 215}, Shape{3960, 109}})
        for (const Layout layout : {Layout{}, Layout{1, 2, 3, -1}, Layout{2, 0}, Layout{3, 3},
                                    Layout{0, 0, 3, shape.height - 4}}) {
            const int end = layout.end < 0 ? shape.height : layout.end;
            expectTeams(shape, layout.begin, end);
            Spoiler spoiler(shape, layout, 1);
            const int first = std::max(layout.begin - local_entropy::kRadius, 0);
            const int last = std::min(end + local_entropy::kRadius, shape.height) - 1;
            const int width = shape.width;
            for (const int x : {0, 1, 126, 127, 128, 129, 130, 255, 256, 383, 384, 387, 507,
                                width / 2, width - 4, width - 3, width - 2, width - 1})
                for (const int y : {first, first + 1, first + 2, 5, 6, 99, 100, 101, last / 2,
                                    last - 2, last - 1, last})
                    ASSERT_TRUE(spoiler.isSeen(3.5f, x, y))
                        << "x " << x << ", y " << y << " of " << width << " columns, offset "
                        << layout.sampleOffset << ", rows from " << layout.begin;
            EXPECT_FALSE(spoiler.isBad());
            EXPECT_EQ(spoiler.difference(), "");
        }
}

TEST_F(EngineGpu, SeesABadCellInWhatIsLeftOver)
{
    for (const Shape shape : {Shape{1, 230000}, Shape{300000, 12}, Shape{4, 230001}}) {
        Spoiler spoiler(shape, {});
        for (const int x : {0, shape.width / 2, shape.width - 1})
            for (const int y : {0, shape.height / 2, shape.height - 14, shape.height - 1})
                EXPECT_TRUE(y < 0 || spoiler.isSeen(-1, x, y)) << "x " << x << ", y " << y;
        EXPECT_FALSE(spoiler.isBad());
    }
}

TEST_F(EngineGpu, EveryFloatIsJudgedAsOnTheHost)
{
    constexpr int kCells = 1 << 12; // floats without bits below bit 20; the others are all bad
    words::Gpu gpu;
    for (int top = 0; top < kCells; ++top) {
        const std::uint32_t bits = std::uint32_t(top) << 20;
        float cell;
        std::memcpy(&cell, &bits, sizeof cell);
        const auto input = common::upload(&cell, 1);
        auto output = common::poisoned<float>(1);
        gpu.launch(1, 1, input.data(), output.data(), 0, 1);
        const bool level = cell >= 0 && cell <= 15 && cell == std::floor(cell);
        ASSERT_EQ(gpu.sawBadCell(), !level) << cell << ", bits " << bits;
    }
}

TEST_F(EngineGpu, TakesMinusZeroForZero)
{
    words::Gpu gpu;
    const Shape shape{512, 30};
    auto sample = makeSample("random", shape);
    for (std::size_t i = 0; i < sample.size(); i += 3) sample[i] = -0.0f;
    EXPECT_EQ(compute<float>(gpu, shape, sample), "");
    EXPECT_EQ(compute<float>(gpu, shape, sample, {1, 1}), "");
}

// As one image, and as tiles that a device has in any order; fed by one thread, or by several.
TEST_F(EngineGpu, CallComputesLargeArraysTileByTile)
{
    local_entropy::EngineOptions options;
    options.method = "words";
    local_entropy::Engine engine(options);
    local_entropy::Filter filter;
    filter.levels.count = 16;
    filter.nanIsError = true;
    for (const Shape shape : {Shape{4111, 2219}, Shape{1700003, 10}, Shape{10, 1700003},
                              Shape{3000000, 1}, Shape{1, 3000000}, Shape{700, 700}}) {
        std::vector<float> sample = makeSample("random", shape), expected(sample.size());
        entropyOnCpu(shape.width, shape.height, sample.data(), expected.data(), 0, shape.height);
        for (const int threads : {1, 3, 0}) {
            std::vector<float> result(sample.size() + 1, NAN);
            local_entropy::RunOptions run;
            run.threads = threads;
            const auto compute = [&] {
                engine.run(
                    filter,
                    local_entropy::View<const float>{sample.data(), shape.width, shape.height},
                    local_entropy::View<float>{result.data(), shape.width, shape.height}, run);
            };
            compute();
            EXPECT_TRUE(std::isnan(result.back())) << "written beyond the end";
            result.pop_back();
            EXPECT_TRUE(sameBits(result, expected)) << shape.width << " x " << shape.height;
            const float good = std::exchange(sample.back(), 2.5f);
            EXPECT_TRUE(holds(messageOf(compute), "is 2.5, expected an integer 0..15"));
            sample.back() = good;
        }
    }
}

TEST_F(EngineGpu, CallNamesTheFirstCellThatIsNoLevel)
{
    local_entropy::EngineOptions options;
    options.method = "words";
    local_entropy::Engine engine(options);
    local_entropy::Filter filter;
    filter.levels.count = 16;
    filter.nanIsError = true;
    const Shape shape{613, 40};
    std::vector<float> sample = makeSample("random", shape);
    std::vector<float> result(sample.size(), NAN), expected(sample.size());
    const auto run = [&] {
        engine.run(filter,
                   local_entropy::View<const float>{sample.data(), shape.width, shape.height},
                   local_entropy::View<float>{result.data(), shape.width, shape.height});
    };
    run();
    entropyOnCpu(shape.width, shape.height, sample.data(), expected.data(), 0, shape.height);
    EXPECT_TRUE(sameBits(result, expected));
    sample[17 * shape.width + 611] = 3.5f;
    sample.back() = -7;
    EXPECT_EQ(messageOf(run), "the cell at x 611, y 17 is 3.5, expected an integer 0..15");
}

#endif
