// The method of box sums by level, against a count of every window in long double.
#include "local_entropy/methods/levels/box_tile.h"
#include "local_entropy/methods/levels/finish.h"
#include "local_entropy/methods/levels/levels.h"
#include "local_entropy/methods/levels/sums.h"
#include "local_entropy/methods/levels/tile_levels.h"
#include "local_entropy/problem/type_of.h"
#include "local_entropy/simd/paths.h"
#include "own_queue.h"
#include "question.h"
#include "used_scratch.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace local_entropy;

namespace
{

enum class Content { Random, Flat, Sparse, Stripes, Smooth, Columns, Halves };
/// Those of most tests.
constexpr Content kContents[] = {Content::Random, Content::Flat, Content::Sparse, Content::Stripes,
                                 Content::Smooth};
enum class Missing { None, Border, Nodata, All };

struct Case
{
    int width, height, windowWidth, windowHeight, levels;
    Content content = Content::Random;
    Missing missing = Missing::Border;
    std::int64_t tileWidth = 0, tileHeight = 0; ///< 0: as the plan likes
    int badBehind = 0; ///< columns on the right without results, of which the last are no levels

    std::string name() const
    {
        return std::to_string(width) + "x" + std::to_string(height) + " window " +
               std::to_string(windowWidth) + "x" + std::to_string(windowHeight) + " levels " +
               std::to_string(levels) + " content " + std::to_string(static_cast<int>(content)) +
               " missing " + std::to_string(static_cast<int>(missing));
    }
};

int levelAt(const Case &of, int x, int y, std::mt19937 &random)
{
    const int last = of.levels - 1;
    switch (of.content) {
    case Content::Random: return static_cast<int>(random() % of.levels);
    case Content::Flat: return last;
    case Content::Sparse: return random() % 50 ? last / 2 : static_cast<int>(random() % of.levels);
    case Content::Stripes: return (x / 3 + y / 2) % of.levels;
    case Content::Smooth:
        return static_cast<int>((std::sin(x * 0.05) * std::cos(y * 0.07) + 1) / 2 * last);
    case Content::Columns: return x % of.levels;        // a wide window has as many cells of each
    case Content::Halves: return x / 70 % 2 ? last : 0; // counts change as quickly as they can
    }
    return 0;
}

/// The value of a cell that does not count, one of the levels.
constexpr int kNodata = 1;

/// The counts of the window of (x, y), as the problem says it: cut, or the nearest cell.
template <class Cell>
std::vector<int> countsAt(const Problem &problem, const GuardedArray<Cell> &image, int x, int y)
{
    static std::vector<int> countOf(65536);
    std::vector<int> seen, counts;
    const Shape &shape = problem.shape;
    const int width = static_cast<int>(problem.image.width);
    const int height = static_cast<int>(problem.image.height);
    for (int row = y - shape.top; row < y - shape.top + shape.height; row++)
        for (int column = x - shape.left; column < x - shape.left + shape.width; column++) {
            const bool outside = row < 0 || row >= height || column < 0 || column >= width;
            if (outside && problem.filter.border == Border::Cut) continue;
            const int cell = image.at(std::min(std::max(column, 0), width - 1),
                                      std::min(std::max(row, 0), height - 1));
            if (problem.filter.nodata && cell == static_cast<int>(*problem.filter.nodata)) continue;
            if (!countOf[cell]++) seen.push_back(cell);
        }
    for (const int cell : seen) {
        counts.push_back(countOf[cell]);
        countOf[cell] = 0;
    }
    return counts;
}

template <class Value>
Value entropyOf(const std::vector<int> &counts, double empty)
{
    int cells = 0;
    long double sum = 0;
    for (const int n : counts) {
        cells += n;
        sum += n * std::log(static_cast<long double>(n));
    }
    if (!cells) return static_cast<Value>(empty);
    if (counts.size() == 1) return 0;
    const auto all = static_cast<long double>(cells);
    return static_cast<Value>(std::log(all) - sum / all);
}

template <class Value>
bool agrees(Value got, Value want)
{
    if (sizeof(Value) == sizeof(float)) return std::memcmp(&got, &want, sizeof got) == 0;
    return got == want || got == std::nextafter(want, got); // within a unit of the last place
}

Filter filterOf(const Case &of)
{
    Filter filter;
    filter.window.width = of.windowWidth;
    filter.window.height = of.windowHeight;
    filter.levels.count = of.levels;
    filter.border = of.missing == Missing::None ? Border::Nearest : Border::Cut;
    filter.empty = -7;
    if (of.missing == Missing::Nodata) filter.nodata = kNodata;
    if (of.missing == Missing::All) filter.nodata = of.levels - 1;
    return filter;
}

template <class Cell, class Value = float>
void expectExact(const Case &of, const Filter &filter)
{
    SCOPED_TRACE(of.name());
    const GuardedArray<Cell> image(of.width, of.height, 0);
    std::mt19937 random(7);
    for (int y = 0; y < of.height; y++)
        for (int x = 0; x < of.width; x++)
            image.at(x, y) = static_cast<Cell>(levelAt(of, x, y, random));
    for (int y = 0; y < of.height && of.badBehind; y++) // not reached by any window
        image.at(of.width - 1, y) = static_cast<Cell>(of.levels);
    const Region region = {0, 0, of.width - of.badBehind, of.height};
    const GuardedArray<Value> result(region.width, region.height, 3);
    const View<Value> to = result.view();
    const Problem problem = checkedProblem(
        filter, {image.view().data, typeOf<Cell>(), of.width, of.height, of.width}, {},
        {to.data, sizeof(Value) == 8, region.width, region.height, to.stride}, region);
    ASSERT_TRUE(levelsMethod().can(problem, Path::Portable));
    std::vector<Value> want;
    for (int y = 0; y < of.height; y++)
        for (int x = 0; x < region.width; x++)
            want.push_back(entropyOf<Value>(countsAt(problem, image, x, y), filter.empty));
    for (const Path path : kPaths) {
        if (!pathWorksHere(path)) continue;
        result.poison();
        const auto plan = levelsMethod().plan(problem, path);
        TileSize size = plan->tileSize(problem, 1);
        if (of.tileWidth) size = {of.tileWidth, of.tileHeight};
        OwnQueue queue(problem.region, size);
        Scratch scratch;
        const int any = of.width + of.windowWidth + of.windowHeight + of.levels;
        leaveMuch(scratch, any % 2 ? kSmallLeft : kLargeLeft);
        plan->work(problem, *queue, scratch);
        EXPECT_TRUE(result.gapsArePoisoned());
        int wrong = 0;
        for (int y = 0; y < of.height && wrong < 3; y++)
            for (int x = 0; x < region.width && wrong < 3; x++)
                if (!agrees(result.at(x, y), want[y * region.width + x])) {
                    wrong++;
                    ADD_FAILURE() << pathName(path) << " at " << x << ", " << y << ": "
                                  << result.at(x, y) << " instead of "
                                  << want[y * region.width + x];
                }
    }
}

template <class Cell, class Value = float>
void expectExact(const Case &of)
{
    expectExact<Cell, Value>(of, filterOf(of));
}

} // namespace

