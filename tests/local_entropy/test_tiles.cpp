// Tiles hold the right levels, in memory that a method may read, and name the first bad cell.

#include "judge.h"
#include "local_entropy/error.h"
#include "local_entropy/problem/load.h"
#include "local_entropy/problem/type_of.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

namespace
{

using namespace local_entropy;

std::uint32_t cellOf(const Tile &tile, std::int64_t x, std::int64_t y)
{
    return tile.bytes == 1   ? tile.row<std::uint8_t>(y)[x]
           : tile.bytes == 2 ? tile.row<std::uint16_t>(y)[x]
                             : tile.row<std::uint32_t>(y)[x];
}

/// Compares a tile, cell by cell, with the definition.
template <typename Cell>
void expectTile(const Problem &problem, const Tile &tile)
{
    const Image &image = problem.image;
    const auto *cells = static_cast<const Cell *>(image.data);
    const Shape &shape = problem.shape;
    const auto levelAt = [&](std::int64_t x, std::int64_t y) -> std::optional<int> {
        const std::int64_t cx = judge::indexOf(problem.filter.border, x, image.width);
        const std::int64_t cy = judge::indexOf(problem.filter.border, y, image.height);
        if (cx == -1 || cy == -1) return {};
        if (cx == -2 || cy == -2) return judge::levelOf(problem.filter, problem.filter.constant);
        if (problem.mask.data && !problem.mask.data[cy * problem.mask.stride + cx]) return {};
        return judge::levelOf(problem.filter, static_cast<double>(cells[cy * image.stride + cx]));
    };
    const std::int64_t left = tile.place.x - shape.left, top = tile.place.y - shape.top;
    for (std::int64_t y = 0; y < tile.height + shape.height - 1; ++y)
        for (std::int64_t x = 0; x < tile.width + shape.width - 1; ++x) {
            const std::optional<int> level = levelAt(left + x, top + y);
            ASSERT_TRUE(level || tile.missing);
            ASSERT_EQ(cellOf(tile, x, y), level ? *level : tile.none) << x << ", " << y;
            if (level && tile.missing) {
                ASSERT_NE(static_cast<std::uint32_t>(*level), tile.none);
            }
            ASSERT_LT(cellOf(tile, x, y), static_cast<std::uint32_t>(tile.values));
        }
    if (!tile.missing) return;
    for (std::int64_t y = 0; y < tile.height; ++y)
        for (std::int64_t x = 0; x < tile.width; ++x) {
            int absent = 0;
            for (const Run &run : shape.runs)
                for (int i = run.begin; i < run.end; ++i)
                    absent += !levelAt(left + x + i, top + y + run.row);
            ASSERT_EQ(tile.absent[y * tile.absentStride + x], absent) << x << ", " << y;
        }
}

template <typename Cell>
class LocalEntropyTile : public testing::Test
{
};
using Cells = testing::Types<std::uint8_t, std::uint16_t, std::int16_t, float>;
TYPED_TEST_SUITE(LocalEntropyTile, Cells);

TYPED_TEST(LocalEntropyTile, HoldsTheLevelsThatItsWindowsReach)
{
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % n); };
    Scratch scratch;
    for (int trial = 0; trial < 3000; ++trial) {
        Filter filter;
        const bool footprint = below(3) == 0;
        filter.window.width = 1 + below(9), filter.window.height = 1 + below(9);
        filter.window.originX = below(filter.window.width) - filter.window.width / 2;
        filter.window.originY = below(filter.window.height) - filter.window.height / 2;
        if (footprint) {
            filter.window.footprint.resize(filter.window.width * filter.window.height);
            for (auto &cell : filter.window.footprint) cell = below(2);
            filter.window.footprint.back() = 1;
        }
        const int counts[] = {2, 16, 255, 256, 1000, 65535, 65536};
        const int most = sizeof(TypeParam) == 1 ? 256 : 65536;
        do filter.levels.count = counts[below(7)];
        while (filter.levels.count > most);
        if (typeOf<TypeParam>() == CellType::Int16) filter.levels.low = -(filter.levels.count / 2);
        filter.border = static_cast<Border>(below(6));
        filter.constant = filter.levels.low + below(filter.levels.count);
        const std::int64_t width = 1 + below(trial % 5 ? 20 : 400), height = 1 + below(12);
        const std::int64_t stride = width + below(5);
        std::vector<TypeParam> cells(stride * height);
        for (auto &cell : cells)
            cell = static_cast<TypeParam>(filter.levels.low + below(filter.levels.count));
        if (below(3) == 0) filter.nodata = static_cast<double>(cells[below(width)]);
        std::vector<std::uint8_t> mask(width * height, 1);
        for (auto &cell : mask) cell = below(8) != 0;
        std::vector<float> values(width * height);
        const Problem problem =
            checkedProblem(filter, {cells.data(), typeOf<TypeParam>(), width, height, stride},
                           below(3) ? Mask{} : Mask{mask.data(), width, height, 0},
                           {values.data(), false, width, height, 0}, {});
        Region place{below(width), below(height), 0, 0};
        place.width = 1 + below(width - place.x), place.height = 1 + below(height - place.y);
        expectTile<TypeParam>(problem, loadTile(problem, place, scratch));
        if (this->HasFatalFailure()) return;
    }
}

