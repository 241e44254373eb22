// GPUs that do not answer, that have no memory pools, or that refuse a launch: what needs them says
// so, what can do without goes on. CUDA is made to answer so (cuda_faults.h): most tests need nvcc,
// but no GPU.
#include "common/clock.h"
#include "common/devices.h"
#include "cuda_faults.h"
#include "local_entropy/engine.h"
#include "messages.h"
#include "same_bits.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"
#include "local_entropy/error.h"
#include "local_entropy/memory/stream_memory.h"
#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/launchers.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace local_entropy;

namespace
{

/// 9 x 9 cells of 256 levels, over an image that takes one thread some milliseconds.
struct Asked
{
    static constexpr std::int64_t kWidth = 1500, kHeight = 1000;
    std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(kWidth * kHeight);
    std::vector<float> expected = std::vector<float>(cells.size()), found = expected;
    Filter filter;
    RunOptions options;

    Asked()
    {
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = static_cast<std::uint8_t>(i * i % 251);
        filter.window.width = filter.window.height = 9;
        options.threads = 1;
        Engine().run(filter, image(cells.data()), result(expected.data()), options);
    }
    static View<const std::uint8_t> image(const std::uint8_t *data)
    {
        return {data, kWidth, kHeight};
    }
    static View<float> result(float *data) { return {data, kWidth, kHeight}; }
    bool isRight() const { return sameBits(found, expected); }
};

/// The sentence of the Error of that status which `call` throws; else what it did instead.
template <typename Call>
std::string sentenceOf(Status status, const Call &call)
{
    try {
        call();
    } catch (const Error &error) {
        const std::string wrong = "status " + std::to_string(static_cast<int>(error.status()));
        return error.status() == status ? error.what() : wrong + ": " + error.what();
    }
    return "nothing was thrown";
}

} // namespace

// ---- a GPU that does not answer -----------------------------------------------------------------

TEST(GpuFaults, ACostIsInfiniteWhereTheGpuDoesNotAnswer)
{
    Asked asked;
    const Problem problem = checkedProblem(
        asked.filter, {asked.cells.data(), CellType::Uint8, Asked::kWidth, Asked::kHeight, 0}, {},
        {asked.found.data(), false, Asked::kWidth, Asked::kHeight, 0}, {});
    EXPECT_LT(launchCost(problem), 1e6);
    const CudaFault fault(CudaFault::DoesNotAnswer);
    EXPECT_TRUE(std::isinf(launchCost(problem)));
}

TEST(GpuFaults, ARunGoesOnWhereTheGpuDoesNotAnswer)
{
    Asked asked;
    EngineOptions options;
    options.devices = true;
    Engine engine(options);
    EXPECT_EQ(Everywhere::start(), common::deviceCount() > 0); // who has none may pretend, below
    const int before = unansweredQuestions();
    const common::WallClock clock;
    while (unansweredQuestions() == before && clock.seconds() < 20) { // short calls ask no GPU
        const CudaFault fault(CudaFault::DoesNotAnswer);
        asked.found.assign(asked.found.size(), NAN);
        ASSERT_NO_THROW(engine.run(asked.filter, Asked::image(asked.cells.data()),
                                   Asked::result(asked.found.data()), asked.options));
        EXPECT_TRUE(asked.isRight());
    }
    EXPECT_GT(unansweredQuestions(), before) << "no GPU was asked";
}

TEST(GpuFaults, EnqueueSaysThatTheGpuDoesNotAnswer)
{
    Asked asked; // whose arrays nobody comes to look at
    Engine engine;
    const CudaFault fault(CudaFault::DoesNotAnswer);
    const std::string enqueued = sentenceOf(Status::Internal, [&] {
        engine.enqueue(asked.filter, Asked::image(asked.cells.data()),
                       Asked::result(asked.found.data()), nullptr);
    });
    EXPECT_TRUE(holds(enqueued, "cudaDeviceGetAttribute")) << enqueued;
    const std::string told = sentenceOf(Status::Internal, [&] {
        engine.workspaceBytes(asked.filter, Asked::image(asked.cells.data()),
                              Asked::result(asked.found.data()));
    });
    EXPECT_TRUE(holds(told, "cudaDeviceGetAttribute")) << told;
}

