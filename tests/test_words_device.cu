// The GPU engine on a GPU: every bit is that of the CPU engine, nothing else is touched, and cells
// that are no levels are seen. Without a GPU, or without nvcc, each test is skipped by name.
#include "bits_call.h"
#include "common/devices.h"
#include "local_entropy/engine.h"
#include "local_entropy/methods/words/call.h"
#include "messages.h"
#include "shapes.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"
#include "common/host_device.h"
#include "common/launch.h"
#include "gallery.h"
#include "local_entropy/methods/words/hash.h"
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/methods/words/words.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <type_traits>
#include <utility>

#endif

namespace words = local_entropy::words;

class EngineGpu : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};

TEST(EngineGpuCall, WithoutADeviceSaysWhy)
{
    if (common::deviceCount() > 0) GTEST_SKIP() << "there is a GPU here";
    float cell = 1, result = 0;
    try {
        words::entropyOnGpu(1, 1, &cell, &result);
        FAIL();
    } catch (const local_entropy::Error &error) {
        EXPECT_EQ(error.status(), local_entropy::Status::Unavailable);
        EXPECT_TRUE(holds(error.what(), common::whyNoDevice())) << error.what();
    }
}

#ifdef __CUDACC__

namespace
{

/// Where in device memory the arrays of a test begin, and which rows are computed.
struct Layout
{
    int sampleOffset = 0, resultOffset = 0; ///< in cells, from an address that 256 divides
    int begin = 0, end = -1;                ///< -1: all rows
    int guard = 256; ///< poisoned cells on each side; poison is no level: it is seen if it is read
};

std::vector<float> poison(std::size_t size)
{
    std::vector<float> cells(size);
    std::memset(cells.data(), 0xFF, size * sizeof(float));
    return cells;
}

/// Cells as the kernel takes them: floats, levels, or bytes of 8 * level.
template <typename Cell>
std::vector<Cell> cellsAs(const std::vector<float> &sample)
{
    std::vector<Cell> cells;
    for (const float cell : sample) cells.push_back(static_cast<Cell>(static_cast<int>(cell)));
    if (std::is_same_v<Cell, std::uint8_t>)
        for (Cell &cell : cells) cell = static_cast<Cell>(8 * static_cast<int>(cell));
    return cells;
}

/// A sample and a result in device memory.
template <typename Cell>
class Arrays
{
public:
    Arrays(Shape shape, const std::vector<float> &sample, Layout layout = {})
        : shape(shape), layout(layout), sample(sample),
          input(common::poisoned<Cell>(sample.size() + layout.sampleOffset + 2 * layout.guard)),
          output(common::poisoned<float>(sample.size() + layout.resultOffset + 2 * layout.guard))
    {
        if (layout.end < 0) this->layout.end = shape.height;
        const auto cells = cellsAs<Cell>(sample);
        CUDA_CHECK(cudaMemcpy(inputData(), cells.data(), cells.size() * sizeof(Cell),
                              cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for this one
    }

    Cell *inputData() { return input.data() + layout.guard + layout.sampleOffset; }
    float *outputData() { return output.data() + layout.guard + layout.resultOffset; }

    void launch(words::Gpu &gpu, cudaStream_t stream = nullptr)
    {
        if constexpr (std::is_same_v<Cell, words::Level>)
            gpu.launch(
                {shape.width, shape.height, shape.width, 0, shape.width, layout.begin, layout.end},
                16, inputData(), outputData() + std::int64_t(layout.begin) * shape.width,
                shape.width, stream);
        else
            gpu.launch(shape.width, shape.height, inputData(), outputData(), layout.begin,
                       layout.end, stream);
    }

    /// After the launches have ended: empty if the rows hold the CPU engine's bits and all else the
    /// poison; otherwise what is wrong.
    std::string difference() const
    {
        const std::size_t before = layout.guard + layout.resultOffset;
        std::vector<float> expected = poison(output.size()), found(output.size());
        entropyOnCpu(shape.width, shape.height, sample.data(), expected.data() + before,
                     layout.begin, layout.end);
        common::download(output, found.data());
        if (sameBits(found, expected)) return "";
        std::size_t i = 0;
        while (std::memcmp(&found[i], &expected[i], sizeof(float)) == 0) ++i;
        const std::int64_t cell = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(before);
        const std::string place = cell < 0 || cell >= static_cast<std::int64_t>(sample.size())
                                      ? "cell " + std::to_string(cell) + ", outside the array,"
                                      : "x " + std::to_string(cell % shape.width) + ", y " +
                                            std::to_string(cell / shape.width);
        return std::to_string(sizeof(Cell)) + "-byte cells, " + std::to_string(shape.width) +
               " x " + std::to_string(shape.height) + ", offsets " +
               std::to_string(layout.sampleOffset) + " and " + std::to_string(layout.resultOffset) +
               ", rows " + std::to_string(layout.begin) + " to " + std::to_string(layout.end) +
               ": " + place + " is " + std::to_string(found[i]) + ", expected " +
               std::to_string(expected[i]);
    }

private:
    const Shape shape;
    Layout layout;
    const std::vector<float> sample;
    common::DeviceArray<Cell> input;
    common::DeviceArray<float> output;
};

/// One launch, to its end; empty if all is right.
template <typename Cell>
std::string compute(words::Gpu &gpu, Shape shape, const std::vector<float> &sample,
                    Layout layout = {})
{
    Arrays<Cell> arrays(shape, sample, layout);
    arrays.launch(gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    if (gpu.sawBadCell()) return "good cells are called bad; " + arrays.difference();
    return arrays.difference();
}

/// Floats, levels and, where the width allows it, bytes.
std::string computeAll(words::Gpu &gpu, Shape shape, const std::vector<float> &sample)
{
    const std::string wrong =
        compute<float>(gpu, shape, sample) + compute<words::Level>(gpu, shape, sample);
    if (!wrong.empty() || shape.width % 4) return wrong;
    return compute<std::uint8_t>(gpu, shape, sample);
}

/// On one multiprocessor, these rows of an array are walked by teams.
void expectTeams(Shape shape, int begin, int end)
{
    EXPECT_EQ(words::makePlan({shape.width, shape.height, shape.width, 0, shape.width, begin, end},
                              128, 16)
                  .team,
              unsigned(words::kTeam))
        << shape.width << " x " << shape.height << ", rows " << begin << " to " << end;
}

/// Windows of all partitions of that many cells, levels in an order that depends on `turn`.
std::vector<std::vector<float>> windowsOf(int cells, int turn)
{
    std::vector<std::vector<float>> windows;
    for (const local_entropy::Partition &partition : local_entropy::partitionsOf(cells))
        windows.push_back(cellsOf(partition, turn++));
    return windows;
}

} // namespace

// ---- answers ------------------------------------------------------------------------------------

// Also run under compute-sanitizer: no guards, so that it sees what is read or written outside.
TEST_F(EngineGpu, MatchesTheCpuOnSmallShapes)
{
    words::Gpu gpu;
    for (const Shape shape : {Shape{1, 1}, Shape{5, 5}, Shape{4, 31}, Shape{3, 70}, Shape{128, 12},
                              Shape{124, 9}, Shape{129, 17}, Shape{256, 23}, Shape{249, 14},
                              Shape{4, 30000}, Shape{11, 40003}, Shape{60, 20000}}) {
        const auto sample = makeSample("random", shape); // several batches for each warp
        EXPECT_EQ(compute<float>(gpu, shape, sample, {0, 0, 0, -1, 0}), "");
        EXPECT_EQ(compute<words::Level>(gpu, shape, sample, {0, 0, 0, -1, 0}), "");
        EXPECT_EQ(compute<words::Level>(gpu, shape, sample, {1, 2, shape.height / 3, -1, 0}), "");
        EXPECT_EQ(compute<float>(gpu, shape, sample, {1, 2, shape.height / 3, -1, 0}), "");
        if (shape.width % 4 == 0) {
            EXPECT_EQ(compute<std::uint8_t>(gpu, shape, sample, {4, 4, 0, -1, 0}), "");
        }
    }
    words::Gpu small(1);
    for (const Shape shape : {Shape{508, 420}, Shape{1021, 210}, Shape{3960, 107}}) {
        expectTeams(shape, 3, shape.height);
        const auto sample = makeSample("random", shape);
        EXPECT_EQ(compute<float>(small, shape, sample, {0, 0, 0, -1, 0}), "");
        EXPECT_EQ(compute<float>(small, shape, sample, {1, 2, 3, -1, 0}), "");
        if (shape.width % 4 == 0) {
            EXPECT_EQ(compute<std::uint8_t>(small, shape, sample, {4, 4, 0, -1, 0}), "");
        }
    }
}

TEST_F(EngineGpu, MatchesTheCpuOnEveryShapeAndContent)
{
    words::Gpu gpu;
    std::vector<Shape> shapes = kShapes;
    for (const int width : {372, 373, 496, 497, 512, 1000, 2560})
        shapes.push_back({width, width / 3});
    std::vector<std::string> contents = kContents;
    contents.push_back("dominant");
    for (const Shape shape : shapes)
        for (const std::string &content : contents)
            ASSERT_EQ(computeAll(gpu, shape, makeSample(content, shape)), "") << content;
}

TEST_F(EngineGpu, MatchesTheCpuAtTheEdgesOfStrips)
{
    words::Gpu gpu;
    std::vector<int> widths;
    for (int width = 1; width <= 12; ++width) widths.push_back(width);
    for (int width = 122; width <= 134; ++width) widths.push_back(width);
    for (int width = 246; width <= 260; ++width) widths.push_back(width);
    for (const int width : widths) {
        for (int height = 1; height <= 12; ++height)
            ASSERT_EQ(computeAll(gpu, {width, height}, makeSample("random", {width, height})), "");
        for (const int height : {13, 14, 15, 16, 17, 59, 61})
            ASSERT_EQ(computeAll(gpu, {width, height}, makeSample("random", {width, height})), "");
    }
}

TEST_F(EngineGpu, ComputesAtAnyAlignment)
{
    words::Gpu gpu;
    for (const Shape shape : {Shape{1, 64}, Shape{13, 200}, Shape{124, 9}, Shape{128, 30},
                              Shape{247, 30}, Shape{256, 23}, Shape{257, 23}, Shape{500, 12}}) {
        const auto sample = makeSample("random", shape);
        for (int sampleOffset = 0; sampleOffset < 5; ++sampleOffset)
            for (int resultOffset = 0; resultOffset < 5; ++resultOffset) {
                const Layout layout{sampleOffset, resultOffset};
                ASSERT_EQ(compute<float>(gpu, shape, sample, layout), "");
                ASSERT_EQ(compute<words::Level>(gpu, shape, sample, layout), "");
            }
        if (shape.width % 4 == 0)
            for (const int sampleOffset : {4, 8, 12, 16})
                for (const int resultOffset : {0, 4})
                    ASSERT_EQ(
                        compute<std::uint8_t>(gpu, shape, sample, {sampleOffset, resultOffset}),
                        "");
    }
}

TEST_F(EngineGpu, ComputesAnyRowsAndLeavesTheOthersAlone)
{
    words::Gpu gpu;
    for (const Shape shape : {Shape{256, 61}, Shape{253, 61}, Shape{9, 40}, Shape{128, 7}}) {
        const auto sample = makeSample("random", shape);
        const int height = shape.height;
        std::vector<std::array<int, 2>> ranges;
        for (int begin = 0; begin < 8 && begin < height; ++begin) {
            ranges.push_back({begin, begin + 1});
            ranges.push_back({height - 1 - begin, height});
            for (int left = 0; left < 8 && begin + left < height; ++left)
                ranges.push_back({begin, height - left});
            for (int rows = 4; begin + rows <= height && rows < 16; ++rows)
                ranges.push_back({begin, begin + rows});
        }
        for (const auto &[begin, end] : ranges) {
            ASSERT_EQ(compute<float>(gpu, shape, sample, {0, 0, begin, end}), "");
            ASSERT_EQ(compute<float>(gpu, shape, sample, {end % 4, begin % 4, begin, end}), "");
            ASSERT_EQ(compute<words::Level>(gpu, shape, sample, {0, 0, begin, end}), "");
            ASSERT_EQ(compute<words::Level>(gpu, shape, sample, {end % 4, begin % 4, begin, end}),
                      "");
            if (shape.width % 4 == 0) {
                ASSERT_EQ(compute<std::uint8_t>(gpu, shape, sample, {0, 0, begin, end}), "");
            }
        }
    }
}

// On one multiprocessor an array of this size is large: warps walk in teams.
TEST_F(EngineGpu, TeamsMatchTheCpu)
{
    words::Gpu gpu(1);
    for (const Shape shape :
         {Shape{497, 430}, Shape{508, 431}, Shape{509, 432}, Shape{510, 433}, Shape{511, 434},
          Shape{512, 435}, Shape{1021, 210}, Shape{1024, 211}, Shape{2046, 112}, Shape{2048, 113},
          Shape{7700, 110}, Shape{7701, 109}}) { // the last team has idle warps
        expectTeams(shape, 5, shape.height - 3);
        for (const char *content : {"random", "dominant"}) {
            const auto sample = makeSample(content, shape);
            ASSERT_EQ(computeAll(gpu, shape, sample), "");
            for (const Layout layout : {Layout{0, 0, 5, shape.height - 3}, Layout{1, 2, 4, -1},
                                        Layout{3, 1, 1, shape.height - 2}})
                ASSERT_EQ(compute<float>(gpu, shape, sample, layout), "");
            if (shape.width % 4 == 0) {
                const Layout layout{0, 0, 5, shape.height - 3};
                ASSERT_EQ(compute<std::uint8_t>(gpu, shape, sample, layout), "");
            }
        }
    }
}

// Where a warp has several rows side by side: all widths, heights that leave groups with few rows
// or none, in one launch's first and last items and in small ones.
TEST_F(EngineGpu, NarrowArraysMatchTheCpu)
{
    words::Gpu gpu, small(1);
    for (int width = 1; width <= 64; ++width)
        for (const int height : {17, 130, 1999, 5000 + 37 * width}) {
            const Shape shape{width, height};
            const auto sample = makeSample("random", shape);
            ASSERT_EQ(computeAll(gpu, shape, sample), "");
            for (words::Gpu *const which : {&gpu, &small}) {
                const Layout layout{width % 3, height % 4, height / 9, height - height / 11};
                ASSERT_EQ(compute<float>(*which, shape, sample, layout), "");
                ASSERT_EQ(compute<words::Level>(*which, shape, sample, layout), "");
            }
        }
}

// Levels with gaps between the rows, and a rectangle of results: what lies beside it is of its
// windows, the gaps and what is further away are not.
TEST_F(EngineGpu, ComputesRectanglesOfLevels)
{
    words::Gpu gpu;
    std::mt19937 random(11);
    const auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
    for (int round = 0; round < 300; ++round) {
        const int width = 1 + upTo(round % 3 ? 300 : 30), height = 1 + upTo(60);
        const int stride = (width + upTo(9) + 3) / (round % 2 ? 1 : 4) * (round % 2 ? 1 : 4);
        const int left = round % 4 ? 0 : upTo(std::min(width - 1, 9));
        const int right = round % 4 ? width : width - upTo(std::min(width - left - 1, 9));
        const int begin = upTo(height - 1), end = begin + 1 + upTo(height - begin - 1);
        const int resultStride = right - left + upTo(5), offset = round % 5 ? 0 : upTo(9);
        const auto sample = makeSample("random", {width, height});
        std::vector<words::Level> cells(std::size_t(stride) * height + offset, words::Level(255));
        for (std::size_t i = 0; i < sample.size(); ++i)
            cells[offset + i / width * stride + i % width] =
                static_cast<words::Level>(static_cast<int>(sample[i]));
        std::vector<float> whole(sample.size());
        entropyOnCpu(width, height, sample.data(), whole.data(), 0, height);
        std::vector<float> expected = poison(std::size_t(resultStride) * (end - begin));
        for (int y = begin; y < end; ++y)
            std::copy_n(&whole[std::size_t(y) * width + left], right - left,
                        &expected[std::size_t(y - begin) * resultStride]);
        const auto input = common::upload(cells.data(), cells.size());
        auto output = common::poisoned<float>(expected.size());
        gpu.launch({width, height, stride, left, right, begin, end}, 16, input.data() + offset,
                   output.data(), resultStride);
        const auto result = common::download(output);
        const std::vector<float> found(result.get(), result.get() + expected.size());
        ASSERT_TRUE(sameBits(found, expected))
            << width << " x " << height << ", stride " << stride << ", columns " << left << " to "
            << right << ", rows " << begin << " to " << end;
        ASSERT_FALSE(gpu.sawBadCell()) << width << " x " << height;
    }
}

// Every byte that is no level is seen, wherever it is, and no level is taken for one.
TEST_F(EngineGpu, SeesEveryLevelThatIsTooHigh)
{
    words::Gpu gpu;
    for (const Shape shape : {Shape{7, 100}, Shape{128, 20}, Shape{131, 20}}) {
        const std::size_t size = std::size_t(shape.width) * shape.height;
        auto output = common::poisoned<float>(size);
        for (int levels = 2; levels <= 16; ++levels) {
            std::vector<words::Level> cells(size, static_cast<words::Level>(levels - 1));
            const auto sees = [&] {
                const auto input = common::upload(cells.data(), size);
                gpu.launch(
                    {shape.width, shape.height, shape.width, 0, shape.width, 0, shape.height},
                    levels, input.data(), output.data(), shape.width);
                return gpu.sawBadCell();
            };
            ASSERT_FALSE(sees()) << levels << " levels";
            for (const std::size_t place : {std::size_t(0), size / 2, size / 3 + 1, size - 1})
                for (int bad = levels; bad < 256; bad += bad < 20 || bad > 250 ? 1 : 29) {
                    const words::Level before = std::exchange(cells[place], words::Level(bad));
                    EXPECT_TRUE(sees()) << bad << " of " << levels << " at " << place;
                    cells[place] = before;
                }
        }
    }
}

// All windows there can be, cut by edges on both sides where they are smaller than 5 x 5: a proof.
TEST_F(EngineGpu, IsExactForEveryWindow)
{
    words::Gpu gpu;
    for (int across = 1; across <= local_entropy::kWindow; ++across)
        for (int down = 1; down <= local_entropy::kWindow; ++down) {
            const auto partitions = local_entropy::partitionsOf(across * down);
            const Gallery gallery = hang(windowsOf(across * down, across), across, down);
            const auto input = common::upload(gallery.sample.data(), gallery.sample.size());
            auto output = common::poisoned<float>(gallery.sample.size());
            if (across == local_entropy::kWindow) {
                gpu.launch(gallery.width, gallery.height, input.data(), output.data(), 0,
                           gallery.height);
            } else { // each is an array of its own
                const std::size_t cells = across * down;
                for (std::size_t i = 0; i < partitions.size(); ++i)
                    gpu.launch(across, down, input.data() + i * cells, output.data() + i * cells, 0,
                               down);
            }
            const auto result = common::download(output);
            for (std::size_t i = 0; i < partitions.size(); ++i)
                ASSERT_EQ(result[gallery.centres[i]], local_entropy::exactEntropy(partitions[i]))
                    << across << " x " << down << ", partition " << i;
        }
    EXPECT_FALSE(gpu.sawBadCell());
}

// The same as tiles of a wall, where rows and columns of other windows enter and leave; rows of it
// are read in fours and ahead.
TEST_F(EngineGpu, IsExactForEveryWindowAmongOthers)
{
    words::Gpu gpu;
    const auto partitions = local_entropy::partitionsOf(local_entropy::kWindowCells);
    for (const int columns : {47, 48}) // 235 cells, and 240
        for (int turn = 0; turn < local_entropy::kLevels; ++turn) {
            const Gallery wall = tile(windowsOf(local_entropy::kWindowCells, turn), columns);
            const Shape shape{wall.width, wall.height};
            ASSERT_EQ(computeAll(gpu, shape, wall.sample), "");
            Arrays<float> arrays(shape, wall.sample);
            arrays.launch(gpu);
            std::vector<float> result(wall.sample.size());
            CUDA_CHECK(cudaMemcpy(result.data(), arrays.outputData(), result.size() * sizeof(float),
                                  cudaMemcpyDeviceToHost));
            for (std::size_t i = 0; i < partitions.size(); ++i)
                ASSERT_EQ(result[wall.centres[i]], local_entropy::exactEntropy(partitions[i])) << i;
        }
}

// Bytes of kNoCell beside an array pad it to a width that bytes can have.
TEST_F(EngineGpu, LeavesOutBytesThatAreNoCells)
{
    words::Gpu gpu;
    for (const int left : {0, 4, 128})
        for (const int width : {1, 2, 3, 5, 124, 125, 126, 127, 128, 253, 255, 257}) {
            constexpr int kHeight = 33;
            const int padded = (left + width + 3) / 4 * 4;
            const auto sample = makeSample("random", {width, kHeight});
            std::vector<std::uint8_t> bytes(padded * kHeight, words::kNoCell);
            for (std::size_t i = 0; i < sample.size(); ++i)
                bytes[i / width * padded + left + i % width] = static_cast<int>(sample[i]) * 8;
            std::vector<float> expected(sample.size()), found(sample.size());
            entropyOnCpu(width, kHeight, sample.data(), expected.data(), 0, kHeight);
            const auto input = common::upload(bytes.data(), bytes.size());
            auto output = common::poisoned<float>(bytes.size());
            gpu.launch(padded, kHeight, input.data(), output.data(), 0, kHeight);
            const auto result = common::download(output);
            for (std::size_t i = 0; i < found.size(); ++i)
                found[i] = result[i / width * padded + left + i % width];
            EXPECT_TRUE(sameBits(found, expected)) << width << " columns after " << left;
        }
}

// ---- launches -----------------------------------------------------------------------------------

// More items than warps, which are taken one by one: the count of them starts anew in every launch.
TEST_F(EngineGpu, ManyItemsInSeveralLaunchesInARow)
{
    words::Gpu gpu;
    const Shape shapes[] = {{1, 230000}, {300000, 12}, {20, 240000}, {64, 64}, {4500, 7001}};
    std::vector<Arrays<float>> arrays;
    for (const Shape shape : shapes) arrays.emplace_back(shape, makeSample("random", shape));
    for (int round = 0; round < 3; ++round)
        for (Arrays<float> &each : arrays) each.launch(gpu); // none waits for the one before
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_FALSE(gpu.sawBadCell());
    for (const Arrays<float> &each : arrays) EXPECT_EQ(each.difference(), "");
    for (const Shape shape : {Shape{300000, 12}, Shape{20, 240000}, Shape{4096, 7000}})
        EXPECT_EQ(compute<std::uint8_t>(gpu, shape, makeSample("flat", shape)), "");
}

TEST_F(EngineGpu, TwoAtOnceInStreamsOfTwoThreads)
{
    std::vector<std::string> wrong(2, "did not end");
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
        threads.emplace_back([&, i] {
            try {
                words::Gpu gpu;
                const common::Stream stream;
                const Shape large{1, 230000 + i}, small{701 + i, 300 - i};
                Arrays<float> first(large, makeSample("random", large));
                Arrays<float> second(small, makeSample("smooth", small), {i, 2 * i, 7 * i});
                for (int round = 0; round < 30; ++round) {
                    first.launch(gpu, stream.get());
                    second.launch(gpu, stream.get());
                }
                CUDA_CHECK(cudaStreamSynchronize(stream.get()));
                wrong[i] = first.difference() + second.difference();
                if (gpu.sawBadCell()) wrong[i] += "good cells are called bad";
            } catch (const std::exception &error) {
                wrong[i] = error.what();
            }
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<std::string>(2));
}

TEST_F(EngineGpu, RefusesRowsThatDoNotExist)
{
    words::Gpu gpu;
    const auto input = common::poisoned<float>(64);
    const auto bytes = common::poisoned<std::uint8_t>(64);
    auto output = common::poisoned<float>(64);
    const auto launch = [&](std::int64_t width, std::int64_t height, std::int64_t begin,
                            std::int64_t end) {
        gpu.launch(width, height, input.data(), output.data(), begin, end);
    };
    EXPECT_THROW(launch(4, 4, 0, 5), common::Error);
    EXPECT_THROW(launch(4, 4, -1, 4), common::Error);
    EXPECT_THROW(launch(4, 4, 3, 2), common::Error);
    EXPECT_THROW(launch(0, 4, 0, 4), common::Error);
    EXPECT_THROW(launch(4, 0, 0, 0), common::Error);
    EXPECT_THROW(gpu.launch(5, 4, bytes.data(), output.data(), 0, 4), common::Error);
    launch(4, 4, 2, 2); // none
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_FALSE(gpu.sawBadCell());
    const auto untouched = common::download(output);
    for (int i = 0; i < 64; ++i) EXPECT_TRUE(std::isnan(untouched[i]));
}

// ---- cells that are no levels -------------------------------------------------------------------

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

// ---- from host to host --------------------------------------------------------------------------

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

// ---- large arrays -------------------------------------------------------------------------------

namespace
{

/// A line of `size` cells that repeats itself every `period`, and a short one of the same ends:
/// what is around a cell of the long one is around some cell of the short one.
struct Repeating
{
    std::int64_t size, period;

    HOST_DEVICE std::int64_t shortSize() const { return size % period + 3 * period; }
    HOST_DEVICE std::int64_t inShort(std::int64_t i) const
    {
        if (i < period) return i;
        return i < size - period ? period + i % period : i - size + shortSize();
    }
};

struct Wallpaper
{
    Repeating x, y;

    HOST_DEVICE std::int64_t cells() const { return x.size * y.size; }
    /// Where cell i of the large array is in the small one.
    HOST_DEVICE std::int64_t inSmall(std::int64_t i) const
    {
        return y.inShort(i / x.size) * x.shortSize() + x.inShort(i % x.size);
    }
};

__global__ void spread(Wallpaper wallpaper, const float *small, float *large)
{
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
         i < wallpaper.cells(); i += step)
        large[i] = small[wallpaper.inSmall(i)];
}

__global__ void countDifferences(Wallpaper wallpaper, const float *small, const float *large,
                                 unsigned long long *count)
{
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    unsigned long long differences = 0;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
         i < wallpaper.cells(); i += step)
        differences += __float_as_uint(small[wallpaper.inSmall(i)]) != __float_as_uint(large[i]);
    if (differences) atomicAdd(count, differences);
}

} // namespace

// 2.5 thousand million cells, more than 32 bits count in bytes or in cells: every one of them is
// compared. The array repeats itself, so that a small one has all the answers.
TEST_F(EngineGpu, LargeArrayBeyond32Bits)
{
    constexpr int kBlocks = 2048, kThreads = 256;
    for (const Wallpaper wallpaper :
         {Wallpaper{{50000, 997}, {50000, 1009}}, Wallpaper{{49999, 997}, {50001, 1009}}}) {
        const std::size_t bytes = wallpaper.cells() * sizeof(float);
        std::size_t free = 0, total = 0;
        CUDA_CHECK(cudaMemGetInfo(&free, &total));
        if (free < 2 * bytes + (std::size_t(1) << 30))
            GTEST_SKIP() << "not enough device memory: " << (free >> 20) << " MiB are free, "
                         << (2 * bytes >> 20) + 1024 << " needed";

        const Shape tileShape{static_cast<int>(wallpaper.x.period),
                              static_cast<int>(wallpaper.y.period)};
        const auto tile = makeSample("random", tileShape);
        const std::int64_t width = wallpaper.x.shortSize(), height = wallpaper.y.shortSize();
        std::vector<float> sample(width * height), answer(width * height);
        for (std::int64_t i = 0; i < width * height; ++i)
            sample[i] =
                tile[i / width % tileShape.height * tileShape.width + i % width % tileShape.width];
        entropyOnCpu(width, height, sample.data(), answer.data(), 0, height);

        const auto smallSample = common::upload(sample.data(), sample.size());
        const auto smallAnswer = common::upload(answer.data(), answer.size());
        common::DeviceArray<float> input(wallpaper.cells());
        auto output = common::poisoned<float>(wallpaper.cells());
        const unsigned long long none = 0;
        auto differences = common::upload(&none, 1);
        words::Gpu gpu;
        spread<<<kBlocks, kThreads>>>(wallpaper, smallSample.data(), input.data());
        CUDA_CHECK(cudaGetLastError());
        gpu.launch(wallpaper.x.size, wallpaper.y.size, input.data(), output.data(), 0,
                   wallpaper.y.size);
        countDifferences<<<kBlocks, kThreads>>>(wallpaper, smallAnswer.data(), output.data(),
                                                differences.data());
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        EXPECT_FALSE(gpu.sawBadCell());
        EXPECT_EQ(common::download(differences)[0], 0u) << wallpaper.x.size << " columns";
    }
}

#endif
