// Calls that come again: nothing is made anew for them, and none is taken for another.

#include "allocations.h"
#include "local_entropy/engine.h"
#include "local_entropy/schedule/question.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <thread>

namespace
{

using namespace local_entropy;

constexpr std::int64_t kWidth = 13, kHeight = 11, kCells = 2000;

struct Call
{
    Filter filter;
    std::int64_t width = kWidth, height = kHeight, stride = 0, resultStride = 0;
    int imageOffset = 0, resultOffset = 0;
    bool masked = false, maskHasData = true;
    int maskOffset = 0;
    std::int64_t maskStride = 0;
    Region region;
    bool isDouble = false;
};

struct Arrays
{
    Arrays() : cells(kCells), counts(kCells)
    {
        std::mt19937 random(11);
        for (float &cell : cells) cell = static_cast<float>(random() % 16);
        for (auto &count : counts) count = random() % 4 != 0;
    }
    std::vector<float> cells;
    std::vector<std::uint8_t> counts;
};

template <typename Value>
std::string answer(Engine &engine, const Call &call)
{
    static const Arrays &arrays = *new Arrays;
    std::vector<Value> values(kCells, std::numeric_limits<Value>::quiet_NaN());
    RunOptions options;
    if (call.masked)
        options.mask = {call.maskHasData ? &arrays.counts[call.maskOffset] : nullptr, call.width,
                        call.height, call.maskStride};
    options.region = call.region;
    const bool whole = call.region.width == 0;
    engine.run(
        call.filter,
        View<const float>{&arrays.cells[call.imageOffset], call.width, call.height, call.stride},
        View<Value>{&values[call.resultOffset], whole ? call.width : call.region.width,
                    whole ? call.height : call.region.height, call.resultStride},
        options);
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(Value)};
}

std::string answerOf(Engine &engine, const Call &call)
{
    return call.isDouble ? answer<double>(engine, call) : answer<float>(engine, call);
}

/// Calls that differ from the first in one thing each.
std::vector<Call> differentCalls()
{
    const std::vector<std::function<void(Call &)>> changes = {
        [](Call &) {},
        [](Call &call) { call.filter.window.width = 3; },
        [](Call &call) { call.filter.window.height = 4; },
        [](Call &call) { call.filter.window.originX = 1; },
        [](Call &call) { call.filter.window.originY = -2; },
        [](Call &call) {
            call.filter.window.footprint.assign(25, 1), call.filter.window.footprint[7] = 0;
        },
        [](Call &call) {
            call.filter.window.footprint.assign(25, 1), call.filter.window.footprint[8] = 0;
        },
        [](Call &call) { call.filter.levels.count = 17; },
        [](Call &call) { call.filter.levels.binned = true, call.filter.levels.high = 15; },
        [](Call &call) { call.filter.levels.binned = true, call.filter.levels.high = 35; },
        [](Call &call) { call.filter.levels.low = 4, call.filter.levels.clamp = true; },
        [](Call &call) { call.filter.levels.low = 5, call.filter.levels.clamp = true; },
        [](Call &call) { call.filter.border = Border::Wrap; },
        [](Call &call) { call.filter.border = Border::Constant; },
        [](Call &call) { call.filter.border = Border::Constant, call.filter.constant = 3; },
        [](Call &call) { call.filter.measure = Measure::Hill; },
        [](Call &call) { call.filter.measure = Measure::Hill, call.filter.order = 2; },
        [](Call &call) { call.filter.base = Base::Two; },
        [](Call &call) { call.filter.nodata = 3; },
        [](Call &call) { call.filter.nodata = 4; },
        [](Call &call) { call.masked = true, call.maskHasData = false; }, // which is no mask
        [](Call &call) { call.masked = true; },
        [](Call &call) { call.masked = true, call.maskOffset = 5; },
        [](Call &call) { call.masked = true, call.maskStride = 16; },
        [](Call &call) {
            call.masked = true, call.filter.window.width = 1, call.filter.window.height = 1;
        },
        [](Call &call) {
            call.masked = true, call.filter.window.width = 1, call.filter.window.height = 1,
            call.filter.empty = -2;
        },
        [](Call &call) { call.filter.nanIsError = true; },
        [](Call &call) { call.isDouble = true; },
        [](Call &call) { call.width = 12; },
        [](Call &call) { call.height = 10; },
        [](Call &call) { call.stride = 16; },
        [](Call &call) { call.resultStride = 16; },
        [](Call &call) { call.imageOffset = 9; },
        [](Call &call) { call.resultOffset = 9; },
        [](Call &call) {
            call.region = {1, 2, 7, 5};
        },
        [](Call &call) {
            call.region = {2, 2, 7, 5};
        },
        [](Call &call) {
            call.region = {1, 3, 7, 5};
        },
    };
    std::vector<Call> calls;
    for (const auto &change : changes) {
        Call call;
        call.filter.levels.count = 16;
        change(call);
        calls.push_back(call);
    }
    return calls;
}

