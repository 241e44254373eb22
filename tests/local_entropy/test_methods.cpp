// Every method, on every path, with any number of threads, against the judge: random questions from
// a fixed seed, over types, levels, windows, footprints, borders, masks, strides and regions.

#include "all_engines.h"
#include "boundary_windows.h"
#include "judge.h"
#include "local_entropy/engine.h"
#include "question.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace
{

using namespace local_entropy;

/// The truth of every cell of a question's region, row by row.
template <typename Cell>
std::vector<long double> truthsOf(const Question<Cell> &question)
{
    std::vector<long double> truths;
    for (std::int64_t y = 0; y < question.region.height; ++y)
        for (std::int64_t x = 0; x < question.region.width; ++x)
            truths.push_back(judge::resultOf(question.filter, question.view(), question.maskView(),
                                             question.region.x + x, question.region.y + y));
    return truths;
}

bool isClose(long double value, long double truth)
{
    return std::isnan(truth) ? std::isnan(value)
                             : std::fabs(value - truth) <= 1e-6L * std::fabs(truth);
}

/// One run of an engine for one question: false, and a failure, if a result is not the nearest.
template <typename Cell, typename Value>
bool isRight(Engine &engine, const Question<Cell> &question, const std::vector<long double> &truths,
             const std::string &who)
{
    GuardedArray<Value> values(question.region.width, question.region.height, question.gap);
    values.poison();
    RunOptions options;
    options.mask = question.maskView();
    options.region = question.region;
    try {
        engine.run(question.filter, question.view(), values.view(), options);
    } catch (const Error &error) {
        if (error.status() == Status::Unavailable) return true; // this method cannot do that
        ADD_FAILURE() << who << ": " << error.what() << "\n" << question.text();
        return false;
    }
    for (std::int64_t y = 0; y < question.region.height; ++y)
        for (std::int64_t x = 0; x < question.region.width; ++x) {
            const long double truth = truths[y * question.region.width + x];
            const Value value = values.at(x, y);
            if (question.exact() ? judge::isNearest(value, truth) : isClose(value, truth)) continue;
            ADD_FAILURE() << who << ": at " << x << ", " << y << " " << value << ", expected "
                          << static_cast<double>(truth) << "\n"
                          << question.text();
            return false;
        }
    EXPECT_TRUE(values.gapsArePoisoned()) << who << " wrote between the rows";
    return true;
}

template <typename Cell>
void ask(std::vector<std::pair<std::string, Engine>> &engines, unsigned seed, int questions)
{
    for (int i = 0; i < questions; ++i) {
        const Question<Cell> question(seed + static_cast<unsigned>(i));
        const std::vector<long double> truths = truthsOf(question);
        for (auto &[who, engine] : engines) {
            const bool right = question.asDouble
                                   ? isRight<Cell, double>(engine, question, truths, who)
                                   : isRight<Cell, float>(engine, question, truths, who);
            if (!right) return;
        }
    }
}

/// Of each type. LOCAL_ENTROPY_QUESTIONS: fewer, where the processor is emulated, say.
int questions()
{
    const char *const number = std::getenv("LOCAL_ENTROPY_QUESTIONS");
    return number ? std::atoi(number) : 300;
}

TEST(LocalEntropyMethods, AreRightForBytes)
{
    auto engines = allEngines();
    ask<std::uint8_t>(engines, 1000, 2 * questions());
}

TEST(LocalEntropyMethods, AreRightForPairsOfBytes)
{
    auto engines = allEngines();
    ask<std::uint16_t>(engines, 20000, questions());
    ask<std::int16_t>(engines, 30000, questions());
}

TEST(LocalEntropyMethods, AreRightForFloats)
{
    auto engines = allEngines();
    ask<float>(engines, 40000, questions());
}

TEST(LocalEntropyMethods, AreRightForBool)
{
    auto engines = allEngines();
    ask<bool>(engines, 50000, questions() / 2);
}

/// Whether it computes; the methods that cannot are left out.
template <typename Cell, typename Value>
bool computes(Engine &engine, const Filter &filter, const View<const Cell> &image,
              std::vector<Value> &values, const RunOptions &options = {})
{
    try {
        engine.run(filter, image, View<Value>{values.data(), image.width, image.height}, options);
        return true;
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::Unavailable) << error.what();
        return false;
    }
}

template <typename Value>
void expectOnly(const std::string &who, const std::vector<Value> &values, Value expected)
{
    for (const Value value : values) ASSERT_EQ(value, expected) << who;
}

