// An item of work of a warp of slide.h (.cu): rows of a strip, which a lane reads and writes.
#pragma once

#include "local_entropy/methods/equal/feed.h"
#include "local_entropy/methods/equal/strip.h"

#include <cstdint>

namespace local_entropy::equal
{

/// A warp's own shared memory: a row of results.
struct alignas(16) Desk
{
    float answers[kColumns];
};

// What is rare is not made part of the kernels' loops, which would grow by it.

/// Writes results of a row that begin at any address: as many as `number`, in order, so that
/// neighbouring lanes write side by side. By all lanes.
inline __device__ __noinline__ void writeAnywhere(float *to, int number, float4 answers, Desk &desk)
{
    const int lane = threadIdx.x % kLanes;
    __syncwarp();
    reinterpret_cast<float4 *>(desk.answers)[lane] = answers;
    __syncwarp();
    for (int i = lane; i < number; i += kLanes) __stcs(to + i, desk.answers[i]);
}

/// An item of work, as one lane sees it.
template <typename Cell>
class Item
{
public:
    __device__ Item(const Strips<Cell> &task, int item, int windowWidth, Desk &desk)
        : Item(task, placeOf(task, item), windowWidth, desk)
    {
    }

    /// The lane's cells of the plane's row `first`, then of the next; in the end of the last one,
    /// again and again. By all lanes.
    __device__ Four<Cell> take()
    {
        const Four<Cell> taken = loaded.cells(task.plane.mask);
        feed.next(loaded); // while the others are worked on
        return taken;
    }

    /// Whether cells of the item's windows may not exist, for all rows of results.
    __device__ bool isCutAside() const { return cut; }
    /// For that row of results.
    __device__ bool isCut(int y) const
    {
        return cut || y < task.plane.top || y + task.windowHeight > task.plane.bottom;
    }
    /// Whether the lane's result i is in the result.
    __device__ bool isResult(int i) const { return column - strip + i < number; }

    /// Writes the lanes' results of row `first`, then of the next. By all lanes.
    __device__ void write(float4 answers)
    {
        if (!fours)
            writeAnywhere(to - column + strip, number, answers, desk);
        else if (isResult(0))
            __stcs(reinterpret_cast<float4 *>(to), answers);
        to += task.resultStride;
    }

    const int first, end; ///< rows of results
    const int strip, column;

private:
    struct Place
    {
        int strip, first, rows;
    };
    __device__ static Place placeOf(const Strips<Cell> &task, int item)
    {
        if (item < task.itemsAtEnds) {
            const int ends = min(task.strips, 2);
            return {item % ends ? task.strips - 1 : 0, item / ends * task.rowsAtEnds,
                    task.rowsAtEnds};
        }
        const int inner = item - task.itemsAtEnds;
        return {1 + inner % (task.strips - 2), inner / (task.strips - 2) * task.rows, task.rows};
    }

    __device__ Item(const Strips<Cell> &task, const Place &place, int windowWidth, Desk &desk)
        : first(place.first), end(min(first + place.rows, task.height)),
          strip(place.strip * resultColumns(windowWidth)),
          column(strip + threadIdx.x % kLanes * kCellsALane), task(task), desk(desk),
          // Lanes behind the plane's last column read it, and what they find is not asked for.
          feed(task.plane, strip, strip + kColumns,
               min(column, (task.width + windowWidth - 2) / kCellsALane * kCellsALane), first,
               end + task.windowHeight - 2),
          number(min(resultColumns(windowWidth), task.width - strip)),
          fours(task.fours && number == resultColumns(windowWidth)),
          cut(strip < task.plane.left || strip + kColumns > task.plane.right),
          to(task.result + first * task.resultStride + column)
    {
        feed.next(loaded);
    }

    const Strips<Cell> &task;
    Desk &desk;
    Feed<Cell> feed;
    const int number;     ///< of the strip's columns that are in the result
    const int fours, cut; ///< whether; at the left or right
    float *to;
    Loaded<Cell> loaded;
};

} // namespace local_entropy::equal
