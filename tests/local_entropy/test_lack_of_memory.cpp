// What a call asks for in memory fails once: the first time, the second, and so on, until it asks
// for no more. It throws Error (Unavailable), or computes all the same; nothing is left of it; and
// the next call computes.

#include "allocations.h"
#include "common/shared_array.h"
#include "local_entropy/engine.h"
#include "local_entropy/local_entropy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace
{

using namespace local_entropy;

constexpr std::int64_t kWidth = 300, kHeight = 200; // enough for threads of the pool

template <typename Cell>
std::vector<Cell> randomImage()
{
    std::mt19937 random(8);
    std::vector<Cell> image(kWidth * kHeight);
    for (Cell &cell : image) cell = static_cast<Cell>(random() % 4);
    return image;
}
const std::vector<std::uint8_t> bytes = randomImage<std::uint8_t>();
const std::vector<float> floats = randomImage<float>();

/// What a method is asked.
struct Asked
{
    const char *method;
    Filter filter;
    bool ofFloats = false;
    std::int64_t rows = kHeight;

    Asked(const char *method, int side, int levels) : method(method)
    {
        filter.window.width = filter.window.height = side;
        filter.levels.count = levels;
        filter.nanIsError = true;
    }
    Asked withFloats() const
    {
        Asked other = *this;
        other.ofFloats = true;
        return other;
    }
    Asked withFootprint() const
    {
        Asked other = *this;
        other.filter.window.footprint.assign(filter.window.width * filter.window.height, 1);
        other.filter.window.footprint[0] = 0;
        return other;
    }
    Asked withBins() const
    {
        Asked other = *this;
        other.filter.levels.binned = true;
        other.filter.levels.high = 16;
        return other;
    }
    Asked ofOneRow() const
    {
        Asked other = *this;
        other.rows = 1;
        return other;
    }

    void run(Engine &engine, std::vector<float> &values) const
    {
        const View<float> result{values.data(), kWidth, rows};
        if (ofFloats)
            engine.run(filter, View<const float>{floats.data(), kWidth, rows}, result);
        else
            engine.run(filter, View<const std::uint8_t>{bytes.data(), kWidth, rows}, result);
    }
    std::vector<float> noAnswer() const { return std::vector<float>(kWidth * rows, NAN); }
    std::vector<float> answer() const
    {
        std::vector<float> values = noAnswer();
        Engine engine;
        run(engine, values);
        return values;
    }
};

/// Of every method that computes on a CPU, and of the engine's choice.
std::vector<Asked> questions()
{
    const Asked histogram("histogram", 5, 16);
    return {{"ranks", 3, 256},
            {"sliding-ranks", 9, 256},
            {"levels", 21, 4},
            histogram,
            histogram.withFootprint(),
            histogram.withBins(),
            Asked("bits", 5, 16).withFloats(),
            Asked("plain", 3, 256).ofOneRow(), // it asks for memory for each cell
            Asked("", 5, 16).withFloats()};
}

EngineOptions engineFor(const Asked &asked, int threads)
{
    EngineOptions options;
    options.method = asked.method;
    options.threads = threads;
    return options;
}

/// A call that lacks memory once.
struct Attempt
{
    std::string wrong;      ///< with what it threw; empty: nothing
    bool isTold = false;    ///< it threw what it should
    bool wasSpared = false; ///< it did not ask as often
};

Attempt attemptWithout(long number, const std::function<void()> &call)
{
    Attempt attempt;
    const long last = allocations::soFar + number;
    allocations::refused = last;
    try {
        call();
    } catch (const Error &error) {
        attempt.isTold = error.status() == Status::Unavailable &&
                         std::string(error.what()).find("memory") != std::string::npos;
        if (!attempt.isTold) attempt.wrong = error.what();
    } catch (const std::exception &error) {
        attempt.wrong = std::string("not an Error: ") + error.what();
    }
    allocations::refused = 0;
    attempt.wasSpared = allocations::soFar < last;
    return attempt;
}

/// Of call() when its first allocation fails, its second, and so on until it needs no more: it
/// keeps none. `check(isTold)` comes after each. It must have told once.
void expectToldWhicheverFails(
    const std::function<void()> &call, const std::function<void(bool)> &check = [](bool) {})
{
    int times = 0;
    for (long number = 1;; ++number) {
        const long live = allocations::live;
        const Attempt attempt = attemptWithout(number, call);
        ASSERT_EQ(attempt.wrong, "") << number;
        ASSERT_EQ(allocations::live, live) << number;
        check(attempt.isTold);
        if (testing::Test::HasFailure() || attempt.wasSpared) break;
        times += attempt.isTold;
    }
    EXPECT_GT(times, 0) << "nothing was allocated";
}

} // namespace

TEST(LocalEntropyMemory, LackOfItIsToldByNewEngines)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    const long elsewhere = allocations::refusedElsewhere;
    for (const Asked &asked : questions()) {
        const std::vector<float> expected = asked.answer();
        std::vector<float> values = asked.noAnswer();
        for (const int threads : {1, 3}) {
            const auto call = [&] {
                Engine engine(engineFor(asked, threads));
                asked.run(engine, values);
            };
            expectToldWhicheverFails(call, [&](bool told) {
                ASSERT_TRUE(told || values == expected) << asked.method;
                values = asked.noAnswer();
            });
        }
    }
    EXPECT_GT(allocations::refusedElsewhere, elsewhere) << "threads of the pool asked for nothing";
}

