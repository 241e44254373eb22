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

#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
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

/// A footprint of those cells for which `counts(x, y)`.
template <typename Counts>
Window footprint(int width, int height, const Counts &counts)
{
    Window window;
    window.width = width;
    window.height = height;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) window.footprint.push_back(counts(x, y) ? 1 : 0);
    return window;
}

Window disk(int radius)
{
    return footprint(2 * radius + 1, 2 * radius + 1, [radius](int x, int y) {
        return (x - radius) * (x - radius) + (y - radius) * (y - radius) <= radius * radius;
    });
}

/// Empty rows and columns at the border, holes, single cells, the largest, the most ends.
std::vector<Window> oddFootprints()
{
    const auto even = [](int x, int y) { return (x + y) % 2 == 0; };
    return {footprint(7, 5, [](int x, int y) { return x == 3 && y == 2; }),
            footprint(5, 7, [](int x, int y) { return x == 0 && y == 0; }),
            footprint(4, 6, [](int x, int y) { return x == 3 && y == 5; }),
            footprint(9, 9, [](int x, int y) { return x == y && (x == 0 || x == 8); }),
            footprint(9, 7, [](int x, int y) { return x > 2 && x < 6 && y > 1 && y < 5; }),
            footprint(11, 11, [](int x, int) { return x == 0 || x == 10; }),
            footprint(11, 11, [](int, int y) { return y == 0 || y == 10; }),
            footprint(15, 17, [](int x, int y) { return x != 7 || y != 8; }), // 254 cells
            footprint(16, 17, [](int x, int y) { return x != 7 || y > 16; }), // 255
            footprint(16, 17, [](int x, int y) { return x != 7 || y > 15; }), // 256
            footprint(63, 63, [](int x, int y) { return x != 31 || y != 31; }),
            footprint(63, 63, even),
            footprint(63, 1, even),
            footprint(1, 63, even),
            footprint(62, 62, [](int x, int y) { return (x * y) % 7 == 3; })};
}

/// Random questions with these footprints instead of theirs.
template <typename Cell>
void askAbout(const std::vector<Window> &windows, unsigned seed, int times)
{
    Engine cpu;
    EngineOptions options;
    options.method = "footprint";
    Engine gpu(options);
    const common::Stream stream;
    for (int i = 0; i < times; ++i)
        for (const Window &window : windows) {
            Question<Cell> question(seed++);
            const Window own = question.filter.window;
            question.filter.window = window;
            if (std::abs(own.originX) <= window.width / 4) // seldom in the middle
                question.filter.window.originX = own.originX;
            question.filter.measure = Measure::Entropy;
            if (question.filter.levels.count > 1000) continue;
            ASSERT_EQ((difference<Cell, float>(cpu, gpu, question, stream.get())), "");
        }
}

/// Of an image so wide that its middle stays where it is.
void askOfWideImage(const Filter &filter, int width, int height, int gap)
{
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(width + gap) * height);
    unsigned random = 7;
    for (std::uint8_t &cell : cells) {
        random = random * 1664525 + 1013904223;
        cell = static_cast<std::uint8_t>(random >> 30 ? (random >> 24) % 5 : random >> 20);
    }
    const View<const std::uint8_t> view{cells.data(), width, height, width + gap};
    std::vector<float> values(static_cast<std::size_t>(width) * height);
    const View<float> results{values.data(), width, height, width};
    OnDevice<const std::uint8_t> image(view);
    OnDevice<float> found(results);
    Engine cpu;
    cpu.run(filter, view, results);
    OnDevice<float> expected(results);
    EngineOptions options;
    options.method = "footprint";
    Engine gpu(options);
    gpu.enqueue(filter, image.view(), found.view());
    gpu.synchronize();
    EXPECT_TRUE(found.bytes() == expected.bytes())
        << filter.window.width << " x " << filter.window.height << " border "
        << static_cast<int>(filter.border) << " of " << width << " x " << height << " + " << gap;
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

TEST_F(Launches, OfFootprintsGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("footprint", 1000, 300);
    askAbout<std::uint8_t>(oddFootprints(), 100000, 5);
    askAbout<std::uint16_t>(oddFootprints(), 110000, 2);
    askAbout<float>(oddFootprints(), 120000, 2);
    askAbout<bool>(oddFootprints(), 130000, 1);
}

TEST_F(Launches, OfDisksGiveTheBitsOfTheCpu)
{
    std::vector<Window> disks;
    for (int radius = 1; radius <= 12; ++radius) disks.push_back(disk(radius));
    askAbout<std::uint8_t>(disks, 140000, 8);
    askAbout<std::uint16_t>(disks, 150000, 2);
}

TEST_F(Launches, OfFootprintsReachBothEndsOfAWideImage)
{
    for (int radius = 1; radius <= 11; ++radius)
        for (const int gap : {0, 1, 5}) { // 2003 + 1 is a multiple of 4
            Filter filter;
            filter.window = disk(radius);
            filter.window.originX = radius % 3 - 1;
            filter.levels.count = 256;
            filter.border = static_cast<Border>(radius % 6);
            askOfWideImage(filter, 2003, radius == 7 ? 15 : 45, gap);
        }
    for (const Window &window : oddFootprints()) {
        Filter filter;
        filter.window = window;
        filter.levels.count = 256;
        askOfWideImage(filter, 2003, 70, 1);
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
