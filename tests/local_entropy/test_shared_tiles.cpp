// The tiles that devices and the CPU share: every cell once, whoever takes what.
#include "local_entropy/schedule/shared_tiles.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using local_entropy::Progress;
using local_entropy::Region;
using local_entropy::SharedTiles;
using local_entropy::TileSize;

namespace
{

const std::function<bool(double)> kNobody;

/// How often each cell was taken.
class Field
{
public:
    explicit Field(const Region &region) : region(region), taken(region.width * region.height, 0) {}
    void take(const Region &tile, int by)
    {
        for (std::int64_t y = tile.y; y < tile.y + tile.height; ++y)
            for (std::int64_t x = tile.x; x < tile.x + tile.width; ++x) {
                ASSERT_TRUE(x >= region.x && x < region.x + region.width && y >= region.y &&
                            y < region.y + region.height);
                taken[(y - region.y) * region.width + x - region.x] += by;
            }
    }
    bool eachOnce() const
    {
        for (const int times : taken)
            if (times != 1) return false;
        return true;
    }

private:
    const Region region;
    std::vector<int> taken;
};

} // namespace

std::pair<std::int64_t, std::int64_t> largeOf(std::int64_t width, std::int64_t height,
                                              const TileSize &small, std::int64_t most)
{
    const TileSize size = local_entropy::largeTile({7, 7, width, height}, small, most);
    return {size.width, size.height};
}

TEST(LocalEntropyLargeTile, IsOfWholeSmallOnesAndAboutTwiceAsBroadAsHigh)
{
    EXPECT_EQ(largeOf(2034, 2034, {832, 120}, 1 << 20), std::pair(832L, 240L)); // not 207, nor 120
    EXPECT_EQ(largeOf(2034, 2034, {832, 69}, 1 << 20), std::pair(832L, 207L));
    EXPECT_EQ(largeOf(2048, 2048, {100, 70}, 1 << 20), std::pair(800L, 210L));
}

TEST(LocalEntropyLargeTile, HasNoMoreCellsThanThereIsRoomForUnlessASmallOneHas)
{
    EXPECT_EQ(largeOf(2034, 2034, {832, 120}, 832 * 240), std::pair(832L, 240L));
    EXPECT_EQ(largeOf(2034, 2034, {832, 120}, 832 * 240 - 1), std::pair(832L, 120L));
    EXPECT_EQ(largeOf(2034, 2034, {832, 120}, 1), std::pair(832L, 120L));
}

TEST(LocalEntropyLargeTile, IsWhatThereIsOfASmallOrFlatRegion)
{
    EXPECT_EQ(largeOf(20, 30, {832, 120}, 1 << 20), std::pair(20L, 30L));
    EXPECT_EQ(largeOf(10000000, 10, {1000, 10}, 1 << 20), std::pair(104000L, 10L));
    EXPECT_EQ(largeOf(10, 10000000, {10, 1000}, 1 << 20), std::pair(10L, 104000L));
}

TEST(SharedTiles, GiveEveryCellOnce)
{
    std::mt19937 random(11);
    const auto upTo = [&](int n) { return 1 + static_cast<std::int64_t>(random() % n); };
    for (int i = 0; i < 300; ++i) {
        const Region region{upTo(9) - 5, upTo(9), upTo(70), upTo(70)};
        Progress progress(kNobody, region);
        SharedTiles tiles(region, {upTo(40), upTo(40)}, {upTo(20), upTo(20)}, progress);
        Field field(region);
        std::vector<Region> lost;
        std::int64_t left = region.width * region.height;
        Region tile;
        for (bool more = true; more;) {
            const bool large = random() % 3 == 0;
            more = large ? tiles.takeLarge(tile) : tiles.takeSmall(tile);
            if (!more && large) more = tiles.takeSmall(tile);
            if (!more) break;
            field.take(tile, 1);
            left -= tile.width * tile.height;
            if (large && random() % 4 == 0) { // it did not come back
                field.take(tile, -1);
                tiles.giveBack(tile);
                left += tile.width * tile.height;
            }
            ASSERT_LE(tiles.leftInLarge(), left);
        }
        ASSERT_EQ(left, 0);
        ASSERT_EQ(tiles.leftInLarge(), 0);
        ASSERT_TRUE(field.eachOnce());
    }
}

