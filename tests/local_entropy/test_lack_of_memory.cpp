// What a call asks operator new for fails once: the first time, the second, and further and further
// on. It throws Error (Unavailable), or computes all the same; and the next call computes. Memory
// that comes by other ways, such as scratch memory, is not refused here.

#include "allocations.h"
#include "local_entropy/engine.h"
#include "local_entropy/local_entropy.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace
{

using namespace local_entropy;

constexpr std::int64_t kWidth = 120, kHeight = 90;

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

Filter filterOf(int width, int height, int levels, bool footprint = false)
{
    Filter filter;
    filter.window.width = width;
    filter.window.height = height;
    filter.levels.count = levels;
    filter.nanIsError = true;
    if (footprint) filter.window.footprint.assign(width * height, 1);
    if (footprint) filter.window.footprint[0] = 0;
    return filter;
}

/// ranks, sliding-ranks, levels, histogram, bits.
const std::vector<Filter> &filters()
{
    static const std::vector<Filter> all = {filterOf(3, 3, 256), filterOf(9, 9, 256),
                                            filterOf(21, 21, 4), filterOf(5, 5, 16, true),
                                            filterOf(5, 5, 16)};
    return all;
}

EngineOptions withThreads(int threads)
{
    EngineOptions options;
    options.threads = threads;
    return options;
}

void run(Engine &engine, const Filter &filter, std::vector<float> &values)
{
    const View<float> result{values.data(), kWidth, kHeight};
    if (filter.window.footprint.empty() && filter.window.width == 5)
        engine.run(filter, View<const float>{floats.data(), kWidth, kHeight}, result);
    else
        engine.run(filter, View<const std::uint8_t>{bytes.data(), kWidth, kHeight}, result);
}

/// What call() says when its first allocation fails, its second, and so on until it needs no more;
/// of many, further and further from each other. It must have failed once.
void expectToldWhicheverFails(const std::function<void()> &call)
{
    int told = 0;
    for (long number = 1;; number += 1 + number / 8) {
        std::string other;
        const long last = allocations::soFar + number;
        allocations::refused = last;
        try {
            call();
        } catch (const Error &error) {
            ++told;
            if (error.status() != Status::Unavailable) other = error.what();
        } catch (const std::exception &error) {
            other = std::string("not an Error: ") + error.what();
        }
        allocations::refused = 0;
        ASSERT_EQ(other, "") << number;
        if (allocations::soFar < last) break;
    }
    EXPECT_GT(told, 0) << "nothing was allocated";
}

} // namespace

TEST(LocalEntropyMemory, LackOfItIsToldByNewEngines)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    for (const Filter &filter : filters()) {
        std::vector<float> expected(kWidth * kHeight), values(expected);
        Engine calm;
        run(calm, filter, expected);
        for (const int threads : {1, 3})
            expectToldWhicheverFails([&] {
                values.assign(values.size(), NAN);
                Engine engine(withThreads(threads));
                run(engine, filter, values);
                const long refused = allocations::refused.exchange(0);
                EXPECT_EQ(values, expected);
                allocations::refused = refused;
            });
    }
}

// Which has nothing left over of a call that failed.
TEST(LocalEntropyMemory, LackOfItLeavesAnEngineUsable)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    for (const Filter &filter : filters()) {
        std::vector<float> expected(kWidth * kHeight), values(expected);
        Engine calm;
        run(calm, filter, expected);
        Engine engine(withThreads(2));
        expectToldWhicheverFails([&] { run(engine, filter, values); });
        values.assign(values.size(), NAN);
        run(engine, filter, values);
        EXPECT_EQ(values, expected);
    }
}

TEST(LocalEntropyMemory, LackOfItIsToldByWhatAsksOnly)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    const Engine engine;
    std::vector<float> values(kWidth * kHeight);
    for (const Filter &filter : filters())
        expectToldWhicheverFails([&] {
            engine.methodsFor(filter, View<const std::uint8_t>{bytes.data(), kWidth, kHeight},
                              View<float>{values.data(), kWidth, kHeight});
        });
    expectToldWhicheverFails([] { Engine::paths(); });
    expectToldWhicheverFails([] { Engine::methods(); });
}

TEST(LocalEntropyMemory, LackOfItIsAStatusInC)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    std::vector<float> values(kWidth * kHeight);
    expectToldWhicheverFails([&] {
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
    });
}
