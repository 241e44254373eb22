// The histogram method: its kernels tile by tile against the judge, and whole images that it has to
// turn.

#include "judge.h"
#include "local_entropy/engine.h"
#include "local_entropy/error.h"
#include "local_entropy/methods/histogram/finish_row.h"
#include "local_entropy/methods/histogram/histogram.h"
#include "local_entropy/methods/histogram/strips.h"
#include "own_queue.h"
#include "question.h"
#include "used_scratch.h"
#include "windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace
{

using namespace local_entropy;
using namespace trial_windows;

/// A tile in guarded memory, with no more behind its rows than the method may read.
template <typename Cell>
struct GuardedTile
{
    static constexpr int kBehind = 15;

    GuardedTile(const Shape &shape, int width, int height, int values, const std::string &kind,
                bool missing)
        : cells(width + shape.width - 1 + kBehind, height + shape.height - 1, 0)
    {
        std::mt19937 random(width * 131 + height * 7 + values);
        const auto view = cells.view();
        for (int y = 0; y < view.height; ++y)
            for (int x = 0; x < view.width; ++x) {
                unsigned level = 0;
                if (kind == "random") level = random() % values;
                if (kind == "flat") level = values - 1;
                if (kind == "stripes") level = (x / 3 + y / 2) % values;
                if (kind == "columns") level = x % 2 * (values - 1);
                if (kind == "sparse") level = random() % 50 ? 1 : random() % values;
                if (missing && (random() % 4 == 0 || y < height / 2)) level = values - 1;
                cells.at(x, y) = static_cast<Cell>(level);
            }
        tile.place = {0, 0, width, height};
        tile.width = width;
        tile.height = height;
        tile.cells = view.data;
        tile.bytes = sizeof(Cell);
        tile.stride = view.stride;
        tile.values = values;
        tile.missing = missing;
        tile.none = values - 1;
        if (missing) countAbsent(shape);
    }

    /// The counts of the window of result (x, y), without "no cell".
    std::map<int, int> countsAt(const Shape &shape, std::int64_t x, std::int64_t y) const
    {
        std::map<int, int> counts;
        for (const Run &run : shape.runs)
            for (int i = run.begin; i < run.end; ++i) ++counts[cells.at(x + i, y + run.row)];
        if (tile.missing) counts.erase(static_cast<int>(tile.none));
        return counts;
    }

    void countAbsent(const Shape &shape)
    {
        tile.absentStride = tile.width + 3;
        absent.resize(tile.absentStride * tile.height);
        for (std::int64_t y = 0; y < tile.height; ++y)
            for (std::int64_t x = 0; x < tile.width; ++x) {
                int present = 0;
                for (const auto &entry : countsAt(shape, x, y)) present += entry.second;
                absent[y * tile.absentStride + x] =
                    static_cast<std::uint16_t>(shape.cells - present);
            }
        tile.absent = absent.data();
    }

    GuardedArray<Cell> cells;
    std::vector<std::uint16_t> absent;
    Tile tile;
};

struct Asked
{
    Window window;
    Measure measure = Measure::Entropy;
    double order = 1;
    Base base = Base::E;
};

template <typename Cell, typename Value>
void checkTile(const Asked &asked, int width, int height, int values, const std::string &kind,
               bool missing)
{
    Problem problem;
    problem.filter.window = asked.window;
    problem.filter.measure = asked.measure;
    problem.filter.order = asked.order;
    problem.filter.base = asked.base;
    problem.filter.empty = -7;
    problem.shape = shapeOf(asked.window);
    problem.result.isDouble = sizeof(Value) == 8;
    const Prepared prepared(problem);
    const GuardedTile<Cell> from(problem.shape, width, height, values, kind, missing);
    const GuardedArray<Value> results(width, height, 2);
    results.poison();
    const std::size_t bytes = histogramBytes(prepared, values);
    std::vector<std::uint64_t> histograms((bytes + 7) / 8, 0);
    walkTile<Cell>(prepared, prepared.down, from.tile, histograms.data(), results.view().data,
                   width + 2);

    const std::string who = kind + ", window " + std::to_string(asked.window.width) + " x " +
                            std::to_string(asked.window.height) + ", tile " +
                            std::to_string(width) + " x " + std::to_string(height) + ", " +
                            std::to_string(values) + " values, cells of " +
                            std::to_string(sizeof(Cell)) + (missing ? ", some missing" : "");
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const long double truth =
                judge::valueOf(problem.filter, from.countsAt(problem.shape, x, y));
            ASSERT_TRUE(judge::isNearest(results.at(x, y), truth))
                << who << " at " << x << ", " << y << ": " << results.at(x, y) << ", expected "
                << static_cast<double>(truth);
        }
    EXPECT_TRUE(results.gapsArePoisoned()) << who;
    EXPECT_TRUE(std::all_of(histograms.begin(), histograms.end(), [](auto w) { return w == 0; }))
        << who << ": histograms that are not clear";
}

