// Footprints in the memory of a GPU: random questions (launches.h), and hard ones.
#include "launches.h"

#ifdef __CUDACC__
#include "local_entropy/methods/histogram/foot_pattern.h"
#include "local_entropy/windows.h"

#include <array>

namespace
{

using namespace local_entropy;
using trial_windows::disk, trial_windows::windowOf;

/// Empty rows and columns at the border, holes, single cells, the largest, the most ends.
std::vector<Window> oddFootprints()
{
    const auto even = [](int x, int y) { return (x + y) % 2 == 0; };
    return {windowOf(7, 5, [](int x, int y) { return x == 3 && y == 2; }),
            windowOf(5, 7, [](int x, int y) { return x == 0 && y == 0; }),
            windowOf(4, 6, [](int x, int y) { return x == 3 && y == 5; }),
            windowOf(9, 9, [](int x, int y) { return x == y && (x == 0 || x == 8); }),
            windowOf(9, 7, [](int x, int y) { return x > 2 && x < 6 && y > 1 && y < 5; }),
            windowOf(11, 11, [](int x, int) { return x == 0 || x == 10; }),
            windowOf(11, 11, [](int, int y) { return y == 0 || y == 10; }),
            windowOf(15, 17, [](int x, int y) { return x != 7 || y != 8; }), // 254 cells
            windowOf(16, 17, [](int x, int y) { return x != 7 || y > 16; }), // 255
            windowOf(16, 17, [](int x, int y) { return x != 7 || y > 15; }), // 256
            windowOf(63, 63, [](int x, int y) { return x != 31 || y != 31; }),
            windowOf(63, 63, even),
            windowOf(63, 1, even),
            windowOf(1, 63, even),
            windowOf(62, 62, [](int x, int y) { return (x * y) % 7 == 3; })};
}

/// Random questions with these footprints instead of theirs.
template <typename Cell>
void askAbout(const std::vector<Window> &windows, unsigned seed, int times)
{
    Engine cpu;
    EngineOptions options;
    options.method = "footprint";
    Engine gpu(options);
    const common::Stream stream;
    for (int i = 0; i < times; ++i)
        for (const Window &window : windows) {
            Question<Cell> question(seed++);
            const Window own = question.filter.window;
            question.filter.window = window;
            if (std::abs(own.originX) <= window.width / 4) // seldom in the middle
                question.filter.window.originX = own.originX;
            question.filter.measure = Measure::Entropy;
            if (question.filter.levels.count > 1000) continue;
            ASSERT_EQ((difference<Cell, float>(cpu, gpu, question, stream.get())), "");
        }
}

/// Of an image so wide that its middle stays where it is.
void askOfWideImage(const Filter &filter, int width, int height, int gap)
{
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(width + gap) * height);
    unsigned random = 7;
    for (std::uint8_t &cell : cells) {
        random = random * 1664525 + 1013904223;
        const unsigned any = (random >> 20) % filter.levels.count;
        cell = static_cast<std::uint8_t>(random >> 30 ? (random >> 24) % 5 : any);
    }
    const int flat = height > 40 ? 30 : height / 4; // rows where all cells are of one level
    std::fill_n(cells.begin(), static_cast<std::size_t>(width + gap) * flat, std::uint8_t(3));
    const View<const std::uint8_t> view{cells.data(), width, height, width + gap};
    std::vector<float> values(static_cast<std::size_t>(width) * height);
    const View<float> results{values.data(), width, height, width};
    EngineOptions options;
    options.method = "footprint";
    Engine cpu, gpu(options);
    EXPECT_TRUE(enqueuesTheBitsOfTheCpu(cpu, gpu, filter, view, results))
        << filter.window.width << " x " << filter.window.height << " border "
        << static_cast<int>(filter.border) << " of " << width << " x " << height << " + " << gap;
}

} // namespace

