// Packed histograms in the memory of a GPU (launches.h), where most windows are whole.
#include "launches.h"

#ifdef __CUDACC__
#include <initializer_list>
#include <random>
#include <utility>

using namespace local_entropy;

// Random questions have small images: here most windows are whole, many rows long, and strips are
// cut by the edge, by a mask, or not at all.
TEST_F(Launches, OfHistogramGiveTheBitsOfTheCpuWhereWindowsAreWhole)
{
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Engine cpu, gpu = engineOf("histogram");
    const int sides[][2] = {{3, 3}, {5, 5},   {2, 12},  {8, 3},   {6, 5},  {7, 7},  {9, 9},
                            {1, 6}, {15, 17}, {11, 20}, {15, 30}, {9, 40}, {31, 31}};
    for (int i = 0; i < 65; ++i) {
        const auto &[windowWidth, windowHeight] = sides[i % 13];
        const int width = 300 + below(400), height = 60 + below(90), levels = below(2) ? 256 : 60;
        GuardedArray<std::uint8_t> image(width, height, below(9)), mask(width, height, below(9));
        const int alike = below(3); // how often a cell is like the one before
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                image.at(x, y) = x > 0 && below(alike + 1) ? image.at(x - 1, y) : below(levels);
                mask.at(x, y) = below(50) != 0;
            }
        Filter filter;
        filter.levels.count = levels;
        filter.window.width = windowWidth;
        filter.window.height = windowHeight;
        filter.border = static_cast<Border>(below(6));
        filter.base = static_cast<Base>(below(3));
        // The most cells that a byte counts: masked, so that the last row of the tables is read.
        const bool isLargest = windowWidth * windowHeight == 255;
        const bool masked = below(3) == 0 || isLargest;
        // Rows that 16 bytes divide, now and then.
        GuardedArray<float> values(width, height, i % 4 == 1 ? 4 - width % 4 : below(9));
        RunOptions options;
        if (masked) options.mask = {&mask.at(0, 0), width, height, mask.view().stride};
        const View<const std::uint8_t> cells{&image.at(0, 0), width, height, image.view().stride};
        const Place place = i % 2 ? Place::Aligned : Place::Anywhere;
        ASSERT_TRUE(enqueuesTheBitsOfTheCpu(cpu, gpu, filter, cells, values.view(), options, place))
            << windowWidth << " x " << windowHeight << " of " << width << " x " << height
            << ", levels " << levels << ", border " << static_cast<int>(filter.border)
            << (masked ? ", mask" : "") << ", question " << i;
    }
}

namespace
{

/// An image so large that all warps of a GPU have items: the last ones of a block count at the end
/// of its memory, and beside each one's histogram another one counts. The least cell is `low`: if
/// that is not 0, the plane is loaded, and has no more values than there are levels.
template <typename Cell>
void askEveryWarp(int levels, int low, std::initializer_list<std::pair<int, int>> windows)
{
    constexpr int kSide = 2048;
    std::mt19937 random(11);
    GuardedArray<Cell> image(kSide, kSide, 0);
    GuardedArray<std::uint8_t> mask(kSide, kSide, 0);
    GuardedArray<float> values(kSide, kSide, 0);
    for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) {
            image.at(x, y) = static_cast<Cell>(low + random() % static_cast<unsigned>(levels));
            mask.at(x, y) = random() % 50 != 0;
        }
    const View<const Cell> cells{&image.at(0, 0), kSide, kSide, image.view().stride};
    Engine cpu, gpu = engineOf("histogram");
    for (const auto &[width, height] : windows)
        for (const bool masked : {false, true}) {
            Filter filter;
            filter.levels.count = levels;
            filter.levels.low = low;
            filter.window.width = width;
            filter.window.height = height;
            RunOptions run;
            if (masked) run.mask = {&mask.at(0, 0), kSide, kSide, mask.view().stride};
            EXPECT_TRUE(enqueuesTheBitsOfTheCpu(cpu, gpu, filter, cells, values.view(), run))
                << width << " x " << height << (masked ? ", mask" : "");
        }
}

} // namespace

TEST_F(Launches, OfHistogramGiveTheBitsOfTheCpuInEveryWarp)
{
    askEveryWarp<std::uint8_t>(60, 0, {{5, 5}, {15, 17}, {15, 18}});
}

TEST_F(Launches, OfHistogramGiveTheBitsOfTheCpuInEveryWarpOfShorts)
{
    askEveryWarp<std::uint16_t>(300, 0, {{5, 6}, {15, 18}});
    askEveryWarp<std::uint16_t>(300, 1, {{5, 6}, {15, 17}, {15, 18}});
}

#else

TEST_F(Launches, OfHistogramNeedCuda) {}

#endif
