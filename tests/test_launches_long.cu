// Arrays of ten columns and ten million rows, and the other way round, under every border: on every
// GPU of the machine, and by CPU and GPUs together, against the CPU, bit for bit.
#include "launches.h"
#include "same_bits.h"

#ifdef __CUDACC__
#include "common/threads.h"
#include "local_entropy/windows.h"
#include "shared_call.h"

#include <iterator>

namespace
{

using namespace local_entropy;

constexpr int kShort = 10, kLong = 10000000;

/// Runs of equal cells, a few cells long, so that windows have many and few levels.
std::vector<std::uint8_t> someCells()
{
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(kShort) * kLong);
    unsigned random = 11;
    std::uint8_t last = 0;
    for (std::uint8_t &cell : cells) {
        random = random * 1664525 + 1013904223;
        if (random >> 30 == 0) last = static_cast<std::uint8_t>(random >> 16);
        cell = last;
    }
    return cells;
}

/// Windows and levels for histogram, words, footprint, equal and levels.
struct Case
{
    Window window;
    int levels;
};

std::vector<Case> cases()
{
    using trial_windows::disk, trial_windows::rectangle;
    return {{rectangle(5, 5), 256}, {rectangle(5, 5), 16},  {rectangle(9, 9), 256},
            {disk(3), 256},         {rectangle(3, 3), 256}, {rectangle(15, 15), 16}};
}

constexpr Border kBorders[] = {Border::Cut,     Border::Constant, Border::Nearest,
                               Border::Reflect, Border::Mirror,   Border::Wrap};

/// For each case, under one border each, all in turn: check(filter, cells, expected). Another
/// `first` border gives other pairs.
template <typename Check>
void forEachCase(int width, int height, std::size_t first, const Check &check)
{
    const std::vector<std::uint8_t> all = someCells();
    Engine cpu;
    for (const Case &one : cases()) {
        Filter filter;
        filter.window = one.window;
        filter.levels.count = one.levels;
        filter.border = kBorders[first++ % std::size(kBorders)];
        std::vector<std::uint8_t> cells = all;
        for (std::uint8_t &cell : cells) cell = static_cast<std::uint8_t>(cell % one.levels);
        const View<const std::uint8_t> image{cells.data(), width, height, width};
        std::vector<float> expected(cells.size(), -1.f);
        cpu.run(filter, image, View<float>{expected.data(), width, height, width});
        check(filter, image, expected);
        ASSERT_FALSE(testing::Test::HasFailure())
            << filter.window.width << " of " << one.levels << " levels, border "
            << static_cast<int>(filter.border);
    }
}

using Cells = View<const std::uint8_t>;
using Values = std::vector<float>;

void askEveryDevice(const Filter &filter, const Cells &image, const Values &expected)
{
    for (int device = 0; device < common::deviceCount(); ++device) {
        CUDA_CHECK(cudaSetDevice(device));
        Values found(expected.size(), -2.f);
        OnDevice<const std::uint8_t> cells(image);
        auto values = common::poisoned<float>(found.size());
        Engine engine;
        engine.enqueue(filter, cells.view(),
                       View<float>{values.data(), image.width, image.height, image.width});
        engine.synchronize();
        common::download(values, found.data());
        EXPECT_TRUE(sameBits(found, expected)) << "GPU " << device;
    }
    CUDA_CHECK(cudaSetDevice(0));
}

/// Under which borders a tile that reaches beyond the edge goes through a GPU: those of which it
/// needs no cells of another tile. All tiles of ten columns, or ten rows, reach beyond it.
bool goesThroughGpus(const Filter &filter)
{
    return filter.border == Border::Cut || filter.border == Border::Constant ||
           filter.border == Border::Nearest;
}

/// An engine might leave all to the CPU: so nobody is asked whether GPUs pay, and some tiles must
/// have gone through them.
void askAllTogether(const Filter &filter, const Cells &image, const Values &expected)
{
    Values found(expected.size(), -2.f);
    const Problem problem = checkedProblem(
        filter, {image.data, CellType::Uint8, image.width, image.height, image.stride}, {},
        {found.data(), false, image.width, image.height, image.width}, {});
    const std::int64_t tiles = computeShared(problem, {}, common::offeredThreads());
    EXPECT_EQ(tiles > 0, goesThroughGpus(filter)) << tiles << " tiles through a GPU";
    EXPECT_TRUE(sameBits(found, expected)) << "together";
}

void askOf(int width, int height, std::size_t firstBorder)
{
    forEachCase(width, height, firstBorder,
                [](const Filter &filter, const Cells &image, const Values &expected) {
                    askEveryDevice(filter, image, expected);
                    askAllTogether(filter, image, expected);
                });
}

} // namespace

TEST_F(Launches, OfTenMillionRowsGiveTheBitsOfTheCpu) { askOf(kShort, kLong, 0); }

TEST_F(Launches, OfTenMillionColumnsGiveTheBitsOfTheCpu) { askOf(kLong, kShort, 3); }

#else

TEST_F(Launches, OfLongArraysNeedCuda) {}

#endif