// Which no float may be, where doubles are asked for.
TEST(LocalEntropyMethods, WindowsWithoutCellsHaveTheirValueInFull)
{
    constexpr std::int64_t kWidth = 150, kHeight = 40;
    const std::vector<std::uint8_t> cells(kWidth * kHeight, 1);
    const View<const std::uint8_t> image{cells.data(), kWidth, kHeight};
    std::vector<double> doubles(cells.size());
    std::vector<float> floats(cells.size());
    for (auto &[who, engine] : allEngines())
        for (const int side : {3, 9, 21})
            for (const int levels : {2, 16, 256}) {
                Filter filter;
                filter.window.width = filter.window.height = side;
                filter.levels.count = levels;
                filter.nodata = 1;
                filter.empty = 0.1;
                if (computes(engine, filter, image, doubles)) expectOnly(who, doubles, 0.1);
                if (computes(engine, filter, image, floats)) expectOnly(who, floats, 0.1f);
            }
}

/// 5x5, with or without the corners: no level is twice in a window.
void expectAllLevelsOfTwoBytes(bool hasCorners)
{
    constexpr std::int64_t kWidth = 3400, kHeight = 40, kHoleX = 1000, kHoleY = 14;
    std::vector<std::uint16_t> cells(kWidth * kHeight);
    std::vector<std::uint8_t> counts(cells.size(), 1);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::uint16_t>(i);
    counts[kHoleY * kWidth + kHoleX] = 0;
    Filter filter;
    filter.levels.count = 65536;
    const auto isInside = [&](std::int64_t x, std::int64_t y) {
        const std::int64_t across = std::abs(x), down = std::abs(y);
        return across <= 2 && down <= 2 && (hasCorners || across + down < 4);
    };
    if (!hasCorners)
        for (int i = 0; i < 25; ++i)
            filter.window.footprint.push_back(isInside(i % 5 - 2, i / 5 - 2));
    RunOptions options;
    options.mask = {counts.data(), kWidth, kHeight};
    const View<const std::uint16_t> image{cells.data(), kWidth, kHeight};
    std::vector<float> values(cells.size());
    for (auto &[who, engine] : allEngines()) {
        if (!computes(engine, filter, image, values, options)) continue;
        for (std::int64_t y = 0; y < kHeight; ++y)
            for (std::int64_t x = 0; x < kWidth; ++x) {
                int number = 0;
                for (std::int64_t row = std::max<std::int64_t>(y - 2, 0);
                     row <= std::min(y + 2, kHeight - 1); ++row)
                    for (std::int64_t column = std::max<std::int64_t>(x - 2, 0);
                         column <= std::min(x + 2, kWidth - 1); ++column)
                        number += isInside(column - x, row - y) && counts[row * kWidth + column];
                ASSERT_EQ(values[y * kWidth + x], static_cast<float>(std::log(double(number))))
                    << who << " at " << x << ", " << y;
            }
    }
}

// A tile of four bytes a cell: all levels that two bytes can tell, and a cell that does not count,
// whose level another one of the same tile has too.
TEST(LocalEntropyMethods, AllLevelsOfTwoBytesWithAMissingCell)
{
    expectAllLevelsOfTwoBytes(true);
    expectAllLevelsOfTwoBytes(false);
}

} // namespace

namespace
{

/// An image that repeats with its window's size: each window has these counts.
template <typename Value>
void expectBoundary(const boundary_windows::Window &window, int width, int height, Value nearest)
{
    std::vector<std::uint8_t> cells;
    for (std::size_t level = 0; level < window.counts.size(); ++level)
        cells.insert(cells.end(), window.counts[level], static_cast<std::uint8_t>(level));
    ASSERT_EQ(cells.size(), static_cast<std::size_t>(width * height));
    std::shuffle(cells.begin(), cells.end(), std::mt19937(5));
    Filter filter;
    filter.window.width = width;
    filter.window.height = height;
    filter.levels.count = static_cast<int>(window.counts.size());
    filter.base = window.base;
    filter.border = Border::Wrap;
    RunOptions options;
    options.region = {0, 0, width, 1};
    for (auto &[who, engine] : allEngines()) {
        std::vector<Value> values(width);
        try {
            engine.run(filter, View<const std::uint8_t>{cells.data(), width, height},
                       View<Value>{values.data(), width, 1}, options);
        } catch (const Error &error) {
            ASSERT_EQ(error.status(), Status::Unavailable) << who << ": " << error.what();
            continue; // this method cannot do that
        }
        EXPECT_EQ(values, std::vector<Value>(values.size(), nearest)) << who << ", " << width;
    }
}

} // namespace

// No sum of a method decides these: a second look counts their cells.
TEST(LocalEntropyMethods, LookAgainAtWindowsNextToABoundary)
{
    int asked = 0;
    for (const boundary_windows::Window &window : boundary_windows::kWindows) {
        const int cells = std::accumulate(window.counts.begin(), window.counts.end(), 0);
        if (cells != 40 * 83) continue; // others take long
        ++asked;
        ASSERT_NO_FATAL_FAILURE(expectBoundary(window, 40, 83, window.nearestFloat));
        ASSERT_NO_FATAL_FAILURE(expectBoundary(window, 40, 83, window.nearestDouble));
    }
    EXPECT_EQ(asked, 6);
}
