// bench_filter --costs: what is timed, and the text of the table that is made of it.
#include "bench/cost_scene.h"
#include "bench/cost_text.h"
#include "common/error.h"
#include "local_entropy/problem/problem.h"
#include "processor_time.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace
{

using local_entropy::Costed;
using local_entropy::CostKind;
using local_entropy::Path;

TEST(BenchCosts, OnlyAMethodThatCannotIsLeftOut)
{
    bench::CostScene scene(16, true);
    local_entropy::Engine ranks = bench::costEngine(Costed::Ranks, Path::Portable),
                          bits = bench::costEngine(Costed::Bits, Path::Portable);
    const auto small = bench::CostPoint::rectangle(CostKind::Missing, 3, 3);
    const auto large = bench::CostPoint::rectangle(CostKind::Entropy, 6, 6);
    EXPECT_TRUE(scene.can(ranks, small));
    EXPECT_GT(scene.time(ranks, small, 100, 1e5), 0);
    EXPECT_FALSE(scene.can(ranks, large));
    EXPECT_THROW(scene.time(ranks, large, 100, 1e5), common::Unavailable)
        << "whatever is lacking while it is timed ends the measurement";
    auto point = bench::CostPoint::rectangle(CostKind::Entropy, 5, 5);
    EXPECT_FALSE(scene.can(bits, point)) << "of bytes";
    point.isFloat = point.isWhole = true;
    EXPECT_TRUE(scene.can(bits, point));
    EXPECT_GT(scene.time(bits, point, 100, 1e5), 0);
    point.kind = CostKind::OtherMeasure;
    EXPECT_FALSE(scene.can(bits, point));
}

// On the processor, so that other programs count little.
TEST(BenchCosts, AreOfAResult)
{
    bench::CostScene scene(16, false);
    local_entropy::Engine plain = bench::costEngine(Costed::Plain, Path::Portable);
    const auto point = bench::CostPoint::rectangle(CostKind::Entropy, 3, 3);
    const auto least = [&](double nanoseconds) { // of three
        std::vector<double> all;
        for (int i = 0; i < 3; ++i) all.push_back(scene.time(plain, point, 100, nanoseconds));
        return *std::min_element(all.begin(), all.end());
    };
    const double few = least(2e5), many = least(2e6);
    EXPECT_LT(many, 4 * few);
    EXPECT_LT(few, 4 * many);
    EXPECT_LT(many, 1e4) << "nanoseconds";
    workUntilASecondIsNearlyFull();
    EXPECT_GT(scene.time(plain, point, few, 1e8), 0) << "where a second is full, too";
}

// As many cells as a square, but for what whole cells allow.
TEST(BenchCosts, DisksHaveTheCellsOfASquare)
{
    for (const int side : local_entropy::kCostSides) {
        if (side < 5) continue;
        const int cells = local_entropy::shapeOf(bench::diskOf(side)).cells;
        EXPECT_NEAR(cells, side * side, 3 * side) << side;
    }
}

TEST(BenchCosts, EachRowHasTheNamesOfItsEnumerators)
{
    const std::vector<std::string> methods = {"Bits",   "Ranks",     "SlidingRanks",
                                              "Levels", "Histogram", "Plain"},
                                   paths = {"Avx512Vbmi", "Avx512", "Avx2",
                                            "Ssse3",      "Neon",   "Portable"},
                                   kinds = {"Entropy", "OtherMeasure", "Missing", "Footprint",
                                            "Double"};
    bench::CostTable table;
    for (const Costed method : local_entropy::kCosted)
        for (const Path path : local_entropy::kPaths) {
            table.shapesOf(method, path);
            for (const CostKind kind : local_entropy::kCostKinds) table.rowsOf(method, path, kind);
        }
    const std::string text = textOf(table, "");
    for (const std::string &method : methods)
        for (const std::string &path : paths) {
            const std::string who = "{Costed::" + method + ", Path::" + path + ", ";
            EXPECT_NE(text.find("\n" + who + "{\n"), std::string::npos) << who;
            for (const std::string &kind : kinds)
                EXPECT_NE(text.find("\n" + who + "CostKind::" + kind + ", {\n"), std::string::npos)
                    << who << kind;
        }
}

/// So many lines of a row in which nothing was measured.
std::string emptyLines(int count)
{
    std::string lines;
    for (int i = 0; i < count; ++i) lines += "    {},\n";
    return lines;
}

TEST(BenchCosts, TheTextIsTheTable)
{
    bench::CostTable table;
    auto &squares = table.rowsOf(Costed::SlidingRanks, Path::Avx512Vbmi, CostKind::OtherMeasure);
    squares.nanoseconds[0][0] = 0.74149f;
    squares.nanoseconds[0][3] = 1234.5f;
    squares.nanoseconds[0][5] = 2;
    squares.nanoseconds[2][local_entropy::kCostSideCount - 1] = 5;
    table.rowsOf(Costed::Plain, Path::Portable, CostKind::Double).nanoseconds[1][1] = 12.34f;
    auto &oblongs = table.shapesOf(Costed::Histogram, Path::Ssse3);
    oblongs.broad[0][0] = 1.5f;
    oblongs.tall[1][2] = 0.25f;
    table.floats[Path::Avx2] = 0.123456;

    const std::string text = textOf(table, "abc123");
    const std::size_t rows = text.find("constexpr");
    ASSERT_NE(rows, std::string::npos);
    EXPECT_EQ(text.find("// Written by `make costs`"), 0u);
    EXPECT_NE(text.substr(0, rows).find("; revision: abc123\n"), std::string::npos);
    constexpr int kLevels = local_entropy::kCostLevelCounts;
    const std::string last = "    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5},\n";
    EXPECT_EQ(text.substr(rows),
              "constexpr CostRows kRows[] = {\n"
              "{Costed::SlidingRanks, Path::Avx512Vbmi, CostKind::OtherMeasure, {\n"
              "    {0.741, 0, 0, 1.23e+03, 0, 2},\n"
              "    {},\n" +
                  last + emptyLines(kLevels - 3) +
                  "}},\n"
                  "{Costed::Plain, Path::Portable, CostKind::Double, {\n"
                  "    {},\n"
                  "    {0, 12.3},\n" +
                  emptyLines(kLevels - 2) +
                  "}},\n"
                  "};\n"
                  "constexpr CostShapes kShapes[] = {\n"
                  "{Costed::Histogram, Path::Ssse3, {\n"
                  "    {1.5},\n" +
                  emptyLines(kLevels - 1) +
                  "}, {\n"
                  "    {},\n"
                  "    {0, 0, 0.25},\n" +
                  emptyLines(kLevels - 2) +
                  "}},\n"
                  "};\n"
                  "constexpr CostFloats kFloats[] = {\n"
                  "{Path::Avx2, 0.123},\n"
                  "};\n");
}

} // namespace
