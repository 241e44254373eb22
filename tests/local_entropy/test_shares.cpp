// Who computes and who feeds devices: the CPU must not keep them waiting, nor be the last one.
#include "local_entropy/schedule/shares.h"

#include <gtest/gtest.h>

using local_entropy::Shares;

namespace
{

constexpr std::int64_t kLarge = 1 << 20, kImage = std::int64_t(10240) * 10240;

/// Sixteen cores and a GPU that gets its tiles over a bus, about as measured; windows of 256 levels
/// whose small tiles have so many rows of 2048.
Shares sharesOf(double nanosecondsOnCpu, int rows)
{
    return {nanosecondsOnCpu * 1e-9, 0.7e-9, 0.08e-9, 16, 2048 * rows, kLarge, 12};
}
Shares of9x9() { return sharesOf(5, 25); }
Shares of15x15() { return sharesOf(17, 30); }

int feeders(const Shares &shares)
{
    int some = 0;
    while (some < 1000 && shares.feedsOnly(some)) ++some;
    return some;
}

/// How many cells are left, at the least, where the CPU may begin a large tile.
std::int64_t leastLeft(const Shares &shares, int underWay)
{
    std::int64_t left = kImage;
    while (left > 0 && shares.mayBegin(left, underWay, shares.devices)) left -= kLarge / 8;
    return left;
}

} // namespace

TEST(Shares, ShortTilesKeepNobodyWaiting) { EXPECT_EQ(feeders(of9x9()), 0); }

// A millisecond each, in which a GPU does all that is under way.
TEST(Shares, WhereTilesAreLongAsManyThreadsFeedAsDevicesNeed)
{
    EXPECT_EQ(feeders(of15x15()), 9);
    Shares two = of15x15(); // devices: as much again is under way, in the same time
    two.devices /= 2;
    two.mostUnderWay *= 2;
    EXPECT_EQ(feeders(two), 16);
    two.threads = 64;
    EXPECT_EQ(feeders(two), 18);
}

TEST(Shares, WhatIsUnknownKeepsNobodyFromComputing)
{
    Shares shares = of15x15();
    shares.throughDevice = 0;
    EXPECT_EQ(feeders(shares), 0);
    shares = of15x15();
    shares.onCpu = 0;
    EXPECT_EQ(feeders(shares), 0);
    EXPECT_TRUE(shares.mayBegin(0, 0, 0));
}

TEST(Shares, TheCpuBeginsWhatItHasDoneBeforeTheDevicesEnd)
{
    for (const Shares &shares : {of9x9(), of15x15()})
        EXPECT_TRUE(shares.mayBegin(kImage, 0, shares.devices));
    EXPECT_EQ(leastLeft(sharesOf(3, 36), 12), 0); // 5x5: what is under way takes them longer
    const Shares shares = of15x15();
    const double feeding = feeders(shares), tile = shares.onCpu * static_cast<double>(shares.small);
    const double rounds = 1 + 3; // 18 tiles for the seven threads that compute, after the last ones
    ASSERT_EQ(feeding, 9);
    for (const int underWay : {0, 12}) {
        const auto others = static_cast<double>(leastLeft(shares, underWay) - kLarge) +
                            underWay * static_cast<double>(kLarge) / 2;
        EXPECT_LE(others * shares.devices, rounds * tile) << underWay;
        EXPECT_GT(others * shares.devices, 0.99 * rounds * tile) << underWay;
    }
}

// Where all threads feed, they take small tiles when they have a moment: one at a time, all
// together.
TEST(Shares, WhereAllThreadsFeedTheyComputeAsOne)
{
    Shares shares = of15x15();
    shares.threads = 4;
    ASSERT_EQ(feeders(shares), 4);
    const double rounds = 1 + 18; // all small tiles of a large one, after the last one
    const double tile = shares.onCpu * static_cast<double>(shares.small);
    const double others = rounds * tile / shares.devices;
    const auto left = kLarge + static_cast<std::int64_t>(others);
    EXPECT_TRUE(shares.mayBegin(left + 1, 0, shares.devices));
    EXPECT_FALSE(shares.mayBegin(left - 1, 0, shares.devices));
}

// The time that devices take for a cell is measured as soon as it can be.
TEST(Shares, SlowDevicesLeaveMoreToTheCpu)
{
    const Shares shares = of15x15();
    const std::int64_t left = leastLeft(shares, 0);
    EXPECT_FALSE(shares.mayBegin(left, 0, shares.devices));
    EXPECT_TRUE(shares.mayBegin(left, 0, 2 * shares.devices));
}

// Of what is under way, half is computed on average: devices are alone with that only.
TEST(Shares, TilesThatOutlastHalfOfWhatIsUnderWayAreLong)
{
    EXPECT_EQ(feeders(sharesOf(8, 30)), 0);
    EXPECT_EQ(feeders(sharesOf(8.3, 30)), 9);
}
