// The engine everywhere: the bits of the CPU's answer, however the tiles were shared. With a GPU
// the first tiles of a process go through it; later ones where that is cheaper.
#include "bits_call.h"
#include "common/devices.h"
#include "common/threads.h"
#include "local_entropy/engine.h"
#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/staging.h"
#include "messages.h"
#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using local_entropy::ThroughDevices;

namespace
{

std::vector<float> onCpu(Shape shape, const std::vector<float> &sample)
{
    std::vector<float> result(sample.size(), NAN);
    entropyOnCpu(shape.width, shape.height, sample.data(), result.data(), 0, shape.height);
    return result;
}

/// What a call with devices needs besides.
struct OfCall
{
    explicit OfCall(const local_entropy::Problem &problem) : progress(nobody, problem.region) {}

    const std::function<bool(double)> nobody;
    local_entropy::Progress progress;
    local_entropy::WayCosts costs;
};

constexpr double kLong = 1e9; ///< nanoseconds: for what is worth a device

/// As an engine computes that has devices; adds the tiles that went through one to `*passed`.
void compute(const local_entropy::Problem &problem, const local_entropy::Plan &plan,
             const local_entropy::Sharing &sharing, std::int64_t *passed,
             int threads = common::offeredThreads())
{
    OfCall call(problem);
    const auto all = local_entropy::Everywhere::of(problem, plan, kLong, threads, call.costs,
                                                   call.progress, sharing);
    OwnQueue queue(problem.region, plan.tileSize(problem, threads));
    inThreads(threads, problem, [&](local_entropy::Scratch &scratch) {
        if (all)
            all->work(scratch);
        else
            plan.work(problem, *queue, scratch);
    });
    if (all && passed) *passed += all->tiles();
}

void compute(Shape shape, const float *sample, float *result, ThroughDevices choice,
             std::int64_t *passed, int threads = common::offeredThreads())
{
    const auto problem = bitsProblem(shape.width, shape.height, sample, result, 0, shape.height);
    const local_entropy::bits::BitsPlan plan(local_entropy::bestPath());
    compute(problem, plan, {choice}, passed, threads);
}

std::vector<float> everywhere(Shape shape, const std::vector<float> &sample,
                              ThroughDevices choice = ThroughDevices::IfThereIsRoom,
                              std::int64_t *passed = nullptr)
{
    std::vector<float> result(sample.size() + 1, NAN);
    compute(shape, sample.data(), result.data(), choice, passed);
    EXPECT_TRUE(std::isnan(result.back())) << "written beyond the end";
    result.pop_back();
    return result;
}

/// By an engine that may share.
std::vector<float> byEngine(Shape shape, const std::vector<float> &sample, bool devices,
                            const std::function<bool(double)> &progress = {}, int threads = 0)
{
    static local_entropy::Engine &alone = *new local_entropy::Engine;
    static local_entropy::Engine &sharing = *new local_entropy::Engine([] {
        local_entropy::EngineOptions options;
        options.devices = true;
        return options;
    }());
    std::vector<float> result(sample.size(), NAN);
    local_entropy::Filter filter;
    filter.levels.count = 16;
    local_entropy::RunOptions options;
    options.progress = progress;
    options.threads = threads;
    (devices ? sharing : alone)
        .run(filter, local_entropy::View<const float>{sample.data(), shape.width, shape.height},
             local_entropy::View<float>{result.data(), shape.width, shape.height}, options);
    return result;
}

void expectSameBits(const std::vector<float> &a, const std::vector<float> &b, Shape shape)
{
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(&a[i], &b[i], sizeof a[i]) != 0)
            FAIL() << shape.width << " x " << shape.height << ", x " << i % shape.width << ", y "
                   << i / shape.width << ": " << a[i] << ", expected " << b[i];
}

TEST(EngineEverywhere, ComputesSmallArrays)
{
    for (const Shape shape : kShapes) {
        const std::vector<float> sample = makeSample("random", shape);
        expectSameBits(byEngine(shape, sample, true), onCpu(shape, sample), shape);
    }
}

/// Large enough to be shared: squarish, of odd width, wide and flat, narrow and long.
TEST(EngineEverywhere, SharesLargeArrays)
{
    for (const Shape shape :
         {Shape{4096, 4100}, Shape{4111, 4219}, Shape{1700003, 10}, Shape{10, 1700003}})
        for (const char *content : {"random", "dominant"}) {
            const std::vector<float> sample = makeSample(content, shape);
            const std::vector<float> expected = onCpu(shape, sample);
            std::int64_t passed = 0;
            expectSameBits(byEngine(shape, sample, true), expected, shape);
            expectSameBits(byEngine(shape, sample, false), expected, shape);
            expectSameBits(everywhere(shape, sample, ThroughDevices::IfCheaper), expected, shape);
            expectSameBits(everywhere(shape, sample, ThroughDevices::IfThereIsRoom, &passed),
                           expected, shape);
            EXPECT_EQ(passed > 0, common::deviceCount() > 0)
                << shape.width << " x " << shape.height;
        }
}

