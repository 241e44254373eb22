// What main prints of a group, writes of it, and adds up.
#include "entropy/output.h"
#include "entropy/score.h"
#include "messages.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>

namespace
{

/// Cells 0, 1, 2, ... row by row, modulo the levels.
entropy::Sample counted(int width, int height)
{
    entropy::Sample sample;
    sample.width = width;
    sample.height = height;
    for (int i = 0; i < width * height; ++i) sample.cells.push_back(static_cast<float>(i % 16));
    return sample;
}

std::string printed(const entropy::Sample &sample, const std::vector<float> &result, bool all)
{
    testing::internal::CaptureStdout();
    entropy::printAnswer(sample, result.data(), all);
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
}

} // namespace

TEST(Output, WhatRoundsToZeroIsZero)
{
    const entropy::Sample sample = counted(3, 1);
    const std::vector<float> result = {-1e-7f, -4.9e-6f, -5.1e-6f};
    EXPECT_EQ(entropy::csvLine(sample, result.data()), "3,1,0.00000,0.00000,-0.00001,\n");
    EXPECT_TRUE(holds(printed(sample, result, true), "     0.00000     0.00000    -0.00001\n"));
    // The last float that rounds to zero, and the one beyond it.
    const std::vector<float> last = {-5e-6f, std::nextafter(-5e-6f, -1.0f), 5e-6f};
    EXPECT_EQ(entropy::csvLine(sample, last.data()), "3,1,0.00000,-0.00001,0.00000,\n");
}

TEST(Output, ShowsTheLastFiveColumnsAndRows)
{
    const entropy::Sample sample = counted(7, 6);
    const std::string corner = printed(sample, sample.cells, false);
    // Row 1 begins with cell 7: the corner with 9. Five rows of sample and of result.
    EXPECT_EQ(corner.find("sample:\n     9.00000    10.00000    11.00000"), 0u) << corner;
    EXPECT_EQ(std::count(corner.begin(), corner.end(), '\n'), 12) << corner;
    const std::string whole = printed(sample, sample.cells, true);
    EXPECT_EQ(whole.find("sample:\n     0.00000     1.00000"), 0u) << whole;
    EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 14) << whole;
}

TEST(Output, AVerdictShowsWhatIsAroundTheWorstCell)
{
    const entropy::Sample sample = counted(9, 7);
    const std::vector<float> right(9 * 7, 1);
    const auto verdict = [&](int x, int y, bool changed) {
        std::vector<float> result = right;
        if (x >= 0) result[y * 9 + x] = 1.5f;
        const auto comparison = entropy::compare(9, 7, result.data(), right.data());
        testing::internal::CaptureStdout();
        entropy::printVerdict(sample, result.data(), right.data(), comparison, changed, 2);
        std::fflush(stdout);
        return testing::internal::GetCapturedStdout();
    };
    struct Around
    {
        int x, y;
        const char *expected;
    };
    for (const Around &one : {Around{8, 6, "columns 4 to 8, rows 2 to 6"},
                              {7, 5, "columns 4 to 8, rows 2 to 6"},
                              {4, 3, "columns 2 to 6, rows 1 to 5"},
                              {0, 1, "columns 0 to 4, rows 0 to 4"}}) {
        const std::string text = verdict(one.x, one.y, false);
        EXPECT_TRUE(holds(text, one.expected)) << text;
        EXPECT_TRUE(holds(text, "FAILED: 1 of 63 cells are wrong, 2.000 ms, largest error 0.5 at "))
            << text;
        EXPECT_FALSE(holds(text, "changed")) << text;
        EXPECT_TRUE(holds(text, " 1.50000")) << text;
    }
    EXPECT_TRUE(holds(verdict(1, 1, true), "; the core changed its input\n"));
    EXPECT_EQ(verdict(-1, -1, false).find("passed: 2.000 ms, largest error 0 "), 0u);
    EXPECT_EQ(verdict(-1, -1, true).find("FAILED: the core changed its input; its answer"), 0u);
}

