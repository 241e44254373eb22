// What the threads of calls share, used by several at once: nothing is lost, and nothing is had by
// two of them.

#include "local_entropy/methods/plain/plain.h"
#include "local_entropy/schedule/plans.h"
#include "local_entropy/schedule/questions.h"
#include "local_entropy/schedule/scratches.h"
#include "local_entropy/schedule/shared_tiles.h"
#include "local_entropy/schedule/tile_queue.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace
{

using namespace local_entropy;

constexpr int kThreads = 4;
const std::function<bool(double)> kNobody;

/// work(0), work(1), ..., that begin together.
void inThreads(const std::function<void(int)> &work)
{
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number)
        threads.emplace_back([&, number] {
            ++ready;
            while (ready < kThreads) std::this_thread::yield();
            work(number);
        });
    for (std::thread &thread : threads) thread.join();
}

/// How often each cell was taken.
class Field
{
public:
    explicit Field(const Region &region) : width(region.width), times(width * region.height) {}
    void take(const Region &tile)
    {
        for (std::int64_t y = tile.y; y < tile.y + tile.height; ++y)
            for (std::int64_t x = tile.x; x < tile.x + tile.width; ++x) ++times[y * width + x];
    }
    bool eachOnce() const
    {
        return std::all_of(times.begin(), times.end(), [](const auto &some) { return some == 1; });
    }

private:
    const std::int64_t width;
    std::vector<std::atomic<int>> times;
};

/// Whether memory that is lent to one thread is its own for a while.
bool isOwn(Scratch &scratch, int number)
{
    auto *const mine = static_cast<std::atomic<int> *>(scratch.get(Scratch::Row, sizeof(int)));
    *mine = number;
    for (int i = 0; i < 3; ++i)
        if (*mine != number) return false;
    return true;
}

TEST(SharedByThreads, EachTileOfAQueueIsHadOnce)
{
    const Region region{0, 0, 2000000, 1};
    Progress progress(kNobody, region);
    TileQueue queue(region, {1, 1}, progress);
    Field field(region);
    inThreads([&](int) {
        for (Region tile; queue.take(tile);) field.take(tile);
    });
    EXPECT_TRUE(field.eachOnce());
}

TEST(SharedByThreads, EachTileForDevicesAndTheCpuIsHadOnce)
{
    const Region region{0, 0, 4, 200000};
    Progress progress(kNobody, region);
    SharedTiles tiles(region, {4, 1}, {2, 1}, progress);
    Field field(region);
    std::atomic<std::int64_t> least{0};
    inThreads([&](int number) {
        Region tile;
        for (int i = number; tiles.takeLarge(tile); ++i) {
            if (tiles.leftInLarge() < 0) least = -1;
            if (i % 4 == 0)
                tiles.giveBack(tile); // it did not come back
            else
                field.take(tile);
        }
        while (tiles.takeSmall(tile)) field.take(tile);
    });
    for (Region tile; tiles.takeSmall(tile);) field.take(tile); // given back to nobody else
    EXPECT_TRUE(field.eachOnce());
    EXPECT_EQ(tiles.leftInLarge(), 0);
    EXPECT_EQ(least, 0);
}

TEST(SharedByThreads, MemoryIsLentToOne)
{
    Scratches scratches;
    std::atomic<int> wrong{0};
    inThreads([&](int number) {
        for (int i = 0; i < 500000 && !wrong; ++i)
            wrong += !isOwn(*Scratches::Lease(scratches), number);
    });
    EXPECT_EQ(wrong, 0);
}

TEST(SharedByThreads, PlansAreThere)
{
    constexpr int kFilters = 40; // more than are kept
    static const std::uint8_t cells[4] = {};
    static float values[4];
    std::vector<Problem> problems;
    for (int i = 0; i < kFilters; ++i) {
        Filter filter;
        filter.window.width = filter.window.height = 1;
        filter.empty = i;
        problems.push_back(checkedProblem(filter, {cells, CellType::Uint8, 2, 2, 0}, {},
                                          {values, false, 2, 2, 0}, {}));
    }
    Plans plans;
    std::atomic<int> missing{0};
    inThreads([&](int number) {
        for (int i = 0; i < 50000; ++i)
            missing += !plans.get(plainMethod(), problems[i * (2 * number + 1) % kFilters],
                                  Path::Portable);
    });
    EXPECT_EQ(missing, 0);
}

TEST(SharedByThreads, QuestionsAreLentToOne)
{
    static const std::uint8_t cells[4] = {};
    static float values[kThreads][4];
    Filter filter;
    filter.window.width = filter.window.height = 1;
    Choice choice;
    choice.path = Path::Portable;
    choice.only = &plainMethod();
    Questions questions(choice);
    Plans plans;
    std::atomic<int> wrong{0};
    inThreads([&](int number) {
        const Asked asked{
            filter, {cells, CellType::Uint8, 2, 2, 0}, {}, {values[number], false, 2, 2, 0}, {}, 1};
        for (int i = 0; i < 200000 && !wrong; ++i) {
            const Questions::Lease lease(questions, asked, plans);
            wrong += !isOwn(lease.scratch(), number);
            wrong += lease.question().problem().result.data != values[number];
        }
    });
    EXPECT_EQ(wrong, 0);
}

} // namespace
