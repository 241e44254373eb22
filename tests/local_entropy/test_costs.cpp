// The table of costs is whole, is read as it says, and decides.
#include "local_entropy/methods/costs.h"
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

namespace
{

constexpr int kSide = 600, kStart = 256, kResults = 8;

/// What a point of the table asks for, with an image that has room around the results.
class Question
{
public:
    Question(CostKind kind, int levels, int width, int height)
    {
        filter.levels.count = levels;
        filter.window.width = width;
        filter.window.height = height;
        if (kind == CostKind::OtherMeasure) filter.measure = Measure::Simpson;
        if (kind == CostKind::Footprint) { // a cross
            filter.window.width = filter.window.height = std::min(width, 63) | 1;
            const int side = filter.window.width;
            for (int i = 0; i < side * side; ++i)
                filter.window.footprint.push_back(i % side == side / 2 || i / side == side / 2);
        }
        hasMask = kind == CostKind::Missing;
        isDouble = kind == CostKind::Double;
    }

    Problem problem() const
    {
        static const std::vector<std::uint16_t> cells(kSide * kSide);
        static std::vector<double> results(kSide * kSide);
        static const std::vector<std::uint8_t> mask(kSide * kSide, 1);
        const CellType cellType =
            type.value_or(filter.levels.count > 256 ? CellType::Uint16 : CellType::Uint8);
        return checkedProblem(filter, {cells.data(), cellType, kSide / 2, kSide, kSide / 2},
                              hasMask ? Mask{mask.data(), kSide / 2, kSide, kSide / 2} : Mask{},
                              {results.data(), isDouble, region.width, region.height, region.width},
                              region);
    }

