// The GPU engine on a GPU, arrays of floats and of levels: every bit is that of the CPU engine,
// and nothing else is touched.
#include "words_device.h"

#include "brief.h"
#include "local_entropy/error.h"
#include "messages.h"

#ifdef __CUDACC__
#include <array>

using namespace engine_gpu;
#endif

TEST(EngineGpuCall, WithoutADeviceSaysWhy)
{
    if (common::deviceCount() > 0) GTEST_SKIP() << "there is a GPU here";
    float cell = 1, result = 0;
    try {
        words::entropyOnGpu(1, 1, &cell, &result);
        FAIL();
    } catch (const local_entropy::Error &error) {
        EXPECT_EQ(error.status(), local_entropy::Status::Unavailable);
        EXPECT_TRUE(holds(error.what(), common::whyNoDevice())) << error.what();
    }
}

#ifdef __CUDACC__

// Also run under compute-sanitizer: no guards, so that it sees what is read or written outside.
TEST_F(EngineGpu, MatchesTheCpuOnSmallShapes)
{
    words::Gpu gpu, small(1);
    std::vector<Shape> shapes = {{1, 1},   {5, 5},    {4, 31},   {3, 70},  {128, 12},
                                 {124, 9}, {129, 17}, {256, 23}, {249, 14}};
    if (!isBrief()) shapes.insert(shapes.end(), {{4, 30000}, {11, 40003}, {60, 20000}});
    for (const Shape shape : shapes) {
        const auto sample = makeSample("random", shape); // several batches for each warp
        EXPECT_EQ(compute<float>(gpu, shape, sample, {0, 0, 0, -1, 0}), "");
        EXPECT_EQ(compute<words::Level>(gpu, shape, sample, {0, 0, 0, -1, 0}), "");
        EXPECT_EQ(compute<words::Level>(gpu, shape, sample, {1, 2, shape.height / 3, -1, 0}), "");
        EXPECT_EQ(compute<float>(gpu, shape, sample, {1, 2, shape.height / 3, -1, 0}), "");
    }
    const Shape narrow{60, 4000}; // small items too, which warps ask for when they are done
    EXPECT_EQ(compute<words::Level>(small, narrow, makeSample("random", narrow), {0, 0, 0, -1, 0}),
              "");
    std::vector<Shape> ofTeams = {{508, 420}};
    if (!isBrief()) ofTeams.insert(ofTeams.end(), {{1021, 210}, {3960, 107}});
    for (const Shape shape : ofTeams) {
        expectTeams(shape, 3, shape.height);
        const auto sample = makeSample("random", shape);
        EXPECT_EQ(compute<float>(small, shape, sample, {0, 0, 0, -1, 0}), "");
        EXPECT_EQ(compute<float>(small, shape, sample, {1, 2, 3, -1, 0}), "");
    }
}

TEST_F(EngineGpu, MatchesTheCpuOnEveryShapeAndContent)
{
    words::Gpu gpu;
    std::vector<Shape> shapes = kShapes;
    for (const int width : {372, 373, 496, 497, 512, 1000, 2560})
        shapes.push_back({width, width / 3});
    std::vector<std::string> contents = kContents;
    contents.push_back("dominant");
    for (const Shape shape : shapes)
        for (const std::string &content : contents)
            ASSERT_EQ(computeAll(gpu, shape, makeSample(content, shape)), "") << content;
}

TEST_F(EngineGpu, MatchesTheCpuAtTheEdgesOfStrips)
{
    words::Gpu gpu;
    std::vector<int> widths;
    for (int width = 1; width <= 12; ++width) widths.push_back(width);
    for (int width = 122; width <= 134; ++width) widths.push_back(width);
    for (int width = 246; width <= 260; ++width) widths.push_back(width);
    for (const int width : widths) {
        for (int height = 1; height <= 12; ++height)
            ASSERT_EQ(computeAll(gpu, {width, height}, makeSample("random", {width, height})), "");
        for (const int height : {13, 14, 15, 16, 17, 59, 61})
            ASSERT_EQ(computeAll(gpu, {width, height}, makeSample("random", {width, height})), "");
    }
}