TEST(EngineEverywhere, SeveralCallsAtOnce)
{
    const Shape shape{4096, 4096};
    const std::vector<float> sample = makeSample("smooth", shape);
    const std::vector<float> expected = onCpu(shape, sample);
    std::vector<float> results[3];
    std::vector<std::thread> threads;
    for (std::vector<float> &result : results)
        threads.emplace_back([&] { result = byEngine(shape, sample, true); });
    for (std::thread &thread : threads) thread.join();
    for (const std::vector<float> &result : results) expectSameBits(result, expected, shape);
}

// While the call has the threads and the devices, and gives neither up for the calls within it.
// That the thread that has the devices is refused them, local_entropy/test_one_at_a_time.cpp
// guards: a mutex in their place would pass here, since glibc refuses it to its owner, too.
TEST(EngineEverywhere, ACallbackMayCallTheEngineAgain)
{
    // So much for one thread that it is time to tell before all is done: 20 milliseconds.
    const Shape shape{8192, 8200}, small{300, 200};
    const std::vector<float> sample = makeSample("random", shape);
    const std::vector<float> fewCells = makeSample("random", small);
    const std::vector<float> expected = onCpu(shape, sample);
    const std::vector<float> fewExpected = onCpu(small, fewCells);
    int calls = 0;
    const auto callAgain = [&](double) {
        if (++calls > 1) return true;
        expectSameBits(byEngine(shape, sample, true), expected, shape);
        expectSameBits(byEngine(small, fewCells, true), fewExpected, small);
        return true;
    };
    for (int i = 0; i < 20 && calls == 0; ++i)
        expectSameBits(byEngine(shape, sample, true, callAgain, 1), expected, shape);
    EXPECT_GT(calls, 0);
    expectSameBits(byEngine(shape, sample, true), expected, shape);
}

/// A problem for calls that only ask whether they have the devices.
struct Scene
{
    explicit Scene(Shape shape)
        : sample(makeSample("random", shape)), result(sample.size(), NAN),
          problem(
              bitsProblem(shape.width, shape.height, sample.data(), result.data(), 0, shape.height))
    {
    }

    /// As one thread gets them, for what would take the CPU so long.
    std::unique_ptr<local_entropy::Everywhere>
    devices(OfCall &call, double nanoseconds,
            ThroughDevices choice = ThroughDevices::IfCheaper) const
    {
        return local_entropy::Everywhere::of(problem, plan, nanoseconds, 1, call.costs,
                                             call.progress, {choice});
    }

    const std::vector<float> sample;
    std::vector<float> result;
    const local_entropy::Problem problem;
    const local_entropy::bits::BitsPlan plan{local_entropy::bestPath()};
};

// The devices, as the engine has them for a call.
TEST(EngineEverywhere, ACallHasTheDevicesForItself)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    const Scene scene({4096, 4100});
    OfCall call(scene.problem);
    const auto devices = [&] { return scene.devices(call, kLong, ThroughDevices::IfThereIsRoom); };
    {
        const auto mine = devices();
        ASSERT_TRUE(mine);
        EXPECT_FALSE(devices());
        EXPECT_FALSE(devices()) << "a refusal has given it back";
        EXPECT_FALSE(local_entropy::Everywhere::start()) << "the call has them";
    }
    EXPECT_TRUE(devices());
    EXPECT_TRUE(local_entropy::Everywhere::start());
}

TEST(EngineEverywhere, NamesABadCell)
{
    const Shape shape{4096, 4100};
    std::vector<float> sample = makeSample("random", shape);
    for (const float bad : {16.0f, -1.0f, 3.5f}) {
        const std::size_t place = 4096u * 2000 + 77;
        const float good = sample[place];
        sample[place] = bad;
        std::string message = messageOf([&] { everywhere(shape, sample); });
        EXPECT_TRUE(holds(message, "x 77, y 2000")) << message;
        message = messageOf([&] { byEngine(shape, sample, true); });
        EXPECT_TRUE(holds(message, "x 77, y 2000")) << message;
        sample[place] = good;
    }
    sample[4096u * 1000 + 9] = NAN;
    expectSameBits(everywhere(shape, sample), onCpu(shape, sample), shape);
}