TEST(Levels, AwkwardShapesAndWindows)
{
    const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {4, 4}, {31, 33}, {130, 11}, {7, 150}};
    const int windows[][2] = {{1, 1}, {1, 5},   {5, 1},   {2, 2},   {3, 3},  {4, 7},
                              {9, 9}, {15, 15}, {16, 16}, {31, 31}, {13, 40}};
    for (const auto &size : sizes)
        for (const auto &window : windows)
            for (const int levels : {2, 3, 16, 21})
                expectExact<std::uint8_t>({size[0], size[1], window[0], window[1], levels});
}

// Windows far from the edge, and so many results that there are several strips and whole blocks.
TEST(Levels, Contents)
{
    const int windows[][2] = {{3, 3},   {9, 9},   {11, 11}, {12, 12},
                              {15, 15}, {15, 17}, {16, 16}, {31, 31}};
    for (const Content content : kContents)
        for (const auto &window : windows)
            for (const int levels : {2, 6, 16, 32})
                expectExact<std::uint8_t>({331, 37, window[0], window[1], levels, content});
}

// Sums that are as large as they can be, and counts of 64 neighbours that lie far apart.
TEST(Levels, EvenCountsAndSteepOnes)
{
    for (int height = 1; height <= 15; height++)
        for (const int levels : {9, 16})
            expectExact<std::uint8_t>({90, 20, 16, height, levels, Content::Columns});
    const int windows[][2] = {{8, 8}, {11, 11}, {15, 15}, {16, 16}, {31, 31}, {40, 40}};
    for (const auto &window : windows)
        for (const int levels : {2, 3, 16})
            expectExact<std::uint8_t>({500, 70, window[0], window[1], levels, Content::Halves});
}

// Windows at which one way to look up counts hands over to another.
TEST(Levels, WaysHandOver)
{
    const int windows[][2] = {{31, 1}, {32, 1},  {9, 7},  {8, 8},   {127, 1},
                              {16, 8}, {255, 1}, {32, 8}, {51, 50}, {51, 51}};
    for (const auto &window : windows)
        for (const int levels : {2, 4, 16})
            for (const Content content : {Content::Random, Content::Sparse})
                expectExact<std::uint8_t>(
                    {300, 45, window[0], window[1], levels, content, Missing::None});
    expectExact<std::uint8_t>({120, 12, 95, 95, 100});
}

