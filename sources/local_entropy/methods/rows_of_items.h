// How the rows of a GPU's results are cut into items, which warps take one by one.
#pragma once

#include "common/host_device.h"
#include "common/integer.h"

#include <algorithm>
#include <cstdint>

namespace local_entropy
{

/// Rows of an item, if each of `strips` strips of so high results is cut into items of as many
/// rows, `wanted` items in all: no fewer than `least`, so that what an item does for its first row
/// alone does not count.
inline int rowsOfItems(int height, int strips, int wanted, int least)
{
    const int ofStrip = std::max(wanted / strips, 1);
    return std::max(common::ceilDiv(height, ofStrip), std::min(height, least));
}

/// Strips of columns, cut into chunks of rows: an item is a chunk of a strip. Slow strips, at the
/// left and right, have more chunks. All others have the same, so that neighbours read and write
/// the same rows at about the same time.
struct ItemsOfStrips
{
    int strips, number;         ///< of strips, and of items
    int slowLeft, slowRight;    ///< how many strips at the left and right are slow
    int slowChunks, fastChunks; ///< into which those are cut, and the others
};

/// An item for each of `slots` warps; for fewer, if fast strips had more than `most` chunks, so
/// that what an item does for its first row alone does not count. isSlow(strip): whether the edge
/// cuts its windows; a row of it takes about five thirds of the time of another.
template <typename IsSlow>
ItemsOfStrips itemsOfStrips(int strips, int height, int slots, int most, const IsSlow &isSlow)
{
    ItemsOfStrips all{};
    all.strips = strips;
    while (all.slowLeft < strips && isSlow(all.slowLeft)) ++all.slowLeft;
    while (all.slowLeft + all.slowRight < strips && isSlow(strips - 1 - all.slowRight))
        ++all.slowRight;
    const int slow = all.slowLeft + all.slowRight, fast = strips - slow;
    const auto slowChunks = [&](int chunks) {
        return std::min(common::ceilDiv(5 * chunks, 3), height);
    };
    int chunks = 1;
    while (chunks < most && (chunks + 1) * fast + slowChunks(chunks + 1) * slow <= slots) ++chunks;
    all.fastChunks = chunks;
    all.slowChunks = slowChunks(chunks);
    all.number = chunks * fast + all.slowChunks * slow;
    return all;
}

/// Item `index` of a task's `items`, those of slow strips first: rows `first` ... `end` - 1 of its
/// rows(), and where that strip is, placeOf(strip).
template <typename Task>
HOST_DEVICE typename Task::Item itemOf(const Task &task, int index)
{
    using Item = typename Task::Item;
    const int slow = task.items.slowLeft + task.items.slowRight, fast = task.items.strips - slow;
    const auto rowsOf = [&](int chunk, int chunks, int strip) {
        const std::int64_t rows = task.rows();
        return Item{task.placeOf(strip), static_cast<int>(rows * chunk / chunks),
                    static_cast<int>(rows * (chunk + 1) / chunks)};
    };
    if (index < slow * task.items.slowChunks) {
        const int strip = index % slow;
        return rowsOf(index / slow, task.items.slowChunks,
                      strip < task.items.slowLeft ? strip : fast + strip);
    }
    index -= slow * task.items.slowChunks;
    return rowsOf(index / fast, task.items.fastChunks, task.items.slowLeft + index % fast);
}

} // namespace local_entropy