/// Where all cells are of one level, its counters are as large as they can be: here no change of a
/// step may find one that its bits cannot hold.
TEST(FootprintCounters, OfLargeDisksHoldAllCells)
{
    using In = footprint::CoreCounters;
    constexpr int kRadius = In::kRadius;
    using Pattern = footprint::DiskPattern<kRadius, In>;
    std::uint32_t word = 0;
    std::array<int, In::kWindows> counts{};
    const auto change = [&](unsigned windows, std::uint32_t by, int one) {
        for (int window = 0; window < In::kWindows; ++window) {
            ASSERT_EQ(In::count(word, window), counts[window]) << "window " << window;
            counts[window] += windows >> window & 1 ? one : 0;
        }
        word += by;
    };
    for (int row = -kRadius; row <= kRadius; ++row)
        for (int column = 0; column < Pattern::kColumns; ++column) {
            const unsigned windows = Pattern::windowsOf(row, column);
            EXPECT_EQ(In::spread(windows, row, column), Pattern::codeOf(row, column));
            change(windows, Pattern::codeOf(row, column), 1);
        }
    const std::uint32_t all = word;
    EXPECT_EQ(counts[0], 317);
    for (const footprint::Change &one : Pattern::kList.of) {
        change(one.windows, one.leaving, -1);
        change(one.windows, one.entering, 1);
    }
    change(0, 0, 0);
    EXPECT_EQ(word, all) << "after a step nothing else has changed";
}

TEST_F(Launches, OfFootprintsGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("footprint", 1000, 300);
    askAbout<std::uint8_t>(oddFootprints(), 100000, 5);
    askAbout<std::uint16_t>(oddFootprints(), 110000, 2);
    askAbout<float>(oddFootprints(), 120000, 2);
    askAbout<bool>(oddFootprints(), 130000, 1);
}

TEST_F(Launches, OfDisksGiveTheBitsOfTheCpu)
{
    std::vector<Window> disks;
    for (int radius = 1; radius <= 12; ++radius) disks.push_back(disk(radius));
    askAbout<std::uint8_t>(disks, 140000, 8);
    askAbout<std::uint16_t>(disks, 150000, 2);
}

TEST_F(Launches, OfFootprintsReachBothEndsOfAWideImage)
{
    for (int radius = 1; radius <= 11; ++radius)
        for (const int gap : {0, 1, 5}) { // 2003 + 1 is a multiple of 4
            Filter filter;
            filter.window = disk(radius);
            filter.window.originX = radius % 3 - 1;
            filter.levels.count = 256;
            filter.border = static_cast<Border>(radius % 6);
            askOfWideImage(filter, 2003, radius == 7 ? 15 : 45, gap);
        }
    for (const Window &window : oddFootprints()) {
        Filter filter;
        filter.window = window;
        filter.levels.count = 256;
        askOfWideImage(filter, 2003, 70, 1);
    }
}

/// Images of fewer rows than the window has, and of more; windows that reach far above or far below
/// their cell: rows that are not there, whatever the border takes for them.
TEST_F(Launches, OfDisksGoBeyondTheFirstRowAndTheLast)
{
    for (const int radius : {1, 5, 10})
        for (int border = 0; border < 6; ++border)
            for (const int height : {1, 7, 12, 33})
                for (const int originY : {-radius, 0, radius}) {
                    Filter filter;
                    filter.window = disk(radius);
                    filter.window.originY = originY;
                    filter.window.originX = height % 2;
                    filter.levels.count = 256;
                    filter.border = static_cast<Border>(border);
                    askOfWideImage(filter, 2000, height, originY ? height % 3 : 0);
                }
}

/// Arrays begin at an address that 4 does not divide, so one of two origins is where the kernels
/// for disks know the places of cells in words.
TEST_F(Launches, OfDisksReachBothEndsOfAnAlignedImage)
{
    for (int radius = 1; radius <= 11; ++radius)
        for (const int origin : {-1, 1}) {
            Filter filter;
            filter.window = disk(radius);
            filter.window.originX = origin;
            filter.levels.count = 256;
            filter.border = static_cast<Border>(radius % 6);
            askOfWideImage(filter, 2000, 70, 0);
        }
}

#else

TEST_F(Launches, OfFootprintsNeedCuda) {}

#endif
