// The plumbing around a GPU. Without one, or without nvcc, each test is skipped by name.
#include "common/copy_speed.h"
#include "common/devices.h"
#include "common/measure.h"

#include <cstring>
#include <gtest/gtest.h>
#include <omp.h>
#include <vector>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/device_stream.h"
#include "common/device_texture.h"
#include "common/grid.h"
#include "common/launch.h"
#include "common/read_speed.h"

#include <atomic>
#include <cmath>
#include <thread>
#endif

class Device : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};

TEST(Devices, NoDeviceHasAReason)
{
    EXPECT_EQ(common::deviceCount() > 0, common::whyNoDevice().empty());
}

// By one thread, it takes as long as any copy of as many bytes.
TEST(HostCopy, IsOfAllTheFloats)
{
    constexpr std::size_t kSize = 1 << 22;
    const std::vector<float> from(kSize, 1);
    std::vector<float> to(kSize, 2);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const double usual = common::measure(
                             [&] {
                                 std::memcpy(to.data(), from.data(), kSize * sizeof(float));
                                 return to[kSize - 1];
                             },
                             [](float last) { EXPECT_EQ(last, 1); })
                             .minimum;
    const double found = common::hostCopy(kSize).minimum;
    omp_set_num_threads(before);
    EXPECT_GT(found, 0.4 * usual);
    EXPECT_LT(found, 2.5 * usual);
}

#ifdef __CUDACC__

__global__ void addOne(int size, const int *input, int *output)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) output[i] = input[i] + 1;
}

__global__ void readTextures(cudaTextureObject_t line, cudaTextureObject_t plane, float *output)
{
    output[0] = tex1Dfetch<float>(line, 2);
    output[1] = tex2D<float>(plane, 1 + 0.5f, 2 + 0.5f);
}

/// Nanoseconds.
__device__ unsigned long long now()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

/// Lasts so long.
__global__ void spin(unsigned long long nanoseconds)
{
    const unsigned long long start = now();
    while (now() - start < nanoseconds) {
    }
}

/// By how much that clock goes on at once: on some GPUs by a millisecond.
__global__ void measureStep(unsigned long long *step)
{
    const unsigned long long start = now();
    unsigned long long first, second;
    while ((first = now()) == start) {
    }
    while ((second = now()) == first) {
    }
    *step = second - first;
}

/// Has an array of 256 bytes that no register can hold.
__global__ void shuffle(const int *places, int *output)
{
    int cells[64];
    for (int i = 0; i < 64; ++i) cells[places[i] % 64] = places[i];
    for (int i = 0; i < 64; ++i) output[i] = cells[places[64 + i] % 64];
}

// A grid is 65535 blocks high at most.
TEST(Grids, CoverAnArray)
{
    const auto sides = [](const dim3 &grid) {
        return std::vector<unsigned>{grid.x, grid.y, grid.z};
    };
    using Sides = std::vector<unsigned>;
    EXPECT_EQ(sides(common::gridOf(33, 64, 32, 32)), (Sides{2, 2, 1}));
    EXPECT_EQ(sides(common::gridOf(1, 65535 * 8, 8, 8)), (Sides{1, 65535, 1}));
    EXPECT_THROW(common::gridOf(1, 65535 * 8 + 1, 8, 8), common::Unavailable);
    EXPECT_EQ(sides(common::gridOf(65536 * 8, 1, 8, 8)), (Sides{65536, 1, 1}));
    EXPECT_EQ(sides(common::foldedGridOf(1, 65535 * 8, 8, 8)), (Sides{1, 65535, 1}));
    EXPECT_EQ(sides(common::foldedGridOf(9, 65535 * 8 + 1, 8, 8)), (Sides{2, 32768, 2}));
    EXPECT_EQ(sides(common::foldedGridOf(9, 131070 * 8 + 1, 8, 8)), (Sides{2, 43691, 3}));
}

