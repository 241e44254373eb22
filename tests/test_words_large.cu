// The GPU engine on arrays of more cells than 32 bits count.
#include "words_device.h"

#ifdef __CUDACC__
#include "common/host_device.h"

using namespace engine_gpu;

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