TEST(LocalEntropyQuestions, NoneIsTakenForAnother)
{
    const std::vector<Call> calls = differentCalls();
    std::vector<std::string> expected;
    for (const Call &call : calls) {
        Engine fresh;
        expected.push_back(answerOf(fresh, call));
    }
    Engine engine;
    for (int round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < calls.size(); ++i)
            for (const std::size_t which : {i, std::size_t(0), i})
                ASSERT_TRUE(answerOf(engine, calls[which]) == expected[which])
                    << which << " after " << i << ", round " << round;
}

// What calls of one thread took tells nothing of calls of sixteen.
TEST(LocalEntropyQuestions, OtherThreadsMakeAnother)
{
    const std::vector<float> cells(kWidth * kHeight, 3);
    std::vector<float> values(kWidth * kHeight);
    Filter filter;
    filter.levels.count = 16;
    Asked asked{filter, {cells.data(), CellType::Float32, kWidth, kHeight, 0},
                {},     {values.data(), false, kWidth, kHeight, 0},
                {},     16};
    Plans plans;
    Choice choice;
    choice.path = Path::Portable;
    const Question question(asked, choice, plans);
    EXPECT_TRUE(question.isThatOf(asked));
    asked.threads = 1;
    EXPECT_FALSE(question.isThatOf(asked));
}

// All of an engine's threads, their number and a larger one are the same wish: so a call that comes
// again as another of them finds what was made, and learnt, for the first.
TEST(LocalEntropyQuestions, AsManyThreadsAsThereAreIsTheSameHoweverItIsSaid)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    const std::vector<float> cells(kWidth * kHeight, 3);
    std::vector<float> values(kWidth * kHeight);
    EngineOptions three;
    three.threads = 3;
    Engine engine(three);
    Filter filter;
    filter.levels.count = 16;
    const auto allocationsOf = [&](int threads) {
        RunOptions options;
        options.threads = threads;
        const long before = allocations::soFar;
        engine.run(filter, View<const float>{cells.data(), kWidth, kHeight},
                   View<float>{values.data(), kWidth, kHeight}, options);
        return allocations::soFar - before;
    };
    EXPECT_GT(allocationsOf(3), 0);
    for (const int threads : {0, 3, 4, 100}) EXPECT_EQ(allocationsOf(threads), 0) << threads;
    EXPECT_GT(allocationsOf(2), 0) << "another question";
}

TEST(LocalEntropyQuestions, AreForTheThreadsThatTheyMayHaveAndAreWorth)
{
    constexpr std::int64_t kSide = 1000;
    const std::vector<float> cells(kSide * kSide);
    std::vector<float> values(kSide * kSide);
    Filter filter;
    filter.levels.count = 16;
    const auto threadsOf = [&](std::int64_t side, int most) {
        const Asked asked{filter, {cells.data(), CellType::Float32, side, side, 0},
                          {},     {values.data(), false, side, side, 0},
                          {},     most};
        Plans plans;
        Choice ofEngine;
        ofEngine.path = Path::Portable;
        return Question(asked, ofEngine, plans).threads();
    };
    EXPECT_EQ(threadsOf(kSide, 4), 4);
    EXPECT_EQ(threadsOf(kSide, 1), 1);
    EXPECT_EQ(threadsOf(10, 4), 1);
}

