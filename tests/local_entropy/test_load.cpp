// Loading row by row: rules of levels, masks, and the value that stands for "no cell".

#include "local_entropy/error.h"
#include "local_entropy/problem/levels.h"
#include "local_entropy/problem/load.h"
#include "local_entropy/problem/rows.h"
#include "local_entropy/problem/type_of.h"
#include "unusual_floats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace
{

using namespace local_entropy;

TEST(LocalEntropyLevels, TheRuleOfIntegersIsThatOfAllCells)
{
    for (const int count : {2, 256, 65536})
        for (const double low : {0.0, -32768.0, 7.0, 16777216.0, -16777216.0})
            for (const bool clamp : {false, true})
                for (const double nodata : {std::nan(""), -32768.0, 7.0, 0.5, 1e300, -1e300}) {
                    Filter filter;
                    filter.levels = {count, false, low, 0, clamp};
                    if (!std::isnan(nodata)) filter.nodata = nodata;
                    const LevelRule rule(filter);
                    const IntegerRule integers(filter);
                    for (int cell = -32768; cell < 65536; ++cell)
                        ASSERT_EQ(integers(cell), rule(cell))
                            << cell << " low " << low << " nodata " << nodata;
                }
}

TEST(LocalEntropyLevels, BinsHoldBothTheirEndsAndNothingBeyond)
{
    const double infinity = std::numeric_limits<double>::infinity();
    for (const auto &[low, high] : {std::pair{0.0, 0.7}, {-1.0, 1.0}, {0.1, 0.3}, {5.0, 1e9}})
        for (const int count : {2, 3, 7, 49, 65536}) {
            Filter filter;
            filter.levels = {count, true, low, high, false};
            const LevelRule rule(filter);
            EXPECT_EQ(rule(low), 0);
            EXPECT_EQ(rule(high), count - 1);
            EXPECT_EQ(rule(std::nextafter(high, low)), count - 1); // its product may round up
            EXPECT_EQ(rule(std::nextafter(low, -infinity)), kBadLevel);
            EXPECT_EQ(rule(std::nextafter(high, infinity)), kBadLevel);
            filter.levels.clamp = true;
            const LevelRule clamping(filter);
            EXPECT_EQ(clamping(-infinity), 0);
            EXPECT_EQ(clamping(infinity), count - 1);
        }
}

// At their edges, where another order of the same operations rounds to the bin beside.
TEST(LocalEntropyLevels, BinsAreThoseOfTheFormula)
{
    int others = 0;
    for (const auto &[low, high] : {std::pair{0.0, 0.7}, {-1.0, 1.0}, {0.1, 0.3}, {5.0, 1e9}})
        for (const int count : {3, 7, 49, 1000}) {
            Filter filter;
            filter.levels = {count, true, low, high, false};
            const LevelRule rule(filter);
            for (int i = 0; i < count; ++i) {
                const double cell = low + i * ((high - low) / count);
                const double bin = std::floor((cell - low) * (count / (high - low)));
                EXPECT_EQ(rule(cell), std::min(bin, count - 1.0)) << cell << " of " << count;
                others += std::floor((cell - low) / (high - low) * count) != bin;
            }
        }
    EXPECT_GT(others, 10);
}

/// What the rows of an image of one row say of its cells.
template <typename Cell>
std::vector<std::int32_t> levelsOf(const Filter &filter, CellType type,
                                   const std::vector<Cell> &cells)
{
    Problem problem;
    problem.filter = filter;
    const auto width = static_cast<std::int64_t>(cells.size());
    problem.image = {cells.data(), type, width, 1, width};
    std::vector<std::int32_t> levels(cells.size());
    RowReader(problem).read(0, 0, width, levels.data());
    return levels;
}

// By the rule of a cell, and in rows, where compilers make vectors of a loop of its own.
TEST(LocalEntropyLevels, FloatsAreLevelsOnlyWhereTheyAreIntegers)
{
    const std::vector<float> cells = unusualFloats();
    for (const Filter &filter : filtersOfFloats()) {
        const double low = filter.levels.low;
        const LevelRule rule(filter);
        const auto levels = levelsOf(filter, CellType::Float32, cells);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::int32_t expected = expectedLevel(filter, cells[i]);
            EXPECT_EQ(rule(cells[i]), expected) << cells[i] << " low " << low;
            EXPECT_EQ(levels[i], expected) << cells[i] << " low " << low << ", in a row";
        }
    }
}

