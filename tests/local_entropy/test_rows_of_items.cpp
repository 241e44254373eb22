// How a GPU's warps share the rows of strips: every row of every strip once, whatever the numbers.
#include "local_entropy/methods/rows_of_items.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using local_entropy::itemOf;
using local_entropy::shareItems;

namespace
{

/// As kernels have it.
struct Task
{
    int height;
    int strips, items, slowLeft, slowRight, slowChunks, fastChunks;

    struct Item
    {
        int strip, first, end;
    };
    int rows() const { return height; }
    int placeOf(int strip) const { return strip; }
};

Task shared(int strips, int height, int slots, int most, int left, int right)
{
    Task task{};
    task.height = height;
    shareItems(task, strips, slots, most,
               [=](int strip) { return strip < left || strip >= strips - right; });
    return task;
}

/// How often each row of each strip is an item's.
std::vector<int> taken(const Task &task)
{
    std::vector<int> times(task.strips * task.height, 0);
    for (int i = 0; i < task.items; ++i) {
        const Task::Item item = itemOf(task, i);
        for (int y = item.first; y < item.end; ++y) ++times.at(item.strip * task.height + y);
    }
    return times;
}

} // namespace

TEST(RowsOfItems, AreEachRowOfEachStripOnce)
{
    for (const int strips : {1, 2, 3, 7, 40})
        for (const int height : {1, 2, 5, 31, 1000})
            for (const int slots : {1, 8, 100, 3000})
                for (const int left : {0, 1, 2})
                    for (const int right : {0, 1, 3}) {
                        const int most = std::max(height / 4, 1);
                        const Task task = shared(strips, height, slots, most, left, right);
                        ASSERT_EQ(taken(task), std::vector<int>(strips * height, 1))
                            << strips << " strips of " << height << " rows, " << slots
                            << " slots, slow: " << left << " and " << right;
                    }
}

TEST(RowsOfItems, OfStripsAreAsManyAsWantedAndNoFewerThanPay)
{
    using local_entropy::rowsOfItems;
    EXPECT_EQ(rowsOfItems(1000, 10, 100, 16), 100);
    EXPECT_EQ(rowsOfItems(1001, 10, 100, 16), 101);
    EXPECT_EQ(rowsOfItems(1000, 10, 5, 16), 1000) << "one each";
    EXPECT_EQ(rowsOfItems(1000, 1, 500, 16), 16);
    EXPECT_EQ(rowsOfItems(3, 1, 500, 16), 3) << "all there are";
}

TEST(RowsOfItems, AreNoMoreItemsThanSlotsIfStripsAreNot)
{
    for (const int slots : {8, 100, 3000})
        for (const int left : {0, 1}) {
            const Task task = shared(4, 1000, slots, 200, left, 1);
            EXPECT_LE(task.items, slots);
            EXPECT_LE(task.fastChunks, 200);
        }
    EXPECT_EQ(shared(40, 1000, 8, 200, 0, 0).items, 40); // one chunk each
}

TEST(RowsOfItems, OfSlowStripsAreShorterAndComeFirst)
{
    const Task task = shared(10, 3000, 132, 1000, 1, 1);
    EXPECT_EQ(task.slowLeft, 1);
    EXPECT_EQ(task.slowRight, 1);
    EXPECT_EQ(task.slowChunks, (5 * task.fastChunks + 2) / 3);
    for (int i = 0; i < task.items; ++i) {
        const int strip = itemOf(task, i).strip;
        EXPECT_EQ(strip == 0 || strip == 9, i < 2 * task.slowChunks) << i;
    }
}
