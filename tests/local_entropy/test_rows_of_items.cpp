// How a GPU's warps share the rows of strips: every row of every strip once, whatever the numbers.
#include "local_entropy/methods/rows_of_items.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using local_entropy::itemOf;
using local_entropy::ItemsOfStrips;
using local_entropy::itemsOfStrips;

namespace
{

/// As kernels have it.
struct Task
{
    ItemsOfStrips items;
    int height;

    struct Item
    {
        int strip, first, end;
    };
    int rows() const { return height; }
    int placeOf(int strip) const { return strip; }
};

Task shared(int strips, int height, int slots, int most, int left, int right)
{
    return {itemsOfStrips(strips, height, slots, most,
                          [=](int strip) { return strip < left || strip >= strips - right; }),
            height};
}

/// How often each row of each strip is an item's.
std::vector<int> taken(const Task &task)
{
    std::vector<int> times(task.items.strips * task.height, 0);
    for (int i = 0; i < task.items.number; ++i) {
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

TEST(RowsOfItems, AreNoMoreItemsThanSlotsIfStripsAreNot)
{
    for (const int slots : {8, 100, 3000})
        for (const int left : {0, 1}) {
            const Task task = shared(4, 1000, slots, 200, left, 1);
            EXPECT_LE(task.items.number, slots);
            EXPECT_LE(task.items.fastChunks, 200);
        }
    EXPECT_EQ(shared(40, 1000, 8, 200, 0, 0).items.number, 40); // one chunk each
}

TEST(RowsOfItems, OfSlowStripsAreShorterAndComeFirst)
{
    const Task task = shared(10, 3000, 132, 1000, 1, 1);
    const ItemsOfStrips &items = task.items;
    EXPECT_EQ(items.slowLeft, 1);
    EXPECT_EQ(items.slowRight, 1);
    EXPECT_EQ(items.slowChunks, (5 * items.fastChunks + 2) / 3);
    for (int i = 0; i < items.number; ++i) {
        const int strip = itemOf(task, i).strip;
        EXPECT_EQ(strip == 0 || strip == 9, i < 2 * items.slowChunks) << i;
    }
}