// Four bytes a cell: all levels that two can tell occur, and a cell that does not count.
TEST(LocalEntropyTileMemory, OfAllLevelsCountsWhatIsAbsent)
{
    constexpr std::int64_t kSide = 262;
    std::vector<std::uint16_t> cells(kSide * kSide);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::uint16_t>(i);
    std::vector<std::uint8_t> counts(cells.size(), 1);
    counts[kSide + 1] = 0; // its level occurs once more, behind the first 65536 cells
    std::vector<float> values(cells.size());
    Filter filter;
    filter.window.width = filter.window.height = 2;
    filter.border = Border::Mirror;
    filter.levels.count = 65536;
    Scratch scratch;
    for (const std::vector<std::uint8_t> &footprint : {std::vector<std::uint8_t>{}, {0, 1, 1, 1}}) {
        filter.window.footprint = footprint;
        const Problem problem = checkedProblem(
            filter, {cells.data(), CellType::Uint16, kSide, kSide, 0},
            {counts.data(), kSide, kSide, 0}, {values.data(), false, kSide, kSide, 0}, {});
        const Tile tile = loadTile(problem, problem.region, scratch);
        ASSERT_EQ(tile.bytes, 4);
        expectTile<std::uint16_t>(problem, tile);
        EXPECT_EQ(loadTile(problem, {0, 0, 9, kSide}, scratch).bytes, 2) << "of some levels";
    }
}

// As a cell of the image that does not count would be.
TEST(LocalEntropyTileMemory, AConstantOfNoLevelDoesNotCount)
{
    const float cell = 1;
    float value = 0;
    Filter filter;
    filter.levels.count = 2;
    filter.border = Border::Constant;
    filter.constant = std::nan("");
    const Problem problem = checkedProblem(filter, {&cell, CellType::Float32, 1, 1, 0}, {},
                                           {&value, false, 1, 1, 0}, {});
    Scratch scratch;
    const Tile tile = loadTile(problem, problem.region, scratch);
    ASSERT_TRUE(tile.missing);
    EXPECT_EQ(tile.values, 3);
    for (int at = 0; at < 25; ++at)
        EXPECT_EQ(cellOf(tile, at % 5, at / 5), at == 12 ? 1 : tile.none);
}

// As a cell of the image would be: what is not 0 is true.
TEST(LocalEntropyTileMemory, OfBoolsHasATrueOrAFalseConstantAround)
{
    const std::uint8_t cell = 0;
    float value = 0;
    Filter filter;
    filter.levels.count = 2;
    filter.border = Border::Constant;
    Scratch scratch;
    for (const double constant : {0.0, 1.0, 5.0, -1.0}) {
        filter.constant = constant;
        const Problem problem = checkedProblem(filter, {&cell, CellType::Bool, 1, 1, 0}, {},
                                               {&value, false, 1, 1, 0}, {});
        const Tile tile = loadTile(problem, problem.region, scratch);
        ASSERT_FALSE(tile.missing) << constant;
        for (int at = 0; at < 25; ++at)
            EXPECT_EQ(cellOf(tile, at % 5, at / 5), at != 12 && constant != 0) << constant;
    }
}