// One thread sends the first tile through the device, which has room: nobody else sees its cells.
TEST(EngineEverywhere, NamesABadCellThatIsSentToADevice)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    for (const Shape shape : {Shape{4096, 4100}, Shape{10, 1700003}}) {
        std::vector<float> sample = makeSample("random", shape);
        std::vector<float> result(sample.size(), NAN);
        std::int64_t passed = 0;
        const auto once = [&] {
            compute(shape, sample.data(), result.data(), ThroughDevices::IfThereIsRoom, &passed, 1);
        };
        once();
        EXPECT_GT(passed, 0);
        for (const float bad : {16.0f, -1.0f, 3.5f}) {
            sample[5] = bad;
            const std::string message = messageOf(once);
            EXPECT_TRUE(holds(message, "x 5, y 0")) << bad << ": " << message;
        }
        sample[5] = NAN;
        once();
        expectSameBits(result, onCpu(shape, sample), shape);
    }
}

// What is soon done stays with the CPU until many such calls have been.
TEST(EngineEverywhere, ShortCallsTryDevicesOnceTheyAreMany)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    const Scene scene({512, 512});
    const auto has = [&](OfCall &call, double nanoseconds) {
        return scene.devices(call, nanoseconds) != nullptr;
    };
    constexpr double kAtOnce = 2e4, kSoon = 1e6;
    OfCall call(scene.problem), quick(scene.problem), first(scene.problem);
    EXPECT_TRUE(has(call, kLong));
    EXPECT_FALSE(has(call, kSoon));
    call.costs.add(1e-3, false, 0);
    EXPECT_FALSE(has(call, kSoon));
    for (int i = 0; i < 100; ++i) // a try, now that devices are there, would not count
        call.costs.add(1e-3, false, 0);
    EXPECT_TRUE(has(call, kSoon));
    EXPECT_TRUE(has(call, kAtOnce)) << "an estimate, where calls are known to take longer";
    for (int i = 0; i < 10000; ++i) quick.costs.add(2e-5, false, 0);
    EXPECT_FALSE(has(quick, kSoon)) << "an estimate, where calls are known to be short";
    EXPECT_FALSE(has(first, kAtOnce));
}

// Once both are known. Of cells, the last few of a call may have been held up by other work.
TEST(EngineEverywhere, WholeCallsDecideWhateverCellsCost)
{
    if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    const Scene scene({512, 512});
    for (const double shared : {11e-3, 35e-3}) {
        OfCall call(scene.problem);
        call.costs.add(1, true, 1);
        call.costs.add(shared, true, 1);
        call.costs.add(1, false, 0);
        call.costs.add(23e-3, false, 0);
        call.costs.throughDevice.add(9, 1);
        call.costs.onCpu.add(10, 1);
        for (int i = 0; i < 4; ++i) scene.devices(call, kLong); // one way, some calls in a row
        EXPECT_EQ(scene.devices(call, kLong) != nullptr, shared < 23e-3) << shared;
    }
}

TEST(EngineWayCosts, KnowWhatCellsCostWithoutOutliers)
{
    local_entropy::WayCost cost;
    cost.add(8, 2);
    EXPECT_EQ(cost.get(), 4);
    cost.add(1000, 1);
    EXPECT_EQ(cost.get(), 4.5);
    cost.add(0.5, 1);
    EXPECT_EQ(cost.get(), 4);
}

// The first one with devices makes tables; a call that other work has held up counts little.
TEST(EngineWayCosts, KnowWhatCallsTakeLately)
{
    local_entropy::WayCosts costs;
    costs.throughDevice.add(7, 1);
    costs.add(9, true, 1); // the first one, with all that it makes
    EXPECT_EQ(costs.callShared, 0);
    EXPECT_EQ(costs.throughDevice.get(), 0);
    costs.throughDevice.add(1, 1);
    costs.add(2, true, 1);
    EXPECT_EQ(costs.callShared, 2);
    EXPECT_EQ(costs.throughDevice.get(), 1);
    costs.add(10, true, 1);
    EXPECT_EQ(costs.callShared, 3);
    costs.add(1, true, 1);
    EXPECT_EQ(costs.callShared, 1);
    costs.add(4, false, 0); // the calls before have started the threads
    costs.add(12, false, 0);
    EXPECT_EQ(costs.callAlone, 5);
    EXPECT_EQ(costs.spentAlone, 16);
}

TEST(EngineWayCosts, ForgetTheCallThatStartsThreads)
{
    local_entropy::WayCosts costs;
    costs.add(20, false, 0);
    EXPECT_EQ(costs.callAlone, 0);
    EXPECT_EQ(costs.spentAlone, 20);
    costs.add(4, false, 0);
    EXPECT_EQ(costs.callAlone, 4);
    EXPECT_EQ(costs.spentAlone, 24);
}