TEST_F(EngineGpu, ComputesAtAnyAlignment)
{
    words::Gpu gpu;
    for (const Shape shape : {Shape{1, 64}, Shape{13, 200}, Shape{124, 9}, Shape{128, 30},
                              Shape{247, 30}, Shape{256, 23}, Shape{257, 23}, Shape{500, 12}}) {
        const auto sample = makeSample("random", shape);
        for (int sampleOffset = 0; sampleOffset < 5; ++sampleOffset)
            for (int resultOffset = 0; resultOffset < 5; ++resultOffset) {
                const Layout layout{sampleOffset, resultOffset};
                ASSERT_EQ(compute<float>(gpu, shape, sample, layout), "");
                ASSERT_EQ(compute<words::Level>(gpu, shape, sample, layout), "");
            }
    }
}

TEST_F(EngineGpu, ComputesAnyRowsAndLeavesTheOthersAlone)
{
    words::Gpu gpu;
    for (const Shape shape : {Shape{256, 61}, Shape{253, 61}, Shape{9, 40}, Shape{128, 7}}) {
        const auto sample = makeSample("random", shape);
        const int height = shape.height;
        std::vector<std::array<int, 2>> ranges;
        for (int begin = 0; begin < 8 && begin < height; ++begin) {
            ranges.push_back({begin, begin + 1});
            ranges.push_back({height - 1 - begin, height});
            for (int left = 0; left < 8 && begin + left < height; ++left)
                ranges.push_back({begin, height - left});
            for (int rows = 4; begin + rows <= height && rows < 16; ++rows)
                ranges.push_back({begin, begin + rows});
        }
        for (const auto &[begin, end] : ranges) {
            ASSERT_EQ(compute<float>(gpu, shape, sample, {0, 0, begin, end}), "");
            ASSERT_EQ(compute<float>(gpu, shape, sample, {end % 4, begin % 4, begin, end}), "");
            ASSERT_EQ(compute<words::Level>(gpu, shape, sample, {0, 0, begin, end}), "");
            ASSERT_EQ(compute<words::Level>(gpu, shape, sample, {end % 4, begin % 4, begin, end}),
                      "");
        }
    }
}

// On one multiprocessor an array of this size is large: warps walk in teams.
TEST_F(EngineGpu, TeamsMatchTheCpu)
{
    words::Gpu gpu(1);
    for (const Shape shape :
         {Shape{497, 430}, Shape{508, 431}, Shape{509, 432}, Shape{510, 433}, Shape{511, 434},
          Shape{512, 435}, Shape{1021, 210}, Shape{1024, 211}, Shape{2046, 112}, Shape{2048, 113},
          Shape{7700, 110}, Shape{7701, 109}}) { // the last team has idle warps
        expectTeams(shape, 5, shape.height - 3);
        for (const char *content : {"random", "dominant"}) {
            const auto sample = makeSample(content, shape);
            ASSERT_EQ(computeAll(gpu, shape, sample), "");
            for (const Layout layout : {Layout{0, 0, 5, shape.height - 3}, Layout{1, 2, 4, -1},
                                        Layout{3, 1, 1, shape.height - 2}})
                ASSERT_EQ(compute<float>(gpu, shape, sample, layout), "");
        }
    }
}

// Where a warp has several rows side by side: all widths, heights that leave groups with few rows
// or none, in one launch's first and last items and in small ones.
TEST_F(EngineGpu, NarrowArraysMatchTheCpu)
{
    words::Gpu gpu, small(1);
    for (int width = 1; width <= 64; ++width)
        for (const int height : {17, 130, 1999, 5000 + 37 * width}) {
            const Shape shape{width, height};
            const auto sample = makeSample("random", shape);
            ASSERT_EQ(computeAll(gpu, shape, sample), "");
            for (words::Gpu *const which : {&gpu, &small}) {
                const Layout layout{width % 3, height % 4, height / 9, height - height / 11};
                ASSERT_EQ(compute<float>(*which, shape, sample, layout), "");
                ASSERT_EQ(compute<words::Level>(*which, shape, sample, layout), "");
            }
        }
}

#endif