TEST(LocalEntropyTileMemory, UsesTheImageItselfWhereItCan)
{
    std::vector<std::uint8_t> cells(2000 * 20, 7);
    std::vector<float> values(2000 * 20);
    const Problem problem = checkedProblem({}, {cells.data(), CellType::Uint8, 2000, 20, 0}, {},
                                           {values.data(), false, 2000, 20, 0}, {});
    Scratch scratch;
    EXPECT_EQ(loadTile(problem, {2, 2, 1000, 16}, scratch).cells, cells.data());
    EXPECT_NE(loadTile(problem, {1, 2, 1000, 16}, scratch).cells, cells.data());
    EXPECT_FALSE(loadTile(problem, {2, 2, 1000, 16}, scratch).missing);
    const Tile atTheEdge = loadTile(problem, {1000, 4, 1000, 16}, scratch);
    EXPECT_TRUE(atTheEdge.missing);
    EXPECT_EQ(atTheEdge.bytes, 1); // 7 is the only level: others are free
}

// Bytes are counted faster than words.
TEST(LocalEntropyTileMemory, OfWordsWhoseLevelsFitBytesIsBytes)
{
    std::vector<std::uint16_t> cells(2000 * 20, 1);
    std::vector<float> values(2000 * 20);
    for (const int levels : {2, 255, 256, 257}) {
        Filter filter;
        filter.levels.count = levels;
        const Problem problem =
            checkedProblem(filter, {cells.data(), CellType::Uint16, 2000, 20, 0}, {},
                           {values.data(), false, 2000, 20, 0}, {});
        Scratch scratch;
        EXPECT_EQ(loadTile(problem, {2, 2, 1000, 16}, scratch).bytes, levels <= 256 ? 1 : 2)
            << levels;
    }
}

// What a method may read behind the rows of a tile belongs to the image: it ends with its last
// cell.
template <typename Cell>
void expectSlackInTheImage(CellType type)
{
    constexpr std::int64_t kWidth = 500, kHeight = 20, kSlack = kTileSlack / sizeof(Cell);
    for (const std::int64_t gap : {std::int64_t(0), std::int64_t(1), 2 * kSlack}) {
        std::vector<Cell> cells((kWidth + gap) * kHeight, 7);
        std::vector<float> values(kWidth * kHeight);
        Filter filter; // 5x5
        filter.levels.count = sizeof(Cell) == 1 ? 256 : 65536;
        const Problem problem =
            checkedProblem(filter, {cells.data(), type, kWidth, kHeight, kWidth + gap}, {},
                           {values.data(), false, kWidth, kHeight, 0}, {});
        Scratch scratch;
        for (const std::int64_t rows : {kHeight - 5, kHeight - 4}) // all but one, and all
            for (const std::int64_t reached : {kWidth - kSlack, kWidth - kSlack + 1, kWidth})
                EXPECT_EQ(loadTile(problem, {2, 2, reached - 4, rows}, scratch).cells ==
                              cells.data(),
                          rows == kHeight - 5 || reached == kWidth - kSlack)
                    << rows << " rows of " << reached << ", gap " << gap;
    }
}

TEST(LocalEntropyTileMemory, OfTheImageEndsBeforeItsLastCell)
{
    expectSlackInTheImage<std::uint8_t>(CellType::Uint8);
    expectSlackInTheImage<std::uint16_t>(CellType::Uint16);
}

/// An image of 16 levels, or of 300, and a tile in its middle. A method reads its cells, and may
/// read what lies behind its rows: whatever is there must be a level.
template <typename Cell>
void expectCheckedWhereItLies(CellType type, int levels)
{
    constexpr std::int64_t kWidth = 2000, kHeight = 20, kReached = 1004;
    std::vector<Cell> cells(kWidth * kHeight, 7);
    std::vector<float> values(kWidth * kHeight);
    Filter filter;
    filter.levels.count = levels;
    const Problem problem = checkedProblem(filter, {cells.data(), type, kWidth, kHeight, 0}, {},
                                           {values.data(), false, kWidth, kHeight, 0}, {});
    const Region region{102, 4, 1000, 12}; // of windows of 5 x 5
    const Cell *const first = &cells[2 * kWidth + 100];
    constexpr std::int64_t kSlack = kTileSlack / sizeof(Cell);
    Scratch scratch;
    EXPECT_EQ(loadTile(problem, region, scratch).cells, first);
    for (const int row : {0, 7, 15})
        for (const std::int64_t column :
             {std::int64_t(-1), std::int64_t(0), std::int64_t(500), kReached - 1, kReached,
              kReached + kSlack - 1, kReached + kSlack}) {
            Cell &cell = cells[(2 + row) * kWidth + 100 + column];
            cell = static_cast<Cell>(levels);
            if (column >= 0 && column < kReached) {
                EXPECT_THROW(loadTile(problem, region, scratch), Error) << row << ", " << column;
            } else {
                const bool isBehind = column >= kReached && column < kReached + kSlack;
                EXPECT_EQ(loadTile(problem, region, scratch).cells != first, isBehind)
                    << row << ", " << column;
            }
            cell = static_cast<Cell>(levels - 1);
            EXPECT_EQ(loadTile(problem, region, scratch).cells, first) << row << ", " << column;
        }
}