TEST(CudaCheck, NamesCallPlaceAndCause)
{
    EXPECT_NO_THROW(CUDA_CHECK(cudaSuccess));
    try {
        CUDA_CHECK(cudaErrorInvalidValue);
        FAIL();
    } catch (const common::Error &error) {
        const std::string message = error.what();
        for (const char *part : {"cudaErrorInvalidValue failed at", "test_device.cu:", "invalid"})
            EXPECT_NE(message.find(part), std::string::npos) << message;
    }
    EXPECT_THROW(CUDA_CHECK(cudaErrorMemoryAllocation), common::Unavailable);
}

TEST_F(Device, RoundTripThroughAKernel)
{
    const std::vector<int> input = {3, 1, 4, 1, 5};
    const auto deviceInput = common::upload(input.data(), input.size());
    auto deviceOutput = common::poisoned<int>(input.size());
    common::launch(addOne, 1, 32, static_cast<int>(input.size()), deviceInput.data(),
                   deviceOutput.data());
    const auto output = common::download(deviceOutput);
    for (std::size_t i = 0; i < input.size(); ++i) EXPECT_EQ(output[i], input[i] + 1);
}

TEST_F(Device, PoisonReadsAsNaN)
{
    const auto cells = common::download(common::poisoned<float>(1000));
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(std::isnan(cells[i]));
}

