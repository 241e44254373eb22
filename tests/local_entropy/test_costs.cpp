// The table of costs in squares and by levels: it is whole, is read as it says, and decides.
// test_oblong_costs.cpp has its oblong windows.
#include "cost_questions.h"
#include "local_entropy/methods/costs.h"
#include "local_entropy/methods/levels/levels.h"
#include "local_entropy/methods/method.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

using namespace local_entropy;
using namespace cost_questions;

namespace
{

/// What was measured of a method in a square; 0: nothing.
double measured(Costed method, Path path, CostKind kind, int row, int square, const Shape &shape)
{
    const CostRows *rows = costRows(method, path, kind);
    if (!rows || shape.cells != kCostSides[square] * kCostSides[square]) return 0;
    return static_cast<double>(rows->nanoseconds[row][square]);
}

/// use(path, kind, row, square, problem) for all squares of the table.
void forAllSquares(const std::function<void(Path, CostKind, int, int, const Problem &)> &use)
{
    for (const CostKind kind : kCostKinds)
        for (int row = 0; row < kCostLevelCounts; ++row)
            for (int square = 0; square < kCostSideCount; ++square) {
                const int side = kCostSides[square];
                const Problem problem = Question(kind, kCostLevels[row], side, side).problem();
                for (const Path path : kPaths) use(path, kind, row, square, problem);
            }
}

TEST(Costs, EveryMethodHasOneWhereverItCan)
{
    forAllSquares([](Path path, CostKind kind, int row, int, const Problem &problem) {
        ASSERT_EQ(costKindOf(problem), kind) << text(path, kind, kCostLevels[row], problem.shape);
        for (const Method *method : methods()) {
            if (!method->can(problem, path)) continue;
            const double cost = method->cost(problem, path);
            EXPECT_TRUE(cost > 0 && cost < 1e9)
                << method->name() << " costs " << cost << " on "
                << text(path, kind, kCostLevels[row], problem.shape);
        }
    });
}

TEST(Costs, AreNumbersWithoutHoles)
{
    for (const Costed method : kCosted)
        for (const Path path : kPaths) {
            const Path written = path == Path::Neon ? Path::Ssse3 : path;
            for (const CostKind kind : kCostKinds) {
                const CostRows *rows = costRows(method, path, kind);
                if (!rows) continue;
                EXPECT_EQ(rows->method, method);
                EXPECT_EQ(rows->kind, kind);
                EXPECT_EQ(rows->path, written);
                for (const auto &row : rows->nanoseconds)
                    for (const float cost : row)
                        EXPECT_TRUE(cost == 0 || (cost > 0.01f && cost < 1e6f)) << cost;
            }
        }
    for (const Path path : kPaths)
        EXPECT_TRUE(costOfFloats(path) > 0.01 && costOfFloats(path) < 100) << pathName(path);
}

TEST(Costs, TheLeastOfASquareIsChosen)
{
    int points = 0;
    forAllSquares([&](Path path, CostKind kind, int row, int square, const Problem &problem) {
        const Method &chosen = chooseMethod(problem, path);
        const double cost = measured(costedOf(chosen), path, kind, row, square, problem.shape);
        if (cost == 0) return; // a footprint that is no square of the table
        ++points;
        for (const Method *method : methods()) {
            if (!isMeasured(*method) || !method->can(problem, path)) continue;
            const double other =
                measured(costedOf(*method), path, kind, row, square, problem.shape);
            EXPECT_TRUE(other == 0 || cost <= other)
                << chosen.name() << " is chosen, " << method->name() << " is faster on "
                << text(path, kind, kCostLevels[row], problem.shape);
        }
    });
    EXPECT_GT(points, 2000);
}

TEST(Costs, BetweenPointsAreBetweenTheirCosts)
{
    for (const Path path : kPaths)
        for (const auto &[low, between, high] : std::vector<std::array<int, 3>>{
                 {7, 8, 9}, {11, 13, 15}, {31, 47, 63}, {127, 200, 255}})
            for (const auto &[few, some, many] :
                 std::vector<std::array<int, 3>>{{16, 20, 24}, {128, 200, 256}}) {
                const auto at = [&, path = path](int levels, int side) {
                    return costBy("levels",
                                  Question(CostKind::Entropy, levels, side, side).problem(), path);
                };
                const std::array<double, 4> corners = {at(few, low), at(few, high), at(many, low),
                                                       at(many, high)};
                const double cost = at(some, between);
                EXPECT_GT(cost, *std::min_element(corners.begin(), corners.end()));
                EXPECT_LT(cost, *std::max_element(corners.begin(), corners.end()));
            }
}

TEST(Costs, AreHalfwayBetweenTwoPointsInTheMiddle)
{
    const auto at = [](int levels, int side) {
        return costBy("levels", Question(CostKind::Entropy, levels, side, side).problem(),
                      Path::Avx2);
    };
    EXPECT_NEAR(at(16, 95), (at(16, 63) + at(16, 127)) / 2, 1e-6);
    EXPECT_NEAR(at(20, 31), (at(16, 31) + at(24, 31)) / 2, 1e-6);
    EXPECT_NEAR(at(20, 95), (at(20, 63) + at(20, 127)) / 2, 1e-6);
}

/// A number of the table.
double rowOf(Costed method, int levels, int side)
{
    const CostRows *rows = costRows(method, Path::Avx2, CostKind::Entropy);
    for (int row = 0; row < kCostLevelCounts; ++row)
        for (int square = 0; square < kCostSideCount; ++square)
            if (kCostLevels[row] == levels && kCostSides[square] == side)
                return static_cast<double>(rows->nanoseconds[row][square]);
    return std::nan("");
}

TEST(Costs, CellsAndCountsOfTwoBytesAreAStep)
{
    EXPECT_EQ(kCostSides[kCostByteSides - 1], 15) << "225 cells";
    const auto at = [](int levels, int side) {
        return costBy("histogram", Question(CostKind::Entropy, levels, side, side).problem(),
                      Path::Avx2);
    };
    EXPECT_EQ(at(256, 9), rowOf(Costed::Histogram, 256, 9));
    EXPECT_EQ(at(257, 9), rowOf(Costed::Histogram, 300, 9));
    EXPECT_EQ(at(64, 15), rowOf(Costed::Histogram, 64, 15));
    EXPECT_EQ(at(64, 16), rowOf(Costed::Histogram, 64, 16));
    const CostRows &rows = *costRows(Costed::Histogram, Path::Avx2, CostKind::Entropy);
    EXPECT_NEAR(costAmongSquares(rows.nanoseconds[8], 255),
                rowOf(Costed::Histogram, 64, 15) * 255 / 225, 1e-4);
    EXPECT_EQ(costAmongSquares(rows.nanoseconds[8], 256), rowOf(Costed::Histogram, 64, 16));
}

TEST(Costs, LevelsOfFloatsTakeTheirTime)
{
    for (const Path path : kPaths) {
        Question question(CostKind::Entropy, 16, 5, 5);
        const double ofBytes = costBy("ranks", question.problem(), path);
        question.type = CellType::Float32;
        EXPECT_EQ(costBy("ranks", question.problem(), path), ofBytes + costOfFloats(path));

        Question edge(CostKind::Missing, 16, 5, 5); // bits was measured with floats
        const double measured = costOf(Costed::Bits, edge.problem(), path);
        EXPECT_TRUE(std::isfinite(measured));
        edge.type = CellType::Float32;
        EXPECT_EQ(costOf(Costed::Bits, edge.problem(), path), measured);
    }
}

TEST(Costs, KindsAreThoseOfTheProblem)
{
    Question question(CostKind::Entropy, 16, 5, 5);
    const auto kind = [&] { return costKindOf(question.problem()); };
    EXPECT_EQ(kind(), CostKind::Entropy);
    question.type = CellType::Float32;
    EXPECT_EQ(kind(), CostKind::Entropy) << "few floats are NaN";
    question.region = {0, 0, kResults, kResults};
    EXPECT_EQ(kind(), CostKind::Missing) << "windows are cut";
    question.filter.border = Border::Nearest;
    EXPECT_EQ(kind(), CostKind::Entropy);
    question.filter.nodata = 1;
    EXPECT_EQ(kind(), CostKind::Missing);
    question.filter.nodata.reset();
    question.filter.measure = Measure::Richness;
    EXPECT_EQ(kind(), CostKind::OtherMeasure);
    question.hasMask = true;
    EXPECT_EQ(kind(), CostKind::Missing);
    question.filter.window.footprint.assign(25, 1);
    question.filter.window.footprint[3] = 0;
    EXPECT_EQ(kind(), CostKind::Footprint);
    question.isDouble = true;
    EXPECT_EQ(kind(), CostKind::Double);
}

// In an image of 300 x 600. Windows reach further to one side than to the other where a side is
// even or an origin moves them.
TEST(Costs, WindowsAreCutAtEachOfTheFourEdges)
{
    struct Reach
    {
        int width, height, originX, originY, left, top;
    };
    for (const Reach &reach : {Reach{5, 5, 0, 0, 2, 2},
                               {7, 4, 0, 0, 3, 2},
                               {4, 7, 0, 0, 2, 3},
                               {7, 4, 2, -1, 5, 1},
                               {4, 7, 1, -3, 3, 0}}) {
        Question question(CostKind::Entropy, 16, reach.width, reach.height);
        question.filter.window.originX = reach.originX;
        question.filter.window.originY = reach.originY;
        const auto kind = [&](const Region &region) {
            question.region = region;
            return costKindOf(question.problem());
        };
        question.type = CellType::Float32;
        const std::int64_t x = reach.left, y = reach.top, width = 301 - reach.width,
                           height = 601 - reach.height;
        EXPECT_EQ(kind({x, y, width, height}), CostKind::Entropy) << reach.width << ' ' << x;
        if (x > 0) {
            EXPECT_EQ(kind({x - 1, y, width, height}), CostKind::Missing) << reach.width;
        }
        if (y > 0) {
            EXPECT_EQ(kind({x, y - 1, width, height}), CostKind::Missing) << reach.width;
        }
        if (x + width < 300) {
            EXPECT_EQ(kind({x + 1, y, width, height}), CostKind::Missing) << reach.width;
        }
        if (y + height < 600) {
            EXPECT_EQ(kind({x, y + 1, width, height}), CostKind::Missing) << reach.width;
        }
    }
}

// Between a row that knows nothing and one that does, the cost is that of the one that does. What
// the method bits takes was measured of 16 levels only.
TEST(Costs, LevelsBelowAllThatWereMeasuredCostAsMuchAsTheFirst)
{
    for (const Path path : kPaths) {
        const auto at = [path](int levels) {
            return costOf(Costed::Bits, Question(CostKind::Missing, levels, 5, 5).problem(), path);
        };
        EXPECT_FALSE(std::isfinite(at(12))) << pathName(path);
        for (const int levels : {13, 15}) EXPECT_EQ(at(levels), at(16)) << pathName(path);
        EXPECT_TRUE(std::isfinite(at(16))) << pathName(path);
    }
}

// What a tile of bytes leaves to the method plain takes as long, whatever the table's pictures
// took.
TEST(Costs, LevelsThatMayNotFitAByteCostAsMuchAsPlain)
{
    for (const Path path : kPaths) {
        const auto isPlains = [path](CostKind kind, int levels) {
            const Problem problem = Question(kind, levels, 9, 9).problem();
            return levelsMethod().costInTiles(problem, path, 1) >= costBy("plain", problem, path);
        };
        EXPECT_FALSE(isPlains(CostKind::Missing, 255)) << pathName(path);
        EXPECT_TRUE(isPlains(CostKind::Missing, 256)) << pathName(path) << ": one is for no level";
        EXPECT_FALSE(isPlains(CostKind::Entropy, 256)) << pathName(path);
        EXPECT_TRUE(isPlains(CostKind::Entropy, 257)) << pathName(path);
    }
}

TEST(Costs, WindowsBelowTheLeastThatWasMeasuredCostAsMuch)
{
    float row[kCostSideCount] = {};
    row[2] = 3, row[3] = 5;
    for (int side = 1; side <= kCostSides[2]; ++side)
        EXPECT_EQ(costAmongSquares(row, side * side), 3) << side;
}

} // namespace