// ---- a GPU without memory pools -----------------------------------------------------------------

TEST(GpuFaults, APoolThatIsNotThereSaysWhatToDo)
{
    const CudaFault fault(CudaFault::NoMemoryPools);
    DevicePool pool(0);
    const std::string message =
        messageOf([&] { const StreamMemory memory(pool, 16, nullptr, "do this"); });
    EXPECT_TRUE(holds(message, "GPU 0 has no memory pools")) << message;
    EXPECT_TRUE(holds(message, ": do this")) << message;
    int used = 0;
    pool.whereMemoryMayBeMissing([&] { ++used; });
    EXPECT_EQ(used, 1);
    const auto lacks = [&] {
        pool.whereMemoryMayBeMissing([] { throw common::Unavailable("a"); });
    };
    EXPECT_EQ(messageOf(lacks), "a");
}

namespace
{

/// In a process in which nobody has made the pool: what is wrong; empty: nothing.
std::string enqueueWithoutPools()
{
    const CudaFault fault(CudaFault::NoMemoryPools);
    Asked asked;
    Engine engine;
    const auto image = common::upload(asked.cells.data(), asked.cells.size());
    auto result = common::poisoned<float>(asked.found.size());
    const auto from = Asked::image(image.data());
    const auto to = Asked::result(result.data());
    const std::string refused =
        sentenceOf(Status::Unavailable, [&] { engine.enqueue(asked.filter, from, to, nullptr); });
    if (!holds(refused, "has no memory pools") || !holds(refused, "pass a workspace"))
        return "without a workspace: " + refused;
    common::DeviceArray<char> workspace(engine.workspaceBytes(asked.filter, from, to));
    asked.options.workspace = {workspace.data(), workspace.bytes()};
    engine.enqueue(asked.filter, from, to, nullptr, asked.options);
    engine.synchronize();
    common::download(result, asked.found.data());
    return asked.isRight() ? "" : "with a workspace: other bits";
}

} // namespace

TEST(GpuFaultsDeathTest, WithoutMemoryPoolsAWorkspaceDoes)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    testing::GTEST_FLAG(death_test_style) = "threadsafe"; // in a process of its own
    EXPECT_EXIT(leaveAfter(enqueueWithoutPools), testing::ExitedWithCode(0), "");
}

// ---- a launch that fails ------------------------------------------------------------------------

namespace
{

int nodesOf(cudaGraph_t graph, cudaGraphNodeType wanted)
{
    std::size_t size = 0;
    CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &size));
    std::vector<cudaGraphNode_t> nodes(size);
    CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &size));
    int found = 0;
    for (const cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type{};
        CUDA_CHECK(cudaGraphNodeGetType(node, &type));
        found += type == wanted;
    }
    return found;
}

} // namespace

// Else no executable of this graph could be launched twice.
TEST(GpuFaults, AGraphFreesTheMemoryOfALaunchThatFailed)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    constexpr int kWidth = 256, kHeight = 64;
    const std::vector<float> cells(kWidth * kHeight, 3);
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    CUDA_CHECK(cudaDeviceSynchronize());
    EngineOptions options;
    options.method = "words";
    Engine engine(options);
    Filter filter;
    filter.levels.count = 16;
    filter.nanIsError = true;
    const common::Stream stream;
    const auto enqueue = [&] {
        engine.enqueue(filter, View<const float>{image.data(), kWidth, kHeight},
                       View<float>{result.data(), kWidth, kHeight}, stream.get());
    };
    enqueue();
    engine.synchronize();
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    {
        const CudaFault fault(CudaFault::LaunchesFail);
        const std::string message = sentenceOf(Status::Internal, enqueue);
        EXPECT_TRUE(holds(message, "cudaLaunchKernelEx")) << message;
    }
    EXPECT_NO_THROW(enqueue());
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
    EXPECT_EQ(nodesOf(graph, cudaGraphNodeTypeMemAlloc), 2);
    EXPECT_EQ(nodesOf(graph, cudaGraphNodeTypeMemFree), 2);
    CUDA_CHECK(cudaGraphDestroy(graph));
}

#else

TEST(GpuFaults, NeedCuda) { GTEST_SKIP() << common::whyNoDevice(); }

#endif