TEST_F(Device, ARefusedLaunchThrows)
{
    EXPECT_THROW(common::launch(addOne, 1, 4096, 0, nullptr, nullptr), common::Error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the error must not stick";
}

TEST_F(Device, TooMuchMemoryIsUnavailable)
{
    EXPECT_THROW(common::DeviceArray<char>(std::size_t(1) << 50), common::Unavailable);
}

TEST_F(Device, AnEventThatHasNotComeIsNoError)
{
    const common::Stream stream;
    common::Event event;
    std::atomic<bool> isOpen{false};
    const auto wait = [](void *gate) {
        while (!*static_cast<std::atomic<bool> *>(gate)) std::this_thread::yield();
    };
    CUDA_CHECK(cudaLaunchHostFunc(stream.get(), wait, &isOpen));
    event.record(stream.get());
    EXPECT_EQ(event.status(), cudaErrorNotReady);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    isOpen = true;
    stream.wait();
    EXPECT_EQ(event.status(), cudaSuccess);
}

TEST_F(Device, ArraysMove)
{
    common::DeviceArray<int> a(10);
    int *const data = a.data();
    const common::DeviceArray<int> b = std::move(a);
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(b.size(), 10u);
    EXPECT_EQ(a.data(), nullptr);
}

TEST_F(Device, KernelsAreTimedOnRequest)
{
    const auto input = common::poisoned<int>(1);
    auto output = common::poisoned<int>(1);
    common::KernelTimes times;
    common::launch(addOne, 1, 1, 1, input.data(), output.data());
    const common::Timing timing = times.slowestDevice();
    EXPECT_GE(timing.repeats, 5u);
    EXPECT_GT(timing.minimum, 0);
    EXPECT_LT(timing.median, 10);
    EXPECT_GT(times.resources().registers, 0);
    EXPECT_GT(times.resources().occupancy, 0);
    EXPECT_LE(times.resources().occupancy, 1);
}

// What is quick is timed several at a time, and the time is that of one. Who else uses the GPU
// makes some runs longer, not all of them.
TEST_F(Device, AKernelTakesTheTimeThatItLasts)
{
    common::DeviceArray<unsigned long long> step(1);
    common::launch(measureStep, 1, 1, step.data());
    if (common::download(step)[0] > 2000) GTEST_SKIP() << "needs a finer clock of the GPU";
    for (const double milliseconds : {0.02, 0.5}) {
        common::KernelTimes times;
        common::launch(spin, 1, 1, static_cast<unsigned long long>(1e6 * milliseconds));
        EXPECT_GE(times.slowestDevice().median, 0.95 * milliseconds);
        EXPECT_LE(times.slowestDevice().minimum, milliseconds + 0.03);
    }
    common::KernelTimes times;
    common::runOnDevice([] {
        for (int twice = 0; twice < 2; ++twice) common::submit(spin, 1, 1, 200000ull);
    });
    EXPECT_GE(times.slowestDevice().median, 0.38);
    EXPECT_LE(times.slowestDevice().minimum, 0.46);
}

// Threads, not blocks: with as many blocks, blocks of 32 threads fill 32 times as much as those of
// one.
TEST_F(Device, ResourcesAreThoseOfTheKernel)
{
    const double one = common::resourcesOf(addOne, 1).occupancy,
                 warp = common::resourcesOf(addOne, 32).occupancy;
    EXPECT_DOUBLE_EQ(warp, 32 * one);
    EXPECT_GT(warp, 0.1);
    EXPECT_LE(warp, 1);
    EXPECT_EQ(common::resourcesOf(addOne, 32).localBytes, 0u);
    EXPECT_GE(common::resourcesOf(shuffle, 1).localBytes, 256u);
}

// Faster than the memory can be is what leaves out a part.
TEST_F(Device, NoCopyAndNoReadIsFasterThanTheMemory)
{
    int kilohertz = 0, bits = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    if (kilohertz == 0 || bits == 0) GTEST_SKIP() << "needs a GPU that tells its memory's speed";
    const double most = 2.0 * kilohertz * bits / 8; // bytes a millisecond, twice a clock
    constexpr std::size_t kBytes = std::size_t(1) << 29;
    EXPECT_LT(2 * kBytes / common::deviceCopy(kBytes / sizeof(float)).median, 1.1 * most);
    EXPECT_LT(kBytes / common::deviceRead(kBytes).median, 1.1 * most);
}

TEST_F(Device, TexturesReadTheElementAsked)
{
    const std::vector<float> line = {10, 11, 12, 13}, plane = {0, 1, 2, 3, 4, 5}; // 2 wide, 3 high
    auto deviceLine = common::upload(line.data(), line.size());
    const common::Texture lineTexture(common::linearResource(deviceLine.data(), line.size()));
    const common::TextureArray array(plane.data(), 2, 3);
    const common::Texture planeTexture(array.resource());
    auto output = common::poisoned<float>(2);
    common::launch(readTextures, 1, 1, lineTexture.get(), planeTexture.get(), output.data());
    const auto values = common::download(output);
    EXPECT_EQ(values[0], 12);
    EXPECT_EQ(values[1], 5);
}

TEST_F(Device, CopySpeedIsMeasured)
{
    const common::Timing copy = common::deviceCopy(1 << 20);
    EXPECT_GE(copy.repeats, 5u);
    EXPECT_GT(copy.minimum, 0);
}

TEST_F(Device, ReadSpeedIsMeasured)
{
    for (const std::size_t bytes : {1, 16, 1 << 20}) {
        const common::Timing read = common::deviceRead(bytes);
        EXPECT_GE(read.repeats, 5u);
        EXPECT_GT(read.minimum, 0);
    }
}

TEST_F(Device, SeveralKernelsAreTimedAsOne)
{
    const auto input = common::poisoned<int>(1);
    auto middle = common::poisoned<int>(1), output = common::poisoned<int>(1);
    int submitted = 0;
    const auto work = [&] {
        ++submitted;
        common::submit(addOne, 1, 1, 1, input.data(), middle.data());
        common::submit(addOne, 1, 1, 1, middle.data(), output.data());
    };
    common::runOnDevice(work);
    EXPECT_EQ(submitted, 1) << "nobody asked for times";
    EXPECT_EQ(common::download(output)[0], 1); // poison reads as -1
    common::KernelTimes times;
    common::runOnDevice(work);
    EXPECT_GE(times.slowestDevice().repeats, 5u);
    EXPECT_GE(submitted, 7);
}

TEST_F(Device, ScopeRestoresTheDevice)
{
    int before = -1, after = -1;
    ASSERT_EQ(cudaGetDevice(&before), cudaSuccess);
    {
        const common::DeviceScope scope(common::deviceCount() - 1);
    }
    ASSERT_EQ(cudaGetDevice(&after), cudaSuccess);
    EXPECT_EQ(before, after);
}

#endif
