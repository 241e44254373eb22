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

/// What was measured of a method at a point; 0: nothing.
double measured(Costed method, Path path, CostKind kind, int row, int window, const Shape &shape)
{
    const CostRows *rows = costRows(method, path, kind);
    if (!rows || costSide(method, shape) != kCostWindows[window].side) return 0;
    return static_cast<double>(rows->nanoseconds[row][window]);
}

/// use(path, kind, row, window, problem) for all points.
void forAllPoints(const std::function<void(Path, CostKind, int, int, const Problem &)> &use)
{
    for (const CostKind kind : kCostKinds)
        for (int row = 0; row < kCostLevelCounts; ++row)
            for (int window = 0; window < kCostWindowCount; ++window) {
                const CostWindow &at = kCostWindows[window];
                const Problem problem =
                    Question(kind, kCostLevels[row], at.width, at.height).problem();
                for (const Path path : kPaths) use(path, kind, row, window, problem);
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
    forAllPoints([](Path path, CostKind kind, int row, int, const Problem &problem) {
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
        for (const Path path : kPaths)
            for (const CostKind kind : kCostKinds) {
                const CostRows *rows = costRows(method, path, kind);
                if (!rows) continue;
                EXPECT_EQ(rows->method, method);
                EXPECT_EQ(rows->kind, kind);
                EXPECT_EQ(rows->path, path == Path::Neon ? Path::Ssse3 : path);
                for (const auto &row : rows->nanoseconds)
                    for (const float cost : row)
                        EXPECT_TRUE(cost == 0 || (cost > 0.01f && cost < 1e6f)) << cost;
            }
}

TEST(Costs, TheLeastOfAPointIsChosen)
{
    int points = 0;
    forAllPoints([&](Path path, CostKind kind, int row, int window, const Problem &problem) {
        const Method &chosen = chooseMethod(problem, path);
        const double cost = measured(costedOf(chosen), path, kind, row, window, problem.shape);
        if (cost == 0) return; // its cost there is another point's
        ++points;
        for (const Method *method : methods()) {
            if (!isMeasured(*method) || !method->can(problem, path)) continue;
            const double other =
                measured(costedOf(*method), path, kind, row, window, problem.shape);
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
double rowOf(Costed method, int levels, int side, bool isByteWindow)
{
    const CostRows *rows = costRows(method, Path::Avx2, CostKind::Entropy);
    for (int row = 0; row < kCostLevelCounts; ++row)
        for (int window = 0; window < kCostWindowCount; ++window)
            if (kCostLevels[row] == levels && kCostWindows[window].side == side &&
                (window < kCostByteWindows) == isByteWindow)
                return static_cast<double>(rows->nanoseconds[row][window]);
    return std::nan("");
}

TEST(Costs, CellsAndCountsOfTwoBytesAreAStep)
{
    const auto at = [](int levels, int width, int height) {
        return costBy("histogram", Question(CostKind::Entropy, levels, width, height).problem(),
                      Path::Avx2);
    };
    EXPECT_EQ(at(256, 9, 9), rowOf(Costed::Histogram, 256, 9, true));
    EXPECT_EQ(at(257, 9, 9), rowOf(Costed::Histogram, 300, 9, true));
    EXPECT_EQ(at(64, 9, 28), rowOf(Costed::Histogram, 64, 9, true)) << "252 cells";
    EXPECT_EQ(at(64, 9, 29), rowOf(Costed::Histogram, 64, 9, false)) << "261 cells";
    EXPECT_EQ(at(64, 29, 9), at(64, 16, 29))
        << "nine cells enter, from the side: seven for turning";
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