    Filter filter;
    bool hasMask, isDouble;
    std::optional<CellType> type;
    Region region = {kStart / 2, kStart, kResults, kResults};
};

std::string text(Path path, CostKind kind, int levels, const Shape &shape)
{
    return std::string(pathName(path)) + ", kind " + std::to_string(static_cast<int>(kind)) + ", " +
           std::to_string(levels) + " levels, " + std::to_string(shape.width) + "x" +
           std::to_string(shape.height);
}

Costed costedOf(const Method &method)
{
    for (const Costed costed : kCosted)
        if (std::string(costedName(costed)) == method.name()) return costed;
    ADD_FAILURE() << method.name() << " has no rows in the table of costs";
    return Costed::Plain;
}

bool isMeasured(const Method &method) { return std::string(method.name()) != "words"; }

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

double costBy(const char *name, const Problem &problem, Path path)
{
    for (const Method *method : methods())
        if (std::string(method->name()) == name) return method->cost(problem, path);
    return std::nan("");
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
            const CostShapes *shapes = costShapes(method, path);
            EXPECT_EQ(shapes != nullptr,
                      method != Costed::Plain && costRows(method, path, CostKind::Entropy))
                << costedName(method) << ", " << pathName(path);
            if (!shapes) continue;
            EXPECT_EQ(shapes->method, method);
            EXPECT_EQ(shapes->path, written);
            for (const auto *rows : {&shapes->broad, &shapes->tall})
                for (const auto &row : *rows)
                    for (const float times : row)
                        EXPECT_TRUE(times == 0 || (times > 0.02f && times < 50)) << times;
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

/// Of CostShapes, at a window of the table.
double timesOf(const CostShapes &shapes, bool isBroad, int row, int oblong)
{
    return static_cast<double>((isBroad ? shapes.broad : shapes.tall)[row][oblong]);
}

double amongSquares(Costed method, Path path, CostKind kind, int row, const Shape &shape)
{
    const CostRows *rows = costRows(method, path, kind);
    return rows ? costAmongSquares(rows->nanoseconds[row], shape.cells) : 0;
}

TEST(Costs, OblongWindowsCostSoManyTimesASquare)
{
    int points = 0;
    for (const CostKind kind :
         {CostKind::Entropy, CostKind::OtherMeasure, CostKind::Missing, CostKind::Double})
        for (int row = 0; row < kCostLevelCounts; ++row)
            for (int i = 0; i < kCostOblongCount; ++i)
                for (const bool isBroad : {true, false}) {
                    const auto [longer, shorter] = kCostOblongs[i];
                    const Problem problem =
                        Question(kind, kCostLevels[row], isBroad ? longer : shorter,
                                 isBroad ? shorter : longer)
                            .problem();
                    for (const Method *method : methods()) {
                        if (!isMeasured(*method) || !method->can(problem, Path::Avx512)) continue;
                        const Costed costed = costedOf(*method);
                        const CostShapes *shapes = costShapes(costed, Path::Avx512);
                        const double times = shapes ? timesOf(*shapes, isBroad, row, i) : 0;
                        if (times == 0) continue;
                        ++points;
                        const double expected =
                            times * amongSquares(costed, Path::Avx512, kind, row, problem.shape);
                        EXPECT_NEAR(method->cost(problem, Path::Avx512), expected, 1e-9 * expected)
                            << method->name() << " on "
                            << text(Path::Avx512, kind, kCostLevels[row], problem.shape);
                    }
                }
    EXPECT_GT(points, 1000);
}

/// A window on the line between two that lie on a curve, where a square has as many cells as `of`.
struct OnCurve
{
    OnCurve(const Shape &of, int before, int next, const CostShapes &shapes, bool isBroad, int row)
    {
        const auto side = [](int i) {
            return std::sqrt(kCostOblongs[i].width * kCostOblongs[i].height);
        };
        const auto oblongness = [](int i) {
            const auto [width, height] = kCostOblongs[i];
            return (width - height) / (width + height - 2.0);
        };
        const auto mean = [&](double a, double b) {
            const double share = (std::sqrt(of.cells) - side(before)) / (side(next) - side(before));
            return a + (b - a) * share;
        };
        this->oblongness = mean(oblongness(before), oblongness(next));
        times = mean(timesOf(shapes, isBroad, row, before), timesOf(shapes, isBroad, row, next));
    }

    double oblongness, times;
};

TEST(Costs, OblongWindowsAreBetweenTheCurves)
{
    constexpr int kRow = 4; // 12 levels
    const Path path = Path::Avx2;
    const CostShapes &shapes = *costShapes(Costed::Histogram, path);
    const auto check = [&](int width, int height, auto timesAt) {
        const Problem problem =
            Question(CostKind::Entropy, kCostLevels[kRow], width, height).problem();
        const Shape &shape = problem.shape;
        const double expected =
            timesAt(shape) * amongSquares(Costed::Histogram, path, CostKind::Entropy, kRow, shape);
        EXPECT_NEAR(costBy("histogram", problem, path), expected, 1e-9 * expected)
            << width << "x" << height;
    };
    check(21, 5, [&](const Shape &shape) { // 14x4 and 24x5
        const OnCurve curve(shape, 1, 2, shapes, true, kRow);
        return 1 + (curve.times - 1) * (16 / 24.0) / curve.oblongness;
    });
    check(4, 31, [&](const Shape &shape) { // 5x24 and 7x34, 2x28 and 3x48
        const OnCurve near = {shape, 2, 3, shapes, false, kRow};
        const OnCurve far = {shape, 5, 6, shapes, false, kRow};
        return near.times + (far.times - near.times) * (27 / 33.0 - near.oblongness) /
                                (far.oblongness - near.oblongness);
    });
    check(3, 2, [&](const Shape &) { // a curve's first: 8x3
        return 1 + (timesOf(shapes, true, kRow, 0) - 1) * (1 / 3.0) / (5 / 9.0);
    });
    check(2, 250, [&](const Shape &) { // more oblong than the last curve, 130x2 and 255x5
        const OnCurve curve(Question(CostKind::Entropy, 12, 2, 250).problem().shape, 14, 15, shapes,
                            false, kRow);
        return curve.times;
    });
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

TEST(Costs, AllShapesHaveOne)
{
    for (const Path path : kPaths)
        for (const auto &[width, height] : std::vector<std::pair<int, int>>{
                 {1, 1}, {1, 2}, {1, 255}, {255, 1}, {26, 1}, {255, 2}, {2, 128}, {13, 20}})
            for (const int levels : {2, 5, 200, 257, 60000})
                for (const CostKind kind : kCostKinds) {
                    const Problem problem = Question(kind, levels, width, height).problem();
                    for (const Method *method : methods())
                        if (method->can(problem, path)) {
                            const double cost = method->cost(problem, path);
                            EXPECT_TRUE(cost > 0 && std::isfinite(cost))
                                << method->name() << " on "
                                << text(path, kind, levels, problem.shape);
                        }
                }
}

} // namespace