/// All cells of a type that has so few.
template <typename Cell>
void expectRowsByTheRule(CellType type)
{
    std::vector<Cell> cells;
    for (int cell = std::numeric_limits<Cell>::min(); cell <= std::numeric_limits<Cell>::max();
         ++cell)
        cells.push_back(static_cast<Cell>(cell));
    for (const Levels &levels : {Levels{16, false, 0, 0, false},
                                 {16, false, -3, 0, true},
                                 {200, false, 17, 0, false},
                                 {7, true, 0.5, 99.75, false},
                                 {7, true, -100, 100, true}})
        for (const std::optional<double> nodata : {std::optional<double>(), {18.0}, {99.75}}) {
            Filter filter;
            filter.levels = levels;
            filter.nodata = nodata;
            const LevelRule rule(filter);
            const auto found = levelsOf(filter, type, cells);
            for (std::size_t i = 0; i < cells.size(); ++i)
                ASSERT_EQ(found[i], rule(cells[i]))
                    << +cells[i] << ", low " << levels.low << ", nodata " << nodata.value_or(-1);
        }
}

TEST(LocalEntropyLevels, RowsAreReadByTheRuleOfACell)
{
    expectRowsByTheRule<std::uint8_t>(CellType::Uint8);
    expectRowsByTheRule<std::uint16_t>(CellType::Uint16);
    expectRowsByTheRule<std::int16_t>(CellType::Int16);
}

TEST(LocalEntropyLevels, EveryByteButZeroIsTrue)
{
    std::vector<std::uint8_t> cells(256);
    for (int cell = 0; cell < 256; ++cell) cells[cell] = static_cast<std::uint8_t>(cell);
    Filter filter;
    filter.levels.count = 2;
    const auto levels = levelsOf(filter, CellType::Bool, cells);
    for (int cell = 0; cell < 256; ++cell) EXPECT_EQ(levels[cell], cell != 0) << cell;
}

// Beyond the edge, too, where it is true or false in an image of such cells.
TEST(LocalEntropyLevels, TheConstantHasItsLevel)
{
    Filter filter;
    filter.levels = {16, false, -4, 0, false};
    for (const CellType type :
         {CellType::Uint8, CellType::Uint16, CellType::Int16, CellType::Float32}) {
        filter.constant = -1;
        EXPECT_EQ(constantLevel(filter, type), 3);
        filter.constant = 0.25;
        EXPECT_EQ(constantLevel(filter, type), kBadLevel);
    }
    filter.levels.low = 0;
    for (const double constant : {0.0, -0.0, 1.0, -1.0, 0.25, -1e-300, 1e300}) {
        filter.constant = constant;
        EXPECT_EQ(constantLevel(filter, CellType::Bool), constant != 0) << constant;
    }
}

/// An image with its problem, all of whose cells count unless the mask says otherwise.
template <typename Cell>
struct Loaded
{
    std::int64_t width, height;
    Filter filter;
    std::vector<Cell> cells;
    std::vector<std::uint8_t> mask;
    std::vector<float> values;
    Scratch scratch;

    Loaded(std::int64_t width, std::int64_t height)
        : width(width), height(height), cells(width * height), mask(width * height, 1),
          values(width * height)
    {
        filter.border = Border::Nearest;
    }

    Tile load()
    {
        const Problem problem = checkedProblem(
            filter, {cells.data(), typeOf<Cell>(), width, height, 0},
            {mask.data(), width, height, 0}, {values.data(), false, width, height, 0}, {});
        return loadTile(problem, problem.region, scratch);
    }
};

template <typename Cell>
class LocalEntropyMask : public testing::Test
{
};
using Cells = testing::Types<std::uint8_t, std::uint16_t, std::int16_t, float>;
TYPED_TEST_SUITE(LocalEntropyMask, Cells);