// Which has nothing left over of a call that failed.
TEST(LocalEntropyMemory, LackOfItLeavesAnEngineUsable)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    for (const Asked &asked : questions()) {
        const Asked row = asked.ofOneRow(); // for which an engine keeps less memory
        const std::vector<float> expected = asked.answer(), rowExpected = row.answer();
        std::vector<float> values = asked.noAnswer(), rowValues = row.noAnswer();
        const long live = allocations::live;
        int times = 0;
        for (long number = 1;; ++number) {
            Engine engine(engineFor(asked, 3)); // anew, since it asks once for what it keeps
            row.run(engine, rowValues);
            const Attempt attempt = attemptWithout(number, [&] { asked.run(engine, values); });
            ASSERT_EQ(attempt.wrong, "") << number;
            values = asked.noAnswer();
            rowValues = row.noAnswer();
            ASSERT_NO_THROW(row.run(engine, rowValues));
            ASSERT_EQ(rowValues, rowExpected) << asked.method << ", " << number;
            ASSERT_NO_THROW(asked.run(engine, values));
            ASSERT_EQ(values, expected) << asked.method << ", " << number;
            if (attempt.wasSpared) break;
            times += attempt.isTold;
        }
        EXPECT_GT(times, 0) << asked.method << ": nothing was allocated";
        EXPECT_EQ(allocations::live, live) << asked.method;
    }
}

TEST(LocalEntropyMemory, LackOfItIsToldByWhatAsksOnly)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    const Engine engine;
    std::vector<float> values(kWidth * kHeight);
    for (const Asked &asked : questions())
        expectToldWhicheverFails([&] {
            engine.methodsFor(asked.filter, View<const std::uint8_t>{bytes.data(), kWidth, kHeight},
                              View<float>{values.data(), kWidth, kHeight});
        });
    expectToldWhicheverFails([] { Engine::paths(); });
    expectToldWhicheverFails([] { Engine::methods(); });
}

TEST(LocalEntropyMemory, LackOfItIsAStatusInC)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    std::vector<float> values(kWidth * kHeight);
    const auto call = [&] {
        const auto check = [](le_status status) {
            if (status) throw Error(static_cast<Status>(status), le_last_error());
        };
        le_engine *engine = nullptr;
        check(le_engine_create(nullptr, &engine));
        const std::unique_ptr<le_engine, void (*)(le_engine *)> owner(engine, le_engine_destroy);
        le_filter filter;
        check(le_filter_init(&filter));
        filter.width = filter.height = 3;
        const le_image image = {bytes.data(), LE_UINT8, kWidth, kHeight, 0};
        const le_result result = {values.data(), LE_FLOAT32, kWidth, kHeight, 0};
        check(le_run(engine, &filter, &image, nullptr, nullptr, &result, nullptr));
    };
    call(); // so that tables are there
    expectToldWhicheverFails(call);
}

// ---- tables of the process ----------------------------------------------------------------------

namespace
{

/// By another process, which makes the tables for it; into memory that this one sees, too.
void answerElsewhere(const Asked &asked, common::SharedArray<float> &answer)
{
    const pid_t child = fork();
    if (child == 0) {
        const std::vector<float> values = asked.answer();
        std::copy(values.begin(), values.end(), answer.data());
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

enum Outcome { ToldOrRight, Wrong, NothingWasRefused };

/// In a copy of this process, which ends with it.
Outcome outcomeWhere(const Asked &asked, long number, const float *answer)
{
    const pid_t child = fork();
    if (child == 0) {
        std::vector<float> values = asked.noAnswer();
        const auto isRight = [&] { return std::equal(values.begin(), values.end(), answer); };
        Engine engine(engineFor(asked, 1));
        const Attempt attempt = attemptWithout(number, [&] { asked.run(engine, values); });
        if (attempt.wrong != "" || (!attempt.isTold && !isRight())) _exit(Wrong);
        values = asked.noAnswer();
        asked.run(engine, values);
        _exit(!isRight() ? Wrong : attempt.wasSpared ? NothingWasRefused : ToldOrRight);
    }
    int status = 0;
    const bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status);
    return ended ? static_cast<Outcome>(WEXITSTATUS(status)) : Wrong;
}

/// Where nobody has asked for tables yet: of the allocations of so many bytes each fails, of all
/// those that are further and further on. What is wrong; empty: nothing.
std::string makeTablesWhicheverFails(const Asked &asked)
{
    common::SharedArray<float> answer(kWidth * asked.rows);
    answerElsewhere(asked, answer);
    for (const std::size_t least : {std::size_t(0), std::size_t(4096)})
        for (long number = 1;; number += least ? 1 : 1 + number / 16) {
            allocations::least = least;
            const Outcome outcome = outcomeWhere(asked, number, answer.data());
            allocations::least = 0;
            if (outcome == NothingWasRefused) break;
            if (outcome != ToldOrRight)
                return std::string(asked.method) + ", allocation " + std::to_string(number) +
                       " of those of " + std::to_string(least) + " bytes";
        }
    return "";
}

} // namespace

TEST(LocalEntropyMemoryDeathTest, TablesAreMadeAfterALackOfIt)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    testing::GTEST_FLAG(death_test_style) = "threadsafe"; // in a process of its own
    const auto findAll = [] {
        for (const Asked &asked : questions()) {
            const std::string wrong = makeTablesWhicheverFails(asked);
            if (wrong.empty()) continue;
            std::fprintf(stderr, "%s\n", wrong.c_str());
            _exit(1);
        }
        _exit(0);
    };
    EXPECT_EXIT(findAll(), testing::ExitedWithCode(0), "");
}
