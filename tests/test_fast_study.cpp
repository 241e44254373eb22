// What is special about sources/entropy/cores/fast_study.cu: the arithmetic of its kernels, without
// a GPU, for every window there can be; who computes which rows.
#include "entropy/core.h"
#include "entropy/cores/fast_study.h"
#include "entropy/reference.h"
#include "local_entropy/answers/partitions.h"
#include "shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace words = local_entropy::words;

using fast_study::Item;
using fast_study::Items;
using fast_study::kCells;
using fast_study::kColumns;
using fast_study::kNoCell;
using fast_study::kWindow;
using fast_study::Parts;
using fast_study::Sums;
using fast_study::Word;
using local_entropy::Partition;

namespace
{

using Window = std::vector<int>; ///< the level of each cell

bool same(Word a, Word b) { return a.low == b.low && a.high == b.high; }

/// The window of a partition whose most frequent level is levels[0], and so on.
Window windowOf(const Partition &partition, const std::vector<int> &levels)
{
    Window window;
    int level = 0;
    for (int count = entropy::kWindowCells; count > 0; --count)
        for (int i = 0; i < partition.levels[count]; ++i, ++level)
            window.insert(window.end(), count, levels[level]);
    return window;
}

/// Adds a window to `sums`, in rows of five cells as far as they go.
Sums added(Sums sums, const Window &window)
{
    for (std::size_t begin = 0; begin < window.size(); begin += kWindow) {
        Word row = {0, 0};
        for (std::size_t i = begin; i < std::min(begin + kWindow, window.size()); ++i)
            row = row + fast_study::wordOfLevel(window[i]);
        fast_study::enter(sums, row);
    }
    return sums;
}

fast_study::TermTable makeTerms()
{
    fast_study::TermTable terms;
    for (int n = 0; n <= entropy::kWindowCells; ++n) terms.nLogN[n] = fast_study::nLogN(n);
    return terms;
}

/// Calls check(window, partition) for every partition of every size, its counts given to the
/// levels in ascending, descending, odd-first and chance order.
template <typename Check>
void forEveryWindow(Check check)
{
    std::vector<int> up(entropy::kLevels);
    for (int i = 0; i < entropy::kLevels; ++i) up[i] = i;
    std::vector<int> oddFirst = up, chance = up;
    std::stable_partition(oddFirst.begin(), oddFirst.end(), [](int i) { return i % 2; });
    std::shuffle(chance.begin(), chance.end(), std::mt19937(5));
    const std::vector<int> down(up.rbegin(), up.rend());
    for (const int cells : local_entropy::windowSizes())
        for (const Partition &partition : local_entropy::partitionsOf(cells))
            for (const auto &levels : {up, down, oddFirst, chance})
                check(windowOf(partition, levels), partition);
}

/// A kernel from four_columns on, for one thread: columns x .. x + 3, rows [begin, end).
/// words(cells) turns a row's cells to words, entropy(sums, x, y) is what the kernel writes.
template <typename Words, typename Entropy>
void walk(int width, int height, const std::vector<float> &sample, int x, int begin, int end,
          Sums none, Words words, Entropy entropy, std::vector<float> &result)
{
    fast_study::FourColumns columns(none);
    for (int first = begin - entropy::kRadius; first < end + entropy::kRadius; first += kWindow)
        for (int i = 0; i < kWindow; ++i) {
            const int y = first + i, center = y - entropy::kRadius;
            std::array<float, kCells> cells;
            for (int j = 0; j < kCells; ++j) {
                const int cx = x + j - entropy::kRadius;
                const bool inside = cx >= 0 && cx < width && y >= 0 && y < height;
                cells[j] = inside ? sample[std::size_t(y) * width + cx] : kNoCell;
            }
            Word eight[kCells];
            words(cells, eight);
            columns.enter(i, eight);
            if (center < begin || center >= end) continue;
            for (int j = 0; j < kColumns && x + j < width; ++j)
                result[std::size_t(center) * width + x + j] =
                    entropy(columns.sums[j], x + j, center);
        }
}

} // namespace

// ---- words and counts --------------------------------------------------------------------------

TEST(Words, EachLevelHasAFieldOfThreeBits)
{
    std::uint64_t used = 0;
    for (int level = 0; level < entropy::kLevels; ++level) {
        const Word word = fast_study::wordOfLevel(level);
        EXPECT_TRUE(same(word, words::oneHot(level))) << level;
        const std::uint64_t field = 7 * (word.low | std::uint64_t(word.high) << 32);
        EXPECT_EQ(used & field, 0u) << level;
        used |= field;
    }
    EXPECT_TRUE(same(fast_study::wordOfLevel(static_cast<int>(kNoCell)), {0, 0}));
}