// Tiles within the image, some with cells in the slack behind them that are no levels.
TEST(Levels, TilesAreReadWhereTheyLie)
{
    Case of = {700, 30, 5, 5, 16, Content::Random, Missing::Border, 128, 10};
    of.badBehind = 3;
    for (const int levels : {2, 16}) {
        of.levels = levels;
        expectExact<std::uint8_t>(of);
    }
    of.levels = 300;
    expectExact<std::uint16_t>(of);
}

TEST(Levels, NarrowAndLargeWindows)
{
    const int windows[][2] = {{1, 255}, {255, 1}, {255, 2}, {200, 200}, {255, 255}};
    for (const auto &window : windows)
        for (const int levels : {2, 5})
            for (const Missing missing : {Missing::None, Missing::Border})
                expectExact<std::uint8_t>(
                    {90, 5, window[0], window[1], levels, Content::Random, missing});
}

TEST(Levels, MissingCells)
{
    const int windows[][2] = {{1, 1}, {3, 3}, {9, 9}, {17, 19}};
    for (const Missing missing : {Missing::None, Missing::Nodata, Missing::All})
        for (const Content content : kContents)
            for (const auto &window : windows)
                for (const int levels : {2, 3, 16, 20})
                    expectExact<std::uint8_t>(
                        {150, 21, window[0], window[1], levels, content, missing});
}

// All windows of a block miss 256 cells, or twice as many: numbers whose lower byte is 0.
TEST(Levels, WindowsOfABlockMissAMultipleOf256Cells)
{
    for (const int height : {32, 64})
        expectExact<std::uint8_t>({260, 70, 32, height, 4, Content::Columns, Missing::Nodata});
}

// Behind the last count lies what another filter has left there: larger than any of this one.
TEST(Levels, SumsLookNothingUpForWhatLiesBehind)
{
    constexpr int kCells = 25, kLevels = 3, kStride = 12;
    const GuardedArray<std::int64_t> table(kCells + 1, 1, 0);
    for (int n = 0; n <= kCells; ++n) table.at(n, 0) = 1000 * n;
    for (int n = 1; n <= 9; ++n) {
        std::vector<std::uint8_t> counts(kLevels * kStride, 255);
        std::vector<std::int64_t> sums(kStride, 7);
        for (int level = 0; level < kLevels; ++level)
            for (int i = 0; i < n; ++i)
                counts[level * kStride + i] = static_cast<std::uint8_t>(level + i);
        addLookUps(counts.data(), kStride, kLevels, &table.at(0, 0), n, sums.data());
        for (int i = 0; i < kStride; ++i)
            EXPECT_EQ(sums[i], i < n ? 7 + 1000 * (3 * i + 3) : 7) << n << " " << i;
    }
}

TEST(Levels, ManyLevelsOfWhichATileHoldsFewOrMany)
{
    for (const Content content : kContents)
        for (const int levels : {100, 121, 256})
            for (const int window : {5, 9, 17}) {
                expectExact<std::uint8_t>({140, 20, window, window, levels, content});
                expectExact<std::uint8_t>(
                    {140, 20, window, window, levels, content, Missing::Nodata});
            }
}

TEST(Levels, WordsAreRanked)
{
    for (const Content content : kContents)
        for (const int levels : {2, 255, 256, 300, 60000, 65536})
            for (const Missing missing : {Missing::Border, Missing::Nodata})
                expectExact<std::uint16_t>({70, 19, 9, 9, levels, content, missing, 40, 8});
}

// A tile of two bytes a cell, of as many levels as one byte can tell, and some more or fewer.
TEST(Levels, WordsAreRankedUpToTheLastByte)
{
    for (int levels = 255; levels <= 258; levels++)
        for (const Missing missing : {Missing::Border, Missing::Nodata, Missing::None})
            expectExact<std::uint16_t>({300, 12, 5, 5, levels, Content::Columns, missing, 300, 12});
}

// The table of ranks is that of the tile before.
TEST(Levels, OfATileBeforeAreNotCounted)
{
    constexpr int kSide = 40;
    Shape shape = shapeOf({3, 3, 0, 0, {}});
    Scratch scratch;
    const auto levelsOf = [&](std::uint16_t first, int number) {
        std::vector<std::uint16_t> cells(kSide * kSide);
        for (std::size_t i = 0; i < cells.size(); i++)
            cells[i] = static_cast<std::uint16_t>(first + i % number);
        Tile tile;
        tile.width = tile.height = kSide - 2;
        tile.cells = cells.data();
        tile.bytes = 2;
        tile.stride = kSide;
        tile.values = 65536;
        const TileLevels levels(tile, shape, scratch);
        EXPECT_TRUE(levels.fit());
        return levels.boxTile(tile, shape).levels;
    };
    EXPECT_EQ(levelsOf(1000, 200), 200);
    EXPECT_EQ(levelsOf(2000, 100), 100);
}

