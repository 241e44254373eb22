// Launches that are captured into a graph, and what must not be.
#include "launches.h"
#include "same_bits.h"

#ifdef __CUDACC__

using namespace local_entropy;

// Its tables cannot be made there. The capture goes on, with filters that are known.
TEST_F(Launches, RefuseANewFilterInACapture)
{
    constexpr int kWidth = 200, kHeight = 40;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::uint8_t>(i * i % 97);
    std::vector<float> expected(cells.size()), found(cells.size());
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    const View<const std::uint8_t> from{image.data(), kWidth, kHeight};
    const View<float> to{result.data(), kWidth, kHeight};
    for (const char *method : {"plain", "histogram", "equal", "levels", "wide"}) {
        SCOPED_TRACE(method);
        Engine cpu, engine = engineOf(method);
        const common::Stream stream;
        Filter known, unknown;
        known.levels.count = unknown.levels.count = std::string(method) == "levels" ? 30 : 100;
        known.levels.clamp = unknown.levels.clamp = true;
        unknown.window.height = 4;
        engine.enqueue(known, from, to, stream.get());
        stream.wait();
        CUDA_CHECK(cudaMemset(result.data(), 0xFF, result.bytes()));
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
        try {
            engine.enqueue(unknown, from, to, stream.get());
            ADD_FAILURE() << "not refused";
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::Unavailable) << error.what();
        }
        EXPECT_NO_THROW(engine.enqueue(known, from, to, stream.get()));
        cudaGraph_t graph = nullptr;
        EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
        cudaGraphExec_t executable = nullptr;
        ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
        CUDA_CHECK(cudaGraphLaunch(executable, stream.get()));
        stream.wait();
        common::download(result, found.data());
        cpu.run(known, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
                View<float>{expected.data(), kWidth, kHeight});
        EXPECT_TRUE(sameBits(found, expected));
        CUDA_CHECK(cudaGraphExecDestroy(executable));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
}

// Nobody knows when a graph is launched: what its kernels have seen is asked for each time.
TEST_F(Launches, OfAGraphTellABadCellEachTime)
{
    constexpr int kWidth = 200, kHeight = 40, kLevels = 16;
    std::vector<std::uint8_t> cells(kWidth * kHeight, 3);
    const auto good = common::upload(cells.data(), cells.size());
    cells[7 * kWidth + 11] = kLevels;
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    const View<float> to{result.data(), kWidth, kHeight};
    for (const char *method : {"words", "histogram", "equal", "levels", "plain"}) {
        SCOPED_TRACE(method);
        Engine engine = engineOf(method);
        const common::Stream stream;
        Filter filter;
        filter.window.width = filter.window.height = 5;
        filter.levels.count = kLevels;
        engine.enqueue(filter, View<const std::uint8_t>{good.data(), kWidth, kHeight}, to,
                       stream.get());
        engine.synchronize();
        CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
        EXPECT_NO_THROW(engine.enqueue(
            filter, View<const std::uint8_t>{image.data(), kWidth, kHeight}, to, stream.get()));
        cudaGraph_t graph = nullptr;
        ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
        cudaGraphExec_t executable = nullptr;
        ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
        for (int time = 0; time < 3; ++time) {
            CUDA_CHECK(cudaGraphLaunch(executable, stream.get()));
            stream.wait();
            try {
                engine.synchronize();
                ADD_FAILURE() << "not told, launch " << time;
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), Status::BadLevel);
                EXPECT_NE(std::string(error.what()).find("x 11, y 7 "), std::string::npos)
                    << error.what();
            }
            EXPECT_NO_THROW(engine.synchronize());
        }
        CUDA_CHECK(cudaGraphExecDestroy(executable));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
}

#else

TEST_F(Launches, OfACaptureNeedCuda) {}

#endif
