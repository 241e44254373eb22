// A call of several parts that GPUs help with: which part they are for, and that threads may do the
// others first. Without a GPU, or without nvcc, each test is skipped by name.
#include "common/devices.h"
#include "cuda_faults.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/engine.h"
#include "local_entropy/schedule/pool.h"
#include "local_entropy/schedule/question.h"
#include "same_bits.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace
{

using namespace local_entropy;

/// 9x9, cut at the edge: the inner cells, and four strips that make up a part in fifty.
class QuestionWithDevices : public testing::Test
{
protected:
    static constexpr std::int64_t kWidth = 1200, kHeight = 1000;
    static constexpr int kThreads = 3;

    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
        std::mt19937 random(3);
        for (auto &cell : cells) cell = static_cast<std::uint8_t>(random());
        filter.window.width = filter.window.height = 9;
        choice.path = bestPath();
    }

    /// How many parts had the devices in a call that took so long, or so it is said.
    int sharedIn(double seconds, Question &question, bool works = false)
    {
        const std::function<bool(double)> nobody;
        Progress progress(nobody, question.problem().region);
        question.begin(true, progress);
        const int shared = question.sharedParts();
        if (works)
            Pool(kThreads).run(question.threads(), [&](int number) {
                const DefaultRounding rounding;
                Scratch scratch;
                question.work(scratch, number);
            });
        question.took(seconds);
        question.end();
        return shared;
    }

    Asked asked()
    {
        return {filter, {cells.data(), CellType::Uint8, kWidth, kHeight, 0},
                {},     {values.data(), false, kWidth, kHeight, 0},
                {},     kThreads};
    }

    std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(kWidth * kHeight);
    std::vector<float> values = std::vector<float>(kWidth * kHeight, NAN);
    Filter filter;
    Choice choice;
    Plans plans;
};

// What whole calls take tells whether devices pay for the largest part, not for a strip.
TEST_F(QuestionWithDevices, OnlyTheLargestPartHasThem)
{
    Question question(asked(), choice, plans);
    EXPECT_EQ(sharedIn(0.01, question), 0) << "an estimate: it is soon done";
    EXPECT_EQ(sharedIn(10, question), 0) << "so is the first call, which has started threads";
    EXPECT_EQ(sharedIn(1, question), 1);
    EXPECT_EQ(sharedIn(1, question), 1);
    EXPECT_EQ(sharedIn(100, question), 1);
    EXPECT_EQ(sharedIn(10, question), 0) << "they take longer by now";
}

// Parts that take as long as the largest one, of which what whole calls take tells nothing.
TEST_F(QuestionWithDevices, OnlyTheLargestOfLongPartsHasThem)
{
    constexpr std::int64_t kNarrow = 60, kLong = kWidth * kHeight / kNarrow;
    filter.window.width = filter.window.height = 41; // two strips as wide as what is between them
    Asked narrow = asked();
    narrow.image.width = narrow.result.width = kNarrow;
    narrow.image.height = narrow.result.height = kLong;
    Question question(narrow, choice, plans);
    int shared = 0;
    for (int call = 0; call < 200; ++call) shared += sharedIn(10, question);
    EXPECT_GT(shared, 0) << "for the largest part they are tried, which has not taken longer";
    EXPECT_LT(shared, 40) << "but seldom: other parts have them";
}

/// A square of bytes that nobody computes.
struct Bytes
{
    Problem problem(const Filter &filter)
    {
        return checkedProblem(filter, {cells.data(), CellType::Uint8, kSide, kSide, 0}, {},
                              {values.data(), false, kSide, kSide, 0}, {});
    }

    static constexpr std::int64_t kSide = 4096;
    std::vector<std::uint8_t> cells = std::vector<std::uint8_t>(kSide * kSide);
    std::vector<float> values = std::vector<float>(kSide * kSide);
};

/// Whether a call has the devices that would take the CPU 60 milliseconds.
bool hasThem(const Problem &problem)
{
    const auto plan = chooseMethod(problem, bestPath()).plan(problem, bestPath());
    const std::function<bool(double)> nobody;
    Progress progress(nobody, problem.region);
    WayCosts costs;
    return Everywhere::of(problem, *plan, 60e6, 1, costs, progress) != nullptr;
}

/// In a process that has not used them: what is wrong; empty: nothing.
std::string startedTooSoonOrTooLate()
{
    Bytes bytes;
    const Problem problem = bytes.problem({});
    for (int call = 1; call <= 8; ++call)
        if (hasThem(problem)) return "too soon, in call " + std::to_string(call);
    if (!hasThem(problem)) return "too late: half a second has gone by";
    return hasThem(problem) ? "" : "not used though they are there";
}

/// The same after a second of calls that devices would not shorten.
std::string startedForNothing()
{
    Bytes bytes;
    Filter large; // some 40 nanoseconds a cell on a GPU
    large.window.width = large.window.height = 101;
    const Problem slow = bytes.problem(large);
    for (int call = 0; call < 20; ++call)
        if (hasThem(slow)) return "they do not pay there";
    return startedTooSoonOrTooLate();
}

TEST(EverywhereDeathTest, StartsTheDevicesOnceCallsHaveTakenAsLong)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    testing::GTEST_FLAG(death_test_style) = "threadsafe"; // in a process of its own
    EXPECT_EXIT(leaveAfter(startedTooSoonOrTooLate), testing::ExitedWithCode(0), "");
}

TEST(EverywhereDeathTest, StartsNoDevicesForCallsThatTheyDoNotShorten)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    testing::GTEST_FLAG(death_test_style) = "threadsafe"; // in a process of its own
    EXPECT_EXIT(leaveAfter(startedForNothing), testing::ExitedWithCode(0), "");
}

TEST_F(QuestionWithDevices, ThreadsMayDoTheRestFirst)
{
    std::vector<float> expected(values.size());
    Engine().run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
                 View<float>{expected.data(), kWidth, kHeight});
    Question question(asked(), choice, plans);
    for (const double seconds : {0.01, 10.0}) sharedIn(seconds, question);
    for (int call = 0; call < 20; ++call) {
        std::fill(values.begin(), values.end(), NAN);
        ASSERT_EQ(sharedIn(1, question, true), 1);
        ASSERT_TRUE(sameBits(values, expected)) << call;
    }
}

} // namespace