template <typename Cell>
void checkContents(const Window &window)
{
    const int most = sizeof(Cell) == 1 ? 256 : 65536;
    checkTile<Cell, float>({window}, 17, 9, most, "random", false);
    checkTile<Cell, float>({window}, 1, 1, most, "flat", false);
    checkTile<Cell, float>({window}, 33, 12, 16, "random", false);
    checkTile<Cell, float>({window}, 5, 20, 2, "random", true);
    checkTile<Cell, float>({window}, 40, 3, most, "stripes", true);
    checkTile<Cell, float>({window}, 19, 8, 200, "sparse", false);
    checkTile<Cell, float>({window}, 18, 3, 5, "columns", false);
    checkTile<Cell, double>({window}, 18, 5, 64, "random", false);
    checkTile<Cell, double>({window}, 3, 9, most, "sparse", true);
}

TEST(LocalEntropyHistogram, RectanglesOfBytesAreRight)
{
    for (const Window &window : rectangles()) checkContents<std::uint8_t>(window);
}

TEST(LocalEntropyHistogram, RectanglesOfPairsOfBytesAreRight)
{
    for (const Window &window : rectangles()) checkContents<std::uint16_t>(window);
}

TEST(LocalEntropyHistogram, FootprintsOfBytesAreRight)
{
    for (const Window &window : footprints()) checkContents<std::uint8_t>(window);
}

TEST(LocalEntropyHistogram, FootprintsOfPairsOfBytesAreRight)
{
    for (const Window &window : footprints()) checkContents<std::uint16_t>(window);
}

/// 255 cells fit counts of a byte, 256 do not; 65025 are the most that a window can have.
TEST(LocalEntropyHistogram, CountsDoNotOverflow)
{
    for (const Window &window : {rectangle(15, 17), rectangle(16, 16), rectangle(255, 255)}) {
        checkTile<std::uint8_t, float>({window}, 17, 3, 256, "flat", false);
        checkTile<std::uint16_t, float>({window}, 2, 3, 3, "sparse", false);
        checkTile<std::uint8_t, double>({window}, 3, 2, 256, "flat", false);
    }
    const auto whole = [](int, int) { return true; };
    checkTile<std::uint8_t, float>({windowOf(15, 17, whole)}, 17, 3, 2, "flat", false);
    checkTile<std::uint8_t, double>({windowOf(16, 16, whole)}, 17, 3, 2, "flat", false);
    checkTile<std::uint8_t, double>({windowOf(63, 63, whole)}, 3, 3, 2, "sparse", false);
}

TEST(LocalEntropyHistogram, EveryMeasureIsRight)
{
    for (const Window &window : {rectangle(6, 5), rectangle(17, 19), disk(5), disk(10)}) {
        std::vector<Asked> all = {{window, Measure::Entropy, 1, Base::Two},
                                  {window, Measure::Entropy, 1, Base::Ten},
                                  {window, Measure::Simpson},
                                  {window, Measure::Richness}};
        for (const double order : {0.0, 1.0, 2.0}) all.push_back({window, Measure::Hill, order});
        for (const Asked &asked : all)
            for (const bool missing : {false, true}) {
                checkTile<std::uint8_t, float>(asked, 18, 7, 30, "random", missing);
                checkTile<std::uint16_t, double>(asked, 5, 7, 300, "sparse", missing);
            }
    }
}

TEST(LocalEntropyHistogram, TheSecondLookCountsTheWindow)
{
    for (const bool missing : {false, true}) {
        const Shape shape = shapeOf(disk(5));
        const GuardedTile<std::uint8_t> from(shape, 20, 6, 9, "random", missing);
        std::vector<int> counts, expected;
        countWindow<std::uint8_t>(from.tile, shape, 13, 4, counts);
        for (const auto &entry : from.countsAt(shape, 13, 4)) expected.push_back(entry.second);
        std::sort(counts.begin(), counts.end());
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(counts, expected);
    }
}

template <typename Cell, typename Value>
std::vector<Value> resultsBy(const char *method, int threads, const Filter &filter,
                             View<const Cell> image)
{
    EngineOptions options;
    options.method = method;
    options.threads = threads;
    Engine engine(options);
    std::vector<Value> results(image.width * image.height, std::numeric_limits<Value>::quiet_NaN());
    engine.run(filter, image, View<Value>{results.data(), image.width, image.height, 0});
    return results;
}

