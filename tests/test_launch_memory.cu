// The memory that launches work in: one pool of a GPU for all methods, which gives back what it
// keeps where memory would else be missing. Without a GPU, or without nvcc, each test is skipped.
#include "launches.h"

#include <cstdint>
#include <vector>

using namespace local_entropy;

namespace
{

using LaunchMemory = Launches;

} // namespace

#ifdef __CUDACC__

namespace
{

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

    void run(Engine &engine, int side, std::int64_t rows, int levels = 256)
    {
        Filter filter;
        filter.window.width = filter.window.height = side;
        filter.levels.count = levels;
        RunOptions options;
        options.mask = {image.data(), kWidth, rows};
        engine.enqueue(filter, View<const std::uint8_t>{image.data(), kWidth, rows},
                       View<float>{result.data(), kWidth, rows}, stream.get(), options);
        engine.synchronize();
    }

private:
    common::DeviceArray<std::uint8_t> image;
    common::DeviceArray<float> result;
    const common::Stream stream;
};

Engine engineOf(const char *method)
{
    EngineOptions options;
    options.method = method;
    return Engine(options);
}

} // namespace

TEST_F(LaunchMemory, IsSharedByMethodsAndEngines)
{
    Calls calls;
    Engine histogram = engineOf("histogram"), equal = engineOf("equal");
    calls.run(equal, 5, 16); // its tables, and its code
    calls.run(histogram, 5, Calls::kHeight);
    const std::size_t before = freeBytes();
    calls.run(equal, 5, Calls::kHeight);
    EXPECT_GT(freeBytes() + Calls::kPlane / 4, before);
}

// CUDA may find what a pool keeps by itself; where it does not, the pool gives it back. So large
// pieces are found, and tables, which are not of the pool.
TEST_F(LaunchMemory, ThatIsKeptIsThereForLargerCallsAndForTables)
{
    Calls calls;
    Engine engine = engineOf("histogram");
    const std::int64_t fewRows = Calls::kHeight * 7 / 8; // keeps less than all rows need
    calls.run(engine, 5, fewRows);
    const std::size_t left = freeBytes(), leave = Calls::kPlane / 2;
    ASSERT_GT(left, leave);
    const common::DeviceArray<char> others(left - leave);
    EXPECT_LT(freeBytes(), Calls::kPlane);
    calls.run(engine, 5, Calls::kHeight);
    std::vector<common::DeviceArray<char>> small;
    constexpr std::size_t kSmall = 1 << 20;
    while (freeBytes() >= kSmall && small.size() * kSmall < leave) small.emplace_back(kSmall);
    Engine levels = engineOf("levels");
    calls.run(levels, 31, fewRows, 2); // a table of almost 2 MB
}

#else

TEST_F(LaunchMemory, IsSharedByMethodsAndEngines) {}
TEST_F(LaunchMemory, ThatIsKeptIsThereForLargerCallsAndForTables) {}

#endif
