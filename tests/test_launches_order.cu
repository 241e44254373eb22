// Launches may begin while what is before them in their stream still runs
// (common/dependent_launch.h): none reads what that has not written yet. Here it is slow, since a
// race that is lost by a microsecond is seldom seen.
#include "launches.h"

#ifdef __CUDACC__
#include "common/dependent_launch.h"
#include "common/managed_array.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace local_entropy;

namespace
{

constexpr int kWidth = 1200, kHeight = 40;

/// A caller's kernel: lets the next one begin at once, takes its time, and then writes.
template <typename Cell>
__global__ void writeLate(Cell *to, const Cell *from, int cells)
{
    constexpr long long kCycles = 1 << 22; // some 2 milliseconds
    common::letNextKernelStart();
    const long long begin = clock64();
    while (clock64() - begin < kCycles) continue;
    for (int i = static_cast<int>(threadIdx.x); i < cells; i += static_cast<int>(blockDim.x))
        to[i] = from[i];
}

struct Asked
{
    const char *method;
    int side, levels;
};

Filter filterOf(const Asked &asked)
{
    Filter filter;
    filter.window.width = filter.window.height = asked.side;
    filter.levels.count = asked.levels;
    filter.nanIsError = true;
    if (std::string(asked.method) == "footprint") {
        filter.window.footprint.assign(asked.side * asked.side, 1);
        filter.window.footprint[0] = 0;
    }
    return filter;
}

/// Levels, and what the CPU makes of them.
template <typename Cell>
struct Picture
{
    Picture(const Filter &filter, int most) : cells(kWidth * kHeight), expected(cells.size())
    {
        std::mt19937 random(1);
        for (Cell &cell : cells) cell = static_cast<Cell>(random() % static_cast<unsigned>(most));
        Engine().run(filter, View<const Cell>{cells.data(), kWidth, kHeight},
                     View<float>{expected.data(), kWidth, kHeight});
    }

    bool isAnswered(const common::DeviceArray<float> &result) const
    {
        const auto found = common::download(result);
        return std::memcmp(found.get(), expected.data(), result.bytes()) == 0;
    }

    std::vector<Cell> cells;
    std::vector<float> expected;
};

/// A caller's kernel writes the image: before, no cell of it is a level.
template <typename Cell>
void writeTheImageLate(const Asked &asked)
{
    const Filter filter = filterOf(asked);
    const Picture<Cell> picture(filter, asked.levels);
    const auto from = common::upload(picture.cells.data(), picture.cells.size());
    const common::Stream stream;
    Engine engine = engineOf(asked.method);
    for (int times = 0; times < 3; ++times) { // at first there are tables to make
        auto image = common::poisoned<Cell>(picture.cells.size());
        auto result = common::poisoned<float>(picture.cells.size());
        CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for the default one
        writeLate<<<1, 256, 0, stream.get()>>>(image.data(), from.data(), kWidth * kHeight);
        CUDA_CHECK(cudaGetLastError());
        engine.enqueue(filter, View<const Cell>{image.data(), kWidth, kHeight},
                       View<float>{result.data(), kWidth, kHeight}, stream.get());
        EXPECT_NO_THROW(engine.synchronize()) << asked.method << ", side " << asked.side;
        EXPECT_TRUE(picture.isAnswered(result)) << asked.method << ", side " << asked.side;
    }
}

/// The plane is loaded page by page from the memory of the host, and holds other cells before.
void loadThePlaneLate(const Asked &asked)
{
    Filter filter = filterOf(asked);
    filter.levels.binned = true; // floats: such an image never stays where it is
    filter.levels.high = asked.levels;
    const Picture<float> picture(filter, asked.levels);
    const std::size_t bytes = picture.cells.size() * sizeof(float);
    common::ManagedArray<float> image(picture.cells.size());
    auto result = common::poisoned<float>(picture.cells.size());
    const View<const float> from{image.data(), kWidth, kHeight};
    const View<float> to{result.data(), kWidth, kHeight};
    const common::Stream stream;
    Engine engine = engineOf(asked.method);
    const std::size_t needed = engine.workspaceBytes(filter, from, to);
    ASSERT_GT(needed, 0u) << asked.method; // there is a plane to load
    common::DeviceArray<char> memory(needed);
    RunOptions options;
    options.workspace = {memory.data(), memory.bytes()};
    for (int times = 0; times < 4; ++times) { // at first there are tables to make
        std::memcpy(image.data(), picture.cells.data(), bytes); // its pages move to the host
        CUDA_CHECK(cudaMemset(memory.data(), 0, memory.bytes()));
        CUDA_CHECK(cudaMemset(result.data(), 0xFF, result.bytes()));
        CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for the default one
        engine.enqueue(filter, from, to, stream.get(), options);
        engine.synchronize();
        EXPECT_TRUE(picture.isAnswered(result)) << asked.method << ", side " << asked.side;
    }
}

} // namespace

TEST_F(Launches, WaitForTheKernelThatWritesTheirImage)
{
    for (const Asked &asked : {Asked{"words", 5, 16}, Asked{"levels", 9, 2}, Asked{"levels", 9, 16},
                               Asked{"equal", 3, 200}, Asked{"equal", 5, 200},
                               Asked{"histogram", 9, 200}, Asked{"footprint", 9, 200}})
        writeTheImageLate<std::uint8_t>(asked);
    writeTheImageLate<float>({"words", 5, 16});
    for (const Asked &asked : {Asked{"wide", 15, 4000}, Asked{"equal", 5, 4000}})
        writeTheImageLate<std::uint16_t>(asked);
}

TEST_F(Launches, WaitForTheKernelThatLoadsTheirPlane)
{
    for (const Asked &asked :
         {Asked{"words", 5, 16}, Asked{"levels", 9, 2}, Asked{"levels", 9, 16},
          Asked{"equal", 3, 256}, Asked{"equal", 5, 256}, Asked{"histogram", 9, 256},
          Asked{"footprint", 9, 256}, Asked{"wide", 15, 4096}})
        loadThePlaneLate(asked);
}

#else

TEST_F(Launches, WaitingNeedsCuda) {}

#endif
