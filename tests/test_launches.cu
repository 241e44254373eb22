// Every filter in the memory of a GPU: random questions from a fixed seed, over types, levels,
// windows, footprints, borders, masks, strides and regions, against the CPU, bit for bit. Without a
// GPU, or without nvcc, each test is skipped by name.
#include "common/devices.h"
#include "local_entropy/engine.h"
#include "local_entropy/question.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"

#include <cstring>
#include <random>
#include <type_traits>
#endif

class Launches : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};

#ifdef __CUDACC__

namespace
{

using namespace local_entropy;

/// A copy, in the memory of a GPU, of what lies between the first and the last cell of a view,
/// among bytes that are 0xFF, at an address that is a multiple of the type's size and no more.
template <typename T>
class OnDevice
{
public:
    explicit OnDevice(const View<T> &host)
        : host(host), cells(host.data ? (host.height - 1) * host.stride + host.width : 0),
          memory(common::poisoned<Cell>(cells + 2 * kGuard))
    {
        if (cells == 0) return;
        CUDA_CHECK(cudaMemcpy(first(), host.data, cells * sizeof(T), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for this one
    }

    View<T> view()
    {
        return {host.data ? reinterpret_cast<T *>(first()) : nullptr, host.width, host.height,
                host.stride};
    }

    /// All of its bytes, the poison around it too.
    std::vector<char> bytes() const
    {
        std::vector<char> all(memory.bytes());
        CUDA_CHECK(cudaMemcpy(all.data(), memory.data(), all.size(), cudaMemcpyDeviceToHost));
        return all;
    }

private:
    using Cell = std::remove_const_t<T>;
    static constexpr std::size_t kGuard = 1001; ///< in cells

    Cell *first() { return memory.data() + kGuard; }

    const View<T> host;
    const std::size_t cells;
    common::DeviceArray<Cell> memory;
};

/// How the GPU's answer differs from the CPU's; empty: not in a bit, and nothing else was written.
template <typename Cell, typename Value>
std::string difference(Engine &cpu, Engine &gpu, const Question<Cell> &question,
                       cudaStream_t stream)
{
    GuardedArray<Value> values(question.region.width, question.region.height, question.gap);
    std::memset(static_cast<void *>(values.view().data), 0xFF,
                ((question.region.height - 1) * values.view().stride + question.region.width) *
                    sizeof(Value));
    OnDevice<const Cell> image(question.view());
    OnDevice<const std::uint8_t> mask(question.maskView());
    OnDevice<Value> found(values.view());
    RunOptions options;
    options.region = question.region;
    options.mask = question.maskView();
    cpu.run(question.filter, question.view(), values.view(), options);
    OnDevice<Value> expected(values.view());
    options.mask = mask.view();
    gpu.enqueue(question.filter, image.view(), found.view(), stream, options);
    gpu.synchronize();
    return found.bytes() == expected.bytes() ? "" : question.text();
}

/// Of one type, with the method that is named; empty: with the engine's choice.
template <typename Cell>
void ask(const std::string &method, unsigned seed, int questions)
{
    Engine cpu;
    EngineOptions options;
    options.method = method;
    Engine gpu(options);
    const common::Stream stream;
    int answered = 0;
    for (int i = 0; i < questions; ++i) {
        const Question<Cell> question(seed + static_cast<unsigned>(i));
        try {
            const std::string wrong =
                question.asDouble ? difference<Cell, double>(cpu, gpu, question, stream.get())
                                  : difference<Cell, float>(cpu, gpu, question, stream.get());
            ASSERT_EQ(wrong, "") << method;
            ++answered;
        } catch (const Error &error) { // this method cannot do that
            ASSERT_EQ(error.status(), Status::Unavailable) << error.what() << question.text();
        }
    }
    EXPECT_GT(answered, questions / 10) << method;
}

} // namespace

TEST_F(Launches, OfPlainGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("plain", 1000, 300);
    ask<std::uint16_t>("plain", 20000, 200);
    ask<std::int16_t>("plain", 30000, 100);
    ask<float>("plain", 40000, 200);
    ask<bool>("plain", 50000, 60);
}

TEST_F(Launches, OfHistogramGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("histogram", 1000, 600);
    ask<std::uint16_t>("histogram", 20000, 400);
    ask<std::int16_t>("histogram", 30000, 200);
    ask<float>("histogram", 40000, 300);
    ask<bool>("histogram", 50000, 100);
}

// Random questions have small images: here most windows are whole, many rows long, and strips are
// cut by the edge, by a mask, or not at all.
TEST_F(Launches, OfHistogramGiveTheBitsOfTheCpuWhereWindowsAreWhole)
{
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    EngineOptions options;
    options.method = "histogram";
    Engine cpu, gpu(options);
    const int sides[][2] = {{3, 3}, {5, 5},   {2, 12},  {8, 3},   {6, 5},  {7, 7},  {9, 9},
                            {1, 6}, {15, 17}, {11, 20}, {15, 30}, {9, 40}, {31, 31}};
    for (int i = 0; i < 65; ++i) {
        const auto &[windowWidth, windowHeight] = sides[i % 13];
        const int width = 300 + below(400), height = 60 + below(90), levels = below(2) ? 256 : 60;
        GuardedArray<std::uint8_t> image(width, height, below(9)), mask(width, height, below(9));
        const int alike = below(3); // how often a cell is like the one before
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                image.at(x, y) = x > 0 && below(alike + 1) ? image.at(x - 1, y) : below(levels);
                mask.at(x, y) = below(50) != 0;
            }
        Filter filter;
        filter.levels.count = levels;
        filter.window.width = windowWidth;
        filter.window.height = windowHeight;
        filter.border = static_cast<Border>(below(6));
        filter.base = static_cast<Base>(below(3));
        const bool masked = below(3) == 0;
        GuardedArray<float> values(width, height, below(9));
        RunOptions onHost, onDevice;
        if (masked) onHost.mask = {&mask.at(0, 0), width, height, mask.view().stride};
        OnDevice<const std::uint8_t> cells(
            View<const std::uint8_t>{&image.at(0, 0), width, height, image.view().stride});
        OnDevice<const std::uint8_t> maskCells(onHost.mask);
        onDevice.mask = maskCells.view();
        std::memset(static_cast<void *>(values.view().data), 0xFF,
                    ((height - 1) * values.view().stride + width) * sizeof(float));
        OnDevice<float> found(values.view());
        cpu.run(filter,
                View<const std::uint8_t>{&image.at(0, 0), width, height, image.view().stride},
                values.view(), onHost);
        OnDevice<float> expected(values.view());
        gpu.enqueue(filter, cells.view(), found.view(), nullptr, onDevice);
        gpu.synchronize();
        ASSERT_EQ(found.bytes(), expected.bytes())
            << windowWidth << " x " << windowHeight << " of " << width << " x " << height
            << ", levels " << levels << ", border " << static_cast<int>(filter.border)
            << (masked ? ", mask" : "") << ", question " << i;
    }
}

TEST_F(Launches, OfTheChoiceGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("", 60000, 200);
    ask<float>("", 70000, 100);
}

TEST_F(Launches, TellTheFirstBadCell)
{
    std::vector<std::uint8_t> cells(70 * 50, 3), levels;
    cells[12 * 70 + 61] = 200, cells[40 * 70 + 5] = 16;
    Filter filter;
    filter.levels.count = 16;
    std::vector<float> values(cells.size());
    OnDevice<const std::uint8_t> image(View<const std::uint8_t>{cells.data(), 70, 50, 70});
    OnDevice<float> result(View<float>{values.data(), 70, 50, 70});
    Engine engine;
    engine.enqueue(filter, image.view(), result.view());
    try {
        engine.synchronize();
        FAIL() << "a bad cell was not told";
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::BadLevel);
        EXPECT_NE(std::string(error.what()).find("x 61, y 12 "), std::string::npos) << error.what();
    }
    engine.synchronize(); // told once
}

#else

TEST_F(Launches, NeedCuda) {}

#endif
