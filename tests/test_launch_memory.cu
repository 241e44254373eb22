// The memory that launches work in: one pool of a GPU for all methods, which gives back what it
// keeps where memory would else be missing. Without a GPU, or without nvcc, each test is skipped.
#include "launches.h"

#ifdef __CUDACC__
#include "common/launch.h"
#endif

using namespace local_entropy;

namespace
{

using LaunchMemory = Launches;

} // namespace

#ifdef __CUDACC__

namespace
{

__global__ void countOthers(std::size_t size, const float *values, float value, int *count)
{
    const std::size_t stride = std::size_t(blockDim.x) * gridDim.x;
    int others = 0;
    for (std::size_t i = std::size_t(blockDim.x) * blockIdx.x + threadIdx.x; i < size; i += stride)
        others += !(values[i] == value);
    atomicAdd(count, others);
}

std::size_t freeBytes()
{
    std::size_t left = 0, all = 0;
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemGetInfo(&left, &all));
    return left;
}

/// Calls of engines of one method each, for the first rows of a large image with a mask: so all of
/// its levels are loaded into memory that the engine takes.
class Calls
{
public:
    static constexpr std::int64_t kWidth = 16384, kHeight = 16384;
    static constexpr std::size_t kPlane = kWidth * kHeight; ///< bytes

    Calls() : image(kPlane), result(kPlane)
    {
        CUDA_CHECK(cudaMemset(image.data(), 1, image.bytes()));
    }

    /// One level everywhere: all results are 0, before the call they are NaN.
    void run(Engine &engine, std::int64_t rows)
    {
        CUDA_CHECK(cudaMemset(result.data(), 0xff, result.bytes()));
        Filter filter;
        filter.window.width = filter.window.height = 5;
        RunOptions options;
        options.mask = {image.data(), kWidth, rows};
        engine.enqueue(filter, View<const std::uint8_t>{image.data(), kWidth, rows},
                       View<float>{result.data(), kWidth, rows}, stream.get(), options);
        engine.synchronize();
        CUDA_CHECK(cudaMemset(wrong.data(), 0, wrong.bytes()));
        common::launch(countOthers, 1024, 256, static_cast<std::size_t>(kWidth * rows),
                       result.data(), 0.0f, wrong.data());
        EXPECT_EQ(common::download(wrong)[0], 0);
    }

private:
    common::DeviceArray<std::uint8_t> image;
    common::DeviceArray<float> result;
    common::DeviceArray<int> wrong{1};
    const common::Stream stream;
};

} // namespace

TEST_F(LaunchMemory, IsSharedByMethodsAndEngines)
{
    Calls calls;
    Engine histogram = engineOf("histogram"), equal = engineOf("equal");
    calls.run(equal, 16); // its tables, and its code
    calls.run(histogram, Calls::kHeight);
    const std::size_t before = freeBytes();
    calls.run(equal, Calls::kHeight);
    EXPECT_GT(freeBytes() + Calls::kPlane / 4, before);
}

// CUDA may find by itself what a pool keeps; where it does not, the pool gives it back.
TEST_F(LaunchMemory, ThatIsKeptIsGivenBackWhereMemoryIsMissing)
{
    Calls calls;
    Engine engine = engineOf("histogram");
    const std::int64_t fewRows = Calls::kHeight * 7 / 8; // keeps less than the next call needs
    calls.run(engine, fewRows);
    const std::size_t left = freeBytes(), leave = Calls::kPlane / 2;
    ASSERT_GT(left, leave);
    const common::DeviceArray<char> others(left - leave);
    EXPECT_LT(freeBytes(), Calls::kPlane);
    calls.run(engine, Calls::kHeight); // throws Unavailable where the pool keeps what it has
    EXPECT_LT(freeBytes(), leave) << "what it needs is more than was left";
}

#else

TEST_F(LaunchMemory, IsSharedByMethodsAndEngines) {}
TEST_F(LaunchMemory, ThatIsKeptIsGivenBackWhereMemoryIsMissing) {}

#endif