// Of the engine; some methods and the loader take memory for their tiles.
TEST(LocalEntropyQuestions, ACallThatComesAgainAllocatesNothing)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    const std::vector<float> cells(kWidth * kHeight, 3);
    std::vector<float> values(kWidth * kHeight);
    Engine engine;
    Filter filter;
    filter.levels.count = 16;
    filter.nanIsError = true;
    for (const Border border : {Border::Cut, Border::Wrap})
        for (const double number : {0.0, std::nan("")}) { // the same as itself
            filter.border = border;
            filter.empty = number;
            const auto run = [&] {
                engine.run(filter, View<const float>{cells.data(), kWidth, kHeight},
                           View<float>{values.data(), kWidth, kHeight});
            };
            run();
            const long before = allocations::soFar;
            run();
            EXPECT_EQ(allocations::soFar, before) << static_cast<int>(border) << ", " << number;
        }
}

// What is a level, and what is an error: an image with a cell that is none, and a NaN.
TEST(LocalEntropyQuestions, NoneIsRefusedAsAnother)
{
    std::vector<float> cells(kWidth * kHeight, 3);
    cells[5 * kWidth + 6] = 16;
    cells[2 * kWidth + 3] = NAN;
    Filter usual;
    usual.levels = {16, false, 0, 16, false};
    std::vector<Filter> filters(5, usual);
    filters[1].levels.count = 17;
    filters[2].levels.clamp = true;
    filters[3].levels.binned = true;
    filters[4].nanIsError = true;
    const auto answer = [&](Engine &engine, const Filter &filter) -> std::string {
        std::vector<float> values(kWidth * kHeight);
        try {
            engine.run(filter, View<const float>{cells.data(), kWidth, kHeight},
                       View<float>{values.data(), kWidth, kHeight});
        } catch (const Error &error) {
            return error.what();
        }
        return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
    };
    for (const Filter &first : filters)
        for (const Filter &second : filters) {
            Engine engine, fresh;
            answer(engine, first);
            EXPECT_EQ(answer(engine, second), answer(fresh, second))
                << &second - filters.data() << " after " << &first - filters.data();
        }
}

/// The same numbers as cells of that type.
template <typename Cell>
std::string answerOfType(Engine &engine)
{
    std::vector<unsigned char> bytes(kWidth * kHeight * sizeof(Cell)); // also for bool
    for (std::int64_t i = 0; i < kWidth * kHeight; ++i)
        reinterpret_cast<Cell *>(bytes.data())[i] = static_cast<Cell>(i * i % 7 % 2);
    std::vector<float> values(kWidth * kHeight);
    Filter filter;
    filter.levels.count = 2;
    try {
        engine.run(filter,
                   View<const Cell>{reinterpret_cast<const Cell *>(bytes.data()), kWidth, kHeight},
                   View<float>{values.data(), kWidth, kHeight});
    } catch (const Error &error) {
        return error.what();
    }
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

TEST(LocalEntropyQuestions, CellsAreReadAsTheTypeThatTheyAre)
{
    const std::vector<std::string (*)(Engine &)> types = {
        answerOfType<std::uint8_t>, answerOfType<std::uint16_t>, answerOfType<std::int16_t>,
        answerOfType<bool>, answerOfType<float>};
    Engine fresh;
    const std::string expected = types[0](fresh);
    for (const auto &first : types)
        for (const auto &second : types) {
            Engine engine;
            EXPECT_EQ(first(engine), expected);
            EXPECT_EQ(second(engine), expected) << "after another type";
        }
}

// An engine keeps the 32 that were asked last.
TEST(LocalEntropyQuestions, TheOldestIsForgotten)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    constexpr int kKept = 32;
    const std::vector<float> cells(kWidth * kHeight, 3);
    std::vector<float> values(kWidth * kHeight);
    Engine engine;
    Filter filter;
    filter.levels.count = 16;
    const auto allocationsOf = [&](int number) {
        filter.empty = number;
        const long before = allocations::soFar;
        engine.run(filter, View<const float>{cells.data(), kWidth, kHeight},
                   View<float>{values.data(), kWidth, kHeight});
        return allocations::soFar - before;
    };
    for (int number = 0; number <= kKept; ++number) allocationsOf(number);
    for (int number = 1; number <= kKept; ++number) EXPECT_EQ(allocationsOf(number), 0) << number;
    EXPECT_GT(allocationsOf(0), 0);
    EXPECT_GT(allocationsOf(1), 0) << "0 has taken the place of another";
    EXPECT_EQ(allocationsOf(kKept), 0);
}

