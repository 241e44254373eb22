// The table of costs in oblong windows: it is whole and is read as it says.
#include "cost_questions.h"
#include "local_entropy/methods/costs.h"
#include "local_entropy/methods/method.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

using namespace local_entropy;
using namespace cost_questions;

namespace
{

TEST(Costs, OfOblongWindowsAreNumbers)
{
    for (const Costed method : kCosted)
        for (const Path path : kPaths) {
            const CostShapes *shapes = costShapes(method, path);
            EXPECT_EQ(shapes != nullptr,
                      method != Costed::Plain && costRows(method, path, CostKind::Entropy))
                << costedName(method) << ", " << pathName(path);
            if (!shapes) continue;
            EXPECT_EQ(shapes->method, method);
            EXPECT_EQ(shapes->path, path == Path::Neon ? Path::Ssse3 : path);
            for (const auto *rows : {&shapes->broad, &shapes->tall})
                for (const auto &row : *rows)
                    for (const float times : row)
                        EXPECT_TRUE(times == 0 || (times > 0.02f && times < 50)) << times;
        }
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

/// use(kind, row, oblong, isBroad, problem) for all oblong windows of the table.
void forAllOblongs(const std::function<void(CostKind, int, int, bool, const Problem &)> &use)
{
    for (const CostKind kind :
         {CostKind::Entropy, CostKind::OtherMeasure, CostKind::Missing, CostKind::Double})
        for (int row = 0; row < kCostLevelCounts; ++row)
            for (int i = 0; i < kCostOblongCount; ++i)
                for (const bool isBroad : {true, false}) {
                    const auto [longer, shorter] = kCostOblongs[i];
                    const int width = isBroad ? longer : shorter,
                              height = isBroad ? shorter : longer;
                    use(kind, row, i, isBroad,
                        Question(kind, kCostLevels[row], width, height).problem());
                }
}

TEST(Costs, OblongWindowsCostSoManyTimesASquare)
{
    std::map<Path, int> points;
    forAllOblongs([&](CostKind kind, int row, int i, bool isBroad, const Problem &problem) {
        for (const Path path : kPaths)
            for (const Method *method : methods()) {
                if (!isMeasured(*method) || !method->can(problem, path)) continue;
                const Costed costed = costedOf(*method);
                const CostShapes *shapes = costShapes(costed, path);
                const double times = shapes ? timesOf(*shapes, isBroad, row, i) : 0;
                if (times == 0) continue;
                ++points[path];
                const double expected =
                    times * amongSquares(costed, path, kind, row, problem.shape);
                EXPECT_NEAR(method->cost(problem, path), expected, 1e-6 * expected) // of floats
                    << method->name() << " on "
                    << text(path, kind, kCostLevels[row], problem.shape);
            }
    });
    for (const Path path : kPaths)
        EXPECT_GT(points[path], costShapes(Costed::SlidingRanks, path) ? 4000 : 3500)
            << pathName(path);
}

// Where nothing was measured, a method would silently cost what its neighbours do, or a square.
TEST(Costs, OfOblongWindowsHaveNoHoles)
{
    constexpr int kMostLevels = 128; // levels is hopeless soon behind
    for (const Path path : kPaths)
        for (int row = 0; row < kCostLevelCounts; ++row)
            for (int i = 0; i < kCostOblongCount; ++i)
                for (const bool isBroad : {true, false})
                    for (const Costed method : {Costed::Histogram, Costed::Levels}) {
                        if (method == Costed::Levels && kCostLevels[row] > kMostLevels) continue;
                        const CostShapes *shapes = costShapes(method, path);
                        ASSERT_TRUE(shapes) << costedName(method) << ", " << pathName(path);
                        EXPECT_GT(timesOf(*shapes, isBroad, row, i), 0)
                            << costedName(method) << ", " << pathName(path) << ", "
                            << kCostLevels[row] << " levels, " << (isBroad ? "broad" : "tall")
                            << ", " << kCostOblongs[i].width << " by " << kCostOblongs[i].height;
                    }
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
    check(255, 100, [&](const Shape &) { // beyond a curve's last: 200x26
        return 1 + (timesOf(shapes, true, kRow, 13) - 1) * (155 / 353.0) / (174 / 224.0);
    });
    check(2, 250, [&](const Shape &) { // more oblong than the last curve, 130x2 and 255x5
        const OnCurve curve(Question(CostKind::Entropy, 12, 2, 250).problem().shape, 14, 15, shapes,
                            false, kRow);
        return curve.times;
    });
}

// Of windows with as few cells as 8x3 the method knows nothing: 14x4 is its first of that curve.
TEST(Costs, OblongWindowsBeforeTheFirstOfACurveCostAsManyTimes)
{
    constexpr int kRow = 4; // 12 levels
    const Path path = Path::Avx2;
    const CostShapes &shapes = *costShapes(Costed::SlidingRanks, path);
    ASSERT_EQ(timesOf(shapes, true, kRow, 0), 0);
    ASSERT_GT(timesOf(shapes, true, kRow, 1), 0);
    const Problem problem = Question(CostKind::Entropy, kCostLevels[kRow], 7, 4).problem();
    const double times = 1 + (timesOf(shapes, true, kRow, 1) - 1) * (3 / 9.0) / (10 / 16.0);
    const double expected =
        times * amongSquares(Costed::SlidingRanks, path, CostKind::Entropy, kRow, problem.shape);
    EXPECT_NEAR(costBy("sliding-ranks", problem, path), expected, 1e-9 * expected);
}

TEST(Costs, OblongFootprintsCostWhatDisksOfAsManyCellsDo)
{
    constexpr int kRow = 4; // 12 levels
    Question question(CostKind::Footprint, kCostLevels[kRow], 5, 5);
    question.filter.window.width = 30;
    question.filter.window.height = 4;
    question.filter.window.footprint.assign(120, 1);
    question.filter.window.footprint[7] = 0;
    const Problem problem = question.problem();
    EXPECT_EQ(
        costBy("histogram", problem, Path::Avx2),
        amongSquares(Costed::Histogram, Path::Avx2, CostKind::Footprint, kRow, problem.shape));
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