// Of more cells than 32 bits count.
TEST(SharedTiles, GiveLargeRegions)
{
    constexpr std::int64_t kSide = std::int64_t(1) << 31, kHalf = kSide / 2;
    const Region region{kSide, 3, kSide, kSide};
    Progress progress(kNobody, region);
    SharedTiles tiles(region, {kSide, kHalf}, {kHalf, kHalf}, progress);
    EXPECT_EQ(tiles.leftInLarge(), kSide * kSide);
    Region tile;
    ASSERT_TRUE(tiles.takeLarge(tile));
    EXPECT_EQ(tile.width * tile.height, kSide * kHalf);
    for (const std::int64_t x : {kSide, kSide + kHalf}) {
        EXPECT_EQ(tiles.leftInLarge(), x == kSide ? kSide * kHalf : 0);
        ASSERT_TRUE(tiles.takeSmall(tile));
        EXPECT_EQ(tile.x, x);
        EXPECT_EQ(tile.y, 3 + kHalf);
    }
    EXPECT_FALSE(tiles.takeSmall(tile));
}

// What it has begun it has to finish, and what did not come back is nobody else's.
TEST(SharedTiles, SmallOnesOfALargeOneThatNobodyHadAreLeftWhereTheyMayNotBegin)
{
    const Region region{0, 0, 6, 1};
    Progress progress(kNobody, region);
    SharedTiles tiles(region, {2, 1}, {1, 1}, progress);
    Region tile, lost;
    EXPECT_FALSE(tiles.takeSmall(tile, false));
    ASSERT_TRUE(tiles.takeSmall(tile)); // of the last large one
    EXPECT_TRUE(tiles.takeSmall(tile, false));
    EXPECT_FALSE(tiles.takeSmall(tile, false));
    ASSERT_TRUE(tiles.takeLarge(lost));
    tiles.giveBack(lost);
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(tiles.takeSmall(tile, false));
    EXPECT_FALSE(tiles.takeSmall(tile, false));
    EXPECT_EQ(tiles.leftInLarge(), 2);
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(tiles.takeSmall(tile));
    EXPECT_FALSE(tiles.takeSmall(tile));
}

TEST(SharedTiles, AreToldOnceThoughOneIsGivenBack)
{
    double most = 0;
    int calls = 0;
    const std::function<bool(double)> tell = [&](double part) {
        most = std::max(most, part);
        ++calls;
        return true;
    };
    const Region region{0, 0, 4, 1};
    Progress progress(tell, region);
    SharedTiles tiles(region, {4, 1}, {1, 1}, progress);
    Region tile;
    ASSERT_TRUE(tiles.takeLarge(tile));
    tiles.giveBack(tile);
    for (int i = 0; i < 4; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(25)); // the callback has its turn
        ASSERT_TRUE(tiles.takeSmall(tile));
    }
    EXPECT_FALSE(tiles.takeSmall(tile));
    EXPECT_GE(calls, 4);
    EXPECT_LE(most, 1);
}

// A tile that is given back while others are, too, is none that nobody has heard of.
TEST(SharedTiles, AreToldOnceThoughSeveralAreGivenBack)
{
    double last = 0;
    const std::function<bool(double)> tell = [&](double part) {
        last = part;
        return true;
    };
    const Region region{0, 0, 9, 1};
    Progress progress(tell, region);
    SharedTiles tiles(region, {3, 1}, {3, 1}, progress);
    Region tile, lost[2];
    for (Region &one : lost) ASSERT_TRUE(tiles.takeLarge(one));
    for (const Region &one : lost) tiles.giveBack(one);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(tiles.takeSmall(tile));
    std::this_thread::sleep_for(std::chrono::milliseconds(25)); // the callback has its turn
    ASSERT_TRUE(tiles.takeSmall(tile));
    EXPECT_DOUBLE_EQ(last, 6.0 / 9); // what was begun before
}

TEST(SharedTiles, AreNoneOnceTheWorkWasStopped)
{
    const Region region{0, 0, 100, 100};
    Progress progress(kNobody, region);
    SharedTiles tiles(region, {50, 50}, {10, 10}, progress);
    Region tile;
    EXPECT_TRUE(tiles.takeLarge(tile));
    EXPECT_TRUE(tiles.takeSmall(tile));
    progress.stop();
    EXPECT_FALSE(tiles.takeLarge(tile));
    EXPECT_FALSE(tiles.takeSmall(tile));
}
