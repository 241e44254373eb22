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

#include <algorithm>
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

/// All ways to have counts that do not ascend, of at most `cells` cells.
void addCounts(int cells, int largest, std::vector<int> &counts, std::vector<std::vector<int>> &all)
{
    if (!counts.empty()) all.push_back(counts);
    for (int n = std::min(cells, largest); n >= 1; --n) {
        counts.push_back(n);
        addCounts(cells - n, n, counts, all);
        counts.pop_back();
    }
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

TEST_F(Launches, OfEqualGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("equal", 1000, 600);
    ask<std::uint16_t>("equal", 20000, 400);
    ask<std::int16_t>("equal", 30000, 200);
    ask<float>("equal", 40000, 300);
}

// A few counts leave a sum of few bits undecided: every way to share up to 25 cells between levels
// is the window around some cell.
TEST_F(Launches, OfEqualRoundEveryShare)
{
    EngineOptions options;
    options.method = "equal";
    Engine cpu, gpu(options);
    for (const int side : {3, 5}) {
        std::vector<std::vector<int>> all;
        std::vector<int> counts;
        addCounts(side * side, side * side, counts, all);
        const auto width = static_cast<std::int64_t>(side * all.size());
        std::vector<std::uint16_t> cells(width * side, 1000); // nodata
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t level = 0, place = 0; level < all[i].size(); ++level)
                for (int n = 0; n < all[i][level]; ++n, ++place)
                    cells[place / side * width + i * side + place % side] =
                        static_cast<std::uint16_t>(level);
        const View<const std::uint16_t> view{cells.data(), width, side, width};
        OnDevice<const std::uint16_t> image(view);
        for (const Base base : {Base::E, Base::Two, Base::Ten}) {
            Filter filter;
            filter.window.width = filter.window.height = side;
            filter.levels.count = 512;
            filter.nodata = 1000;
            filter.base = base;
            std::vector<float> values(cells.size());
            const View<float> result{values.data(), width, side, width};
            OnDevice<float> found(result);
            cpu.run(filter, view, result);
            OnDevice<float> expected(result);
            gpu.enqueue(filter, image.view(), found.view());
            gpu.synchronize();
            EXPECT_TRUE(found.bytes() == expected.bytes())
                << side << " x " << side << ", base " << static_cast<int>(base);
        }
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
