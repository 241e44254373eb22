// Every filter in the memory of a GPU: random questions from a fixed seed, over types, levels,
// windows, footprints, borders, masks, strides and regions, against the CPU, bit for bit. Without a
// GPU, or without nvcc, each test is skipped by name.
#include "common/devices.h"
#include "local_entropy/boundary_windows.h"
#include "local_entropy/engine.h"
#include "local_entropy/question.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"
#include "local_entropy/methods/second_look.h"

#include <cstring>
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

template <typename Cell>
CellType typeOf()
{
    if (std::is_same_v<Cell, bool>) return CellType::Bool;
    if (std::is_same_v<Cell, std::uint8_t>) return CellType::Uint8;
    if (std::is_same_v<Cell, std::uint16_t>) return CellType::Uint16;
    return std::is_same_v<Cell, float> ? CellType::Float32 : CellType::Int16;
}

/// Puts a second look at all results of that problem into a stream, as if a method had decided none
/// of them, and waits for it.
void lookAtAll(const Problem &problem, cudaStream_t stream)
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
    look->launch({problem, plane, scratch.data(), {undecided.data(), wordsARow}}, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
}

/// How what a second look at every result gives differs from the CPU's answer.
template <typename Cell, typename Value>
std::string differenceOfSecondLook(Engine &cpu, const Question<Cell> &question, cudaStream_t stream)
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
    const auto cells = image.view();
    const auto counts = mask.view();
    const auto results = found.view();
    const Result result{results.data, sizeof(Value) == sizeof(double), results.width,
                        results.height, results.stride};
    lookAtAll(checkedProblem(question.filter,
                             {cells.data, typeOf<Cell>(), cells.width, cells.height, cells.stride},
                             {counts.data, counts.width, counts.height, counts.stride}, result,
                             question.region),
              stream);
    return found.bytes() == expected.bytes() ? "" : question.text();
}

/// Some results of an image that is one period of a plane, with a window as large as it: every
/// window has the counts that are given. (One warp computes them all.)
template <typename Value>
std::vector<Value> ofAPeriod(const std::vector<int> &counts, int width, int height, Base base,
                             cudaStream_t stream)
{
    constexpr int kResults = 3;
    std::vector<std::uint8_t> cells;
    for (std::size_t level = 0; level < counts.size(); ++level)
        cells.insert(cells.end(), counts[level], static_cast<std::uint8_t>(level));
    Filter filter;
    filter.window.width = width;
    filter.window.height = height;
    filter.border = Border::Wrap;
    filter.base = base;
    const auto image = common::upload(cells.data(), cells.size());
    auto values = common::poisoned<Value>(kResults);
    lookAtAll(
        checkedProblem(filter, {image.data(), CellType::Uint8, width, height, width}, {},
                       {values.data(), sizeof(Value) == sizeof(double), kResults, 1, kResults},
                       {0, 0, kResults, 1}),
        stream);
    std::vector<Value> found(values.size());
    common::download(values, found.data());
    return found;
}

template <typename Cell>
void askSecondLook(unsigned seed, int questions)
{
    Engine cpu;
    const common::Stream stream;
    for (int i = 0; i < questions; ++i) {
        const Question<Cell> question(seed + static_cast<unsigned>(i));
        ASSERT_EQ(question.asDouble
                      ? (differenceOfSecondLook<Cell, double>(cpu, question, stream.get()))
                      : (differenceOfSecondLook<Cell, float>(cpu, question, stream.get())),
                  "");
    }
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

TEST_F(Launches, OfASecondLookAtEverythingGiveTheBitsOfTheCpu)
{
    askSecondLook<std::uint8_t>(100000, 400);
    askSecondLook<std::uint16_t>(120000, 300);
    askSecondLook<std::int16_t>(130000, 100);
    askSecondLook<float>(140000, 200);
    askSecondLook<bool>(150000, 60);
}

/// What 64 bits cannot decide.
TEST_F(Launches, OfASecondLookDecideWindowsNextToABoundary)
{
    const common::Stream stream;
    int tried = 0;
    for (const boundary_windows::Window &window : boundary_windows::kWindows) {
        int cells = 0, width = 255;
        for (const int count : window.counts) cells += count;
        while (width > 1 && cells % width) --width;
        if (cells / width > 255 || window.counts.size() > 256) continue;
        ++tried;
        const int height = cells / width;
        const auto floats =
            ofAPeriod<float>(window.counts, width, height, window.base, stream.get());
        EXPECT_EQ(floats, std::vector<float>(floats.size(), window.nearestFloat)) << cells;
        const auto doubles =
            ofAPeriod<double>(window.counts, width, height, window.base, stream.get());
        EXPECT_EQ(doubles, std::vector<double>(doubles.size(), window.nearestDouble)) << cells;
    }
    EXPECT_GT(tried, 3);
}

TEST_F(Launches, OfLevelsGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("levels", 80000, 200);
    ask<std::uint16_t>("levels", 90000, 80);
    ask<std::int16_t>("levels", 100000, 80);
    ask<float>("levels", 110000, 160);
    ask<bool>("levels", 120000, 80);
}

TEST_F(Launches, OfWideGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("wide", 130000, 120);
    ask<std::uint16_t>("wide", 140000, 160);
    ask<std::int16_t>("wide", 150000, 80);
    ask<float>("wide", 160000, 80);
}

TEST_F(Launches, OfTheChoiceGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("", 60000, 200);
    ask<float>("", 70000, 100);
}

TEST_F(Launches, CanBeCapturedIntoAGraph)
{
    constexpr int kWidth = 300, kHeight = 120;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    std::vector<float> values(cells.size()), expected(cells.size()), found(cells.size());
    Filter filter;
    filter.window.width = filter.window.height = 9; // some results are looked at twice
    Engine cpu, engine;
    const common::Stream stream;
    auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    const auto enqueue = [&] {
        engine.enqueue(filter, View<const std::uint8_t>{image.data(), kWidth, kHeight},
                       View<float>{result.data(), kWidth, kHeight}, stream.get());
    };
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    EXPECT_THROW(enqueue(), Error) << "tables were made in a capture";
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream.get(), &graph);
    if (graph) CUDA_CHECK(cudaGraphDestroy(graph));
    cudaGetLastError(); // of a capture in which something was refused
    enqueue();
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    enqueue();
    CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphExec_t executable = nullptr;
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (const unsigned factor : {1u, 7u, 255u}) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = static_cast<std::uint8_t>(i * i % 251 * factor % 97);
        CUDA_CHECK(cudaMemcpy(image.data(), cells.data(), cells.size(), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemset(result.data(), 0xFF, result.bytes()));
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaGraphLaunch(executable, stream.get()));
        stream.wait();
        common::download(result, found.data());
        cpu.run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
                View<float>{expected.data(), kWidth, kHeight});
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0)
            << factor;
    }
    CUDA_CHECK(cudaGraphExecDestroy(executable));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

