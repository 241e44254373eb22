// How far a call is (schedule/progress.h), and the tiles that it is made of (tile_queue.h).

#include "local_entropy/schedule/progress.h"
#include "local_entropy/schedule/tile_queue.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
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

TEST(Progress, TellsThePartOfMoreCellsThan32BitsCount)
{
    double told = -1;
    const std::function<bool(double)> callback = [&](double part) { return told = part, true; };
    Progress progress(callback, {0, 0, 1 << 20, 1 << 16});
    EXPECT_TRUE(progress.goOn(std::int64_t(1) << 34));
    wait();
    EXPECT_TRUE(progress.goOn(std::int64_t(1) << 35));
    EXPECT_EQ(told, 0.25);
    wait();
    EXPECT_TRUE(progress.goOn(std::int64_t(1) << 34));
    EXPECT_EQ(told, 0.75);
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

TEST(TileQueue, GivesEveryCellOnceRowOfTilesByRowOfTiles)
{
    const std::function<bool(double)> nobody;
    const Region region{5, 7, 23, 11};
    for (const TileSize size : {TileSize{1, 1}, {4, 3}, {23, 11}, {24, 12}, {100, 2}, {0, -1}}) {
        Progress progress(nobody, region);
        TileQueue queue(region, size, progress);
        EXPECT_EQ(queue.tileSize().width, std::clamp<std::int64_t>(size.width, 1, 23));
        EXPECT_EQ(queue.tileSize().height, std::clamp<std::int64_t>(size.height, 1, 11));
        std::vector<int> seen(23 * 11);
        Region tile, last{0, 0, 0, 0};
        while (queue.take(tile)) {
            EXPECT_TRUE(tile.y > last.y || (tile.y == last.y && tile.x > last.x));
            last = tile;
            EXPECT_LE(tile.width, queue.tileSize().width);
            EXPECT_LE(tile.height, queue.tileSize().height);
            for (std::int64_t y = tile.y; y < tile.y + tile.height; ++y)
                for (std::int64_t x = tile.x; x < tile.x + tile.width; ++x)
                    ++seen.at((y - 7) * 23 + x - 5);
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 23 * 11) << size.width;
        EXPECT_FALSE(queue.take(tile));
    }
}

TEST(TileQueue, GivesTilesOfMoreCellsThan32BitsCount)
{
    constexpr std::int64_t kFar = std::int64_t(1) << 33, kTile = kFar / 2 - 1;
    const std::function<bool(double)> nobody;
    for (const bool isTall : {false, true}) {
        const Region region{kFar, kFar, isTall ? 3 : kFar, isTall ? kFar : 3};
        Progress progress(nobody, region);
        TileQueue queue(region, {kTile, kTile}, progress);
        Region tile;
        for (const std::int64_t before : {std::int64_t(0), kTile, 2 * kTile}) {
            ASSERT_TRUE(queue.take(tile));
            EXPECT_EQ(isTall ? tile.y : tile.x, kFar + before);
            EXPECT_EQ(isTall ? tile.x : tile.y, kFar);
            EXPECT_EQ(isTall ? tile.height : tile.width, std::min(kTile, kFar - before));
        }
        EXPECT_FALSE(queue.take(tile));
    }
}

TEST(TileQueue, TellsItsCellsAndIsEmptyOnceTheWorkWasStopped)
{
    std::vector<double> told;
    const std::function<bool(double)> callback = [&](double part) {
        told.push_back(part);
        return told.size() < 3;
    };
    Progress progress(callback, kRegion);
    TileQueue queue(kRegion, {100, 10}, progress);
    Region tile;
    for (int i = 0; i < 4; ++i) {
        wait();
        EXPECT_EQ(queue.take(tile), i < 2) << i;
    }
    EXPECT_EQ(told, (std::vector<double>{0, 0.25, 0.5}));
}