/// Which of so many calls would have the devices.
std::vector<bool> sharedOf(local_entropy::WayCosts &costs, int calls, double estimated = 1)
{
    std::vector<bool> shared;
    for (int i = 0; i < calls; ++i) shared.push_back(costs.shallShare(estimated));
    return shared;
}

int numberOf(const std::vector<bool> &which)
{
    return static_cast<int>(std::count(which.begin(), which.end(), true));
}

// The way that takes longer is tried four times in a row, and costs two percent of the time.
TEST(EngineWayCosts, TheLongerWayIsTriedAgainSeldom)
{
    local_entropy::WayCosts costs;
    EXPECT_EQ(numberOf(sharedOf(costs, 100)), 100) << "until it is known what that takes";
    costs.callShared = 4;
    costs.callAlone = 2; // twice as long: 200 calls between tries
    EXPECT_EQ(sharedOf(costs, 5), std::vector<bool>({true, true, true, true, false}));
    EXPECT_EQ(numberOf(sharedOf(costs, 199)), 0);
    EXPECT_EQ(sharedOf(costs, 5), std::vector<bool>({true, true, true, true, false}));

    costs.callAlone = 4.4; // it is the other one now, and little longer: 64 calls
    EXPECT_EQ(numberOf(sharedOf(costs, 64)), 64);
    EXPECT_EQ(sharedOf(costs, 5), std::vector<bool>({false, false, false, false, true}));
}

// What soon shows that it pays is not left in the middle of its tries.
TEST(EngineWayCosts, ATryThatPaysGoesOn)
{
    local_entropy::WayCosts costs;
    costs.callShared = 3;
    costs.callAlone = 2;
    EXPECT_TRUE(costs.shallShare(1));
    costs.callShared = 1;
    EXPECT_EQ(numberOf(sharedOf(costs, 60)), 60);
}

TEST(EngineWayCosts, CallsOfTheCpuAreEstimatedUntilThereWasOne)
{
    local_entropy::WayCosts costs;
    costs.callShared = 3;
    EXPECT_EQ(numberOf(sharedOf(costs, 20, 3.5)), 20);
    EXPECT_EQ(numberOf(sharedOf(costs, 20, 2.5)), 0);
    costs.callAlone = 3.5;
    EXPECT_EQ(numberOf(sharedOf(costs, 20, 2.5)), 20);
}

// No tables were made: the next one is the first.
TEST(EngineWayCosts, ACallThatSendsNoTileIsNotTheFirst)
{
    local_entropy::WayCosts costs;
    costs.add(3, true, 0);
    EXPECT_EQ(costs.callShared, 3);
    EXPECT_FALSE(costs.isWarm);
    costs.add(9, true, 1);
    EXPECT_EQ(costs.callShared, 3);
    EXPECT_TRUE(costs.isWarm);
}

TEST(EngineStaging, PacksLevelsAndFindsBadCells)
{
    std::vector<float> cells(1003);
    std::vector<std::uint8_t> bytes(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i % 16);
    ASSERT_TRUE(local_entropy::packLevels(cells.data(), cells.size(), 16, bytes.data()));
    for (std::size_t i = 0; i < cells.size(); ++i) ASSERT_EQ(bytes[i], i % 16);
    EXPECT_FALSE(local_entropy::packLevels(cells.data(), cells.size(), 15, bytes.data()));
    for (const float bad : {16.0f, -1.0f, 0.5f, 15.5f, 1e-30f, -1e-30f, 1e30f, INFINITY, NAN})
        for (const std::size_t place : {std::size_t(0), std::size_t(501), cells.size() - 1}) {
            const float good = cells[place];
            cells[place] = bad;
            EXPECT_FALSE(local_entropy::packLevels(cells.data(), cells.size(), 16, bytes.data()))
                << bad;
            cells[place] = good;
        }
}

TEST(EngineStaging, CopiesAtAnyAlignment)
{
    std::vector<float> from(300), to(320);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
    for (std::size_t skip = 0; skip < 17; ++skip)
        for (const std::size_t size : {0, 1, 15, 16, 17, 33, 200}) {
            std::fill(to.begin(), to.end(), -1.0f);
            local_entropy::copyResults(&from[skip], size, &to[skip + 1]);
            for (std::size_t i = 0; i < to.size(); ++i) {
                const bool in = i > skip && i <= skip + size;
                ASSERT_EQ(to[i], in ? static_cast<float>(i - 1) : -1.0f);
            }
        }
}

} // namespace