/// Windows of few levels whose sums have so few bits that many want a second look. `isEven`: all
/// miss as many cells.
template <class Count, class Value>
void expectSecondLooks(int levels, bool isEven)
{
    constexpr int kSide = 7, kCells = kSide * kSide, kWindows = Finish::kMost;
    std::mt19937 random(levels);
    std::vector<std::uint8_t> image(kWindows);
    std::vector<Value> values(kWindows);
    Filter filter;
    filter.window.width = filter.window.height = kSide;
    const Problem problem =
        checkedProblem(filter, {image.data(), CellType::Uint8, kWindows, 1, 0}, {},
                       {values.data(), sizeof(Value) == 8, kWindows, 1, 0}, {});
    std::vector<std::uint16_t> absent(kWindows);
    std::vector<std::vector<int>> windows;
    std::vector<Count> counts(levels * kWindows);
    for (int i = 0; i < kWindows; i++) {
        absent[i] = static_cast<std::uint16_t>(isEven ? 5 : random() % (kCells + 1));
        int left = kCells - absent[i];
        std::vector<int> window;
        for (int level = 0; level < levels; level++) {
            const int some = level == levels - 1 ? left : static_cast<int>(random() % (left + 1));
            counts[level * kWindows + i] = static_cast<Count>(some);
            window.push_back(some);
            left -= some;
        }
        windows.push_back(window);
    }
    Tile tile;
    tile.place = {0, 0, kWindows, 1};
    tile.missing = true;
    tile.absent = absent.data();
    tile.absentStride = kWindows;
    const Answers few(Measure::Entropy, 1, Base::E, kCells, -7, 20);
    const Answers full(Measure::Entropy, 1, Base::E, kCells, -7);
    int looks = 0;
    const auto expectRight = [&] {
        for (int i = 0; i < kWindows; i++) {
            const Value right = sizeof(Value) == 8
                                    ? static_cast<Value>(full.doubleOf(windows[i].data(), levels))
                                    : full.floatOf(windows[i].data(), levels);
            EXPECT_EQ(values[i], right) << testing::PrintToString(windows[i]);
            std::int64_t sum = 0;
            for (const int n : windows[i]) sum += few.sums()[n];
            looks += few.undecided(sum, kCells - absent[i]);
            values[i] = -1;
        }
    };
    const Finish finish(problem, tile, few, levels);
    finish.block(counts.data(), kWindows, 0, 0, kWindows);
    expectRight();
    if (levels == 2) {
        finish.two(counts.data(), 0, 0, kWindows);
        expectRight();
    }
    EXPECT_GT(looks, 10);
}

TEST(Levels, TheSecondLookCountsAllLevels)
{
    for (const bool isEven : {false, true})
        for (const int levels : {2, 3, 9}) {
            expectSecondLooks<std::uint8_t, float>(levels, isEven);
            expectSecondLooks<std::uint16_t, float>(levels, isEven);
            expectSecondLooks<std::uint8_t, double>(levels, isEven);
        }
}

TEST(Levels, TilesAreCutAnywhere)
{
    for (const int levels : {2, 16})
        for (const std::int64_t size : {1, 5, 63, 64, 65})
            expectExact<std::uint8_t>(
                {180, 23, 9, 7, levels, Content::Random, Missing::Border, size, size});
}

TEST(Levels, Doubles)
{
    for (const Content content : kContents)
        for (const int levels : {2, 16, 40})
            for (const int window : {5, 9, 17})
                expectExact<std::uint8_t, double>({130, 20, window, window, levels, content});
}

TEST(Levels, AFullRowOfLargeWindows)
{
    expectExact<std::uint8_t>({2300, 12, 9, 9, 2});
    expectExact<std::uint8_t>({2300, 12, 9, 9, 16, Content::Sparse});
    expectExact<std::uint8_t>({1200, 40, 31, 31, 4, Content::Sparse});
}

// Every partition of a box into groups covers it once.
TEST(Levels, PlansCoverTheBox)
{
    for (int width = 1; width <= 255; width++)
        for (int height = 1; height <= 255; height++) {
            const BoxPlan plan = planBox(width, height);
            EXPECT_EQ(plan.group * plan.groups + plan.rest, width);
            EXPECT_EQ(plan.wide, width * height > 255);
            EXPECT_EQ(plan.wideGroups, plan.group * height > 255);
        }
}