/// Images of several tiles, some of which are walked from the side.
TEST(LocalEntropyHistogram, WholeImagesAreAsByThePlainMethod)
{
    constexpr int kWidth = 530, kHeight = 131;
    std::mt19937 random(3);
    std::vector<std::uint16_t> cells(kWidth * kHeight);
    for (auto &cell : cells) cell = static_cast<std::uint16_t>(random() % 20 * (random() % 13));
    const View<const std::uint16_t> image{cells.data(), kWidth, kHeight, 0};
    for (const Window &window : {rectangle(41, 3), rectangle(3, 21), rectangle(12, 12),
                                 windowOf(30, 4, [](int x, int y) { return (x + y) % 9 > 0; })})
        for (const Border border : {Border::Cut, Border::Mirror}) {
            Filter filter;
            filter.window = window;
            filter.window.originX = 1;
            filter.border = border;
            filter.levels.count = 1000;
            const auto expected = resultsBy<std::uint16_t, float>("plain", 1, filter, image);
            for (const int threads : {1, 3})
                EXPECT_EQ((resultsBy<std::uint16_t, float>("histogram", threads, filter, image)),
                          expected);
            if (border == Border::Mirror) continue;
            EXPECT_EQ((resultsBy<std::uint16_t, double>("histogram", 3, filter, image)),
                      (resultsBy<std::uint16_t, double>("plain", 1, filter, image)));
        }
}

// Whatever an earlier tile has left in scratch: levels of this one alone are counted, also in the
// columns that a strip reads beyond the last window, of tiles as they are and on their side.
TEST(LocalEntropyHistogram, CountsOnlyWhatATileHasFilled)
{
    constexpr int kLevels = 300;
    constexpr std::size_t kBytes = std::size_t(1) << 20; // more than any level of two bytes needs
    constexpr unsigned char kLeft = 0xA5;
    for (const auto &[width, height] : {std::pair{530, 49}, {49, 530}}) {
        std::vector<std::uint16_t> cells(width * height, 7);
        std::vector<float> values(cells.size(), -1);
        Filter filter;
        filter.window = width > height ? rectangle(41, 3) : rectangle(3, 41);
        filter.levels.count = kLevels;
        filter.border = Border::Mirror;
        const Problem problem =
            checkedProblem(filter, {cells.data(), CellType::Uint16, width, height, 0}, {},
                           {values.data(), false, width, height, 0}, {});
        const Prepared prepared(problem);
        EXPECT_EQ(prepared.turns(width, height), width > height);
        Scratch scratch;
        leaveMuch(scratch);
        auto *const counts = static_cast<unsigned char *>(scratch.get(Scratch::MethodA, kBytes));
        std::memset(counts, kLeft, kBytes);
        OwnQueue queue(problem.region, {width, height});
        histogramMethod().plan(problem, Path::Portable)->work(problem, *queue, scratch);
        EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](float v) { return v == 0; }));
        EXPECT_TRUE(std::all_of(counts + histogramBytes(prepared, kLevels + 1), counts + kBytes,
                                [](unsigned char byte) { return byte == kLeft; }))
            << "counted beyond the histograms";
    }
}

// Which are counted as one more level: there are as many bytes of histograms as that takes.
TEST(LocalEntropyHistogram, HasRoomForCellsThatDoNotCount)
{
    constexpr int kLevels = 504, kSide = 40; // so many levels fill whole pages
    std::vector<std::uint16_t> cells(kSide * kSide, 7);
    std::vector<float> values(cells.size());
    Filter filter;
    filter.window = rectangle(7, 7);
    filter.levels.count = kLevels;
    filter.nodata = 3;
    const Problem problem =
        checkedProblem(filter, {cells.data(), CellType::Uint16, kSide, kSide, 0}, {},
                       {values.data(), false, kSide, kSide, 0}, {});
    const std::size_t some = histogramBytes(Prepared(problem), kLevels);
    ASSERT_EQ(some % 4096, 0u);
    Scratch scratch;
    const void *const tooLittle = scratch.get(Scratch::MethodA, some);
    OwnQueue queue(problem.region, {kSide, kSide});
    histogramMethod().plan(problem, Path::Portable)->work(problem, *queue, scratch);
    EXPECT_NE(scratch.get(Scratch::MethodA, some), tooLittle);
}

TEST(LocalEntropyHistogram, OtherHillNumbersAreNotSums)
{
    Problem problem;
    problem.filter.measure = Measure::Hill;
    for (const double order : {0.0, 1.0, 2.0}) {
        problem.filter.order = order;
        EXPECT_TRUE(histogramMethod().can(problem, Path::Portable)) << order;
    }
    for (const double order : {0.5, 3.0, std::numeric_limits<double>::infinity()}) {
        problem.filter.order = order;
        EXPECT_FALSE(histogramMethod().can(problem, Path::Portable)) << order;
    }
}

} // namespace