// Every number in its place, of an array that is no square and errors on no diagonal.
TEST(Output, AVerdictIsPutDownWordForWord)
{
    const entropy::Sample sample = counted(4, 3);
    const std::vector<float> right(12, 1);
    const auto verdict = [&](const std::vector<float> &result, bool changed) {
        const auto comparison = entropy::compare(4, 3, result.data(), right.data());
        testing::internal::CaptureStdout();
        entropy::printVerdict(sample, result.data(), right.data(), comparison, changed, 1234.5678);
        std::fflush(stdout);
        return testing::internal::GetCapturedStdout();
    };
    std::vector<float> close = right, far = right;
    close[2 * 4 + 1] = 1 + 0x1p-20f;
    EXPECT_EQ(verdict(close, false), "passed: 1234.568 ms, largest error 9.54e-07 at x 1, y 2\n");
    far[3] = 1.25f, far[4] = 1.125f, far[2 * 4 + 1] = 0.5f;
    const std::string line = "     1.00000     1.00000     1.00000     1.00000\n";
    EXPECT_EQ(verdict(far, true),
              "FAILED: 3 of 12 cells are wrong, 1234.568 ms, largest error 0.5 at x 1, y 2; the "
              "core changed its input\n"
              "first wrong cell: x 3, y 0, expected 1, computed 1.25\n"
              "worst wrong cell: x 1, y 2, expected 1, computed 0.5\n"
              "columns 0 to 3, rows 0 to 2, around the worst:\nexpected:\n" +
                  line + line + line +
                  "computed:\n"
                  "     1.00000     1.00000     1.00000     1.25000\n"
                  "     1.12500     1.00000     1.00000     1.00000\n"
                  "     1.00000     0.50000     1.00000     1.00000\n");
    EXPECT_EQ(printed(sample, far, false), "sample:\n"
                                           "     0.00000     1.00000     2.00000     3.00000\n"
                                           "     4.00000     5.00000     6.00000     7.00000\n"
                                           "     8.00000     9.00000    10.00000    11.00000\n"
                                           "result:\n"
                                           "     1.00000     1.00000     1.00000     1.25000\n"
                                           "     1.12500     1.00000     1.00000     1.00000\n"
                                           "     1.00000     0.50000     1.00000     1.00000\n");
}

TEST(Output, OfTwoGroupsThatAreAsSlowTheFirstIsNamed)
{
    entropy::Score score;
    score.groups = 3;
    for (const std::size_t group : {0, 1, 2}) score.add(group, 4, true);
    EXPECT_EQ(score.slowestGroup, 1u);
}

TEST(Output, OfOneAnswerAmongTwoGroupsItIsSaidWhoseItIs)
{
    entropy::Score score;
    score.groups = 2;
    score.add(1, 3, true);
    EXPECT_TRUE(holds(entropy::summary(score), "3.000 ms; slowest group 2 with 3.000 ms\n"))
        << summary(score);
}

TEST(Output, OneGroupHasATimeAndNoAnswerHasNone)
{
    const std::string version = entropy::activeVersion();
    entropy::Score score;
    score.groups = 1;
    EXPECT_EQ(entropy::summary(score),
              "\n0 of 1 groups passed with " + version + "; no group was answered\n");
    score.add(0, 12.3456, false);
    EXPECT_EQ(entropy::summary(score), "\n0 of 1 groups passed with " + version + "; 12.346 ms\n");
}

TEST(Output, TheScoreLeavesTheFirstGroupOutOfTheTotalAndFindsTheSlowest)
{
    entropy::Score score;
    score.groups = 4;
    score.add(0, 10, true);
    score.add(1, 2, false);
    score.add(2, 6, true);
    EXPECT_EQ(score.slowestGroup, 1u);
    EXPECT_EQ(score.total, 8);
    score.add(3, 11, true);
    EXPECT_EQ(score.slowestGroup, 4u);
    EXPECT_TRUE(holds(entropy::summary(score), "\n3 of 4 groups passed with ")) << summary(score);
    EXPECT_TRUE(holds(entropy::summary(score), "19.000 ms; slowest group 4 with 11.000 ms\n"))
        << summary(score);
}