TYPED_TEST(LocalEntropyMask, HidesWhatIsNoLevelAndNothingElse)
{
    for (const bool plain : {true, false}) // cells that are levels; or not, because of clamp
        for (std::int64_t at = 0; at < 70; ++at) {
            Loaded<TypeParam> loaded(70, 1);
            loaded.filter.levels.count = 16;
            if (!plain) loaded.filter.nodata = 200;
            loaded.cells[at] = 16;
            EXPECT_THROW(loaded.load(), Error) << at;
            loaded.mask[at] = 0;
            EXPECT_TRUE(loaded.load().missing);
            loaded.cells[(at + 1) % 70] = 17;
            EXPECT_THROW(loaded.load(), Error) << at;
        }
}

TYPED_TEST(LocalEntropyMask, EveryByteButZeroCounts)
{
    for (const bool plain : {true, false}) {
        Loaded<TypeParam> loaded(256, 1);
        loaded.filter.levels.count = 16;
        loaded.filter.window.width = loaded.filter.window.height = 1;
        if (!plain) loaded.filter.nodata = 200;
        for (int x = 0; x < 256; ++x) loaded.mask[x] = static_cast<std::uint8_t>(x);
        const Tile tile = loaded.load();
        ASSERT_EQ(tile.bytes, 1);
        for (int x = 0; x < 256; ++x)
            EXPECT_EQ(tile.template row<std::uint8_t>(0)[x], x ? 0 : tile.none) << x;
    }
}

/// Whether a tile of an image of 256 levels, its windows one cell, holds what its mask leaves.
template <typename Cell, typename Narrow>
void expectCells(const Loaded<Cell> &loaded, const Tile &tile)
{
    for (std::int64_t y = 0; y < loaded.height; ++y)
        for (std::int64_t x = 0; x < loaded.width; ++x) {
            const std::int64_t i = y * loaded.width + x;
            const auto cell = static_cast<std::uint32_t>(loaded.cells[i]);
            ASSERT_EQ(tile.row<Narrow>(y)[x], loaded.mask[i] ? cell : tile.none) << x << ", " << y;
        }
}

TEST(LocalEntropyTileMemory, AMaskTakesAValueThatNoCellHas)
{
    constexpr int kWidth = 256, kHeight = 40;
    for (int row = 0; row < kHeight; ++row)
        for (const int hole : {-1, 0, 77, 255}) { // the only value that is free, if one is
            Loaded<std::uint8_t> loaded(kWidth, kHeight);
            loaded.filter.window.width = loaded.filter.window.height = 1;
            std::fill(loaded.cells.begin(), loaded.cells.end(), std::uint8_t(128));
            for (int x = 0; x < kWidth; ++x) // every other value, in this row only
                loaded.cells[row * kWidth + x] = static_cast<std::uint8_t>(x == hole ? 128 : x);
            loaded.mask[row == 0 ? kWidth : 0] = 0;
            const Tile tile = loaded.load();
            ASSERT_EQ(tile.bytes, hole < 0 ? 2 : 1) << row << " " << hole;
            if (hole < 0) {
                expectCells<std::uint8_t, std::uint16_t>(loaded, tile);
            } else {
                ASSERT_EQ(tile.none, static_cast<std::uint32_t>(hole));
                expectCells<std::uint8_t, std::uint8_t>(loaded, tile);
            }
        }
}

TEST(LocalEntropyTileMemory, CountsWhatDoesNotCountInWindowsOfEveryWidth)
{
    std::mt19937 random(1);
    for (int side = 1; side <= 255; ++side) {
        Loaded<std::uint8_t> loaded(60, 3);
        loaded.filter.levels.count = 16;
        loaded.filter.window.width = side;
        loaded.filter.window.height = side % 5 + 1;
        for (auto &cell : loaded.mask) cell = random() % 3 != 0;
        const Tile tile = loaded.load();
        for (std::int64_t y = 0; y < tile.height; ++y)
            for (std::int64_t x = 0; x < tile.width; ++x) {
                int absent = 0;
                for (std::int64_t wy = y; wy < y + loaded.filter.window.height; ++wy)
                    for (std::int64_t wx = x; wx < x + side; ++wx)
                        absent += tile.row<std::uint8_t>(wy)[wx] == tile.none;
                ASSERT_EQ(tile.absent[y * tile.absentStride + x], absent) << side;
            }
    }
}

} // namespace