TEST(Words, LookedUpByCellTheyAreTheSame)
{
    for (int level = 0; level <= entropy::kLevels; ++level)
        EXPECT_TRUE(same(fast_study::wordOfCell(words::gpuTables(), static_cast<float>(level)),
                         fast_study::wordOfLevel(level)))
            << level;
}

// All fours there are, also those with cells outside the array: no byte reaches into another.
TEST(Words, LookedUpByPackedCellTheyAreTheSame)
{
    constexpr int kValues = entropy::kLevels + 1;
    int wrong = 0;
    for (int number = 0; number < kValues * kValues * kValues * kValues; ++number) {
        int rest = number, level[4];
        for (int &one : level) one = rest % kValues, rest /= kValues;
        const std::uint32_t four = fast_study::packFour(level[0], level[1], level[2], level[3]);
        for (int i = 0; i < 4; ++i) {
            ASSERT_EQ(four >> 8 * i & 0xFF, 8u * level[i]) << number;
            wrong += !same(fast_study::wordOfByte(words::gpuTables(), four, i),
                           fast_study::wordOfLevel(level[i]));
        }
    }
    EXPECT_EQ(wrong, 0);
}

TEST(Counts, AreExactForEveryWindow)
{
    forEveryWindow([](const Window &window, const Partition &) {
        std::array<int, entropy::kLevels> counts{};
        for (const int level : window) ++counts[level];
        const Sums sums = added(fast_study::zeroSums(), window);
        for (int level = 0; level < entropy::kLevels; ++level)
            ASSERT_EQ(fast_study::countOf(sums, level), counts[level]) << level;
    });
}

TEST(Counts, WhatLeavesWasNeverThere)
{
    std::mt19937 random(6);
    for (int round = 0; round < 2000; ++round) {
        Window window(20);
        for (int &level : window) level = random() % entropy::kLevels;
        const Sums before = added(fast_study::zeroSums(), window);
        Word row = {0, 0};
        for (int i = 0; i < kWindow; ++i)
            row = row + fast_study::wordOfLevel(random() % (round % 2 ? 2 : entropy::kLevels));
        Sums sums = before;
        fast_study::enter(sums, row);
        fast_study::leave(sums, row);
        ASSERT_TRUE(same(sums.all, before.all) && same(sums.even, before.even));
    }
}

// ---- entropies ---------------------------------------------------------------------------------

TEST(Entropies, AddedUpFromLogsAreRightToAUnitInTheLastPlace)
{
    const fast_study::TermTable terms = makeTerms();
    forEveryWindow([&](const Window &window, const Partition &partition) {
        const float result = fast_study::entropyByLogs(added(fast_study::zeroSums(), window), terms,
                                                       static_cast<int>(window.size()));
        const float exact = local_entropy::exactEntropy(partition);
        ASSERT_GE(result, std::nextafter(exact, -1.0f));
        ASSERT_LE(result, std::nextafter(exact, 9.0f));
    });
}

TEST(Entropies, LookedUpAreExact)
{
    forEveryWindow([](const Window &window, const Partition &partition) {
        ASSERT_EQ(fast_study::entropyByTable(added(Sums(), window), words::gpuTables()),
                  local_entropy::exactEntropy(partition));
    });
}

TEST(Entropies, AWindowReachesTwoCellsUntilTheEdge)
{
    for (const int size : {1, 2, 3, 4, 5, 6, 9})
        for (int at = 0; at < size; ++at) {
            int cells = 0;
            for (int i = at - entropy::kRadius; i <= at + entropy::kRadius; ++i)
                cells += i >= 0 && i < size;
            EXPECT_EQ(fast_study::reach(at, size), cells) << at << " of " << size;
        }
}

// ---- four columns on their way down ------------------------------------------------------------

