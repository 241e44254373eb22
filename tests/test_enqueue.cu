// Engine::enqueue, in the memory of a GPU: the bits of the CPU's answer, in any stream, and nothing
// else is touched. Without a GPU each test that needs one is skipped by name; a build without nvcc
// has none of them. Images of levels of other types: test_enqueue_levels.cu.
#include "bits_call.h"
#include "enqueue.h"
#include "local_entropy/engine.h"
#include "local_entropy/library_errors.h"
#include "messages.h"
#include "shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"

#include <atomic>
#include <cstring>
#include <thread>
#endif

using local_entropy::Engine;
using local_entropy::Error;
using local_entropy::Filter;
using local_entropy::RunOptions;
using local_entropy::Status;
using local_entropy::View;

namespace
{

/// What enqueue() says of 8 x 8 cells in host memory that are never read.
template <typename Cell = float, typename Value = float>
Status refusal(const Filter &filter, const std::string &part, std::int64_t stride = 8,
               const RunOptions &options = {}, const std::string &method = "")
{
    static float cells[200], values[200];
    local_entropy::EngineOptions wanted;
    wanted.method = method;
    Engine engine(wanted);
    const View<const Cell> image{reinterpret_cast<const Cell *>(cells), 8, 8, stride};
    return statusOf(
        [&] {
            engine.enqueue(filter, image, View<Value>{reinterpret_cast<Value *>(values), 8, 8, 0},
                           nullptr, options);
        },
        part);
}

} // namespace

// ---- without a GPU ------------------------------------------------------------------------------

TEST(EngineEnqueueRefusals, AMethodThatIsNamedMustHaveCodeForIt)
{
    const std::string part = "the method 'ranks' does not compute this in the memory of a GPU yet";
    EXPECT_EQ(refusal(possible(), part, 8, {}, "ranks"), Status::Unavailable);
    Filter other = possible();
    other.levels.count = 17;
    const std::string words = "the method 'words' does not compute this in the memory of a GPU "
                              "yet, only windows of 5x5 cells";
    EXPECT_EQ(refusal(other, words, 8, {}, "words"), Status::Unavailable);
}

TEST(EngineEnqueueRefusals, BadArgumentsAreThoseOfRun)
{
    Filter filter = possible();
    filter.levels.count = 1;
    EXPECT_EQ(refusal(filter, "1 levels"), Status::BadArgument);
    EXPECT_EQ(refusal(possible(), "the stride is too small", 7), Status::BadArgument);
}

TEST(EngineEnqueueRefusals, WithoutADeviceSaysWhy)
{
    if (common::deviceCount() > 0) GTEST_SKIP() << "there is a GPU here";
    EXPECT_EQ(refusal(possible(), common::whyNoDevice()), Status::Unavailable);
    EXPECT_EQ(refusal({}, common::whyNoDevice()), Status::Unavailable);
    Engine().synchronize(); // nothing was put into a stream
}

TEST(EngineLibraryErrors, OfThePlumbingKeepTheirSentence)
{
    using local_entropy::withLibraryErrors;
    EXPECT_EQ(withLibraryErrors([] { return 7; }), 7);
    EXPECT_EQ(
        statusOf([] { withLibraryErrors([] { throw common::Error("a cause"); }); }, "a cause"),
        Status::Internal);
    EXPECT_EQ(
        statusOf([] { withLibraryErrors([] { throw common::Unavailable("none"); }); }, "none"),
        Status::Unavailable);
    EXPECT_EQ(statusOf([] { withLibraryErrors([] { throw std::bad_alloc(); }); }, "no memory"),
              Status::Unavailable);
    EXPECT_EQ(statusOf([] { withLibraryErrors([] { throw Error(Status::BadLevel, "x"); }); }, "x"),
              Status::BadLevel);
}

#ifdef __CUDACC__

