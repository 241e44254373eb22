// The GPU engine's launches: several in a row, several at once, and those that are refused.
#include "words_device.h"

#ifdef __CUDACC__
#include "common/device_stream.h"

#include <cmath>
#include <limits>
#include <thread>

using namespace engine_gpu;

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
        EXPECT_EQ(compute<words::Level>(gpu, shape, makeSample("flat", shape)), "");
}

// In memory that had other numbers before: cudaMalloc gives out again what was freed last. Where it
// does not, new memory is most often zero, and this test sees nothing.
TEST_F(EngineGpu, TheCountsOfAllLaunchesBeginWithZero)
{
    constexpr int kCounters = 64;
    std::vector<common::DeviceArray<unsigned>> stay, go; // what comes next takes the place of one
    for (int i = 0; i < kCounters; ++i)
        for (auto *const all : {&stay, &go}) {
            all->emplace_back(kCounters);
            CUDA_CHECK(cudaMemset(all->back().data(), 0x5A, all->back().bytes()));
        }
    go.clear();
    words::Gpu gpu(std::numeric_limits<int>::max(), kCounters);
    const Shape shape{300000, 12};
    const auto sample = makeSample("random", shape);
    for (const int counter : {0, 1, 31, kCounters - 1}) {
        Arrays<float> arrays(shape, sample);
        gpu.launch(shape.width, shape.height, arrays.inputData(), arrays.outputData(), 0,
                   shape.height, nullptr, counter);
        CUDA_CHECK(cudaDeviceSynchronize());
        EXPECT_EQ(arrays.difference(), "") << counter;
    }
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
    const auto levels = common::poisoned<words::Level>(64);
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
    const auto strideOf = [&](std::int64_t resultStride) {
        gpu.launch({4, 4, 4, 0, 4, 0, 4}, 16, levels.data(), output.data(), resultStride);
    };
    EXPECT_THROW(strideOf(1ll << 32), common::Error) << "pitches of results have 32 bits";
    launch(4, 4, 2, 2); // none
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_FALSE(gpu.sawBadCell());
    const auto untouched = common::download(output);
    for (int i = 0; i < 64; ++i) EXPECT_TRUE(std::isnan(untouched[i]));
}

#endif
