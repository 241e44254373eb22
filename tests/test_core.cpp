// Every version of the core in use against the reference.
#include "common/host_poison.h"
#include "entropy/core.h"
#include "entropy/reference.h"
#include "entropy/run.h"
#include "messages.h"
#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <ostream>
#include <thread>

using entropy::Version;

namespace entropy
{
static void PrintTo(const Version &version, std::ostream *out) { *out << version.name; }
} // namespace entropy

namespace
{

std::string expectRight(entropy::Callback callback, const std::string &content, Shape shape)
{
    std::vector<float> sample = makeSample(content, shape);
    const std::vector<float> before = sample;
    const auto gold = entropy::reference(shape.width, shape.height, sample.data());
    const common::HostPoison poison(sample.size() * sizeof(float));
    const auto result = entropy::run(callback, shape.width, shape.height, sample.data());
    const std::string what =
        content + " " + std::to_string(shape.width) + " x " + std::to_string(shape.height);
    if (sample != before) return what + ": the sample was changed";
    const auto comparison = entropy::compare(shape.width, shape.height, result.get(), gold.data());
    if (comparison.passed) return "";
    return what + ": error " + std::to_string(comparison.largestError) + " at x " +
           std::to_string(comparison.x) + ", y " + std::to_string(comparison.y);
}

class Ladder : public testing::TestWithParam<Version>
{
protected:
    void SetUp() override
    {
        if (!GetParam().unavailable.empty())
            GTEST_SKIP() << GetParam().name << " " << GetParam().unavailable;
        if (GetParam().probe) GTEST_SKIP() << GetParam().name << " is a probe, no answer";
    }
};

} // namespace

TEST_P(Ladder, MatchesReferenceOnEveryShapeAndContent)
{
    for (const Shape shape : kShapes)
        for (const std::string &content : kContents)
            EXPECT_EQ(expectRight(GetParam().callback, content, shape), "");
}

// Also run under compute-sanitizer.
TEST_P(Ladder, MatchesReferenceOnSmallShapes)
{
    for (const Shape shape :
         {Shape{1, 1}, Shape{3, 70}, Shape{33, 29}, Shape{61, 5}, Shape{1025, 3}})
        EXPECT_EQ(expectRight(GetParam().callback, "random", shape), "");
}

// Large enough for a version that splits its rows among GPUs to do so. A version may refuse a shape
// that is beyond a limit of its device (textures are not as high as 200003 rows), by its name.
TEST_P(Ladder, MatchesReferenceOnLargeArrays)
{
    for (const Shape shape : {Shape{1283, 977}, Shape{5, 200003}, Shape{200003, 5}}) {
        try {
            EXPECT_EQ(expectRight(GetParam().callback, "random", shape), "");
        } catch (const common::Unavailable &refusal) {
            EXPECT_NE(shape.width, 1283) << refusal.what();
            EXPECT_EQ(std::string(refusal.what()).find(std::string(GetParam().name) + ": "), 0u)
                << refusal.what();
        }
    }
}

// One odd cell moved through every place of an array must change every window that holds it, and
// no other: the edges of a window, and of the array, are where they belong.
TEST_P(Ladder, WindowHasItsFiveByFiveCells)
{
    constexpr Shape kShape{9, 8};
    for (int place = 0; place < kShape.width * kShape.height; ++place) {
        std::vector<float> sample(kShape.width * kShape.height, 3.0f);
        sample[place] = 11.0f;
        const int px = place % kShape.width, py = place / kShape.width;
        const common::HostPoison poison(sample.size() * sizeof(float));
        const auto result =
            entropy::run(GetParam().callback, kShape.width, kShape.height, sample.data());
        for (int y = 0; y < kShape.height; ++y)
            for (int x = 0; x < kShape.width; ++x) {
                const bool holds = std::abs(x - px) <= 2 && std::abs(y - py) <= 2;
                const double across = std::min(x + 2, 8) - std::max(x - 2, 0) + 1;
                const double down = std::min(y + 2, 7) - std::max(y - 2, 0) + 1;
                const double p = 1 / (across * down);
                const double h = holds ? -p * std::log(p) - (1 - p) * std::log(1 - p) : 0;
                EXPECT_NEAR(result[y * kShape.width + x], h, entropy::kTolerance)
                    << "odd cell at " << px << ", " << py << "; window at " << x << ", " << y;
            }
    }
}

