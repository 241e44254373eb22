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

// What a kernel is given, its Task, may have strips of columns that are cut into chunks of rows: an
// item is a chunk of a strip. Slow strips, at the left and right, have more chunks. All others have
// the same, so that neighbours read and write the same rows at about the same time. A Task has
//
//   int strips, items;          how many
//   int slowLeft, slowRight;    how many strips at the left and right are slow
//   int slowChunks, fastChunks; into which those are cut, and the others
//   rows()                      of the results
//   Item, placeOf(strip)        {placeOf(strip), first, end}: its rows first ... end - 1
//
// They are no struct of their own: with one, nvcc makes other machine code of some kernels.

/// An item for each of `slots` warps; for fewer, if fast strips had more than `most` chunks, so
/// that what an item does for its first row alone does not count. isSlow(strip): whether the edge
/// cuts its windows; a row of it takes about five thirds of the time of another.
template <typename Task, typename IsSlow>
void shareItems(Task &task, int strips, int slots, int most, const IsSlow &isSlow)
{
    task.strips = strips;
    task.slowLeft = task.slowRight = 0;
    while (task.slowLeft < strips && isSlow(task.slowLeft)) ++task.slowLeft;
    while (task.slowLeft + task.slowRight < strips && isSlow(strips - 1 - task.slowRight))
        ++task.slowRight;
    const int slow = task.slowLeft + task.slowRight, fast = strips - slow;
    const auto slowChunks = [&](int chunks) {
        return std::min(common::ceilDiv(5 * chunks, 3), task.rows());
    };
    int chunks = 1;
    while (chunks < most && (chunks + 1) * fast + slowChunks(chunks + 1) * slow <= slots) ++chunks;
    task.fastChunks = chunks;
    task.slowChunks = slowChunks(chunks);
    task.items = chunks * fast + task.slowChunks * slow;
}

/// Those of slow strips come first.
template <typename Task>
HOST_DEVICE typename Task::Item itemOf(const Task &task, int index)
{
    using Item = typename Task::Item;
    const int slow = task.slowLeft + task.slowRight, fast = task.strips - slow;
    const auto rowsOf = [&](int chunk, int chunks, int strip) {
        const std::int64_t rows = task.rows();
        return Item{task.placeOf(strip), static_cast<int>(rows * chunk / chunks),
                    static_cast<int>(rows * (chunk + 1) / chunks)};
    };
    if (index < slow * task.slowChunks) {
        const int strip = index % slow;
        return rowsOf(index / slow, task.slowChunks, strip < task.slowLeft ? strip : fast + strip);
    }
    index -= slow * task.slowChunks;
    return rowsOf(index / fast, task.fastChunks, task.slowLeft + index % fast);
}

} // namespace local_entropy