TEST(FourColumns, ComputeEveryShapeAndContentInAnyParts)
{
    const words::GpuTables &tables = words::gpuTables();
    const fast_study::TermTable terms = makeTerms();
    const auto byLevel = [](const std::array<float, kCells> &cells, Word(&words)[kCells]) {
        for (int i = 0; i < kCells; ++i)
            words[i] = fast_study::wordOfLevel(static_cast<int>(cells[i]));
    };
    const auto byByte = [&](const std::array<float, kCells> &cells, Word(&words)[kCells]) {
        for (int i = 0; i < kCells; ++i)
            words[i] =
                fast_study::wordOfByte(tables,
                                       fast_study::packFour(cells[i & 4], cells[1 | (i & 4)],
                                                            cells[2 | (i & 4)], cells[3 | (i & 4)]),
                                       i % 4);
    };
    for (const Shape shape : kShapes)
        for (const std::string &content : kContents)
            for (const int rows : {1, 6, 11, 64}) {
                const auto [width, height] = shape;
                const std::vector<float> sample = makeSample(content, shape);
                std::vector<float> summed(sample.size(), NAN), lookedUp(sample.size(), NAN);
                for (int x = 0; x < width; x += kColumns)
                    for (int begin = 0; begin < height; begin += rows) {
                        const int end = std::min(begin + rows, height);
                        walk(
                            width, height, sample, x, begin, end, fast_study::zeroSums(), byLevel,
                            [&, w = width, h = height](const Sums &sums, int cx, int cy) {
                                return fast_study::entropyByLogs(sums, terms,
                                                                 fast_study::reach(cx, w) *
                                                                     fast_study::reach(cy, h));
                            },
                            summed);
                        walk(
                            width, height, sample, x, begin, end, Sums(), byByte,
                            [&](const Sums &sums, int, int) {
                                return fast_study::entropyByTable(sums, tables);
                            },
                            lookedUp);
                    }
                const auto gold = entropy::reference(width, height, sample.data());
                for (const auto *result : {&summed, &lookedUp})
                    ASSERT_TRUE(entropy::compare(width, height, result->data(), gold.data()).passed)
                        << content << " " << width << " x " << height << ", parts of " << rows;
            }
}

// ---- who computes what -------------------------------------------------------------------------

TEST(Parts, CoverEveryRowOnceAndAreNoMoreThanTheBlocks)
{
    for (const int width : {1, 4, 400, 512, 513, 10240, 2000000000})
        for (const int height : {1, 2, 5, 6, 7, 400, 2560, 10240, 1999999999, 2000000000})
            for (const int blocks : {1, 5, 528, 4224}) {
                const Parts parts = fast_study::partsOf(width, height, 512, blocks);
                ASSERT_EQ(parts.strips, (width - 1) / 512 + 1);
                ASSERT_GE(parts.rows, 1);
                ASSERT_GE(std::int64_t(parts.parts) * parts.rows, height);
                ASSERT_LT(std::int64_t(parts.parts - 1) * parts.rows, height);
                ASSERT_LE(parts.parts, std::max(blocks / parts.strips, 1));
                ASSERT_LE(parts.rows, height);
                ASSERT_TRUE(parts.rows == height || parts.rows >= 6);
            }
}

TEST(Items, CoverEveryRowOnceBigOnesFirst)
{
    for (const int width : {1, 512, 513, 2560, 10240})
        for (const int height : {1, 6, 79, 80, 81, 82, 85, 400, 1009, 2560, 10240})
            for (const int blocks : {1, 3, 20, 528}) {
                const Items items = fast_study::itemsOf(width, height, 512, blocks);
                std::vector<int> next(items.strips, 0); // row of each strip
                for (unsigned number = 0; number < items.items; ++number) {
                    const Item item = itemOf(items, number);
                    ASSERT_EQ(item.begin, next.at(item.strip));
                    ASSERT_LT(item.begin, item.end);
                    ASSERT_LE(item.end - item.begin,
                              number < items.bigItems ? items.bigRows : fast_study::kSmallRows);
                    next[item.strip] = item.end;
                }
                for (const int row : next) ASSERT_EQ(row, height);
                ASSERT_LE(items.bigItems, unsigned(std::max(blocks, items.strips)));
            }
}

TEST(Items, OfTheLargestArraysDoNotOverflow)
{
    for (const auto &[width, height] : {std::pair(1, 2000000000), std::pair(2000000000, 1)})
        for (const int blocks : {1, 3, 528}) {
            const Items items = fast_study::itemsOf(width, height, 512, blocks);
            const Item last = itemOf(items, items.items - 1);
            EXPECT_EQ(last.strip, items.strips - 1);
            EXPECT_EQ(last.end, height);
            EXPECT_GE(last.begin, std::max(height - items.bigRows, 0));
        }
}

TEST(Table, GoesFromStartToOverlap)
{
    std::vector<std::string> names;
    for (const entropy::Version &version : entropy::versions()) {
        names.push_back(version.name);
        EXPECT_FALSE(version.probe);
    }
    const std::vector<std::string> expected = {"start",        "packed",  "slide",
                                               "four_columns", "lookup",  "async_rows",
                                               "teams",        "overlap", "openmp"};
    EXPECT_EQ(names, expected);
    EXPECT_EQ(entropy::versions().back().unavailable, "");
}
