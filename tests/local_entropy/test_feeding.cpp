// Who computes and who feeds devices: the CPU must not keep them waiting, nor be the last one.
#include "local_entropy/schedule/feeding.h"

#include <gtest/gtest.h>

using local_entropy::Feeding;

namespace
{

constexpr std::int64_t kLarge = 1 << 20, kImage = std::int64_t(10240) * 10240;

/// Sixteen cores and a GPU that gets its tiles over a bus, about as measured; windows of 256 levels
/// whose small tiles have so many rows of 2048.
Feeding feedingOf(double nanosecondsOnCpu, int rows)
{
    return {nanosecondsOnCpu * 1e-9, 0.7e-9, 0.08e-9, 16, 2048 * rows, kLarge, 12};
}
Feeding of9x9() { return feedingOf(5, 25); }
Feeding of15x15() { return feedingOf(17, 30); }

int feeders(const Feeding &feeding)
{
    int some = 0;
    while (some < 1000 && feeding.feedsOnly(some)) ++some;
    return some;
}

/// How many cells are left, at the least, where the CPU may begin a large tile.
std::int64_t leastLeft(const Feeding &feeding, int underWay)
{
    std::int64_t left = kImage;
    while (left > 0 && feeding.mayBegin(left, underWay, feeding.devices)) left -= kLarge / 8;
    return left;
}

} // namespace

TEST(Feeding, ShortTilesKeepNobodyWaiting) { EXPECT_EQ(feeders(of9x9()), 0); }

// A millisecond each, in which a GPU does all that is under way.
TEST(Feeding, WhereTilesAreLongAsManyThreadsFeedAsDevicesNeed)
{
    EXPECT_EQ(feeders(of15x15()), 9);
    Feeding two = of15x15(); // devices: as much again is under way, in the same time
    two.devices /= 2;
    two.mostUnderWay *= 2;
    EXPECT_EQ(feeders(two), 16);
    two.threads = 64;
    EXPECT_EQ(feeders(two), 18);
}

TEST(Feeding, WhatIsUnknownKeepsNobodyFromComputing)
{
    Feeding feeding = of15x15();
    feeding.throughDevice = 0;
    EXPECT_EQ(feeders(feeding), 0);
    feeding = of15x15();
    feeding.onCpu = 0;
    EXPECT_EQ(feeders(feeding), 0);
    EXPECT_TRUE(feeding.mayBegin(0, 0, 0));
}

TEST(Feeding, TheCpuBeginsWhatItHasDoneBeforeTheDevicesEnd)
{
    for (const Feeding &feeding : {of9x9(), of15x15()})
        EXPECT_TRUE(feeding.mayBegin(kImage, 0, feeding.devices));
    EXPECT_EQ(leastLeft(feedingOf(3, 36), 12), 0); // 5x5: what is under way takes them longer
    const Feeding feeding = of15x15();
    const double feed = feeders(feeding), tile = feeding.onCpu * static_cast<double>(feeding.small);
    const double rounds = 1 + 3; // 18 tiles for the seven threads that compute, after the last ones
    ASSERT_EQ(feed, 9);
    for (const int underWay : {0, 12}) {
        const auto others = static_cast<double>(leastLeft(feeding, underWay) - kLarge) +
                            underWay * static_cast<double>(kLarge) / 2;
        EXPECT_LE(others * feeding.devices, rounds * tile) << underWay;
        EXPECT_GT(others * feeding.devices, 0.99 * rounds * tile) << underWay;
    }
}

// Where all threads feed, they take small tiles when they have a moment: one at a time, all
// together.
TEST(Feeding, WhereAllThreadsFeedTheyComputeAsOne)
{
    Feeding feeding = of15x15();
    feeding.threads = 4;
    ASSERT_EQ(feeders(feeding), 4);
    const double rounds = 1 + 18; // all small tiles of a large one, after the last one
    const double tile = feeding.onCpu * static_cast<double>(feeding.small);
    const double others = rounds * tile / feeding.devices;
    const auto left = kLarge + static_cast<std::int64_t>(others);
    EXPECT_TRUE(feeding.mayBegin(left + 1, 0, feeding.devices));
    EXPECT_FALSE(feeding.mayBegin(left - 1, 0, feeding.devices));
}

// The time that devices take for a cell is measured as soon as it can be.
TEST(Feeding, SlowDevicesLeaveMoreToTheCpu)
{
    const Feeding feeding = of15x15();
    const std::int64_t left = leastLeft(feeding, 0);
    EXPECT_FALSE(feeding.mayBegin(left, 0, feeding.devices));
    EXPECT_TRUE(feeding.mayBegin(left, 0, 2 * feeding.devices));
}

// Of what is under way, half is computed on average: devices are alone with that only.
TEST(Feeding, TilesThatOutlastHalfOfWhatIsUnderWayAreLong)
{
    EXPECT_EQ(feeders(feedingOf(8, 30)), 0);
    EXPECT_EQ(feeders(feedingOf(8.3, 30)), 9);
}
