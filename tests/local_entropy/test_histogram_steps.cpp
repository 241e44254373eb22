// What the histogram method makes of a window beforehand: the cells that a move changes, the window
// on its side, and the steps that two windows take together.

#include "local_entropy/methods/histogram/edges.h"
#include "local_entropy/methods/histogram/foot_changes.h"
#include "local_entropy/methods/histogram/pair_steps.h"
#include "local_entropy/methods/histogram/turn.h"
#include "windows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace
{

using namespace local_entropy;
using namespace trial_windows;

using Cells = std::set<std::pair<int, int>>; // row, column

Cells cellsOf(const std::vector<Run> &runs, int down = 0)
{
    Cells cells;
    for (const Run &run : runs)
        for (int x = run.begin; x < run.end; ++x)
            EXPECT_TRUE(cells.insert({run.row + down, x}).second) << "a cell twice";
    return cells;
}

TEST(LocalEntropyHistogram, EdgesAreWhatAMoveChanges)
{
    std::vector<Window> windows = footprints();
    for (const Window &window : rectangles()) windows.push_back(window);
    for (const Window &window : windows) {
        const Shape shape = shapeOf(window);
        const Edges edges = edgesOf(shape);
        // In the frame of the window after the move, the one before is a row higher.
        Cells cells = cellsOf(shape.runs, -1);
        for (const auto &cell : cellsOf(edges.lost)) EXPECT_EQ(cells.erase(cell), 1u);
        for (const auto &cell : cellsOf(edges.gained)) EXPECT_TRUE(cells.insert(cell).second);
        EXPECT_EQ(cells, cellsOf(shape.runs));
        EXPECT_EQ(edges.cells(), static_cast<int>(cellsOf(edges.lost).size()));
    }
}

TEST(LocalEntropyHistogram, TurnedShapesAreOnTheirSide)
{
    for (const Window &window : footprints()) {
        const Shape shape = shapeOf(window), other = turned(shape);
        EXPECT_EQ(other.width, shape.height);
        EXPECT_EQ(other.height, shape.width);
        EXPECT_EQ(other.left, shape.top);
        EXPECT_EQ(other.top, shape.left);
        EXPECT_EQ(other.cells, shape.cells);
        Cells expected;
        for (const auto &cell : cellsOf(shape.runs)) expected.insert({cell.second, cell.first});
        EXPECT_EQ(cellsOf(other.runs), expected);
    }
}

/// Pieces of a kind, seen from the row that the window leaves.
Cells cellsOf(const footprint::Pieces &pieces, int kind)
{
    Cells cells;
    for (int length = 1; length <= footprint::kLongest; ++length) {
        const int place = footprint::Pieces::place(kind, length);
        for (int i = place ? pieces.ends[place - 1] : 0; i < pieces.ends[place]; ++i)
            for (int x = 0; x < length; ++x) {
                const footprint::Piece &piece = pieces.pieces[i];
                EXPECT_TRUE(cells.insert({piece.row, piece.column + x}).second) << "a cell twice";
            }
    }
    return cells;
}

TEST(LocalEntropyHistogram, PiecesAreWhatAMoveChanges)
{
    for (const Window &window : footprints()) {
        const Shape shape = shapeOf(window);
        const footprint::Pieces pieces = footprint::piecesOf(shape);
        const Cells all = cellsOf(shape.runs);
        EXPECT_EQ(cellsOf(pieces, footprint::Pieces::All), all);
        Cells cells = all;
        const Cells leaving = cellsOf(pieces, footprint::Pieces::Leaving);
        for (const auto &cell : leaving) EXPECT_EQ(cells.erase(cell), 1u);
        for (const auto &cell : cellsOf(pieces, footprint::Pieces::Entering))
            EXPECT_TRUE(cells.insert(cell).second);
        EXPECT_EQ(cells, cellsOf(shape.runs, 1));
        EXPECT_EQ(footprint::leavingCells(shape), static_cast<int>(leaving.size()));
    }
}

TEST(LocalEntropyHistogram, TablesOfFootprintsHaveRoomForAllThatIsInThem)
{
    using footprint::Piece, footprint::TableWords;
    for (int count = 1; count <= 300; ++count) {
        const TableWords words(count, 3 * count);
        EXPECT_GE(words.differences, count + 1);
        EXPECT_GE(4 * words.pieces, static_cast<int>(3 * count * sizeof(Piece)));
        EXPECT_EQ(words.all(), words.kFew + words.differences + words.pieces);
        EXPECT_EQ(words.all() % words.kFew, 0);
    }
}

TEST(LocalEntropyHistogram, DisksHaveARadiusAndNothingElseHas)
{
    for (const int radius : {1, 2, 5, 10})
        EXPECT_EQ(footprint::diskRadius(shapeOf(disk(radius))), radius);
    const auto withCell = [](int column, int row) {
        return shapeOf(windowOf(5, 5, [&](int x, int y) {
            return (x - 2) * (x - 2) + (y - 2) * (y - 2) <= 4 || (x == column && y == row);
        }));
    };
    EXPECT_EQ(footprint::diskRadius(withCell(2, 2)), 2);
    for (const int row : {0, 4})
        for (const int column : {0, 1, 3, 4})
            EXPECT_EQ(footprint::diskRadius(withCell(column, row)), 0) << column << ", " << row;
}

/// Every pair of counts that windows may have has an index of its own, which cells that enter one
/// window or both lead to, and its entries are the steps of both counts.
TEST(LocalEntropyHistogram, StepsOfPairsAreThoseOfBothWindows)
{
    std::vector<std::int64_t> steps(962);
    for (std::size_t n = 0; n < steps.size(); ++n) steps[n] = static_cast<std::int64_t>(n * n + 1);
    for (const auto &[cells, reach, unit] :
         {std::array{9, 4, 2}, std::array{81, 10, 2}, std::array{961, 32, 1}}) {
        const PairSteps pairs(cells, reach, steps);
        ASSERT_EQ(pairs.unit(), unit);
        for (int first = 0; first < 8; ++first)
            for (int last = first; last < 8; ++last) {
                PairSteps::Word sum = 0;
                for (int window = first; window <= last; ++window)
                    sum += pairs.added(window, window);
                EXPECT_EQ(pairs.added(first, last), sum);
            }
        std::set<PairSteps::Word> indices;
        for (int n = 0; n <= cells; ++n)
            for (int m = std::max(n - reach, 0); m <= std::min(n + reach, cells); ++m) {
                const PairSteps::Word last = n * pairs.added(6, 6) + m * pairs.added(7, 7);
                const PairSteps::Word index =
                    (n * pairs.added(0, 0) + m * pairs.added(1, 1)) / unit;
                ASSERT_EQ(last, (index * unit) << 48);
                ASSERT_TRUE(indices.insert(index).second) << n << ", " << m;
                if (n < cells) {
                    ASSERT_EQ(pairs.enters()[index].left, steps[n + 1]);
                }
                if (m < cells) {
                    ASSERT_EQ(pairs.enters()[index].right, steps[m + 1]);
                }
                if (n > 0) {
                    ASSERT_EQ(pairs.leaves()[index].left, steps[n]);
                }
                if (m > 0) {
                    ASSERT_EQ(pairs.leaves()[index].right, steps[m]);
                }
            }
    }
    EXPECT_EQ(PairSteps(961, 34, steps).unit(), 0) << "indices of 17 bits";
}

} // namespace
