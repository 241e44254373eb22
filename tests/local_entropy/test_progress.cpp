// How far a call is (schedule/progress.h).

#include "local_entropy/schedule/progress.h"

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace local_entropy;

namespace
{

constexpr Region kRegion{0, 0, 100, 40};
constexpr std::chrono::milliseconds kEvery{20};

/// Later than the callback is called again.
void wait() { std::this_thread::sleep_for(kEvery + std::chrono::milliseconds(1)); }

} // namespace

// What is done when a tile begins: the tiles before it, whoever has them.
TEST(Progress, TellsThePartThatTheTilesBeforeAre)
{
    std::vector<double> told;
    const std::function<bool(double)> callback = [&](double part) {
        told.push_back(part);
        return true;
    };
    Progress progress(callback, kRegion);
    wait();
    EXPECT_TRUE(progress.goOn(1000));
    wait();
    std::thread([&] { EXPECT_TRUE(progress.goOn(2000)); }).join(); // is not called in this one
    EXPECT_EQ(told, (std::vector<double>{0}));
    EXPECT_TRUE(progress.goOn(1000));
    EXPECT_EQ(told, (std::vector<double>{0, 0.75}));
}

TEST(Progress, IsToldFiftyTimesASecondAtMost)
{
    int calls = 0;
    const std::function<bool(double)> callback = [&](double) { return ++calls, true; };
    const auto start = std::chrono::steady_clock::now();
    Progress progress(callback, kRegion);
    while (calls < 4) progress.goOn(1);
    EXPECT_GE(std::chrono::steady_clock::now() - start, 4 * kEvery);
}

TEST(Progress, NobodyGoesOnOnceTheCallbackHasSaidSo)
{
    const std::function<bool(double)> callback = [](double) { return false; }, nobody;
    Progress progress(callback, kRegion);
    EXPECT_FALSE(progress.wasStopped());
    wait();
    EXPECT_FALSE(progress.goOn(1));
    EXPECT_TRUE(progress.wasStopped());
    EXPECT_FALSE(progress.goOn(1));
    std::thread([&] { EXPECT_FALSE(progress.goOn(1)); }).join();

    Progress quiet(nobody, kRegion);
    EXPECT_TRUE(quiet.goOn(1));
    quiet.stop();
    EXPECT_FALSE(quiet.goOn(1));
    EXPECT_TRUE(quiet.wasStopped());
}