TEST_F(Launches, WorkInMemoryThatIsGiven)
{
    constexpr int kWidth = 200, kHeight = 90;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = static_cast<std::uint8_t>(i * i % 241);
    std::vector<float> expected(cells.size()), found(cells.size());
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    const View<const std::uint8_t> from{image.data(), kWidth, kHeight};
    const View<float> to{result.data(), kWidth, kHeight};
    Engine engine;
    for (const int side : {4, 5, 9, 31}) {
        Filter filter;
        filter.window.width = filter.window.height = side;
        engine.run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
                   View<float>{expected.data(), kWidth, kHeight});
        RunOptions options;
        const std::size_t bytes = engine.workspaceBytes(filter, from, to);
        constexpr std::size_t kMore = 4096;
        auto memory = common::poisoned<char>(bytes + kMore);
        const auto tail = [&] {
            std::vector<char> all(bytes + kMore);
            common::download(memory, all.data());
            return std::string(all.begin() + static_cast<std::ptrdiff_t>(bytes), all.end());
        };
        const std::string before = tail();
        CUDA_CHECK(cudaMemset(result.data(), 0xFF, result.bytes()));
        CUDA_CHECK(cudaDeviceSynchronize());
        options.workspace = {memory.data(), bytes};
        engine.enqueue(filter, from, to, nullptr, options);
        engine.synchronize();
        common::download(result, found.data());
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0)
            << side;
        EXPECT_EQ(tail(), before) << "written behind the workspace";

        const auto refused = [&](const Workspace &workspace) {
            options.workspace = workspace;
            try {
                engine.enqueue(filter, from, to, nullptr, options);
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), Status::BadArgument);
                return std::string(error.what());
            }
            return std::string("not refused");
        };
        EXPECT_NE(refused({memory.data(), bytes - 1}).find("expected " + std::to_string(bytes)),
                  std::string::npos);
        EXPECT_NE(refused({memory.data() + 8, bytes}).find("256 does not divide"),
                  std::string::npos);
        EXPECT_NE(refused({cells.data(), bytes}).find("the workspace is not in the memory"),
                  std::string::npos);
    }
}

TEST_F(Launches, TellTheFirstBadCell)
{
    // Images that are loaded, and images that stay where they are.
    for (const int width : {70, 1501})
        for (const int count : {16, 100, 128, 200})
            for (const int bad : {count, 255}) {
                std::vector<std::uint8_t> cells(width * 50, static_cast<std::uint8_t>(count - 1));
                cells[12 * width + width - 9] = static_cast<std::uint8_t>(bad);
                cells[40 * width + 5] = 255;
                Filter filter;
                filter.levels.count = count;
                std::vector<float> values(cells.size());
                OnDevice<const std::uint8_t> image(
                    View<const std::uint8_t>{cells.data(), width, 50, width});
                OnDevice<float> result(View<float>{values.data(), width, 50, width});
                Engine engine;
                engine.enqueue(filter, image.view(), result.view());
                try {
                    engine.synchronize();
                    FAIL() << "a bad cell was not told";
                } catch (const Error &error) {
                    EXPECT_EQ(error.status(), Status::BadLevel);
                    const std::string place = "x " + std::to_string(width - 9) + ", y 12 ";
                    EXPECT_NE(std::string(error.what()).find(place), std::string::npos)
                        << error.what() << ", " << count << " levels";
                }
                engine.synchronize(); // told once
            }
}

#else

TEST_F(Launches, NeedCuda) {}

#endif