TEST_P(Ladder, RefusesBadArgumentsByName)
{
    float cell = 1, *result = &cell;
    const auto message = [&](int width, int height, float *sample, float **to) {
        return messageOf([&] { GetParam().callback(width, height, sample, to); });
    };
    EXPECT_TRUE(holds(message(0, 5, &cell, &result), std::string(GetParam().name) + ": "));
    EXPECT_TRUE(holds(message(5, -1, &cell, &result), "5 x -1"));
    EXPECT_TRUE(holds(message(1, 1, nullptr, &result), "sample is null"));
    EXPECT_TRUE(holds(message(1, 1, &cell, nullptr), "result is null"));
    EXPECT_EQ(result, &cell) << "a call that fails leaves *result alone";
}

// More bytes than 64 bits can count, and more than anybody has.
TEST_P(Ladder, RefusesArraysBeyondAllMemory)
{
    if (GetParam().platform != entropy::Platform::OpenMp)
        GTEST_SKIP() << "versions for a GPU say what that one has";
    float cell = 1, *result = &cell;
    for (const int side : {(1 << 29) - 1, 1 << 30, std::numeric_limits<int>::max()}) {
        const std::string message =
            messageOf([&] { GetParam().callback(side, side, &cell, &result); });
        EXPECT_TRUE(holds(message, std::string(GetParam().name) + ": ")) << side << message;
        EXPECT_EQ(result, &cell);
    }
}

TEST_P(Ladder, WorksFromSeveralThreadsAtOnce)
{
    std::vector<std::string> outcomes(4, "did not run");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            try {
                outcomes[i] = expectRight(GetParam().callback, "random", {100 + i, 90 - i});
            } catch (const std::exception &error) {
                outcomes[i] = error.what();
            }
        });
    for (std::thread &thread : threads) thread.join();
    for (const std::string &outcome : outcomes) EXPECT_EQ(outcome, "");
}

INSTANTIATE_TEST_SUITE_P(Versions, Ladder, testing::ValuesIn(entropy::versions()),
                         [](const auto &info) { return std::string(info.param.name); });

// Versions that cannot run here still answer, with their name and the reason.
TEST(Table, AnUnavailableVersionSaysWhy)
{
    int unavailable = 0;
    for (const Version &version : entropy::versions()) {
        if (version.unavailable.empty()) continue;
        ++unavailable;
        float cell = 1, *result = nullptr;
        const std::string refusal = messageOf([&] { version.callback(1, 1, &cell, &result); });
        EXPECT_EQ(refusal.find(std::string(version.name) + ": "), 0u) << refusal;
        EXPECT_EQ(result, nullptr);
    }
    const bool noGpu = !entropy::versions().front().unavailable.empty();
    EXPECT_TRUE(unavailable > 0 || !noGpu);
}

TEST(Switch, PicksAVersionOfTheTable)
{
    std::vector<std::string> names;
    for (const Version &version : entropy::versions()) names.push_back(version.name);
    EXPECT_NE(std::find(names.begin(), names.end(), entropy::activeVersion()), names.end());
}

TEST(Switch, DefaultVersionAnswersThroughTheGlobalCallback)
{
    for (const Version &version : entropy::versions())
        if (entropy::activeVersion() == std::string(version.name) && !version.unavailable.empty())
            GTEST_SKIP() << version.name << " " << version.unavailable;
    EXPECT_EQ(expectRight(cudaCallback, "random", {321, 123}), "");
}