TEST(EngineLibraryErrors, NameTheCallOfCudaAndTheCause)
{
    const auto refused = [](cudaError_t status) {
        return [status] { local_entropy::withLibraryErrors([&] { CUDA_CHECK(status); }); };
    };
    EXPECT_EQ(statusOf(refused(cudaErrorInvalidValue), "status failed at "), Status::Internal);
    EXPECT_EQ(statusOf(refused(cudaErrorInvalidValue), "(cudaErrorInvalidValue)"),
              Status::Internal);
    EXPECT_EQ(statusOf(refused(cudaErrorMemoryAllocation), "(cudaErrorMemoryAllocation)"),
              Status::Unavailable);
    EXPECT_EQ(statusOf(refused(cudaErrorNoDevice), "needs a GPU: there is none here"),
              Status::Unavailable);
}

// ---- with one -----------------------------------------------------------------------------------

namespace
{

/// A thread that is told when it is over, and waited for, however the test ends.
class JoinedThread
{
public:
    template <typename Work>
    JoinedThread(std::atomic<bool> &over, const Work &work) : over(over), thread(work)
    {
    }
    ~JoinedThread()
    {
        over = true;
        thread.join();
    }
    JoinedThread(const JoinedThread &) = delete;
    JoinedThread &operator=(const JoinedThread &) = delete;

private:
    std::atomic<bool> &over;
    std::thread thread;
};

/// Where in device memory the arrays of a test begin, and which rows are computed.
struct Layout
{
    int sampleOffset = 0, resultOffset = 0; ///< in cells, from an address that 256 divides
    int begin = 0, end = -1;                ///< -1: all rows
};

/// A sample in device memory among cells that are no levels, and a result among poison, which is
/// poison itself.
class Arrays
{
public:
    Arrays(Shape shape, Layout layout = {}, const std::string &content = "random")
        : shape(shape), layout(layout), sample(makeSample(content, shape)),
          input(common::poisoned<float>(sample.size() + layout.sampleOffset + 2 * kGuard)),
          output(common::poisoned<float>(sample.size() + layout.resultOffset + 2 * kGuard))
    {
        if (layout.end < 0) this->layout.end = shape.height;
        put();
    }

