// What main prints of a group, writes of it, and adds up.
#include "entropy/output.h"
#include "entropy/score.h"
#include "messages.h"

#include <algorithm>
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