TEST(LocalEntropyTileMemory, OfTheImageIsChecked)
{
    expectCheckedWhereItLies<std::uint8_t>(CellType::Uint8, 16);
    expectCheckedWhereItLies<std::uint16_t>(CellType::Uint16, 300);
}

TEST(LocalEntropyTileMemory, NamesTheFirstBadCell)
{
    std::vector<float> cells(30 * 20, 1), values(30 * 20);
    cells[13 * 30 + 5] = 2.5f;
    cells[12 * 30 + 7] = 16;
    cells[2 * 30 + 7] = -1; // beyond what the region's windows reach
    Filter filter;
    filter.levels.count = 16;
    const Problem problem = checkedProblem(filter, {cells.data(), CellType::Float32, 30, 20, 0}, {},
                                           {values.data(), false, 30, 10, 0}, {0, 10, 30, 10});
    Scratch scratch;
    EXPECT_THROW(loadTile(problem, problem.region, scratch), Error);
    try {
        throwFirstBadCell(problem);
        FAIL();
    } catch (const Error &error) {
        EXPECT_STREQ(error.what(), "the cell at x 7, y 12 is 16, expected an integer 0..15");
        EXPECT_EQ(error.status(), Status::BadLevel);
    }
}

// With as many digits as tell it from others.
TEST(LocalEntropyTileMemory, ABadCellIsGivenInFull)
{
    const auto sentence = [](float cell, const Levels &levels) -> std::string {
        float value = 0;
        Filter filter;
        filter.levels = levels;
        const Problem problem = checkedProblem(filter, {&cell, CellType::Float32, 1, 1, 0}, {},
                                               {&value, false, 1, 1, 0}, {});
        try {
            throwFirstBadCell(problem);
        } catch (const Error &error) {
            return error.what();
        }
        return "";
    };
    const Levels sixteen{16, false, 0, 0, false};
    EXPECT_EQ(sentence(3, sixteen), "");
    EXPECT_EQ(sentence(16777215, sixteen),
              "the cell at x 0, y 0 is 16777215, expected an integer 0..15");
    EXPECT_EQ(sentence(0.1f, sixteen),
              "the cell at x 0, y 0 is 0.100000001, expected an integer 0..15");
    EXPECT_EQ(sentence(17, {16, false, -16777216, 0, false}),
              "the cell at x 0, y 0 is 17, expected an integer -16777216..-16777201");
    EXPECT_EQ(sentence(0.75f, {16, true, 0, 0.5, false}),
              "the cell at x 0, y 0 is 0.75, expected 0 to 0.5");
}

/// The sentence about the one cell of an image.
template <typename Cell>
std::string sentenceOf(CellType type, Cell cell, const Levels &levels)
{
    float value = 0;
    Filter filter;
    filter.levels = levels;
    try {
        throwFirstBadCell(
            checkedProblem(filter, {&cell, type, 1, 1, 0}, {}, {&value, false, 1, 1, 0}, {}));
    } catch (const Error &error) {
        return error.what();
    }
    return "";
}

TEST(LocalEntropyTileMemory, ABadCellIsGivenAsTheTypeThatItIs)
{
    const Levels sixteen{16, false, 100, 0, false};
    EXPECT_EQ(sentenceOf<std::uint8_t>(CellType::Uint8, 200, sixteen),
              "the cell at x 0, y 0 is 200, expected an integer 100..115");
    EXPECT_EQ(sentenceOf<std::uint16_t>(CellType::Uint16, 65535, sixteen),
              "the cell at x 0, y 0 is 65535, expected an integer 100..115");
    EXPECT_EQ(sentenceOf<std::int16_t>(CellType::Int16, -1, sixteen),
              "the cell at x 0, y 0 is -1, expected an integer 100..115");
    EXPECT_EQ(sentenceOf<std::int16_t>(CellType::Int16, -32768, {4, true, -10.5, 12.25, false}),
              "the cell at x 0, y 0 is -32768, expected -10.5 to 12.25");
    EXPECT_EQ(sentenceOf<std::uint8_t>(CellType::Bool, 200, {2, false, 0, 0, false}), "");
}

} // namespace