// Neither the question nor the scratch memory.
TEST(LocalEntropyQuestions, ACallThatIsRefusedLosesNothing)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    std::vector<float> cells(kWidth * kHeight, 3), values(kWidth * kHeight);
    Filter filter;
    filter.levels.count = 16;
    Engine engine;
    const auto run = [&](const Filter &asked, const float *from) {
        engine.run(asked, View<const float>{from, kWidth, kHeight},
                   View<float>{values.data(), kWidth, kHeight});
    };
    const auto refused = [&](const char *what, const Filter &asked, const float *from) {
        EXPECT_THROW(run(asked, from), Error) << what;
        const long before = allocations::soFar;
        run(filter, cells.data());
        EXPECT_EQ(allocations::soFar, before) << "after " << what;
    };
    run(filter, cells.data());
    refused("no image", filter, nullptr);
    refused("an image in the result's place", filter, values.data());
    std::vector<float> bad = cells;
    for (const float cell : {16.0f, 2.5f, -1.0f}) {
        bad[kWidth * 5 + 7] = cell;
        refused("a bad cell", filter, bad.data());
    }
    Filter wrong = filter;
    wrong.window.width = 0;
    refused("a bad filter", wrong, cells.data());
}

TEST(LocalEntropyQuestions, PlacesAreCheckedAgain)
{
    std::vector<float> cells(200, 3), values(200);
    Engine engine;
    const auto run = [&](const float *from, float *to) {
        engine.run(Filter(), View<const float>{from, 10, 10}, View<float>{to, 10, 10});
    };
    const auto refused = [&](const float *from, float *to, const std::string &part) {
        try {
            run(from, to);
            ADD_FAILURE() << "accepted, expected: " << part;
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::BadArgument);
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    run(cells.data(), values.data());
    refused(nullptr, values.data(), "the image has no data");
    refused(cells.data(), nullptr, "the result has no data");
    refused(cells.data(), &cells[99], "the result and the image overlap");
    refused(&cells[99], cells.data(), "overlap");
    run(cells.data(), &cells[100]);
    const auto shifted = reinterpret_cast<float *>(reinterpret_cast<char *>(values.data()) + 2);
    refused(cells.data(), shifted, "the result is not at a multiple of 4 bytes");
    refused(shifted, cells.data(), "the image is not at a multiple of 4 bytes");
    run(cells.data(), values.data());
}

TEST(LocalEntropyQuestions, ManyThreadsAskTheSame)
{
    const std::vector<Call> calls = differentCalls();
    std::vector<std::string> expected;
    Engine engine;
    for (const Call &call : calls) expected.push_back(answerOf(engine, call));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            for (std::size_t j = 0; j < 200; ++j) {
                const std::size_t which = j * (i + 1) % calls.size();
                wrong += answerOf(engine, calls[which]) != expected[which];
            }
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace
