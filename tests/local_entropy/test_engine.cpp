// The engine as an object: options, threads, progress. In hostile surroundings:
// test_surroundings.cpp.

#include "../same_bits.h"
#include "common/processors.h"
#include "local_entropy/engine.h"
#include "local_entropy/simd/paths.h"
#include "one_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace local_entropy;
using one_image::kHeight, one_image::kWidth, one_image::randomImage, one_image::run,
    one_image::withThreads;

TEST(LocalEntropyEngine, FloatsThatAreNoIntegersAreBadLevelsWhateverTheLowest)
{
    Engine engine;
    for (const double low : {-1.0, 0.0, 1.0}) {
        Filter filter;
        filter.levels.count = 4;
        filter.levels.low = low;
        std::vector<float> cells(400, 1), values(400);
        const View<const float> image{cells.data(), 20, 20, 0};
        EXPECT_NO_THROW(engine.run(filter, image, View<float>{values.data(), 20, 20, 0}));
        cells[210] = 1 + 0x1p-23f;
        if (low < 0) cells[210] = 1e-10f; // plus 1, it is 1 to a float
        try {
            engine.run(filter, image, View<float>{values.data(), 20, 20, 0});
            FAIL() << "low " << low;
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::BadLevel) << error.what();
        }
    }
}

std::string listed(const std::vector<std::string> &names)
{
    std::string list = names.front();
    for (std::size_t i = 1; i < names.size(); ++i) list += ", " + names[i];
    return list;
}

TEST(LocalEntropyEngine, RefusesOptionsThatAreNotPossible)
{
    const auto refused = [](const EngineOptions &options, Status status,
                            const std::string &sentence) {
        try {
            Engine engine(options);
            ADD_FAILURE() << "accepted, expected: " << sentence;
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), status) << sentence;
            EXPECT_EQ(error.what(), sentence);
        }
    };
    EngineOptions options;
    options.threads = -1;
    refused(options, Status::BadArgument, "-1 threads, expected 0 or more");
    options = {};
    const std::vector<std::string> paths = Engine::paths();
    std::vector<std::string> others = {"sse9", "AVX2"};
    for (const Path path : kPaths) // those of other processors: one at least is
        if (std::find(paths.begin(), paths.end(), pathName(path)) == paths.end())
            others.push_back(pathName(path));
    for (const std::string &path : others) {
        options.path = path;
        refused(options, Status::Unavailable,
                "the path '" + path + "' does not work here, only " + listed(paths));
    }
    options = {};
    options.method = "magic";
    refused(options, Status::BadArgument,
            "there is no method 'magic', only " + listed(Engine::methods()));
}

TEST(LocalEntropyEngine, SaysWhichMethodCannot)
{
    EngineOptions options;
    options.method = "ranks";
    options.path = "portable";
    Engine engine(options);
    std::vector<float> cells(25), values(25);
    Filter filter;
    filter.window.width = 255;
    try {
        engine.run(filter, View<const float>{cells.data(), 5, 5, 0},
                   View<float>{values.data(), 5, 5, 0});
        FAIL() << "computed";
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::Unavailable);
        EXPECT_STREQ(error.what(),
                     "the method 'ranks' cannot compute this filter on path portable");
    }
}

/// Of this process. One that has been joined is still seen for a moment: until it is not.
int threadsNow()
{
    for (int last = -1;;) {
        const std::filesystem::directory_iterator tasks("/proc/self/task");
        const auto threads = static_cast<int>(std::distance(begin(tasks), end(tasks)));
        if (threads == last) return threads;
        last = threads;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

TEST(LocalEntropyEngine, StartsNoMoreThreadsThanACallAllows)
{
    const auto image = randomImage();
    Filter filter;
    filter.window.width = filter.window.height = 25; // enough work for many
    for (const int most : {1, 2, 3, 100}) {
        Engine engine = withThreads(4);
        const int before = threadsNow();
        RunOptions options;
        options.threads = most;
        run(engine, image, filter, options);
        EXPECT_EQ(threadsNow() - before, std::min(most, 4) - 1) << most; // and the caller
    }
}

/// Of the calling thread, on a machine of at most 1024.
int countedProcessors()
{
    cpu_set_t set;
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

TEST(LocalEntropyEngine, HasThreadsForAllProcessorsUnlessTold)
{
    if (countedProcessors() < 2) GTEST_SKIP() << "there is one processor";
    Filter filter;
    filter.window.width = filter.window.height = 25; // enough work for two
    Engine engine;
    const int before = threadsNow();
    RunOptions options;
    options.threads = 2;
    run(engine, randomImage(), filter, options);
    EXPECT_EQ(threadsNow() - before, 1); // and the caller
}

// As under taskset, and in a job that a batch system gave some of a machine's processors.
TEST(LocalEntropyEngine, HasNoMoreThreadsThanProcessorsThatItMayRunOn)
{
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(common::usableProcessors(), 1);
    Engine engine;
    ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
    EXPECT_EQ(common::usableProcessors(), countedProcessors());
    Filter filter;
    filter.window.width = filter.window.height = 25; // enough work for many
    const int before = threadsNow();
    run(engine, randomImage(), filter);
    EXPECT_EQ(threadsNow(), before); // the caller alone
}

// An image that is computed in parts, as its edge cuts windows.
TEST(LocalEntropyEngine, WritesRowsThatLieApartAndNothingBetween)
{
    constexpr std::int64_t kStride = kWidth + 13;
    const auto image = randomImage();
    Engine engine = withThreads(2);
    const auto expected = run(engine, image);
    std::vector<float> values(kStride * kHeight, -1);
    engine.run(Filter(), View<const std::uint8_t>{image.data(), kWidth, kHeight, 0},
               View<float>{values.data(), kWidth, kHeight, kStride});
    for (std::int64_t y = 0; y < kHeight; ++y)
        for (std::int64_t x = 0; x < kStride; ++x)
            ASSERT_EQ(values[y * kStride + x], x < kWidth ? expected[y * kWidth + x] : -1)
                << x << ", " << y;
}

TEST(LocalEntropyEngine, NamesEachMethodOnce)
{
    const auto image = randomImage();
    std::vector<float> values(kWidth * kHeight);
    const Engine engine;
    for (const Border border : {Border::Cut, Border::Nearest}) { // a frame of parts, and none
        Filter filter;
        filter.border = border;
        std::vector<std::string> names =
            engine.methodsFor(filter, View<const std::uint8_t>{image.data(), kWidth, kHeight, 0},
                              View<float>{values.data(), kWidth, kHeight, 0});
        EXPECT_FALSE(names.empty());
        std::sort(names.begin(), names.end());
        EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    }
}

// Where a strip along an edge has another than the rest, that of the rest.
TEST(LocalEntropyEngine, NamesTheMethodOfTheMostCellsFirst)
{
    const Engine one = withThreads(1);
    const std::vector<std::uint8_t> image(1024 * 1024);
    std::vector<float> values(image.size());
    int several = 0;
    for (const int window : {5, 9, 15, 21})
        for (const std::int64_t side : {64, 256, 512, 1024}) {
            Filter filter;
            filter.window.width = filter.window.height = window;
            const auto names = [&](std::int64_t edge) {
                RunOptions options;
                options.region = {edge, edge, side - 2 * edge, side - 2 * edge};
                return one.methodsFor(
                    filter, View<const std::uint8_t>{image.data(), side, side, 0},
                    View<float>{values.data(), side - 2 * edge, side - 2 * edge, 0}, options);
            };
            if (names(0).size() < 2) continue;
            ++several;
            EXPECT_EQ(names(0).front(), names(window / 2).front()) << window << ", " << side;
        }
    if (bestPath() != Path::Portable) {
        EXPECT_GT(several, 0) << "no size here tells them apart";
    }
}

TEST(LocalEntropyEngine, ListsTheBestPathFirst)
{
    const std::vector<std::string> paths = Engine::paths();
    EXPECT_EQ(paths.front(), pathName(bestPath()));
    EXPECT_EQ(paths.back(), "portable");
    EXPECT_EQ(Engine::methods().back(), "plain");
}

// An engine of many threads computes a call that may have one as an engine of one does: tiles for
// sixteen would be small. At some of these sizes methods for sixteen are others.
TEST(LocalEntropyEngine, MethodsAreThoseForTheThreadsOfTheCall)
{
    Engine one = withThreads(1), many = withThreads(16);
    RunOptions alone;
    alone.threads = 1;
    const std::vector<std::uint8_t> image(1024 * 1024);
    std::vector<float> values(image.size());
    int others = 0;
    for (const int window : {9, 15, 21})
        for (const std::int64_t side : {10, 64, 256, 512, 1024}) {
            Filter filter;
            filter.window.width = filter.window.height = window;
            const auto names = [&](const Engine &engine, const RunOptions &options) {
                return engine.methodsFor(filter,
                                         View<const std::uint8_t>{image.data(), side, side, 0},
                                         View<float>{values.data(), side, side, 0}, options);
            };
            EXPECT_EQ(names(many, alone), names(one, {})) << window << ", " << side;
            others += names(many, {}) != names(one, {});
            if (side == 10) { // not worth a second thread
                EXPECT_EQ(names(many, {}), names(one, {})) << window;
            }
        }
    const auto paths = Engine::paths();
    if (std::find(paths.begin(), paths.end(), "avx2") != paths.end()) {
        EXPECT_GT(others, 0) << "no size here tells them apart";
    }
}

// On any memory: it is refused before that, and before a GPU is looked for.
TEST(LocalEntropyEngine, RefusesNumbersOfThreadsThatAreNone)
{
    Engine engine;
    std::vector<float> cells(25), values(25);
    const View<const float> image{cells.data(), 5, 5, 0};
    const View<float> result{values.data(), 5, 5, 0};
    RunOptions options;
    options.threads = -1;
    const auto refused = [](const auto &call) {
        try {
            call();
            ADD_FAILURE() << "accepted";
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::BadArgument) << error.what();
            EXPECT_STREQ(error.what(), "-1 threads, expected 0 or more");
        }
    };
    refused([&] { engine.run({}, image, result, options); });
    refused([&] { engine.enqueue({}, image, result, nullptr, options); });
    refused([&] { engine.methodsFor({}, image, result, options); });
}

TEST(LocalEntropyEngine, GivesTheSameBitsWithAnyNumberOfThreads)
{
    const auto image = randomImage();
    Engine one = withThreads(1);
    const auto expected = run(one, image);
    for (const int threads : {2, 3, 7, 16}) {
        Engine several = withThreads(threads);
        for (int i = 0; i < 20; ++i)
            ASSERT_TRUE(sameBits(run(several, image), expected)) << threads;
    }
}

TEST(LocalEntropyEngine, IsUsedFromManyThreadsAtOnce)
{
    const auto image = randomImage();
    Engine engine = withThreads(3);
    const auto expected = run(engine, image);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 6; ++i)
        callers.emplace_back([&] {
            for (int j = 0; j < 10; ++j) wrong += !sameBits(run(engine, image), expected);
        });
    for (std::thread &caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

TEST(LocalEntropyEngine, TellsProgressAndCanBeCancelled)
{
    const auto image = randomImage();
    for (const int threads : {1, 3}) {
        EngineOptions some;
        some.threads = threads;
        some.method = "plain"; // the slowest
        Engine engine(some);
        Filter filter;
        filter.window.width = filter.window.height = 25;
        double last = 0;
        int calls = 0;
        RunOptions options;
        options.progress = [&](double part) {
            EXPECT_GE(part, last);
            EXPECT_LE(part, 1);
            last = part;
            return ++calls < 3;
        };
        auto image2 = image;
        try {
            run(engine, image2, filter, options);
            ADD_FAILURE() << "was not cancelled after " << calls << " calls";
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::Cancelled) << error.what();
        }
        EXPECT_EQ(calls, 3);
        EXPECT_TRUE(sameBits(run(engine, image), run(engine, image))) << "usable no longer";
    }
}

TEST(LocalEntropyEngine, PassesOnWhatTheCallbackThrows)
{
    const auto image = randomImage();
    EngineOptions some;
    some.method = "plain";
    some.threads = 3;
    Engine engine(some);
    Filter filter;
    filter.window.width = filter.window.height = 25;
    RunOptions options;
    options.progress = [](double) -> bool { throw std::logic_error("enough"); };
    EXPECT_THROW(run(engine, image, filter, options), std::logic_error);
    EXPECT_TRUE(sameBits(run(engine, image), run(engine, image)));
}

TEST(LocalEntropyEngine, NamesTheBadCellWhoeverMeetsIt)
{
    std::vector<float> image(kWidth * kHeight, 3), values(kWidth * kHeight);
    image[250 * kWidth + 17] = 16;
    image[120 * kWidth + 690] = -1;
    Filter filter;
    filter.levels.count = 16;
    for (const int threads : {1, 4}) {
        Engine engine = withThreads(threads);
        try {
            engine.run(filter, View<const float>{image.data(), kWidth, kHeight, 0},
                       View<float>{values.data(), kWidth, kHeight, 0});
            FAIL() << "accepted";
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::BadLevel);
            EXPECT_STREQ(error.what(), "the cell at x 690, y 120 is -1, expected an integer 0..15");
        }
    }
}

} // namespace