    void put()
    {
        CUDA_CHECK(cudaMemcpy(cells(), sample.data(), sample.size() * sizeof(float),
                              cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaDeviceSynchronize()); // other streams do not wait for this one
    }
    /// The same in a stream; the host memory stays.
    void putIn(cudaStream_t stream)
    {
        CUDA_CHECK(cudaMemcpyAsync(cells(), sample.data(), sample.size() * sizeof(float),
                                   cudaMemcpyHostToDevice, stream));
    }
    void spoil(std::size_t cell, float value)
    {
        CUDA_CHECK(cudaMemcpy(cells() + cell, &value, sizeof value, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaDeviceSynchronize());
    }

    void enqueue(Engine &engine, cudaStream_t stream = nullptr)
    {
        RunOptions options;
        const std::int64_t rows = layout.end - layout.begin;
        options.region = {0, layout.begin, shape.width, rows};
        engine.enqueue(possible(), View<const float>{cells(), shape.width, shape.height},
                       View<float>{output.data() + first(), shape.width, rows}, stream, options);
    }

    /// Once it has ended: empty if the result holds the CPU's bits and all else the poison.
    std::string difference() const
    {
        std::vector<float> expected(output.size()), found(output.size()), all(sample.size());
        std::memset(expected.data(), 0xFF, expected.size() * sizeof(float));
        entropyOnCpu(shape.width, shape.height, sample.data(), all.data(), 0, shape.height);
        std::copy(all.begin() + std::size_t(layout.begin) * shape.width,
                  all.begin() + std::size_t(layout.end) * shape.width, expected.begin() + first());
        common::download(output, found.data());
        for (std::size_t i = 0; i < found.size(); ++i)
            if (std::memcmp(&found[i], &expected[i], sizeof(float)) != 0)
                return std::to_string(shape.width) + " x " + std::to_string(shape.height) +
                       ", rows from " + std::to_string(layout.begin) + ": result " +
                       std::to_string(std::int64_t(i) - first()) + " is " +
                       std::to_string(found[i]) + ", expected " + std::to_string(expected[i]);
        return "";
    }

private:
    static constexpr int kGuard = 4096; // some rows
    float *cells() { return input.data() + kGuard + layout.sampleOffset; }
    std::int64_t first() const { return kGuard + layout.resultOffset; }

    const Shape shape;
    Layout layout;
    const std::vector<float> sample;
    common::DeviceArray<float> input, output;
};

Engine &sharedEngine()
{
    static Engine &engine = *new Engine;
    return engine;
}

} // namespace

TEST_F(EngineEnqueue, GivesTheBitsOfTheCpu)
{
    for (const Shape shape : {Shape{1, 1}, Shape{5, 5}, Shape{4, 31}, Shape{3, 70}, Shape{128, 12},
                              Shape{129, 17}, Shape{256, 64}, Shape{1000, 700}})
        for (const Layout layout :
             {Layout{}, Layout{1, 2}, Layout{0, 0, shape.height / 3, -1},
              Layout{3, 1, shape.height / 3, (shape.height + 1) / 2 + shape.height / 3}}) {
            Arrays arrays(shape, layout);
            arrays.enqueue(sharedEngine());
            sharedEngine().synchronize();
            ASSERT_EQ(arrays.difference(), "");
        }
}

// More launches than there are counters, large ones among them, which none waits for.
TEST_F(EngineEnqueue, TwoStreams)
{
    const common::Stream streams[2];
    Arrays narrow({1, 230000}), wide({300000, 12}, {}, "smooth"), small({64, 64}),
        large({4500, 3001});
    for (int round = 0; round < 100; ++round) {
        narrow.enqueue(sharedEngine(), streams[0].get());
        wide.enqueue(sharedEngine(), streams[1].get());
        small.enqueue(sharedEngine(), streams[round % 2].get());
        if (round % 10 == 0) large.enqueue(sharedEngine(), streams[0].get());
    }
    sharedEngine().synchronize();
    for (const Arrays *each : {&narrow, &wide, &small, &large}) EXPECT_EQ(each->difference(), "");
}

TEST_F(EngineEnqueue, FollowsWhatTheStreamDidBefore)
{
    const common::Stream stream;
    Arrays arrays({700, 300});
    for (int round = 0; round < 5; ++round) {
        arrays.spoil(3, 99); // overwritten in the stream, before the cells are read there
        arrays.putIn(stream.get());
        arrays.enqueue(sharedEngine(), stream.get());
        sharedEngine().synchronize(); // no bad cell
    }
    EXPECT_EQ(arrays.difference(), "");
}

TEST_F(EngineEnqueue, ThreadsWithTheirStreams)
{
    std::vector<std::string> wrong(3, "did not end");
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&, i] {
            try {
                const common::Stream stream;
                Arrays first({1, 100000 + i}), second({701 + i, 300 - i}, {i, 2 * i, 7 * i, -1});
                for (int round = 0; round < 60; ++round) {
                    first.enqueue(sharedEngine(), stream.get());
                    second.enqueue(sharedEngine(), stream.get());
                    if (round % 20 == 0) sharedEngine().synchronize();
                }
                stream.wait();
                wrong[i] = first.difference() + second.difference();
            } catch (const std::exception &error) {
                wrong[i] = error.what();
            }
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<std::string>(3));
}

TEST_F(EngineEnqueue, BadCellsAreToldOnce)
{
    Engine engine;
    Arrays arrays({400, 50}), good({300, 40});
    for (const float bad : {16.0f, -1.0f, 3.5f, NAN}) {
        arrays.spoil(777, bad);
        arrays.enqueue(engine);
        good.enqueue(engine);
        EXPECT_EQ(statusOf([&] { engine.synchronize(); }, "is not a level"), Status::BadLevel)
            << bad;
        engine.synchronize();
        EXPECT_EQ(good.difference(), "");
        arrays.put();
        arrays.enqueue(engine);
        engine.synchronize();
        EXPECT_EQ(arrays.difference(), "");
    }
}

// Whoever asks first is told; a bad cell that comes while another thread asks is lost to nobody,
// and told once.
TEST_F(EngineEnqueue, BadCellsAreToldThoughOthersAsk)
{
    constexpr int kRounds = 2000;
    Engine engine;
    std::atomic<int> told{0}, asked{0};
    std::atomic<bool> over{false}, ended{false};
    const auto ask = [&] {
        const Status status = statusOf([&] { engine.synchronize(); }, "is not a level");
        if (status == Status::BadLevel) ++told;
        return status == Status::Ok || status == Status::BadLevel;
    };
    std::string wrong = "did not end";
    {
        JoinedThread other(over, [&] {
            try {
                const common::Stream stream;
                Arrays good({64, 64});
                bool expected = true;
                for (; !over; ++asked) {
                    good.enqueue(engine, stream.get());
                    expected = ask() && expected;
                }
                stream.wait();
                wrong = expected ? good.difference() : "an unexpected status";
            } catch (const std::exception &error) {
                wrong = error.what();
            }
            ended = true;
        });
        const common::Stream stream;
        Arrays bad({48, 40});
        bad.spoil(1919, 16);
        int lost = 0;
        for (int round = 0; round < kRounds && !ended; ++round) {
            const int before = told;
            bad.enqueue(engine, stream.get());
            EXPECT_TRUE(ask());
            // The other may have taken it, and not counted it yet.
            for (const int seen = asked; told == before && asked < seen + 2 && !ended;)
                std::this_thread::yield();
            lost += told == before;
        }
        EXPECT_FALSE(ended) << "the other thread gave up";
        EXPECT_EQ(lost, 0);
    }
    EXPECT_EQ(wrong, "");
    EXPECT_EQ(told, kRounds);
}

TEST_F(EngineEnqueue, MemoryElsewhereIsRefused)
{
    EXPECT_EQ(refusal(possible(), "the image is not in the memory of a GPU"), Status::BadArgument);
    static float values[64];
    const auto cells = common::poisoned<float>(64);
    EXPECT_EQ(statusOf(
                  [&] {
                      sharedEngine().enqueue(possible(), View<const float>{cells.data(), 8, 8},
                                             View<float>{values, 8, 8});
                  },
                  "the result is not in the memory of a GPU"),
              Status::BadArgument);
    static const std::uint8_t mask[64] = {};
    auto there = common::poisoned<float>(64);
    RunOptions masked;
    masked.mask = {mask, 8, 8};
    EXPECT_EQ(statusOf(
                  [&] {
                      sharedEngine().enqueue(possible(), View<const float>{cells.data(), 8, 8},
                                             View<float>{there.data(), 8, 8}, nullptr, masked);
                  },
                  "the mask is not in the memory of a GPU"),
              Status::BadArgument);
    sharedEngine().synchronize();
}

// Launches of a graph follow each other; launches outside of it may run meanwhile.
TEST_F(EngineEnqueue, AStreamMayBeCaptured)
{
    Engine engine;
    const common::Stream stream, other;
    Arrays arrays({64, 64}), narrow({3, 90000}), outside({300000, 12});
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
    EXPECT_EQ(
        statusOf([&] { arrays.enqueue(engine, stream.get()); }, "enqueue this filter once before"),
        Status::Unavailable);
    cudaGraph_t graph = nullptr;
    CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphDestroy(graph);

    outside.enqueue(engine, other.get());
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
    arrays.enqueue(engine, stream.get());
    narrow.enqueue(engine, stream.get());
    CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphExec_t launchable = nullptr;
    CUDA_CHECK(cudaGraphInstantiateWithFlags(&launchable, graph, 0));
    EXPECT_NE(arrays.difference(), "") << "nothing was to be computed yet";
    for (int round = 0; round < 10; ++round) {
        CUDA_CHECK(cudaGraphLaunch(launchable, stream.get()));
        outside.enqueue(engine, other.get());
    }
    stream.wait();
    engine.synchronize();
    for (const Arrays *each : {&arrays, &narrow, &outside}) EXPECT_EQ(each->difference(), "");
    cudaGraphExecDestroy(launchable);
    cudaGraphDestroy(graph);
}

TEST_F(EngineEnqueue, AnEngineIsDestroyedOnceItsWorkHasEnded)
{
    Arrays arrays({3000, 3001});
    const common::Stream stream;
    {
        Engine engine;
        for (int round = 0; round < 20; ++round) arrays.enqueue(engine, stream.get());
    }
    stream.wait();
    EXPECT_EQ(arrays.difference(), "");
}

#endif
